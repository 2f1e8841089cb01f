import Portico

/// Uploads batches to an HTTP service: `POST` of JSON, `portico.scans/1`, over any `HTTPTransport`.
///
/// ```swift
/// let transport = HTTPSyncTransport(
///     http: try CurlHTTPTransport(), url: "https://gate.example/v1/scans",
///     deviceID: try await store.status().head.deviceID, token: { try await session.accessToken() })
/// let uploader = ScanUploader(
///     store: store, documents: documents, transport: transport, time: SystemTime(),
///     random: SystemRandomNumberGenerator())
/// ```
///
/// What a response means:
///
/// | response | becomes |
/// |---|---|
/// | 200 with a receipt | the receipt |
/// | 200 with anything else, any other 2xx, 3xx | `unavailable`: also what a captive portal answers |
/// | 413 | `batchTooLarge` |
/// | 400, 422 | `batchRejected` with the server's own text |
/// | 408, 409, 423, 425, 429, 503 | `retry`, with `Retry-After` where it can be read |
/// | any other 4xx | `stopped` with what to do |
/// | any other 5xx | `retry` where it says `Retry-After`, else `unavailable`: the batch may have been stored |
/// | no response | `unavailable`; `cancelled` where the task was cancelled, `stopped` where plain http is not allowed |
///
/// A receipt is read item by item: a result that cannot be read is absent, so that its event is sent again; a row of
/// redemptions that cannot be read is counted. A receipt without its list of results, or with lists that are none, is no
/// receipt. A receipt is at most 4 MiB.
///
/// The request is marked as not idempotent, although events are acknowledged by id: the uploader decides whether and
/// when a batch is sent again, and nothing below does it behind its back. Redirects are not followed.
public struct HTTPSyncTransport: SyncTransport {
    private let http: any HTTPTransport
    private let url: String
    private let deviceID: Identifier
    private let token: (@Sendable () async throws -> String)?

    /// The longest receipt that is taken, in bytes.
    public static let maximumReceipt = 4 << 20

    /// A transport to one address.
    ///
    /// - Parameters:
    ///   - http: What carries the requests.
    ///   - url: Where batches are posted, in full: `https://gate.example/v1/scans`.
    ///   - deviceID: The identity of the store whose events are sent; an empty batch names it too.
    ///   - token: Gives the bearer token (RFC 6750) for each request; nil: none is sent. What it throws is not shown,
    ///     since it may hold secrets: the upload ends with `unavailable`, with `cancelled` for `CancellationError`.
    public init(
        http: any HTTPTransport, url: String, deviceID: Identifier, token: (@Sendable () async throws -> String)? = nil
    ) {
        self.http = http
        self.url = url
        self.deviceID = deviceID
        self.token = token
    }

    /// Posts one batch and reads the receipt.
    public func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt {
        if Task.isCancelled { throw .cancelled }
        var fields = [
            HTTPField(name: "Content-Type", value: "application/json"),
            HTTPField(name: "Accept", value: "application/json, application/problem+json"),
        ]
        if let authorization = try await authorization() { fields.append(authorization) }
        let request = HTTPRequest(
            method: "POST", url: url, fields: fields, body: body(batch, cursor), maximumBody: Self.maximumReceipt,
            maximumRedirects: 0, isIdempotent: false)
        let response: HTTPResponse
        do {
            response = try await http.send(request)
        } catch {
            throw SyncTransportError(error)
        }
        if let error = SyncTransportError(response) { throw error }
        return try SyncReceipt(parsing: response)
    }

    private func body(_ batch: [ScanEvent], _ cursor: String?) -> [UInt8] {
        var object = JSONObject()
        object.append("schema", "portico.scans/1")
        object.append("deviceId", .string(deviceID.text))
        if let cursor { object.append("after", .string(cursor)) }
        object.append("events", .array(batch.map(\.json)))
        return JSONValue.object(object).serialized()
    }

    private func authorization() async throws(SyncTransportError) -> HTTPField? {
        guard let token else { return nil }
        let value: String
        do {
            value = try await token()
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .unavailable("no token: the token provider failed")
        }
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .stopped("the token is not one: it is empty or has characters that no token has")
        }
        return HTTPField(name: "Authorization", value: "Bearer \(value)")
    }
}
