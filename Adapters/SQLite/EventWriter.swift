#if SQLite && (os(Linux) || canImport(SQLite3))
import Dispatch
import Portico
import PorticoPOSIX

/// The writing half of a store: one connection, one queue, and commits that those who wait share.
///
/// A write that finds the queue idle begins its transaction at once. What comes while a transaction runs or commits
/// waits, and all that waits is written in the next one: one sync for many. Where a shared transaction fails nobody
/// knows whose fault it was, so each of its writes is tried once more alone.
///
/// `@unchecked Sendable`: `database` and `head` are only touched on `queue`, `waiting` only inside `lock`.
final class EventWriter: @unchecked Sendable {
    /// One write, and how its caller is answered.
    private struct Job {
        /// Runs in a transaction; the result is called once the transaction is durable.
        let run: (inout EventTransaction) throws(WriteFailure) -> () -> Void
        let fail: (EventStoreError) -> Void
    }

    private struct Waiting {
        var jobs: [Job] = []
        var isRunning = false
        var isClosed = false
    }

    private let queue: DispatchQueue
    private let lock = Lock()
    private var waiting = Waiting()
    private let database: Database
    private let folderLock: FileLock
    private var head: EventHead

    /// So many writes share one transaction at most: it stays well below the log's length.
    private static let sharedWrites = 256
    /// So many events are removed in one transaction: scans go on between them.
    private static let removedEvents = 1_000

    /// Opens a folder; it may be made, and what was open in it is pending from then on.
    static func open(
        _ folder: String, _ durability: SQLiteDurability, _ tuning: SQLiteTuning
    ) async throws(StorageFailure) -> EventWriter {
        let queue = DispatchQueue(label: "portico.sqlite.events.writer", qos: .userInitiated)
        return try await queue.run { () throws(StorageFailure) in
            try EventWriter(folder, durability, tuning, on: queue)
        }.get()
    }

    private init(
        _ folder: String, _ durability: SQLiteDurability, _ tuning: SQLiteTuning, on queue: DispatchQueue
    ) throws(StorageFailure) {
        self.queue = queue
        folderLock = try FileLock(making: folder, "events.lock")
        database = .events(in: folder, durability, tuning)
        head = try database.write { connection throws(StorageFailure) in
            var transaction = EventTransaction(connection: connection, head: try EventHead(readFrom: connection))
            try transaction.endPresentations()
            try transaction.head.write(to: connection)
            return transaction.head
        }
    }

    func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async -> Result<Recorded, EventStoreError> {
        await answer { answer in
            Job { transaction throws(WriteFailure) in
                let recorded = try transaction.record(ticket, decide)
                return { answer(.success(recorded)) }
            } fail: {
                answer(.failure($0))
            }
        }
    }

    func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async -> Result<Void, EventStoreError> {
        await answer { answer in
            Job { transaction throws(WriteFailure) in
                do throws(StorageFailure) { try transaction.settle(settlement, merge) } catch { throw .storage(error) }
                return { answer(.success(())) }
            } fail: {
                answer(.failure($0))
            }
        }
    }

    func remove(_ scope: RemovalScope) async -> Result<Int, EventStoreError> {
        await answer { answer in
            switch scope {
            case .delivered: self.removal(after: 0, removed: 0, answer)
            case .everything:
                Job { transaction throws(WriteFailure) in
                    do throws(StorageFailure) {
                        let removed = try transaction.removeEverything()
                        return { answer(.success(removed)) }
                    } catch {
                        throw .storage(error)
                    }
                } fail: {
                    answer(.failure($0))
                }
            }
        }
    }

    /// Ends what was begun, closes the file and lets go of the lock.
    func close() async {
        lock.withLock { waiting.isClosed = true }
        // Behind whatever is begun: what runs on the queue goes on until nothing waits.
        await queue.run {
            self.database.close()
            self.folderLock.release()
        }
    }

    /// A part of a removal, which then queues the next one behind whatever waits.
    private func removal(
        after sequence: Int64, removed: Int, _ answer: @escaping (Result<Int, EventStoreError>) -> Void
    ) -> Job {
        Job { transaction throws(WriteFailure) in
            do throws(StorageFailure) {
                let part = try transaction.removeDelivered(after: sequence, limit: Self.removedEvents)
                return {
                    guard let last = part.last else { return answer(.success(removed + part.count)) }
                    let rest = self.removal(after: last, removed: removed + part.count, answer)
                    self.lock.withLock { self.waiting.jobs.append(rest) }
                }
            } catch {
                throw .storage(error)
            }
        } fail: {
            answer(.failure($0))
        }
    }

    /// Queues a job and waits until it is answered.
    private func answer<Value: Sendable>(
        _ job: (@escaping (Result<Value, EventStoreError>) -> Void) -> Job
    ) async -> Result<Value, EventStoreError> {
        // A job is answered exactly once: by what `run` returned, or by `fail`.
        await withUnsafeContinuation { continuation in
            let job = job { continuation.resume(returning: $0) }
            let (isTaken, begins) = lock.withLock { () -> (Bool, Bool) in
                guard !waiting.isClosed else { return (false, false) }
                waiting.jobs.append(job)
                defer { waiting.isRunning = true }
                return (true, !waiting.isRunning)
            }
            if !isTaken { return job.fail(.closed) }
            if begins { queue.async { self.drain() } }
        }
    }

    private func drain() {
        while let jobs = next() {
            write(jobs)
            database.checkpointIfDue()
        }
    }

    /// What waits, at most so many; nil where nothing does, and then the queue is idle.
    private func next() -> [Job]? {
        lock.withLock {
            waiting.isRunning = !waiting.jobs.isEmpty
            return waiting.isRunning ? Self.take(&waiting.jobs, Self.sharedWrites) : nil
        }
    }

    private static func take(_ jobs: inout [Job], _ count: Int) -> [Job] {
        guard jobs.count > count else {
            defer { jobs = [] }
            return jobs
        }
        defer { jobs.removeFirst(count) }
        return Array(jobs.prefix(count))
    }

    /// Writes jobs, and those that come meanwhile, in one transaction.
    private func write(_ first: [Job]) {
        var shared = first
        do throws(StorageFailure) {
            try commit(&shared) { count in
                lock.withLock { Self.take(&waiting.jobs, Self.sharedWrites - count) }
            }
        } catch {
            guard shared.count > 1 else {
                for job in shared { job.fail(EventStoreError(error)) }
                return
            }
            for job in shared { writeAlone(job) }
        }
    }

    private func writeAlone(_ job: Job) {
        var alone = [job]
        do throws(StorageFailure) {
            try commit(&alone) { _ in [] }
        } catch {
            for job in alone { job.fail(EventStoreError(error)) }
        }
    }

    /// Runs jobs in one transaction, until no more come, and answers them when it is durable.
    ///
    /// - Parameter jobs: Afterwards with those that came meanwhile; where it throws none of them is answered.
    private func commit(_ jobs: inout [Job], more: (Int) -> [Job]) throws(StorageFailure) {
        var answers: [() -> Void] = []
        try checkLock()
        head = try database.write { connection throws(StorageFailure) in
            var transaction = EventTransaction(connection: connection, head: head)
            while answers.count < jobs.count {
                answers.append(try answer(to: jobs[answers.count], in: &transaction))
                if answers.count == jobs.count { jobs += more(jobs.count) }
            }
            if transaction.head != head { try transaction.head.write(to: connection) }
            return transaction.head
        }
        for answer in answers { answer() }
    }

    /// A lock on a file that was removed keeps nobody out.
    private func checkLock() throws(StorageFailure) {
        let isInPlace: Bool
        do throws(SystemError) { isInPlace = try folderLock.isInPlace() } catch { throw StorageFailure(error) }
        guard isInPlace else { throw StorageFailure("write", .moved("events.lock")) }
    }

    /// A refusal is an answer too, and waits for the commit as the others do: it may rest on what they wrote.
    private func answer(to job: Job, in transaction: inout EventTransaction) throws(StorageFailure) -> () -> Void {
        do throws(WriteFailure) {
            return try job.run(&transaction)
        } catch {
            switch error {
            case .storage(let failure): throw failure
            case .refused(let text): return { job.fail(.failed(text)) }
            }
        }
    }
}
#endif
