import Portico

/// An HTTP transport without a network whose responses are streamed: a test feeds each body while somebody reads it.
///
/// Whole requests are answered by a rule, as `StubHTTPTransport` does; streamed ones wait until the test opens them.
///
/// ```swift
/// let http = StubHTTPStreamingTransport { _ in HTTPResponse(status: 200, body: Array("{}".utf8)) }
/// // … something asks for a stream …
/// let exchange = await http.nextStream()
/// exchange.open(fields: [HTTPField(name: "Content-Type", value: "text/event-stream")])
/// exchange.send(Array("data: hello\n\n".utf8))
/// exchange.end()
/// ```
public final class StubHTTPStreamingTransport: HTTPStreamingTransport {
    private let whole: StubHTTPTransport
    private let asked: AsyncStream<Exchange>
    private let asking: AsyncStream<Exchange>.Continuation
    private let log = CallLog<HTTPRequest>()

    /// A transport that answers whole requests by a rule.
    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse) {
        whole = StubHTTPTransport(answer)
        // Nothing that was asked is lost; a test asks for each.
        (asked, asking) = AsyncStream.makeStream(of: Exchange.self, bufferingPolicy: .unbounded)
    }

    /// The whole requests so far, in order.
    public var requests: [HTTPRequest] { whole.requests }

    /// The requests for streams so far, in order.
    public var streamRequests: [HTTPRequest] { log.calls }

    /// Returns when that many whole requests have begun in all, or when its own task is cancelled.
    public func requests(atLeast count: Int) async {
        await whole.requests(atLeast: count)
    }

    /// The next request for a stream, which waits to be opened; one test asks at a time.
    public func nextStream() async -> Exchange {
        var iterator = asked.makeAsyncIterator()
        guard let exchange = await iterator.next() else { preconditionFailure("nothing ends this stream") }
        return exchange
    }

    /// The answer of the rule.
    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await whole.send(request)
    }

    /// Waits until the test opens the exchange.
    public func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStreamedResponse {
        if Task.isCancelled { throw .cancelled }
        let exchange = Exchange(request)
        log.append(request)
        asking.yield(exchange)
        let head: HTTPResponse
        do throws(NetworkError) {
            head = try await exchange.head()
        } catch {
            exchange.cancel()
            throw error
        }
        let body = HTTPStreamedBody { () async throws(NetworkError) in
            try await exchange.next()
        } cancel: {
            exchange.cancel()
        }
        return HTTPStreamedResponse(status: head.status, fields: head.fields, body: body)
    }

    /// One request for a stream, in a test's hands.
    public final class Exchange: Sendable {
        /// The request.
        public let request: HTTPRequest

        private let heads = Channel<HTTPResponse>()
        private let pieces = Channel<[UInt8]>()

        init(_ request: HTTPRequest) {
            self.request = request
        }

        /// Gives the head of the response.
        public func open(status: Int = 200, fields: [HTTPField] = []) {
            heads.send(HTTPResponse(status: status, fields: fields))
        }

        /// Sends bytes of the body.
        public func send(_ bytes: [UInt8]) {
            pieces.send(bytes)
        }

        /// Ends the body, in order or by an error; before the head, the error is that of the request.
        public func end(_ error: NetworkError? = nil) {
            if let error { heads.fail(error) }
            pieces.fail(error)
        }

        /// Returns when the reader has cancelled or let go.
        public func whenLetGo() async {
            await pieces.whenCancelled()
        }

        func head() async throws(NetworkError) -> HTTPResponse {
            guard let head = try await heads.next() else { throw .closed }
            return head
        }

        func next() async throws(NetworkError) -> [UInt8]? { try await pieces.next() }

        func cancel() { pieces.cancel() }
    }
}

/// Values from a test to one reader, in order.
///
/// `@unchecked Sendable`: every access to its variables is under its own lock.
private final class Channel<Value: Sendable>: @unchecked Sendable {
    private typealias Outcome = Result<Value?, NetworkError>

    private let lock = Lock()
    private var values: [Value] = []
    private var ending: Outcome?
    private var reader: CheckedContinuation<Outcome, Never>?
    private var isCancelled = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func send(_ value: Value) {
        let reader = lock.withLock { () -> CheckedContinuation<Outcome, Never>? in
            guard let reader = self.reader else {
                values.append(value)
                return nil
            }
            self.reader = nil
            return reader
        }
        reader?.resume(returning: .success(value))
    }

    /// Ends it, after what was sent; the first ending stays.
    func fail(_ error: NetworkError?) {
        end(error.map { .failure($0) } ?? .success(nil))
    }

    func cancel() {
        let waiting = lock.withLock {
            isCancelled = true
            defer { self.waiting = [] }
            return self.waiting
        }
        for continuation in waiting { continuation.resume() }
        end(.failure(.cancelled))
    }

    func whenCancelled() async {
        await withCheckedContinuation { continuation in
            let isOver = lock.withLock {
                if !isCancelled { waiting.append(continuation) }
                return isCancelled
            }
            if isOver { continuation.resume() }
        }
    }

    func next() async throws(NetworkError) -> Value? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                let outcome = lock.withLock { () -> Outcome? in
                    if !values.isEmpty { return .success(values.removeFirst()) }
                    if let ending { return ending }
                    reader = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    private func end(_ outcome: Outcome) {
        let reader = lock.withLock { () -> CheckedContinuation<Outcome, Never>? in
            guard ending == nil else { return nil }
            ending = outcome
            if case .failure(.cancelled) = outcome { values = [] }
            defer { self.reader = nil }
            return self.reader
        }
        reader?.resume(returning: outcome)
    }
}
