import Dispatch
import Portico
import PorticoPOSIX

/// The journal behind a serial queue. Records that arrive while a commit runs wait and share the next one; a record that
/// is alone is written at once.
///
/// `@unchecked Sendable`: `journal` is touched on `queue` alone; `waiting`, `isDraining` and `isClosing` only inside
/// `lock`.
final class JournalWriter: JournalWorker, @unchecked Sendable {
    private let queue = DispatchQueue(label: "portico.journal", qos: .userInitiated)
    private let lock = Lock()
    private var waiting: [Request] = []
    private var isDraining = false
    private var isClosing = false
    /// Nil once it was closed.
    private var journal: Journal?

    /// What a shared commit may grow to before it is written.
    private static let batchLength = 4 << 20

    private enum Request {
        /// Shares a commit with its neighbours.
        case transaction(any PendingTransaction)
        /// Has the journal to itself.
        case other(@Sendable (Journal?) -> Void)
    }

    private init() {}

    static func open(
        _ folder: String, in fileSystem: any FileSystem, options: JournalOptions
    ) async throws(EventStoreError) -> JournalWriter {
        let writer = JournalWriter()
        let opened: Result<Void, EventStoreError> = await withCheckedContinuation { continuation in
            writer.queue.async {
                do throws(EventStoreError) {
                    let journal = try Journal.open(folder, in: fileSystem, options: options)
                    journal.whenCheckpointed = { [weak writer] in writer?.takeUpCheckpoint() }
                    writer.journal = journal
                    continuation.resume(returning: .success(()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        try opened.get()
        return writer
    }

    // MARK: Requests

    func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        try await submit { PendingRecord(ticket: ticket, decide: decide, resume: $0) }
    }

    func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        try await submit { PendingSettlement(settlement: settlement, merge: merge, resume: $0) }
    }

    func events(_ query: EventQuery) async throws(EventStoreError) -> [RawEvent] {
        try await perform { (journal) throws(EventStoreError) in try journal.events(query) }
    }

    func passOver(_ events: UnreadableEvents) async throws(EventStoreError) {
        try await perform { $0.unreadable.add(events) }
    }

    func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        let ledger = try await perform { $0.state.ledger }
        // The copy does not change any more, so that scans go on while it is read.
        return try await Self.reading { () throws(EventStoreError) in try ledger.page(query) }
    }

    func status() async throws(EventStoreError) -> EventStoreStatus {
        try await perform { $0.status() }
    }

    func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        try await perform { (journal) throws(EventStoreError) in try journal.remove(scope) }
    }

    func close() async {
        lock.withLock { isClosing = true }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            enqueue(
                .other { [self] journal in
                    do throws(EventStoreError) {
                        try journal?.close()
                    } catch {
                        // What was acknowledged is safe without what closing adds: a checkpoint, and for records that
                        // were to outlive a kill alone, a sync.
                    }
                    self.journal = nil
                    continuation.resume()
                })
        }
    }

    private func takeUpCheckpoint() {
        enqueue(.other { journal in journal?.finishCheckpoint() })
    }

    /// Runs `body` on a thread that may wait for the disk.
    private static func reading<Value: Sendable>(
        _ body: @escaping @Sendable () throws(EventStoreError) -> Value
    ) async throws(EventStoreError) -> Value {
        let result: Result<Value, EventStoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    // MARK: The queue

    /// How many requests wait for what runs now.
    var waitingCount: Int { lock.withLock { waiting.count } }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Journal) throws(EventStoreError) -> Value
    ) async throws(EventStoreError) -> Value {
        let result: Result<Value, EventStoreError> = await withCheckedContinuation { continuation in
            let isTaken = enqueueUnlessClosing(
                .other { journal in
                    guard let journal else { return continuation.resume(returning: .failure(.closed)) }
                    continuation.resume(returning: Result { () throws(EventStoreError) in try body(journal) })
                })
            if !isTaken { continuation.resume(returning: .failure(.closed)) }
        }
        return try result.get()
    }

    private func submit<Pending: PendingTransaction>(
        _ pending: (@escaping @Sendable (Result<Pending.Value, EventStoreError>) -> Void) -> Pending
    ) async throws(EventStoreError) -> Pending.Value {
        let result: Result<Pending.Value, EventStoreError> = await withCheckedContinuation { continuation in
            let pending = pending { continuation.resume(returning: $0) }
            if !enqueueUnlessClosing(.transaction(pending)) { continuation.resume(returning: .failure(.closed)) }
        }
        return try result.get()
    }

    private func enqueueUnlessClosing(_ request: Request) -> Bool {
        let (isTaken, starts) = lock.withLock { () -> (Bool, Bool) in
            if isClosing { return (false, false) }
            return (true, append(request))
        }
        if starts { queue.async { self.drain() } }
        return isTaken
    }

    private func enqueue(_ request: Request) {
        if lock.withLock({ append(request) }) { queue.async { self.drain() } }
    }

    /// Inside the lock: whether the queue has to be started.
    private func append(_ request: Request) -> Bool {
        waiting.append(request)
        defer { isDraining = true }
        return !isDraining
    }

    private func drain() {
        while true {
            let requests = lock.withLock { () -> [Request] in
                let requests = waiting
                waiting = []
                isDraining = !requests.isEmpty
                return requests
            }
            if requests.isEmpty { return }
            run(requests)
        }
    }

    private func run(_ requests: [Request]) {
        var transactions: [any PendingTransaction] = []
        for request in requests {
            switch request {
            case .transaction(let transaction): transactions.append(transaction)
            case .other(let body):
                commit(&transactions)
                body(journal)
            }
        }
        commit(&transactions)
    }

    // MARK: Commits

    private func commit(_ transactions: inout [any PendingTransaction]) {
        var rest = transactions[...]
        transactions = []
        guard let journal else {
            for transaction in rest { transaction.fail(.closed) }
            return
        }
        while !rest.isEmpty { rest = rest.dropFirst(commit(rest, to: journal)) }
        journal.startCheckpointIfDue()
    }

    /// Commits as many transactions as go together, at least one; how many.
    private func commit(_ transactions: ArraySlice<any PendingTransaction>, to journal: Journal) -> Int {
        var staged: [(transaction: any PendingTransaction, answer: () -> Void)] = []
        var taken = 0
        do throws(EventStoreError) {
            var batch = try journal.begin()
            for transaction in transactions where batch.bytes.count < Self.batchLength {
                taken += 1
                do throws(EventStoreError) {
                    staged.append((transaction, try transaction.answer(in: journal, &batch)))
                } catch {
                    transaction.fail(error)
                }
            }
            try journal.commit(batch)
            for (_, answer) in staged { answer() }
        } catch {
            if taken == 0 {
                // No batch could be begun; each is told, since each would have had to begin one.
                for transaction in transactions { transaction.fail(error) }
                return transactions.count
            }
            retry(staged.map(\.transaction), after: error, in: journal)
        }
        return taken
    }

    /// What failed together is tried once more alone: one that is too large must not fail its neighbours.
    private func retry(_ transactions: [any PendingTransaction], after error: EventStoreError, in journal: Journal) {
        guard transactions.count > 1 else {
            for transaction in transactions { transaction.fail(error) }
            return
        }
        for transaction in transactions {
            do throws(EventStoreError) {
                var batch = try journal.begin()
                let answer = try transaction.answer(in: journal, &batch)
                try journal.commit(batch)
                answer()
            } catch {
                transaction.fail(error)
            }
        }
    }
}
