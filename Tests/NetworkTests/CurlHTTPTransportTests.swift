#if Curl && os(Linux)
import Foundation
import Portico
import PorticoContracts
import Subjects
import Testing

@testable import PorticoCurl

@Suite("The curl transport beyond its contract")
struct CurlHTTPTransportTests {
    private let lenient = CurlHTTPTransport.Configuration(allowInsecure: true, proxy: .none)

    /// Runs `body` with a transport and a server, both of which are ended.
    private func serving(
        _ script: [ServerConnection], _ configuration: CurlHTTPTransport.Configuration? = nil,
        _ body: (CurlHTTPTransport, any RunningContractServer, String) async throws -> Void
    ) async throws {
        let http = try CurlHTTPTransport(configuration: configuration ?? lenient)
        let server = try await LoopbackServer(tls: nil).start(.plain) { _ in script }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(http, server, "http://127.0.0.1:\(server.port)"))
        } catch {
            result = .failure(error)
        }
        await http.close()
        await server.stop()
        try result.get()
    }

    private let ok = ServerStep.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    private func outcome(
        _ http: any HTTPTransport, _ request: HTTPRequest
    ) async -> Result<HTTPResponse, NetworkError> {
        do throws(NetworkError) {
            return .success(try await http.send(request))
        } catch {
            return .failure(error)
        }
    }

    @Test("a POST beside a dead connection arrives once and is answered")
    func postOnce() async throws {
        // The server drops the kept-alive connection when it is used again.
        let script = [ServerConnection([.read, ok, .read]), ServerConnection([.read, ok])]
        try await serving(script) { http, server, url in
            _ = try await http.send(HTTPRequest(url: url))
            let response = try await http.send(HTTPRequest(method: "POST", url: url, body: [1]))
            #expect(response.status == 200)
            #expect(await server.requests().map(\.method) == ["GET", "POST"])
        }
    }

    @Test("a GET on a dead connection is sent again")
    func getAgain() async throws {
        let script = [ServerConnection([.read, ok, .read]), ServerConnection([.read, ok])]
        try await serving(script) { http, server, url in
            _ = try await http.send(HTTPRequest(url: url))
            #expect(try await http.send(HTTPRequest(url: url)).status == 200)
            #expect(await server.requests().map(\.connection) == [0, 0, 1])
        }
    }

    @Test("a connection is used again where nothing forbids it")
    func keepAlive() async throws {
        try await serving([ServerConnection([.read, ok], repeats: true)]) { http, server, url in
            for _ in 0..<3 { _ = try await http.send(HTTPRequest(url: url)) }
            #expect(await server.requests().map(\.connection) == [0, 0, 0])
        }
    }

    @Test("descriptors and threads are the same after 200 requests, and gone after close")
    func descriptors() async {
        // In a process of its own: other tests open descriptors meanwhile.
        await #expect(processExitsWith: .success) {
            func count(_ folder: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
            }
            let server = try await LoopbackServer(tls: nil).start(.plain) { _ in
                let close = ServerStep.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok")
                let moved = ServerStep.send("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
                return [ServerConnection([.read, moved, .read, close], repeats: false)]
            }
            let before = try count("fd")
            let http = try CurlHTTPTransport(configuration: .init(allowInsecure: true, proxy: .none))
            func request(_ number: Int) async throws {
                let request = HTTPRequest(
                    method: number % 2 == 0 ? "GET" : "POST", url: "http://127.0.0.1:\(server.port)", body: nil,
                    maximumRedirects: 1)
                let response = try await http.send(request)
                precondition(response.status == 200)
            }
            for number in 0..<20 { try await request(number) }
            let early = try count("fd")
            for number in 0..<180 { try await request(number) }
            // The server's own threads may hold a descriptor a moment longer.
            let late = try count("fd")
            precondition(abs(late - early) <= 2, "descriptors: \(before), \(early), \(late)")
            await http.close()
            await http.close()
            // The server's threads close their ends a moment later.
            var after = try count("fd")
            for _ in 0..<200 where after > before {
                usleep(10_000)
                after = try count("fd")
            }
            precondition(after <= before, "descriptors: \(before), then \(after)")
            await server.stop()
        }
    }

    @Test("closing ends what is under way, and what comes later, with closed")
    func closing() async throws {
        let http = try CurlHTTPTransport(configuration: lenient)
        let server = try await LoopbackServer(tls: nil).start(.plain) { _ in
            [ServerConnection([.read, .pause(60_000)])]
        }
        let url = "http://127.0.0.1:\(server.port)"
        // Fifty calls that are all at the server at once: none waits for another.
        let outcomes = await withTaskGroup(of: Result<HTTPResponse, NetworkError>.self) { group in
            for _ in 0..<50 { group.addTask { await outcome(http, HTTPRequest(url: url)) } }
            #expect(await server.hasRead(requests: 50))
            await http.close()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .failure(.closed), count: 50))
        await http.close()
        #expect(await outcome(http, HTTPRequest(url: url)) == .failure(.closed))
        await server.stop()
    }

    @Test("a transport that is dropped ends its thread")
    func dropping() async {
        await #expect(processExitsWith: .success) {
            func threads() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            }
            let before = try threads()
            for _ in 0..<50 { _ = try CurlHTTPTransport() }
            var after = try threads()
            for _ in 0..<200 where after > before + 8 {
                usleep(10_000)
                after = try threads()
            }
            precondition(after <= before + 8, "threads: \(before), then \(after)")
        }
    }

    @Test("cancelling a hundred calls at any moment ends each of them")
    func cancelling() async throws {
        try await serving([ServerConnection([.read, ok], repeats: true)]) { http, _, url in
            for round in 0..<100 {
                let task = Task { await outcome(http, HTTPRequest(url: url)) }
                for _ in 0..<round { await Task.yield() }
                task.cancel()
                switch await task.value {
                case .success(let response): #expect(response.status == 200)
                case .failure(let error): #expect(error == .cancelled)
                }
            }
        }
    }

    @Test("what is sent has no field that nobody asked for")
    func fieldsSent() async throws {
        var configuration = lenient
        configuration.userAgent = "Gate/1"
        try await serving([ServerConnection([.read, ok], repeats: true)], configuration) { http, server, url in
            let large = [UInt8](repeating: 1, count: 2 << 20)
            _ = try await http.send(HTTPRequest(method: "POST", url: url, body: large))
            _ = try await http.send(
                HTTPRequest(
                    url: url,
                    fields: [HTTPField(name: "user-agent", value: "Mine"), .init(name: "Accept", value: "a/b")]))
            _ = try await http.send(HTTPRequest(method: "POST", url: url))
            let seen = await server.requests()
            #expect(
                seen.map { $0.fields.map(\.name) } == [
                    ["Host", "User-Agent", "Content-Length"], ["Host", "user-agent", "Accept"],
                    ["Host", "User-Agent", "Content-Length"],
                ])
            #expect(seen[0].body == large)
            #expect(seen[0].values("User-Agent") == ["Gate/1"])
            #expect(seen[2].values("Content-Length") == ["0"])
        }
    }

    @Test("an answer that comes before the request is whole is taken")
    func earlyAnswer() async throws {
        let early = ServerStep.send("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
        try await serving([ServerConnection([early, .pause(8_000)])]) { http, _, url in
            let large = [UInt8](repeating: 1, count: 32 << 20)
            let response = try await http.send(HTTPRequest(method: "POST", url: url, body: large, idleTimeout: 2_000))
            #expect(response.status == 413)
            #expect(response.body == Array("no".utf8))
        }
    }

    @Test("a compressed body comes as it was sent")
    func compressed() async throws {
        let bytes: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0xFF]
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n".utf8)
        try await serving([ServerConnection([.read, .send(head + bytes)])]) { http, _, url in
            let response = try await http.send(HTTPRequest(url: url))
            #expect(response.body == bytes)
        }
    }

    @Test("answers that are not HTTP, or have no end, end the call", arguments: NoAnswer.allCases)
    func notHTTP(_ answer: NoAnswer) async throws {
        try await serving([ServerConnection([.read, .send(answer.text), .pause(8_000)])]) { http, _, url in
            let result = await outcome(http, HTTPRequest(method: "POST", url: url, idleTimeout: 3_000))
            guard case .failure(.protocolViolation) = result else {
                Issue.record("\(answer) gives \(result)")
                return
            }
        }
    }

    /// What a server may send that no client should take.
    enum NoAnswer: CaseIterable {
        case anotherProtocol
        case switching
        case noColon
        case noToken
        case flood
        case hintsWithoutEnd

        var text: String {
            switch self {
            case .anotherProtocol: "220 mail.example ready\r\n"
            case .switching: "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"
            case .noColon: "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"
            case .noToken: "HTTP/1.1 200 OK\r\nX Y: 1\r\n\r\n"
            case .flood: "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Flood: 0123456789abcdef\r\n", count: 11_000)
            case .hintsWithoutEnd:
                String(repeating: "HTTP/1.1 103 Hints\r\nX-Flood: 0123456789abcdef\r\n\r\n", count: 6_000)
            }
        }
    }

    @Test(
        "URLs that are none, or say too much, are refused before anything is sent",
        arguments: [
            "", "http://", "https://", "gate.example/x", "//gate.example", "ftp://127.0.0.1/x", "file:///etc/passwd",
            "http:/127.0.0.1", "http:///127.0.0.1", "http://user@127.0.0.1/", "http://user:password@127.0.0.1/",
            "http://@127.0.0.1/", "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "http://127.0.0.1/a b",
            "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\u{0}", "http://m\u{FC}nchen.example/", "http://[::1/",
        ])
    func badURLs(_ url: String) async throws {
        let http = try CurlHTTPTransport(configuration: lenient)
        let result = await outcome(http, HTTPRequest(url: url))
        guard case .failure(.protocolViolation(let cause)) = result else {
            Issue.record("\(url) gives \(result)")
            return
        }
        #expect(!cause.contains("password"))
        await http.close()
    }

    @Test(
        "fields and methods that would break the framing are refused",
        arguments: [
            HTTPRequest(url: "http://127.0.0.1:1", fields: [HTTPField(name: "content-length", value: "3")]),
            HTTPRequest(url: "http://127.0.0.1:1", fields: [HTTPField(name: "Transfer-Encoding", value: "chunked")]),
            HTTPRequest(url: "http://127.0.0.1:1", fields: [HTTPField(name: "HOST", value: "x")]),
            HTTPRequest(url: "http://127.0.0.1:1", fields: [HTTPField(name: "X-A", value: "a\u{1}b")]),
            HTTPRequest(method: "GET /\r\n", url: "http://127.0.0.1:1"),
            HTTPRequest(method: "", url: "http://127.0.0.1:1"),
            HTTPRequest(method: "CONNECT", url: "http://127.0.0.1:1"),
            HTTPRequest(method: "HEAD", url: "http://127.0.0.1:1", body: []),
        ])
    func framing(_ request: HTTPRequest) async throws {
        let http = try CurlHTTPTransport(configuration: lenient)
        guard case .failure(.protocolViolation) = await outcome(http, request) else {
            Issue.record("\(request.method) with \(request.fields) is not refused")
            return
        }
        await http.close()
    }

    @Test("errors do not repeat what may be secret")
    func secrets() async throws {
        var configuration = lenient
        let target = HTTPRequest(
            url: "http://127.0.0.1:1/secret?token=secret", fields: [HTTPField(name: "X-A", value: "secret")])
        for proxy in [CurlHTTPTransport.Proxy.none, .url("http://secret:secret@127.0.0.1:1")] {
            configuration.proxy = proxy
            let http = try CurlHTTPTransport(configuration: configuration)
            guard case .failure(let error) = await outcome(http, target) else {
                Issue.record("a port where nothing listens answers")
                continue
            }
            #expect(!"\(error)".contains("secret"), "\(error)")
            await http.close()
        }
        let strict = try CurlHTTPTransport()
        #expect(await outcome(strict, target) == .failure(.insecure("http to 127.0.0.1:1")))
        await strict.close()
    }

    @Test("a configuration that cannot work is refused at once")
    func badConfigurations() {
        for configuration in [
            CurlHTTPTransport.Configuration(userAgent: "a\r\nb"), .init(authorities: .pem([])),
            .init(proxy: .url("a b")),
            .init(proxy: .url("weird://secret@h")), .init(proxy: .url("proxy.example:3128")),
        ] {
            let error = #expect(throws: NetworkError.self) { try CurlHTTPTransport(configuration: configuration) }
            #expect(!"\(String(describing: error))".contains("secret"))
        }
    }

    @Test("a proxy gets the whole URL, and one that refuses a tunnel is named as the cause")
    func proxies() async throws {
        let refusal = ServerStep.send("HTTP/1.1 407 Who Are You\r\nContent-Length: 0\r\n\r\n")
        let proxy = try await LoopbackServer(tls: nil).start(.plain) { _ in
            [ServerConnection([.read, ok]), ServerConnection([.read, refusal])]
        }
        var configuration = lenient
        configuration.proxy = .url("http://127.0.0.1:\(proxy.port)")
        let http = try CurlHTTPTransport(configuration: configuration)
        _ = try await http.send(HTTPRequest(method: "POST", url: "http://gate.invalid/x", body: [1]))
        let result = await outcome(http, HTTPRequest(method: "POST", url: "https://gate.invalid/x", body: [1]))
        #expect(result == .failure(.unreachable("the proxy refuses the connection with status 407")))
        #expect(await proxy.requests().map(\.target) == ["http://gate.invalid/x", "gate.invalid:443"])
        await http.close()
        await proxy.stop()
    }

    @Test("authorities that cannot be read trust nobody", .enabled(if: TestTLS.shared != nil))
    func authorities() async throws {
        let tls = try #require(TestTLS.shared)
        let server = try await LoopbackServer(tls: tls).start(.tls(.good)) { _ in
            [ServerConnection([.read, ok], repeats: true)]
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("portico-\(UUID().uuidString).pem")
        try Data(tls.authority).write(to: file)
        let request = HTTPRequest(url: "https://127.0.0.1:\(server.port)/")
        for (authorities, isTrusted) in [
            (CurlHTTPTransport.Authorities.file(file.path), true), (.file("/nonexistent/x.pem"), false),
            (.pem(Array("no PEM".utf8)), false), (.system, false),
        ] {
            let http = try CurlHTTPTransport(configuration: .init(authorities: authorities, proxy: .none))
            switch await outcome(http, request) {
            case .success: #expect(isTrusted)
            case .failure(.untrusted): #expect(!isTrusted)
            case .failure(let error): Issue.record("\(authorities) gives \(error)")
            }
            await http.close()
        }
        try FileManager.default.removeItem(at: file)
        await server.stop()
    }
}
#endif
