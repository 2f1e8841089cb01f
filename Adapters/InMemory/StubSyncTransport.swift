import Portico

/// A transport without a server: it gives the answers that it was told, one a call, and then the last one for ever.
///
/// ```swift
/// let transport = StubSyncTransport([.failure(.unavailable("no network")), .accepting])
/// // The first batch fails, every later one is accepted.
/// print(transport.calls.map(\.batch.count))
/// ```
public final class StubSyncTransport: SyncTransport {
    /// What becomes of one call.
    public enum Answer: Sendable {
        /// Every event of the batch is accepted.
        case accepting
        /// This receipt, whatever the batch.
        case receipt(SyncReceipt)
        /// A receipt made from batch and cursor.
        case computed(@Sendable ([ScanEvent], String?) -> SyncReceipt)
        /// This error.
        case failure(SyncTransportError)
        /// No answer until the task is cancelled.
        case silence
    }

    /// What a call was given.
    public struct Call: Sendable, Hashable {
        /// The events.
        public var batch: [ScanEvent]
        /// The cursor.
        public var cursor: String?

        /// Puts a call together.
        public init(batch: [ScanEvent], cursor: String?) {
            self.batch = batch
            self.cursor = cursor
        }
    }

    private let log = CallLog<Call>()
    private let script: Script<Answer>

    /// A transport by its answers.
    ///
    /// - Parameters:
    ///   - answers: One a call.
    ///   - last: What every later call gets; nil: the last of `answers`, or `accepting` where there are none.
    public init(_ answers: [Answer] = [], then last: Answer? = nil) {
        script = Script(answers, last: last ?? answers.last ?? .accepting)
    }

    /// Adds an answer for the first call that has none.
    public func enqueue(_ answer: Answer) {
        script.append(answer)
    }

    /// What was sent so far, in order; a call is here once it has begun.
    public var calls: [Call] { log.calls }

    /// Returns when that many calls have begun in all, or when its own task is cancelled.
    public func calls(atLeast count: Int) async {
        await log.wait(for: count)
    }

    /// The next answer.
    public func send(
        _ batch: [ScanEvent], after cursor: String?
    ) async throws(SyncTransportError) -> SyncReceipt {
        if Task.isCancelled { throw .cancelled }
        let answer = script.next()
        log.append(Call(batch: batch, cursor: cursor))
        switch answer {
        case .accepting: return SyncReceipt(items: batch.map { .init(id: $0.id, result: .accepted) })
        case .receipt(let receipt): return receipt
        case .computed(let compute): return compute(batch, cursor)
        case .failure(let error): throw error
        case .silence:
            await waitForCancellation()
            throw .cancelled
        }
    }
}

/// Answers in order, then the last one for ever.
///
/// `@unchecked Sendable`: every access to its variables is between `lock` and `unlock` of its own lock.
final class Script<Answer: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var answers: [Answer]
    private var position = 0
    private let last: Answer

    init(_ answers: [Answer], last: Answer) {
        self.answers = answers
        self.last = last
    }

    func append(_ answer: Answer) {
        lock.withLock { answers.append(answer) }
    }

    func next() -> Answer {
        lock.withLock {
            guard position < answers.count else { return last }
            position += 1
            return answers[position - 1]
        }
    }
}
