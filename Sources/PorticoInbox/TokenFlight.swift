import Portico

/// Asks the host for tokens: callers that wait at the same time share one call, and own nothing of it.
actor TokenFlight {
    private let provider: any TokenProvider
    private let time: any TimeSource
    private let timeout: Int64
    private var flight: Task<Result<String, InboxError>, Never>?
    private var last: String?

    /// - Parameter timeout: Milliseconds after which a provider that does not answer is given up on.
    init(_ provider: any TokenProvider, time: any TimeSource, timeout: Int64) {
        self.provider = provider
        self.time = time
        self.timeout = timeout
    }

    /// A token from the provider; one that is being asked for already is waited for.
    func token() async throws(InboxError) -> String {
        if Task.isCancelled { throw .cancelled }
        let flight = self.flight ?? start()
        guard let result = await flight.valueUnlessCancelled() else { throw .cancelled }
        return try result.get()
    }

    /// Another token than one that the service refused: of several that were refused the same one, the first asks.
    func token(insteadOf refused: String) async throws(InboxError) -> String {
        if flight == nil, let last, !last.hasSameBytes(as: refused) { return last }
        return try await token()
    }

    /// Ends the call that is under way.
    func cancel() {
        flight?.cancel()
    }

    private func start() -> Task<Result<String, InboxError>, Never> {
        let task = Task { await ask() }
        flight = task
        return task
    }

    private func ask() async -> Result<String, InboxError> {
        defer { flight = nil }
        let result = await answer()
        if case .success(let token) = result { last = token }
        return result
    }

    /// The provider's answer, or a failure where it does not answer in time: one that hangs holds nobody for good.
    private func answer() async -> Result<String, InboxError> {
        let (answers, continuation) = AsyncStream.makeStream(
            of: Result<String, InboxError>.self, bufferingPolicy: .bufferingOldest(1))
        let (provider, time, timeout) = (provider, time, timeout)
        let asking = Task {
            do {
                let token = try await provider.token()
                let isFieldValue = token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                continuation.yield(
                    token.isEmpty || !isFieldValue
                        ? .failure(InboxError(code: .token, message: "the token provider gave no token"))
                        : .success(token))
            } catch {
                // The provider's own cancellation is none of whoever waits here.
                continuation.yield(
                    .failure(InboxError(code: .token, message: "the token provider failed: \(oneLine("\(error)"))")))
            }
        }
        let deadline = Task {
            do throws(CancellationError) {
                try await time.sleep(milliseconds: timeout)
                continuation.yield(
                    .failure(
                        InboxError(code: .token, message: "the token provider gave no answer in \(timeout / 1_000) s")))
            } catch {
                // The answer came first.
            }
        }
        defer {
            asking.cancel()
            deadline.cancel()
        }
        return await withTaskCancellationHandler {
            var iterator = answers.makeAsyncIterator()
            return await iterator.next() ?? .failure(.cancelled)
        } onCancel: {
            continuation.yield(.failure(.cancelled))
        }
    }
}

/// A host's closure as a token provider.
struct ClosureTokenProvider: TokenProvider {
    let body: @Sendable () async throws -> String

    func token() async throws -> String { try await body() }
}
