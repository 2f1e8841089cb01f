import Portico
import PorticoContracts
import PorticoHTTPSync
import PorticoInMemory
import Subjects
import Testing

@Suite("Uploads over HTTP")
struct HTTPSyncTransportTests {
    static let device: Identifier = "device-1"

    static func event(_ number: Int) -> ScanEvent {
        ScanEvent(
            id: EventID(at: Instant(seconds: 1_783_188_000), random: (UInt64(number), 7)), deviceID: device,
            sequence: Int64(number), scannedAt: Instant(seconds: 1_783_188_000),
            verdict: .refused(.malformed, hostCode: nil))
    }

    private func transport(_ http: any HTTPTransport) -> HTTPSyncTransport {
        HTTPSyncTransport(http: http, url: "https://gate.example/v1/scans?key=secret", deviceID: Self.device)
    }

    private func outcome(
        _ response: HTTPResponse, _ batch: [ScanEvent] = [event(1)]
    ) async -> Result<SyncReceipt, SyncTransportError> {
        await outcome(transport(StubHTTPTransport(responses: [response])), batch)
    }

    private func outcome(
        _ transport: HTTPSyncTransport, _ batch: [ScanEvent] = [event(1)]
    ) async -> Result<SyncReceipt, SyncTransportError> {
        do throws(SyncTransportError) {
            return .success(try await transport.send(batch, after: nil))
        } catch {
            return .failure(error)
        }
    }

    @Test("one POST of the published shape, which nothing below may repeat")
    func request() async throws {
        let http = StubHTTPTransport(responses: [HTTPResponse(status: 200, body: Array("{\"results\":[]}".utf8))])
        let transport = HTTPSyncTransport(
            http: http, url: "https://gate.example/v1/scans", deviceID: Self.device, token: { "t-1" })
        let batch = [Self.event(1), Self.event(2)]
        #expect(try await transport.send(batch, after: "c-1") == SyncReceipt())
        #expect(try await transport.send([], after: nil) == SyncReceipt())
        #expect(http.requests.count == 2)
        let request = http.requests[0]
        #expect(request.method == "POST")
        #expect(request.url == "https://gate.example/v1/scans")
        #expect(!request.isIdempotent)
        #expect(request.maximumRedirects == 0)
        #expect(request.maximumBody == 4 << 20)
        #expect(
            request.fields == [
                HTTPField(name: "Content-Type", value: "application/json"),
                HTTPField(name: "Accept", value: "application/json, application/problem+json"),
                HTTPField(name: "Authorization", value: "Bearer t-1"),
            ])
        let body = try JSONValue(parsing: request.body ?? [])
        #expect(
            body == [
                "schema": "portico.scans/1", "deviceId": "device-1", "after": "c-1",
                "events": .array(batch.map(\.json)),
            ])
        let empty = try JSONValue(parsing: http.requests[1].body ?? [])
        #expect(empty == ["schema": "portico.scans/1", "deviceId": "device-1", "events": []])
    }

    /// A response and what it must become.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        var retryAfter: String?
        var date: String?
        var body = "{\"title\":\"t\",\"detail\":\"because\\u001b[31m\"}"
        let expected: SyncTransportError

        var testDescription: String { "\(status) \(retryAfter ?? "")" }

        var response: HTTPResponse {
            var fields: [HTTPField] = []
            if let retryAfter { fields.append(HTTPField(name: "retry-after", value: retryAfter)) }
            if let date { fields.append(HTTPField(name: "Date", value: date)) }
            return HTTPResponse(status: status, fields: fields, body: Array(body.utf8))
        }
    }

    private static let stops: [(Int, String)] = [
        (401, "the credentials are not accepted (401): check the token"),
        (407, "the credentials are not accepted (407): check the token"),
        (403, "the credentials may not upload (403): check what the token allows"),
        (404, "nothing takes uploads at this address (404): check the URL"),
        (405, "nothing takes uploads at this address (405): check the URL"),
        (410, "nothing takes uploads at this address (410): check the URL"),
        (402, "the server does not take the upload (402): because [31m"),
        (415, "the server does not take the upload (415): because [31m"),
        (431, "the server does not take the upload (431): because [31m"),
        (451, "the server does not take the upload (451): because [31m"),
    ]
    static let rows: [Row] =
        stops.map { Row(status: $0.0, expected: .stopped($0.1)) }
        + [
            Row(status: 413, expected: .batchTooLarge),
            Row(status: 400, expected: .batchRejected("because [31m")),
            Row(status: 422, body: "{\"title\":\"only a title\"}", expected: .batchRejected("only a title")),
            Row(status: 422, body: "<html>", expected: .batchRejected("status 422")),
            Row(status: 422, body: "{\"detail\":7}", expected: .batchRejected("status 422")),
            Row(
                status: 400, body: "{\"detail\":\"\(String(repeating: "x", count: 5_000))\"}",
                expected: .batchRejected(String(repeating: "x", count: 300))),
            Row(status: 429, expected: .retry(afterMilliseconds: nil)),
            Row(status: 429, retryAfter: "0", expected: .retry(afterMilliseconds: 0)),
            Row(status: 429, retryAfter: "7", expected: .retry(afterMilliseconds: 7_000)),
            Row(
                status: 503, retryAfter: "99999999999999999999",
                expected: .retry(afterMilliseconds: 1_000_000_000_000)),
            Row(status: 503, retryAfter: "-1", expected: .retry(afterMilliseconds: nil)),
            Row(status: 503, retryAfter: "1.5", expected: .retry(afterMilliseconds: nil)),
            Row(status: 503, retryAfter: "soon", expected: .retry(afterMilliseconds: nil)),
            Row(status: 503, retryAfter: "", expected: .retry(afterMilliseconds: nil)),
            Row(
                status: 503, retryAfter: "Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT",
                expected: .retry(afterMilliseconds: 60_000)),
            Row(
                status: 429, retryAfter: "Sun, 06 Nov 1994 08:48:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT",
                expected: .retry(afterMilliseconds: 0)),
            Row(
                status: 429, retryAfter: "Sun, 06 Nov 1994 08:48:37 GMT",
                expected: .retry(afterMilliseconds: nil)),
            Row(status: 408, expected: .retry(afterMilliseconds: nil)),
            Row(status: 409, expected: .retry(afterMilliseconds: nil)),
            Row(status: 423, expected: .retry(afterMilliseconds: nil)),
            Row(status: 425, retryAfter: "1", expected: .retry(afterMilliseconds: 1_000)),
            Row(status: 500, expected: .unavailable("the server failed (500)")),
            Row(status: 502, retryAfter: "2", expected: .retry(afterMilliseconds: 2_000)),
            Row(status: 504, retryAfter: "soon", expected: .unavailable("the server failed (504)")),
            Row(status: 511, expected: .unavailable("the server failed (511)")),
            Row(
                status: 302,
                expected: .unavailable("the server redirects (302): a captive portal, or the address has moved")),
            Row(
                status: 202,
                expected: .unavailable("the server answered with status 202, which says nothing of the batch")),
            Row(
                status: 204,
                expected: .unavailable("the server answered with status 204, which says nothing of the batch")),
            Row(
                status: 600,
                expected: .unavailable("the server answered with status 600, which says nothing of the batch")),
        ]

    @Test("each status has one meaning", arguments: rows)
    func statuses(_ row: Row) async {
        #expect(await outcome(row.response) == .failure(row.expected))
    }

    @Test("no response has one meaning each")
    func failures() async {
        let table: [(NetworkError, SyncTransportError)] = [
            (.cancelled, .cancelled), (.timedOut, .unavailable("request timed out")),
            (.unreachable("x"), .unavailable("server unreachable: x")),
            (.untrusted("x"), .unavailable("server not trusted: x")),
            (.insecure("x"), .stopped("plain http refused: x: use https, or allow plain http")),
            (.tooLarge(limit: 9), .unavailable("response too large: more than 9 bytes")),
            (.closed, .unavailable("connection closed before the answer was whole")),
            (.protocolViolation("x"), .unavailable("not HTTP: x")),
        ]
        for (error, expected) in table {
            #expect(await outcome(transport(StubHTTPTransport(failure: error))) == .failure(expected))
        }
    }

    @Test(
        "what is no receipt as a whole is unavailable, never an empty receipt",
        arguments: [
            "", "<html>Log in</html>", "null", "[]", "{}", "{\"results\":null}", "{\"results\":{}}",
            "{\"results\":\"\"}",
            "{\"results\":[]", "{\"results\":[],\"results\":[]}", "{\"results\":[]}x", "\u{FEFF}{\"results\":[]}",
            "{\"results\":[],\"redemptions\":{}}", "{\"results\":[],\"redemptions\":7}",
            "{\"results\":\(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))}",
        ])
    func noReceipt(_ body: String) async {
        for batch in [[], [Self.event(1)]] {
            let response = HTTPResponse(
                status: 200, fields: [HTTPField(name: "content-type", value: "text/html")], body: Array(body.utf8))
            guard case .failure(.unavailable(let cause)) = await outcome(response, batch) else {
                Issue.record("\(body) is taken for a receipt")
                return
            }
            #expect(!cause.contains("secret"))
        }
    }

    @Test("a receipt is read part by part")
    func parts() async throws {
        let ids = (1...4).map { Self.event($0).id.text }
        let row = { (members: String) in
            """
            {"id":"\(ids[3])","eventId":"E","ticketId":"T","deviceId":"other","count":1,"at":"2026-07-04T18:00:00.123Z"\
            \(members)}
            """
        }
        let body = """
            {"serverTime":"2026-07-04T18:00:00+02:00","highestSequence":9,"cursor":"c","more":true,"new":{},
             "results":[{"id":"\(ids[0])","result":"accepted"},{"id":"\(ids[1])","result":"refused"},
              {"id":"\(ids[2])","result":"maybe"},{"id":"none","result":"accepted"},{"result":"accepted"},7,null,
              {"id":"\(ids[2])"},{"id":"\(ids[0])","result":"refused","code":"c","message":"m"}],
             "redemptions":[\(row("")),\(row(",\"gateId\":null,\"zoneId\":\"Z\"")),\(row(",\"gateId\":7")),
              \(row(",\"gateId\":\"\"")),\(row(",\"contentHash\":\"xx\"")),\(row(",\"contentHash\":\"00ff\"")),
              {},7,null,{"id":"\(ids[3])"}]}
            """
        let receipt = try await outcome(HTTPResponse(status: 200, body: Array(body.utf8))).get()
        let items = try [
            (0, SyncReceipt.ItemResult.accepted), (1, .refused(code: "unspecified", message: "")),
            (0, .refused(code: "c", message: "m")),
        ]
        .map { SyncReceipt.Item(id: try #require(EventID(ids[$0.0])), result: $0.1) }
        #expect(receipt.items == items)
        #expect(receipt.serverTime == Instant(seconds: 1_783_180_800))
        #expect(receipt.highestSequence == 9)
        #expect(receipt.cursor == "c")
        #expect(receipt.hasMore)
        #expect(receipt.redemptions.map(\.zoneID) == [nil, "Z", nil])
        #expect(receipt.redemptions.map(\.contentHash) == [nil, nil, [0, 255]])
        #expect(receipt.redemptions.first?.at == Instant(milliseconds: 1_783_188_000_123))
        #expect(receipt.unreadableRedemptions == 7)
    }

    @Test("members of a receipt that cannot be read do not spoil its results")
    func tolerance() async throws {
        let body = """
            {"results":[{"id":"\(Self.event(1).id.text)","result":"duplicate"}],"serverTime":0,"highestSequence":"9",
             "cursor":7,"more":"yes","redemptions":null}
            """
        let receipt = try await outcome(HTTPResponse(status: 200, body: Array(body.utf8))).get()
        #expect(receipt == SyncReceipt(items: [.init(id: Self.event(1).id, result: .duplicate)]))
    }

    @Test("a token that cannot be had, or is none, sends nothing")
    func tokens() async throws {
        struct Leak: Error { let secret = "secret" }
        let http = StubHTTPTransport(responses: [HTTPResponse(status: 200)])
        let table: [(@Sendable () async throws -> String, SyncTransportError)] = [
            ({ throw Leak() }, .unavailable("no token: the token provider failed")),
            ({ throw CancellationError() }, .cancelled),
            ({ "" }, .stopped("the token is not one: it is empty or has characters that no token has")),
            ({ "a\r\nX: b" }, .stopped("the token is not one: it is empty or has characters that no token has")),
        ]
        for (token, expected) in table {
            let transport = HTTPSyncTransport(
                http: http, url: "https://gate.example", deviceID: Self.device, token: token)
            #expect(await outcome(transport) == .failure(expected))
        }
        #expect(http.requests.isEmpty)
    }
}
