import Portico

/// The guarantees that `HTTPStreamingTransport` adds, checked against servers on the loopback interface.
///
/// A subject allows plain http; those of `HTTPTransportContract` are checked beside them.
///
/// ```swift
/// let subject = Subject<any HTTPStreamingTransport>(name: "HostStreams", capabilities: [.plainHTTP]) {
///     { HostStreams(allowInsecure: true) }
/// }
/// for clause in HTTPStreamingTransportContract.clauses(server: LoopbackServer()) {
///     print(clause, await clause.check(subject))
/// }
/// ```
public enum HTTPStreamingTransportContract {
    /// The clauses, in the order of the guarantees.
    public static func clauses(server: any ContractHTTPServer) -> [Clause<any HTTPStreamingTransport>] {
        [
            Clause("HS-1", "head and pieces are given as they come", needs: [.plainHTTP]) {
                try await StreamCheck($0, server).checkPieces()
            },
            Clause("HS-2", "a body that breaks off is told from a whole one", needs: [.plainHTTP]) {
                try await StreamCheck($0, server).checkBreaks()
            },
            Clause("HS-3", "an unread body is held back, a silent one times out", needs: [.plainHTTP]) {
                try await StreamCheck($0, server).checkFlow()
            },
            Clause("HS-4", "cancelling and letting go free the connection", needs: [.plainHTTP]) {
                try await StreamCheck($0, server).checkLettingGo()
            },
        ]
    }
}

/// One subject's transport and the servers that it is sent to.
private struct StreamCheck {
    let transport: any HTTPStreamingTransport
    let server: any ContractHTTPServer

    init(_ subject: Subject<any HTTPStreamingTransport>, _ server: any ContractHTTPServer) async throws {
        transport = try await subject.fresh()()
        self.server = server
    }

    func serving(
        _ script: [ServerConnection], _ body: (any RunningContractServer) async throws -> Void
    ) async throws {
        let running = try await server.start(.plain) { _ in script }
        do {
            try await body(running)
            await running.stop()
        } catch {
            await running.stop()
            throw error
        }
    }

    func open(
        _ server: any RunningContractServer, _ path: String = "/", idle: Int64 = 15_000, redirects: Int = 0
    ) async throws -> HTTPStreamedResponse {
        try await transport.stream(
            HTTPRequest(
                url: "http://127.0.0.1:\(server.port)\(path)", idleTimeout: idle, timeout: nil, maximumBody: 16,
                maximumRedirects: redirects))
    }

    /// What one call gives.
    func next(_ body: HTTPStreamedBody) async -> Result<[UInt8]?, NetworkError> {
        do throws(NetworkError) {
            return .success(try await body.next())
        } catch {
            return .failure(error)
        }
    }

    /// Reads until at least so many bytes came.
    func read(_ count: Int, of body: HTTPStreamedBody) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let piece = try await body.next() else { break }
            try require(!piece.isEmpty, "a piece without a byte")
            bytes += piece
        }
        return bytes
    }
}

private let chunkedHead = ServerStep.send(
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")

private func chunk(_ text: String) -> ServerStep {
    .send("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
}

/// The server says nothing more for so long that a client which waits for more is found out.
private let endless = ServerStep.pause(5_000)

extension StreamCheck {
    // MARK: HS-1

    func checkPieces() async throws {
        // What follows never comes: who waits for the whole has nothing.
        try await serving([ServerConnection([.read, chunkedHead, endless])]) { server in
            let response = try await open(server)
            try requireEqual(response.status, 200, "status")
            try requireEqual(response.field("content-type"), "text/event-stream", "Content-Type")
        }
        try await serving([ServerConnection([.read, chunkedHead, chunk("one"), endless])]) { server in
            let response = try await open(server)
            try requireEqual(String(decoding: try await read(3, of: response.body), as: UTF8.self), "one", "a piece")
        }
        let whole = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let sized = ServerStep.send(Array("HTTP/1.1 404 No\r\nContent-Length: 100000\r\n\r\n".utf8) + whole)
        let redirect = ServerStep.send("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 4\r\n\r\naway")
        try await serving([ServerConnection([.read, redirect, .read, sized])]) { server in
            let response = try await open(server, redirects: 1)
            try requireEqual(response.status, 404, "status behind a redirect")
            try requireEqual(try await read(.max, of: response.body) == whole, true, "a body of many pieces")
            try requireEqual(await next(response.body), .success(nil), "a call after the end")
        }
        let empty = ServerStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await serving([ServerConnection([.read, empty])]) { server in
            let response = try await open(server)
            try requireEqual(await next(response.body), .success(nil), "the body of a 204")
        }
    }

    // MARK: HS-2

    func checkBreaks() async throws {
        let sized = ServerStep.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
        for steps in [[chunkedHead, chunk("half")], [sized], [sized, .pause(50), .reset]] {
            try await serving([ServerConnection([.read] + steps)]) { server in
                let body = try await open(server).body
                if steps.count < 3 {
                    try requireEqual(String(decoding: try await read(4, of: body), as: UTF8.self), "half", "the half")
                }
                var last = await next(body)
                while case .success(.some) = last { last = await next(body) }
                guard case .failure = last else { throw Breach("a body that breaks off gives \(last)") }
                try requireEqual(await next(body), last, "a call after the break")
            }
        }
    }

    // MARK: HS-3

    func checkFlow() async throws {
        try await serving([ServerConnection([.read, chunkedHead, chunk("a"), endless])]) { server in
            let body = try await open(server, idle: 300).body
            _ = try await read(1, of: body)
            try requireEqual(await next(body), .failure(.timedOut), "a server that says nothing more")
        }
        let drops = (0..<8).flatMap { _ in [chunk(":\n"), ServerStep.pause(200)] }
        try await serving([ServerConnection([.read, chunkedHead] + drops + [.send("0\r\n\r\n"), endless])]) { server in
            let body = try await open(server, idle: 1_500).body
            try requireEqual(try await read(.max, of: body).count, 16, "bytes of a slow body that moves")
        }
        // Far more than sockets hold: the server is done only when somebody has read.
        let much = [UInt8](repeating: 0x61, count: 48 << 20)
        let head = ServerStep.send("HTTP/1.1 200 OK\r\nContent-Length: \(much.count)\r\n\r\n")
        try await serving([ServerConnection([.read, head, .send(much), .read])]) { server in
            let body = try await open(server, idle: 700).body
            let first = try await read(1, of: body)
            // Another exchange on the same transport takes more than the first one's idle time.
            try await serving([
                ServerConnection([.read, .pause(1_500), .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
            ]) { other in
                _ = try await open(other)
            }
            try requireEqual(await server.stepsDone(connection: 0), 2, "steps of a server whose body nobody reads")
            let rest = try await read(.max, of: body)
            try requireEqual(first.count + rest.count, much.count, "bytes of a body that waited for its reader")
        }
    }

    // MARK: HS-4

    func checkLettingGo() async throws {
        try await serving([ServerConnection([.read, endless])]) { server in
            let task = Task { () -> NetworkError? in
                do throws(NetworkError) {
                    _ = try await transport.stream(HTTPRequest(url: "http://127.0.0.1:\(server.port)/"))
                    return nil
                } catch {
                    return error
                }
            }
            try require(await server.hasRead(requests: 1), "the request does not arrive")
            task.cancel()
            try requireEqual(await task.value, .cancelled, "a stream that was cancelled before its head")
            try require(await server.clientHasClosed(connection: 0), "the connection stays open without a head")
        }
        let script = [ServerConnection([.read, chunkedHead, chunk("a"), endless])]
        try await serving(script) { server in
            let body = try await open(server).body
            let task = Task { () -> Result<[UInt8]?, NetworkError> in
                var last = await next(body)
                while case .success(.some) = last { last = await next(body) }
                return last
            }
            try require(await server.hasRead(requests: 1), "the request does not arrive")
            task.cancel()
            try requireEqual(await task.value, .failure(.cancelled), "a read whose task was cancelled")
            try require(await server.clientHasClosed(connection: 0), "the connection stays open after a cancellation")
        }
        try await serving(script) { server in
            let body = try await open(server).body
            body.cancel()
            body.cancel()
            try require(await server.clientHasClosed(connection: 0), "the connection stays open after `cancel`")
            var last = await next(body)
            while case .success(.some) = last { last = await next(body) }
            try requireEqual(last, .failure(.cancelled), "a read after `cancel`")
        }
        try await serving(script) { server in
            _ = try await open(server)
            try require(
                await server.clientHasClosed(connection: 0), "the connection stays open when nobody has the body")
        }
    }
}
