import Portico

/// An HTTP transport without a network: it answers by a rule and keeps what it was asked.
///
/// ```swift
/// let http = StubHTTPTransport { request in
///     guard request.url.hasSuffix("/v1/scans") else { return HTTPResponse(status: 404) }
///     return HTTPResponse(status: 200, body: Array("{}".utf8))
/// }
/// let offline = StubHTTPTransport(failure: .unreachable("no route"))
/// ```
public final class StubHTTPTransport: HTTPTransport {
    private let log = CallLog<HTTPRequest>()
    private let answer: @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse

    /// A transport that answers by a rule.
    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse) {
        self.answer = answer
    }

    /// A transport that gives these responses, one a call, and then the last one for ever.
    ///
    /// - Parameter responses: At least one.
    public convenience init(responses: [HTTPResponse]) {
        precondition(!responses.isEmpty, "a stub that has no response cannot answer")
        let script = Script(responses, last: responses[responses.count - 1])
        self.init { _ throws(NetworkError) in script.next() }
    }

    /// A transport that fails always.
    public convenience init(failure: NetworkError) {
        self.init { _ throws(NetworkError) in throw failure }
    }

    /// A transport that gives no answer until the task is cancelled.
    public static func silent() -> StubHTTPTransport {
        StubHTTPTransport { _ throws(NetworkError) in
            await waitForCancellation()
            throw .cancelled
        }
    }

    /// What was asked so far, in order; a request is here once its call has begun.
    public var requests: [HTTPRequest] { log.calls }

    /// Returns when that many calls have begun in all, or when its own task is cancelled.
    public func requests(atLeast count: Int) async {
        await log.wait(for: count)
    }

    /// The answer of the rule.
    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        log.append(request)
        return try await answer(request)
    }
}
