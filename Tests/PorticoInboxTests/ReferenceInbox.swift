#if Curl && os(Linux)
import Foundation
import Portico
import PorticoCurl
import PorticoFoundation
import PorticoInMemory
import Subjects
import Testing

@testable import PorticoInbox

/// The service, an operator's door to it, and clients over the network.
struct ReferenceInbox {
    let service: ReferenceBackend
    let http: CurlHTTPTransport
    static let key = "operator-key"

    /// Runs `body` beside a service; where there is no interpreter that is said aloud.
    static func run(_ options: [String] = [], _ body: (ReferenceInbox) async throws -> Void) async throws {
        guard let python = ReferenceBackend.python else {
            print("skipped: the reference service; PORTICO_BACKEND_PYTHON names no interpreter and .venv has none")
            return
        }
        let service = try ReferenceBackend(
            python, ["inbox", "--api-key", key, "--keep-alive", "0.2", "--retry", "5"] + options, seconds: 280)
        let bench = ReferenceInbox(service: service, http: try Self.transport())
        defer { service.stop() }
        do {
            try await body(bench)
            await bench.http.close()
        } catch {
            await bench.http.close()
            throw error
        }
    }

    static func transport() throws -> CurlHTTPTransport {
        try CurlHTTPTransport(configuration: .init(allowInsecure: true, proxy: .none))
    }

    func client(
        _ recipient: String = "anna", expiresIn seconds: Double = 600, over own: CurlHTTPTransport? = nil
    ) throws -> InboxClient {
        try InboxClient(
            endpoint: service.url, account: recipient, http: own ?? http, documents: InMemoryDocumentStore(),
            time: SystemTime(), random: SystemRandomNumberGenerator(),
            policy: InboxPolicy(
                reconnectDelay: 5, maximumReconnectDelay: 10, idleTimeout: 2_000, allowsInsecureHTTP: true)
        ) {
            let answer = try await operate(
                "POST", "tokens", ["recipient": .string(recipient), "expiresIn": .number(seconds)])
            return answer["token"]?.stringValue ?? ""
        }
    }

    @discardableResult
    func operate(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var request = HTTPRequest(
            method: method, url: "\(service.url)/v1/operator/\(path)",
            fields: [HTTPField(name: "X-Api-Key", value: Self.key)], body: body?.serialized())
        if body != nil { request.fields.append(HTTPField(name: "Content-Type", value: "application/json")) }
        let response = try await http.send(request)
        try #require(
            (200..<300).contains(response.status), "\(path): \(String(decoding: response.body, as: UTF8.self))")
        return response.body.isEmpty ? .null : try JSONValue(parsing: response.body)
    }

    @discardableResult
    func send(_ title: String, to recipient: String = "anna") async throws -> Identifier {
        let message = try await operate(
            "POST", "messages",
            [
                "recipient": .string(recipient), "kind": "order", "title": .string(title), "body": "Grüße 👋",
                "actions": [["id": "track", "label": "Track", "kind": "custom"]],
            ])
        return try #require(message["id"]?.stringValue.flatMap { Identifier($0) })
    }

    /// How often recipients called something.
    func calls(_ method: String, _ suffix: String, of recipient: String = "anna") async throws -> Int {
        let log = try await operate("GET", "requests?recipient=\(recipient)")
        return (log["requests"]?.arrayValue ?? []).count {
            $0["method"]?.stringValue == method && $0["path"]?.stringValue?.hasSuffix(suffix) == true
        }
    }
}
#endif
