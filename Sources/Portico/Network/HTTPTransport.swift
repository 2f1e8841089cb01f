/// Sends HTTP requests.
///
/// ## Why it exists
/// A host has its own network layer, with its proxies, its pinning and its logs, and the rooms must work over it. What
/// the rooms rely on is narrow: one request, one answer, and the certainty that a request that must not be repeated
/// goes out once.
///
/// ## Guarantees
/// - HT-1: method, fields and body arrive as they were given; the response's status, fields and body come back as the
///   server sent them, fields in order and repeated ones apart.
/// - HT-2: any status is a response, not an error.
/// - HT-3: a request that is not idempotent is sent at most once, also where a reused connection turns out dead.
/// - HT-4: where nothing moves for `idleTimeout`, or the whole takes longer than `timeout`, the call ends with
///   `timedOut`; progress restarts the first of the two.
/// - HT-5: cancelling the task ends the call soon with `cancelled` and frees the connection.
/// - HT-6: a body longer than `maximumBody` ends the call with `tooLarge`, without holding more of it than that.
/// - HT-7: a redirect is followed at most `maximumRedirects` times; to another scheme, host or port the fields
///   `Authorization`, `Cookie` and `Proxy-Authorization` do not go along, and never from https to http.
/// - HT-8: a field name that is no token, and a value with CR, LF or NUL, fail with `protocolViolation` before anything
///   is sent.
/// - HT-9: plain http fails with `insecure` unless the transport was told to allow it.
/// - HT-10: a certificate that does not verify, for its chain, its time or its name, fails with `untrusted`.
///
/// ## Errors
/// `NetworkError`. After `timedOut`, `unreachable`, `closed` and `protocolViolation` the server may have seen the
/// request; whether it is sent again is the caller's decision.
///
/// ## Concurrency
/// Any number of calls at once, from any task; they do not wait for each other.
///
/// ## Write your own
/// ```swift
/// struct HostHTTP: HTTPTransport {
///     let perform: @Sendable (HTTPRequest) async throws -> HTTPResponse
///     func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
///         do {
///             return try await perform(request)
///         } catch let error as NetworkError {
///             throw error
///         } catch is CancellationError {
///             throw .cancelled
///         } catch {
///             throw .unreachable("\(error)")
///         }
///     }
/// }
/// ```
/// `HTTPTransportContract.clauses` of PorticoContracts checks it against a server on the loopback interface.
public protocol HTTPTransport: Sendable {
    /// Sends one request and returns the whole response.
    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse
}

/// A header field (RFC 9110 §5): a name, compared without case, and a value.
public struct HTTPField: Sendable, Hashable {
    /// The name, a token.
    public var name: String
    /// The value, without CR, LF and NUL.
    public var value: String

    /// Puts a field together; a transport refuses what is no field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A request (RFC 9110).
public struct HTTPRequest: Sendable, Hashable {
    /// The method, upper case.
    public var method: String
    /// The absolute URL, http or https.
    public var url: String
    /// The fields, in order.
    public var fields: [HTTPField]
    /// The body, nil for none.
    public var body: [UInt8]?
    /// Milliseconds without any progress after which it ends.
    public var idleTimeout: Int64
    /// Milliseconds for the whole, nil for no limit.
    public var timeout: Int64?
    /// The longest response body that is taken, in bytes.
    public var maximumBody: Int
    /// How many redirects are followed.
    public var maximumRedirects: Int
    /// Whether sending it twice does no harm; a method's own answer (RFC 9110 §9.2.2) unless it is given.
    public var isIdempotent: Bool

    /// Puts a request together.
    public init(
        method: String = "GET", url: String, fields: [HTTPField] = [], body: [UInt8]? = nil,
        idleTimeout: Int64 = 15_000, timeout: Int64? = 60_000, maximumBody: Int = 4 << 20, maximumRedirects: Int = 0,
        isIdempotent: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.idleTimeout = idleTimeout
        self.timeout = timeout
        self.maximumBody = maximumBody
        self.maximumRedirects = maximumRedirects
        self.isIdempotent = isIdempotent ?? ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method)
    }
}

/// A response (RFC 9110).
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The fields, in order.
    public var fields: [HTTPField]
    /// The body.
    public var body: [UInt8]

    /// Puts a response together.
    public init(status: Int, fields: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the first field of that name, whose case does not matter.
    public func field(_ name: String) -> String? {
        let wanted = name.utf8.map(Self.folded)
        return fields.first { $0.name.utf8.map(Self.folded) == wanted }?.value
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

/// What broke between client and server.
public enum NetworkError: Error, Sendable, Hashable {
    /// The task was cancelled.
    case cancelled
    /// Nothing moved for too long, or the whole took too long.
    case timedOut
    /// No connection: name, route or port; the text gives the cause.
    case unreachable(String)
    /// The server's certificate does not verify; the text gives the cause.
    case untrusted(String)
    /// Plain http where https is required.
    case insecure(String)
    /// The body is longer than the limit, in bytes.
    case tooLarge(limit: Int)
    /// The connection, or the transport, was closed before the answer was whole.
    case closed
    /// What was to be sent, or what came, is not HTTP; the text says what.
    case protocolViolation(String)
}

extension NetworkError: CustomStringConvertible {
    /// One line: what failed, without secrets.
    public var description: String {
        switch self {
        case .cancelled: "request cancelled"
        case .timedOut: "request timed out"
        case .unreachable(let cause): "server unreachable: \(cause)"
        case .untrusted(let cause): "server not trusted: \(cause)"
        case .insecure(let cause): "plain http refused: \(cause)"
        case .tooLarge(let limit): "response too large: more than \(limit) bytes"
        case .closed: "connection closed before the answer was whole"
        case .protocolViolation(let cause): "not HTTP: \(cause)"
        }
    }
}
