import Portico

/// A scanner without a device: it gives the codes that it was told, and those that are presented later.
///
/// ```swift
/// let scanner = StubCodeScanner([ScannedCode(bytes: code)])           // one code, then the source ends
/// let live = StubCodeScanner([], isEnded: false)                      // waits for what is presented
/// live.present(ScannedCode(bytes: code))
/// live.end()
/// ```
///
/// `@unchecked Sendable`: every access to its state is between `lock` and `unlock` of its own lock.
public final class StubCodeScanner: CodeScanner, @unchecked Sendable {
    private let lock = Lock()
    private var state: State

    /// A scanner by its codes.
    ///
    /// - Parameters:
    ///   - codes: What it sees, in order.
    ///   - isEnded: Whether the source ends after them; else `next` waits for what is presented.
    public init(_ codes: [ScannedCode] = [], isEnded: Bool = true) {
        state = State(waiting: codes, isEnded: isEnded)
    }

    /// Shows it one more code.
    public func present(_ code: ScannedCode) {
        resume { $0.waiting.append(code) }
    }

    /// Ends the source after what was presented.
    public func end() {
        resume { $0.isEnded = true }
    }

    /// Breaks the source: after what was presented every call fails with this error.
    public func fail(_ error: CodeScannerError) {
        resume { $0.failure = error }
    }

    /// Whether the device was let go: closed, or the waiting task cancelled.
    public var isReleased: Bool { lock.withLock { state.isReleased } }

    /// The next code; waits where the source has not ended. One consumer.
    public func next() async throws(CodeScannerError) -> ScannedCode? {
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Outcome? = lock.withLock {
                    // The handler may have run before there was anybody to resume, so cancellation is looked at here.
                    if Task.isCancelled {
                        state.release()
                        return .failure(.cancelled)
                    }
                    if let outcome = state.take() { return outcome }
                    state.consumer = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let consumer = lock.withLock {
                let consumer = state.consumer
                state.release()
                return consumer
            }
            consumer?.resume(returning: .failure(.cancelled))
        }
        return try outcome.get()
    }

    /// Lets go of the device; `next` gives nil from then on.
    public func close() async {
        resume { $0.isReleased = true }
    }

    /// Changes the state and gives the consumer what it waits for, where that is there now.
    private func resume(_ change: (inout State) -> Void) {
        let delivery: (CheckedContinuation<Outcome, Never>, Outcome)? = lock.withLock {
            change(&state)
            guard let consumer = state.consumer, let outcome = state.take() else { return nil }
            state.consumer = nil
            return (consumer, outcome)
        }
        if let (consumer, outcome) = delivery { consumer.resume(returning: outcome) }
    }
}

extension StubCodeScanner {
    private typealias Outcome = Result<ScannedCode?, CodeScannerError>

    private struct State {
        /// In order of presentation; `position` is the first that nobody took.
        var waiting: [ScannedCode]
        var isEnded: Bool
        var position = 0
        var failure: CodeScannerError?
        var isReleased = false
        var consumer: CheckedContinuation<Outcome, Never>?

        init(waiting: [ScannedCode], isEnded: Bool) {
            self.waiting = waiting
            self.isEnded = isEnded
        }

        /// What a consumer gets now; nil where it must wait.
        mutating func take() -> Outcome? {
            if isReleased { return .success(nil) }
            if position < waiting.count {
                position += 1
                return .success(waiting[position - 1])
            }
            if let failure { return .failure(failure) }
            return isEnded ? .success(nil) : nil
        }

        mutating func release() {
            isReleased = true
            consumer = nil
        }
    }
}
