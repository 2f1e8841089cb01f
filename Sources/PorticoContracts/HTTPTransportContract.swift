import Portico

extension Capability {
    /// An HTTP transport that was told to allow plain http.
    public static let plainHTTP = Capability("plain http")
    /// An HTTP transport that was not told to allow plain http.
    public static let httpsOnly = Capability("https only")
    /// An HTTP transport that trusts the authority of the contract's server, and can reach 127.0.0.1 by https.
    public static let ownAuthority = Capability("own authority")
}

/// The guarantees of `HTTPTransport`, checked against servers on the loopback interface.
///
/// An adapter is two subjects, since plain http is a choice made when a transport is made: one that allows it
/// (`plainHTTP`), against which most clauses run, and one that does not (`httpsOnly`). A clause sends requests without
/// a proxy in mind: subjects must reach 127.0.0.1 and localhost directly.
///
/// ```swift
/// let subject = Subject<any HTTPTransport>(name: "HostHTTP", capabilities: [.plainHTTP]) {
///     { HostHTTP(allowInsecure: true) }
/// }
/// for clause in HTTPTransportContract.clauses(server: LoopbackServer()) {
///     print(clause, await clause.check(subject))
/// }
/// ```
///
/// No clause measures time: a server that stalls answers after five seconds, so that a transport that waits too long
/// gives a response where an error is due.
public enum HTTPTransportContract {
    /// The clauses, in the order of the guarantees.
    public static func clauses(server: any ContractHTTPServer) -> [Clause<any HTTPTransport>] {
        [
            Clause("HT-1", "requests and responses arrive as they were sent", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkMessages()
            },
            Clause("HT-2", "any status is a response", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkStatuses()
            },
            Clause("HT-3", "what is not idempotent is sent at most once", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkSentOnce()
            },
            Clause("HT-4", "idle and total time are limited, progress counts", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkTimeouts()
            },
            Clause("HT-5", "cancelling ends the call and frees the connection", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkCancellation()
            },
            Clause("HT-6", "a body over the limit ends the call", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkBodyLimit()
            },
            Clause("HT-7", "redirects are limited and carry no credentials abroad", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkRedirects()
            },
            Clause("HT-8", "what is no field is not sent", needs: [.plainHTTP]) {
                try await HTTPCheck($0, server).checkFields()
            },
            Clause("HT-9", "plain http is refused unless it is allowed", needs: [.httpsOnly]) {
                try await HTTPCheck($0, server).checkPlainHTTP()
            },
            Clause("HT-10", "a certificate that does not verify is refused", needs: [.ownAuthority]) {
                try await HTTPCheck($0, server).checkCertificates()
            },
        ]
    }
}

/// One subject's transport and the servers that it is sent to.
private struct HTTPCheck {
    let transport: any HTTPTransport
    let server: any ContractHTTPServer
    let capabilities: Set<Capability>

    init(_ subject: Subject<any HTTPTransport>, _ server: any ContractHTTPServer) async throws {
        transport = try await subject.fresh()()
        self.server = server
        capabilities = subject.capabilities
    }

    /// Runs `body` beside a server, which is stopped whatever happens.
    func serving(
        _ script: [ServerConnection], security: ServerSecurity = .plain,
        _ body: (any RunningContractServer) async throws -> Void
    ) async throws {
        try await serving(security, script: { _ in script }, body)
    }

    func serving(
        _ security: ServerSecurity, script: @escaping @Sendable (UInt16) -> [ServerConnection],
        _ body: (any RunningContractServer) async throws -> Void
    ) async throws {
        let running = try await server.start(security, script: script)
        do {
            try await body(running)
            await running.stop()
        } catch {
            await running.stop()
            throw error
        }
    }

    func outcome(_ request: HTTPRequest) async -> Result<HTTPResponse, NetworkError> {
        do throws(NetworkError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    func requireFailure(_ request: HTTPRequest, _ expected: NetworkError, _ what: String) async throws {
        try requireEqual(await outcome(request), .failure(expected), what)
    }
}

/// A response with a body of known length.
private func response(_ status: String, _ fields: [String] = [], body: [UInt8] = Array("ok".utf8)) -> ServerStep {
    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
    return .send(Array(lines.joined(separator: "\r\n").utf8) + body)
}

private func redirect(_ status: String = "302 Found", to location: String) -> ServerStep {
    response(status, ["Location: \(location)"])
}

/// Answers everything with 200.
private let answering = [ServerConnection([.read, response("200 OK")], repeats: true)]

extension RunningContractServer {
    fileprivate func url(_ path: String = "/", scheme: String = "http") -> String {
        "\(scheme)://127.0.0.1:\(port)\(path)"
    }
}

extension HTTPCheck {
    // MARK: HT-1

    func checkMessages() async throws {
        let bytes = (0..<4_096).map { UInt8(truncatingIfNeeded: $0) }
        try await serving([ServerConnection([.read, response("200 OK")])]) { server in
            let sent = HTTPRequest(
                method: "PATCH", url: server.url("/a/b%20c?d=%C3%A9&e=f+g"),
                fields: [
                    HTTPField(name: "X-One", value: "1"), HTTPField(name: "Content-Type", value: "x-test/bytes"),
                    HTTPField(name: "X-Two", value: "a: b; c=\"d\""), HTTPField(name: "X-One", value: "2"),
                    HTTPField(name: "X-None", value: ""),
                ], body: bytes)
            _ = try await transport.send(sent)
            let seen = await server.requests()
            try requireEqual(seen.count, 1, "requests")
            try requireEqual(seen[0].method, "PATCH", "method")
            try requireEqual(seen[0].target, "/a/b%20c?d=%C3%A9&e=f+g", "target")
            // Repeated fields may be joined on the way (RFC 9110 §5.2).
            try requireEqual(seen[0].values("X-One").joined(separator: ", "), "1, 2", "X-One")
            try requireEqual(seen[0].values("X-Two"), ["a: b; c=\"d\""], "X-Two")
            try requireEqual(seen[0].values("X-None"), [""], "X-None")
            try requireEqual(seen[0].values("Content-Type"), ["x-test/bytes"], "Content-Type")
            try requireEqual(seen[0].body, bytes, "body")
        }
        let fields = ["X-B: 1", "Set-Cookie: a=1; Path=/", "x-a:  spaced ", "Set-Cookie: b=2", "X-Empty:"]
        let expected = [
            HTTPField(name: "X-B", value: "1"), HTTPField(name: "Set-Cookie", value: "a=1; Path=/"),
            HTTPField(name: "x-a", value: "spaced"), HTTPField(name: "Set-Cookie", value: "b=2"),
            HTTPField(name: "X-Empty", value: ""),
        ]
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Late: 1\r\n\r\n"
        let script = [
            ServerConnection([
                .read, .send("HTTP/1.1 103 Early Hints\r\nX-Hint: 1\r\n\r\n"),
                response("201 Made", fields, body: bytes),
            ]),
            ServerConnection([.read, .send(chunked)]),
            ServerConnection([.read, .send("HTTP/1.1 200 OK\r\n\r\nuntil the end")]),
            ServerConnection([.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n")]),
        ]
        try await serving(script) { server in
            let first = try await transport.send(HTTPRequest(url: server.url()))
            try requireEqual(first.status, 201, "status")
            try requireEqual(Array(first.fields.prefix(5)), expected, "fields")
            try requireEqual(first.fields.count, 6, "fields, Content-Length included")
            try requireEqual(first.body, bytes, "body")
            let second = try await transport.send(HTTPRequest(url: server.url()))
            try requireEqual(String(decoding: second.body, as: UTF8.self), "abcdefg", "chunked body")
            let third = try await transport.send(HTTPRequest(url: server.url()))
            try requireEqual(
                String(decoding: third.body, as: UTF8.self), "until the end", "body that ends the connection")
            let head = try await transport.send(HTTPRequest(method: "HEAD", url: server.url()))
            try requireEqual(head.body, [], "body of a HEAD")
            try requireEqual(head.field("content-length"), "5", "length told by a HEAD")
        }
    }

    // MARK: HT-2

    func checkStatuses() async throws {
        for status in [200, 202, 203, 299, 400, 401, 403, 404, 409, 413, 418, 429, 499, 500, 502, 503, 599] {
            let challenge = status == 401 ? ["WWW-Authenticate: Basic realm=\"x\""] : []
            try await serving([ServerConnection([.read, response("\(status) Said", challenge)], repeats: true)]) {
                server in
                let seen = try await transport.send(HTTPRequest(url: server.url()))
                try requireEqual(seen.status, status, "status")
                try requireEqual(seen.body, Array("ok".utf8), "body of \(status)")
                try requireEqual(await server.requests().count, 1, "requests for a \(status)")
            }
        }
        for status in [204, 304] {
            let bare = ServerStep.send("HTTP/1.1 \(status) Said\r\n\r\n")
            try await serving([ServerConnection([.read, bare], repeats: true)]) { server in
                let seen = try await transport.send(HTTPRequest(url: server.url()))
                try requireEqual(seen, HTTPResponse(status: status), "response without a body")
            }
        }
    }

    // MARK: HT-3

    func checkSentOnce() async throws {
        // Each leaves behind a connection that was kept alive and is dead when it is used again.
        let deadConnections = [
            [.read, response("200 OK"), .read], [.read, response("200 OK")],
            [.read, response("200 OK"), .read, .reset],
        ]
        for steps in deadConnections {
            try await serving([ServerConnection(steps)] + answering) { server in
                _ = try await transport.send(HTTPRequest(url: server.url("/first")))
                try await sendOnce(to: server)
            }
        }
        // And a server that takes the request and says nothing.
        for steps in [[ServerStep.read], [.read, .reset], [.read, .send("HTTP/1.1 200 OK\r\nContent-Le")]] {
            try await serving([ServerConnection(steps)] + answering) { server in try await sendOnce(to: server) }
        }
    }

    private func sendOnce(to server: any RunningContractServer) async throws {
        let bodies: [(String, [UInt8]?)] = [("POST", [1, 2, 3]), ("PUT", [1, 2, 3]), ("DELETE", nil)]
        for (method, body) in bodies {
            let result = await outcome(
                HTTPRequest(method: method, url: server.url("/once"), body: body, isIdempotent: false))
            let seen = await server.requests().filter { $0.method == method && $0.target == "/once" }.count
            try require(seen <= 1, "the server saw \(seen) \(method) requests")
            if case .success = result { try requireEqual(seen, 1, "requests behind a response") }
        }
    }

    // MARK: HT-4

    func checkTimeouts() async throws {
        let late = response("200 OK")
        let stalls: [[ServerStep]] = [
            [.read, .pause(5_000), late],
            [.read, .send("HTTP/1.1 200 OK\r\nContent-Le"), .pause(5_000), .send("ngth: 0\r\n\r\n")],
            [.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), .pause(5_000), .send("cd")],
        ]
        for steps in stalls {
            try await serving([ServerConnection(steps)]) { server in
                try await requireFailure(
                    HTTPRequest(url: server.url(), idleTimeout: 300, timeout: nil), .timedOut, "a stalled response")
            }
        }
        try await serving([ServerConnection([.pause(5_000), .read, late])]) { server in
            let large = [UInt8](repeating: 7, count: 32 << 20)
            try await requireFailure(
                HTTPRequest(method: "PUT", url: server.url(), body: large, idleTimeout: 300, timeout: nil), .timedOut,
                "a server that reads nothing")
        }
        let body = [UInt8](repeating: 0x61, count: 12)
        let head = ServerStep.send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")
        try await serving([ServerConnection([.read, head, .trickle(body, every: 200)])]) { server in
            let seen = await outcome(HTTPRequest(url: server.url(), idleTimeout: 1_500, timeout: nil))
            let fields = [HTTPField(name: "Content-Length", value: "12")]
            try requireEqual(
                seen, .success(HTTPResponse(status: 200, fields: fields, body: body)), "a slow response that moves")
        }
        try await serving([ServerConnection([.read, head, .trickle(body, every: 500)])]) { server in
            try await requireFailure(
                HTTPRequest(url: server.url(), idleTimeout: 3_000, timeout: 600), .timedOut,
                "a response that takes too long in all")
        }
    }

    // MARK: HT-5

    func checkCancellation() async throws {
        let stalls: [[ServerStep]] = [
            [.read, .pause(5_000), response("200 OK")],
            [.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), .pause(5_000), .send("cd")],
        ]
        for steps in stalls {
            try await serving([ServerConnection(steps)]) { server in
                let task = Task { await outcome(HTTPRequest(url: server.url())) }
                try require(await server.hasRead(requests: 1), "the request does not arrive")
                task.cancel()
                try requireEqual(await task.value, .failure(.cancelled), "a call whose task was cancelled")
                try require(await server.clientHasClosed(connection: 0), "the connection stays open")
            }
        }
        try await serving(answering) { server in
            let result = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await outcome(HTTPRequest(url: server.url()))
            }.value
            try requireEqual(result, .failure(.cancelled), "a call whose task was cancelled before")
            try requireEqual(await server.requests().count, 0, "requests by a cancelled task")
        }
    }

    // MARK: HT-6

    func checkBodyLimit() async throws {
        let body = [UInt8](repeating: 0x61, count: 1_000)
        try await serving([ServerConnection([.read, response("200 OK", body: body)], repeats: true)]) { server in
            let whole = try await transport.send(HTTPRequest(url: server.url(), maximumBody: 1_000))
            try requireEqual(whole.body.count, 1_000, "a body of just the limit")
            try await requireFailure(
                HTTPRequest(url: server.url(), maximumBody: 999), .tooLarge(limit: 999), "a body of one byte more")
        }
        // The rest never comes: who wants the whole body before he counts it waits too long.
        let chunk = Array("400\r\n".utf8) + [UInt8](repeating: 0x61, count: 0x400) + [13, 10]
        let stalls: [[ServerStep]] = [
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .send(chunk), .pause(5_000)],
            [.send("HTTP/1.1 200 OK\r\n\r\n"), .send(chunk), .pause(5_000)],
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n"), .send(chunk), .pause(5_000)],
        ]
        for steps in stalls {
            try await serving([ServerConnection([.read] + steps)]) { server in
                try await requireFailure(
                    HTTPRequest(url: server.url(), idleTimeout: 2_000, maximumBody: 1_000), .tooLarge(limit: 1_000),
                    "a body that goes on")
            }
        }
    }

    // MARK: HT-7

    func checkRedirects() async throws {
        try await serving([ServerConnection([.read, redirect(to: "/again")], repeats: true)]) { server in
            for limit in [0, 1, 3] {
                let before = await server.requests().count
                _ = await outcome(HTTPRequest(url: server.url(), maximumRedirects: limit))
                try requireEqual(await server.requests().count - before, limit + 1, "requests for \(limit) redirects")
            }
        }
        let home = [ServerConnection([.read, redirect(to: "next?x=1"), .read, response("200 OK")])]
        try await serving(home) { server in
            let seen = try await transport.send(guarded(server.url("/dir/first")))
            try requireEqual(seen.status, 200, "status behind a redirect")
            try requireEqual(await server.requests().map(\.target), ["/dir/first", "/dir/next?x=1"], "targets")
        }
        for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
            try await checkAbroad(status, .plain)
        }
        try await checkOtherHost()
        guard capabilities.contains(.ownAuthority) else { return }
        try await checkAbroad("302 Found", .tls(.good))
        try await serving(answering) { plain in
            let script = [ServerConnection([.read, redirect(to: plain.url())], repeats: true)]
            try await serving(script, security: .tls(.good)) { secure in
                _ = await outcome(guarded(secure.url(scheme: "https")))
                try requireEqual(await secure.requests().count, 1, "requests to the secure server")
                try requireEqual(await plain.requests().count, 0, "requests from https to http")
            }
        }
    }

    private func checkAbroad(_ status: String, _ security: ServerSecurity) async throws {
        try await serving(answering, security: security) { abroad in
            let target = abroad.url("/abroad", scheme: security == .plain ? "http" : "https")
            try await serving([ServerConnection([.read, redirect(status, to: target)], repeats: true)]) { server in
                _ = await outcome(guarded(server.url()))
                try requireEqual(await server.requests().first?.values("Authorization"), ["secret"], "at home")
                try requireUnguarded(await abroad.requests(), count: 1)
            }
        }
    }

    /// The same port under another name.
    private func checkOtherHost() async throws {
        let script: @Sendable (UInt16) -> [ServerConnection] = { port in
            [ServerConnection([.read, redirect(to: "http://localhost:\(port)/abroad")])] + answering
        }
        try await serving(.plain, script: script) { server in
            _ = await outcome(guarded(server.url()))
            try requireUnguarded(Array(await server.requests().dropFirst()), count: 1)
        }
    }

    private func guarded(_ url: String) -> HTTPRequest {
        HTTPRequest(
            url: url,
            fields: [
                HTTPField(name: "Authorization", value: "secret"), HTTPField(name: "cookie", value: "secret=1"),
                HTTPField(name: "PROXY-AUTHORIZATION", value: "secret"), HTTPField(name: "X-Kept", value: "1"),
            ], maximumRedirects: 3)
    }

    private func requireUnguarded(_ requests: [ServerRequest], count: Int) throws {
        try requireEqual(requests.count, count, "requests after a redirect")
        for request in requests {
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
                try requireEqual(request.values(name), [], "\(name) after a redirect to another server")
            }
            try requireEqual(request.values("X-Kept"), ["1"], "other fields after a redirect")
        }
    }

    // MARK: HT-8

    func checkFields() async throws {
        let names = ["", " ", "X Y", "X:", "X\r\nY", "X\n", "X\u{0}", "Ü", "X\u{7F}", "(X)"]
        let values = ["a\r\nX-B: c", "a\nb", "a\rb", "a\u{0}b", "\n", "a\r\n\r\nGET / HTTP/1.1"]
        let fields =
            names.map { HTTPField(name: $0, value: "1") } + values.map { HTTPField(name: "X-A", value: $0) }
        try await serving(answering) { server in
            for field in fields {
                let result = await outcome(HTTPRequest(url: server.url(), fields: [field]))
                guard case .failure(.protocolViolation) = result else {
                    throw Breach("\(field) gives \(result)")
                }
            }
            try requireEqual(await server.requests().count, 0, "requests with what is no field")
        }
    }

    // MARK: HT-9

    func checkPlainHTTP() async throws {
        try await serving(answering) { server in
            for scheme in ["http", "HTTP"] {
                let result = await outcome(HTTPRequest(url: server.url(scheme: scheme)))
                guard case .failure(.insecure) = result else { throw Breach("plain http gives \(result)") }
            }
            try requireEqual(await server.requests().count, 0, "requests over plain http")
        }
    }

    // MARK: HT-10

    func checkCertificates() async throws {
        for certificate in ServerCertificate.allCases {
            try await serving(answering, security: .tls(certificate)) { server in
                let result = await outcome(HTTPRequest(url: server.url(scheme: "https")))
                switch (certificate, result) {
                case (.good, .success(let response)):
                    try requireEqual(response.status, 200, "status over TLS")
                case (.good, .failure(let error)):
                    throw Breach("a good certificate gives \(error)")
                case (_, .failure(.untrusted)):
                    try requireEqual(await server.requests().count, 0, "requests to a server that is not trusted")
                default:
                    throw Breach("the certificate \(certificate.rawValue) gives \(result)")
                }
            }
        }
    }
}
