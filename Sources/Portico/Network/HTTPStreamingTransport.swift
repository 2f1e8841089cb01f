/// Sends HTTP requests whose responses are read while they come.
///
/// ## Why it exists
/// A stream of events never ends, and a file may be larger than memory: whoever reads them needs the head at once and
/// the body a piece at a time. Much of what a host sends needs neither, so a transport that only answers whole is still
/// an `HTTPTransport`; this one promises more.
///
/// ## Guarantees
/// Those of `HTTPTransport`, `maximumBody` apart, and:
/// - HS-1: `stream` returns once the head of the response is whole, whatever is to follow, also for any status; the body
///   gives its bytes in order and as they come, nil when it is whole, and nil again at each later call.
/// - HS-2: a body that breaks off gives what came of it and then an error, never the nil of a whole one.
/// - HS-3: a body that nobody reads is held back at its source, with a bounded part of it in memory, and may wait so for
///   longer than `idleTimeout`: that limits how long a server says nothing that is not held back, and every piece
///   restarts it.
/// - HS-4: cancelling the task that waits, `cancel`, and letting go of the body each end the exchange soon and free the
///   connection; a waiting `next` then ends with `cancelled`.
///
/// ## Errors
/// `NetworkError`, from `stream` until the head is there and from `next` after that; an error is thrown again by each
/// later call.
///
/// ## Concurrency
/// Any number of exchanges at once. A body has one reader at a time.
///
/// ## Write your own
/// ```swift
/// struct HostStreams: HTTPStreamingTransport {
///     let whole: any HTTPTransport
///     let open: @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPStreamedResponse
///     func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
///         try await whole.send(request)
///     }
///     func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStreamedResponse {
///         try await open(request)
///     }
/// }
/// ```
/// `HTTPStreamingTransportContract.clauses(server:)` of PorticoContracts checks it against servers on the loopback
/// interface, which the host's tests bring: a `ContractHTTPServer`.
public protocol HTTPStreamingTransport: HTTPTransport {
    /// Sends one request and returns the head of the response, with a body that is read from then on.
    func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStreamedResponse
}

/// A response whose body is still to be read.
public struct HTTPStreamedResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The fields, in order.
    public let fields: [HTTPField]
    /// The body.
    public let body: HTTPStreamedBody

    /// Puts a response together.
    public init(status: Int, fields: [HTTPField] = [], body: HTTPStreamedBody) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the first field of that name, whose case does not matter.
    public func field(_ name: String) -> String? {
        HTTPResponse(status: status, fields: fields).field(name)
    }
}

/// The body of a response, pulled by one reader; letting go of it ends the exchange.
///
/// ```swift
/// let response = try await http.stream(HTTPRequest(url: "https://files.example/large", timeout: nil))
/// while let piece = try await response.body.next() {
///     print(piece.count)
/// }
/// ```
public final class HTTPStreamedBody: Sendable {
    private let pull: @Sendable () async throws(NetworkError) -> [UInt8]?
    private let stop: @Sendable () -> Void

    /// A body that a transport feeds.
    ///
    /// - Parameters:
    ///   - next: Gives the next bytes, one or more; nil at the end.
    ///   - cancel: Ends the exchange; it may be called more than once, and after the end.
    public init(
        next: @escaping @Sendable () async throws(NetworkError) -> [UInt8]?, cancel: @escaping @Sendable () -> Void
    ) {
        pull = next
        stop = cancel
    }

    deinit {
        stop()
    }

    /// The next bytes, one or more; nil when the body is whole.
    public func next() async throws(NetworkError) -> [UInt8]? {
        try await pull()
    }

    /// Ends the exchange.
    public func cancel() {
        stop()
    }
}
