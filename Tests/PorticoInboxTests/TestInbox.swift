import Portico
import PorticoInMemory

@testable import PorticoInbox

/// A client with everything behind it in memory, and a service that a test plays.
struct TestInbox {
    let client: InboxClient
    let service: PlayedService
    let http: StubHTTPStreamingTransport
    let time: ManualTimeSource
    let documents: InMemoryDocumentStore

    static let start = Instant(seconds: 1_783_188_000)

    /// - Parameter tokens: What the provider gives, a call; by default `token-1`, `token-2` and so on.
    init(
        account: String? = "ann", service: PlayedService = PlayedService(), documents: InMemoryDocumentStore? = nil,
        time: ManualTimeSource = ManualTimeSource(now: start), policy: InboxPolicy = InboxPolicy(),
        tokens: (any TokenProvider)? = nil
    ) throws {
        self.service = service
        self.time = time
        self.documents = documents ?? InMemoryDocumentStore()
        http = StubHTTPStreamingTransport { request throws(NetworkError) in try await service.answer(request) }
        client = try InboxClient(
            endpoint: "https://notify.example", account: account, http: http, tokens: tokens ?? service,
            documents: self.documents, time: time, random: SeededGenerator(seed: 1), policy: policy)
    }

    static func message(
        _ id: String, at minute: Int64 = 0, read: Bool = false, archived: Bool = false, revision: Int64 = 1,
        _ more: [(String, JSONValue)] = []
    ) -> JSONValue {
        var object: JSONObject = [
            "id": .string(id), "kind": "order", "title": .string("Title of \(id)"), "body": "Body",
            "createdAt": time(minute), "readAt": read ? time(minute) : .null,
            "archivedAt": archived ? time(minute) : .null, "expiresAt": .null, "actions": [],
            "revision": .integer(revision),
        ]
        for (name, value) in more { object[name] = value }
        return .object(object)
    }

    /// A time of the service's, in minutes after the start.
    static func time(_ minute: Int64) -> JSONValue {
        .string(RFC3339.string(milliseconds: start.advanced(byMilliseconds: minute * 60_000).milliseconds))
    }

    static func page(
        _ messages: [JSONValue], next: String? = nil, unread: Int64 = 0, revision: Int64 = 1, position: String = "e-0"
    ) -> HTTPResponse {
        .json([
            "messages": .array(messages), "nextCursor": next.map { .string($0) } ?? .null, "unread": .integer(unread),
            "unreadRevision": .integer(revision), "lastEventId": .string(position),
        ])
    }

    static func changed(_ message: JSONValue, unread: Int64, revision: Int64) -> HTTPResponse {
        .json(["message": message, "unread": .integer(unread), "unreadRevision": .integer(revision)])
    }

    static func event(_ type: String, _ json: JSONValue, id: String) -> [UInt8] {
        Array("event: \(type)\nid: \(id)\ndata: ".utf8) + json.serialized() + Array("\n\n".utf8)
    }

    /// Opens the next stream that the client asks for.
    func opened() async -> StubHTTPStreamingTransport.Exchange {
        let exchange = await http.nextStream()
        exchange.open(fields: [HTTPField(name: "Content-Type", value: "text/event-stream; charset=utf-8")])
        return exchange
    }
}

extension HTTPResponse {
    static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [HTTPField(name: "Content-Type", value: "application/json")],
            body: value.serialized())
    }

    static func problem(_ status: Int, _ code: String, retryAfter: Int? = nil) -> HTTPResponse {
        var response = HTTPResponse.json(
            ["code": .string(code), "detail": .string("because of \(code)")], status: status)
        if let retryAfter { response.fields.append(HTTPField(name: "Retry-After", value: "\(retryAfter)")) }
        return response
    }
}

/// A service that a test plays: an answer a path, and tokens.
actor PlayedService: TokenProvider {
    private var answers: [String: [HTTPResponse]] = [:]
    private var held: [String: Latch] = [:]
    private var failures: [String: NetworkError] = [:]
    private(set) var tokensGiven = 0
    private var pageLimit = Int.max
    /// Tokens that are refused.
    private var refused: Set<String> = []

    /// What a request is answered with, by method and path without its query; of several, one a request, the last for
    /// ever.
    func play(_ request: String, _ responses: HTTPResponse...) {
        answers[request] = responses
    }

    func fail(_ request: String, _ error: NetworkError?) {
        failures[request] = error
    }

    /// A service whose pages of more messages than that are larger than an answer may be.
    func limitPages(to limit: Int, _ response: HTTPResponse) {
        play("GET /messages", response)
        pageLimit = limit
    }

    /// Holds the answers to a request up until the latch opens.
    func hold(_ request: String, _ latch: Latch?) {
        held[request] = latch
    }

    func refuse(_ token: String) {
        refused.insert(token)
    }

    func token() async throws -> String {
        tokensGiven += 1
        return "token-\(tokensGiven)"
    }

    func answer(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let path = request.url.dropFirst("https://notify.example/v1/inbox".utf8.count).prefix { $0 != "?" }
        let name = "\(request.method) \(path)"
        if let latch = held[name] { await latch.wait() }
        if Task.isCancelled { throw .cancelled }
        if let error = failures[name] { throw error }
        let limit = request.url.split(separator: "=").dropFirst().first.flatMap { Int($0.prefix { $0 != "&" }) }
        if name == "GET /messages", limit ?? 0 > pageLimit { throw .tooLarge(limit: request.maximumBody) }
        let token = request.fields.last { $0.name == "Authorization" }?.value.dropFirst("Bearer ".utf8.count)
        if let token, refused.contains(String(token)) { return .problem(401, "tokenExpired") }
        guard var responses = answers[name], let first = responses.first else { return .problem(404, "notFound") }
        if responses.count > 1 {
            responses.removeFirst()
            answers[name] = responses
        }
        return first
    }
}

/// Holds up whoever waits until it is opened.
actor Latch {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

/// What a call that must fail fails with; nil: it does not.
func failure<Value>(_ body: () async throws -> Value) async -> InboxError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? InboxError
    }
}
