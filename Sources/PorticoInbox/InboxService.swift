import Portico

/// The service as calls: what is sent, with which token, and what an answer means. Every request of the room is here.
struct InboxService: Sendable {
    let base: String
    let http: any HTTPStreamingTransport
    let tokens: TokenFlight
    let mapping: InboxMapping

    /// - Parameter endpoint: `https://notify.example`, with or without a path and a slash at the end.
    init(
        endpoint: String, allowingInsecureHTTP: Bool, http: any HTTPStreamingTransport, tokens: TokenFlight,
        mapping: InboxMapping
    ) throws(InboxError) {
        base = try Self.base(endpoint, allowingInsecureHTTP) + "/v1/inbox"
        self.http = http
        self.tokens = tokens
        self.mapping = mapping
    }

    private static func base(_ endpoint: String, _ allowingInsecureHTTP: Bool) throws(InboxError) -> String {
        func flaw(_ what: String) -> InboxError {
            InboxError(code: .endpoint, message: "the endpoint \(what): give it as https://notify.example")
        }
        guard endpoint.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw flaw("has a space, or a character that is not ASCII")
        }
        guard let scheme = ["https", "http"].first(where: { endpoint.lowercased().hasPrefix("\($0)://") }) else {
            throw flaw("is neither an https nor an http address")
        }
        guard scheme == "https" || allowingInsecureHTTP else {
            throw flaw("is plain http, which the host must allow by name (InboxPolicy.allowsInsecureHTTP)")
        }
        var rest = endpoint.dropFirst(scheme.utf8.count + 3)
        while rest.hasSuffix("/") { rest.removeLast() }
        guard let first = rest.first, first != "/", first != ":" else { throw flaw("has no host") }
        guard !rest.contains(where: { "@?#".contains($0) }) else {
            throw flaw("has a user, a query or a fragment, which it cannot have")
        }
        return "\(scheme)://\(rest)"
    }

    // MARK: Calls

    /// A read: repeated once with another token where the service refused the first.
    func read(_ path: String) async throws(InboxError) -> JSONValue {
        let request = self.request("GET", path)
        let token = try await tokens.token()
        var response = try await send(request, token)
        if response.status == 401 {
            let other = try await tokens.token(insteadOf: token)
            // The same one again would be refused again.
            if !other.hasSameBytes(as: token) { response = try await send(request, other) }
        }
        return try Self.json(response)
    }

    /// A write: sent once and never again, whatever becomes of it.
    @discardableResult
    func write(
        _ method: String, _ path: String, _ body: JSONValue? = nil, type: String = "application/json"
    ) async throws(InboxError) -> JSONValue {
        var request = self.request(method, path)
        request.isIdempotent = false
        if let body {
            request.body = body.serialized()
            request.fields.append(HTTPField(name: "Content-Type", value: type))
        }
        return try Self.json(try await send(request, try await tokens.token()))
    }

    /// The stream of events from a position on.
    func stream(
        after position: String?, token: String, idleTimeout: Int64
    ) async throws(NetworkError) -> HTTPStreamedResponse {
        var request = self.request("GET", "/updates")
        request.fields = [
            HTTPField(name: "Accept", value: "text/event-stream"),
            HTTPField(name: "Cache-Control", value: "no-store"), Self.authorization(token),
        ]
        if let position { request.fields.append(HTTPField(name: "Last-Event-ID", value: position)) }
        request.idleTimeout = idleTimeout
        request.timeout = nil
        return try await http.stream(request)
    }

    /// The largest answer that is taken, in bytes: one message of any size that services send, or many of the usual.
    private static let maximumAnswer = 16 << 20

    private func request(_ method: String, _ path: String) -> HTTPRequest {
        HTTPRequest(
            method: method, url: base + path, fields: [HTTPField(name: "Accept", value: "application/json")],
            maximumBody: Self.maximumAnswer, maximumRedirects: method == "GET" ? 5 : 0)
    }

    private func send(_ request: HTTPRequest, _ token: String) async throws(InboxError) -> HTTPResponse {
        var request = request
        request.fields.append(Self.authorization(token))
        do throws(NetworkError) {
            return try await http.send(request)
        } catch {
            throw InboxError(error)
        }
    }

    private static func authorization(_ token: String) -> HTTPField {
        HTTPField(name: "Authorization", value: "Bearer \(token)")
    }

    /// The body of a success; null where it has none.
    private static func json(_ response: HTTPResponse) throws(InboxError) -> JSONValue {
        guard 200..<300 ~= response.status else { throw InboxError(refused: response) }
        if response.body.isEmpty { return .null }
        do {
            return try JSONValue(parsing: response.body)
        } catch {
            throw .answer("\(error)", status: response.status)
        }
    }

    /// A segment of a path (RFC 3986 §3.3): what is not unreserved is written as its bytes.
    static func segment(_ text: String) -> String {
        var path: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: path.append(byte)
            default: path += Array((byte < 16 ? "%0" : "%").utf8) + Array(String(byte, radix: 16, uppercase: true).utf8)
            }
        }
        // A segment of dots would be taken for a step through the path.
        if path.allSatisfy({ $0 == 0x2E }) { return path.map { _ in "%2E" }.joined() }
        return String(decoding: path, as: UTF8.self)
    }
}
