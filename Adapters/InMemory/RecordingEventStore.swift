import Portico

/// An event store that passes everything on and keeps what changed it, with its outcome.
///
/// ```swift
/// let store = RecordingEventStore(InMemoryEventStore())
/// // … scan …
/// print(store.changes.count)
/// ```
public final class RecordingEventStore: EventStore {
    /// A call that changes a store, and what became of it.
    public enum Change: Sendable {
        /// `record`, for that ticket.
        case record(TicketKey?, Result<Recorded, EventStoreError>)
        /// `settle`; the error is nil where it succeeded.
        case settle(Settlement, EventStoreError?)
        /// `remove`, and how many events went.
        case remove(RemovalScope, Result<Int, EventStoreError>)
        /// `close`.
        case close
    }

    private let store: any EventStore
    private let log = CallLog<Change>()

    /// A store in front of another.
    public init(_ store: any EventStore) {
        self.store = store
    }

    /// The changes that have ended, in the order of their ends.
    public var changes: [Change] { log.calls }

    /// Returns when that many changes have ended in all, or when its own task is cancelled.
    public func changes(atLeast count: Int) async {
        await log.wait(for: count)
    }

    /// Decides and records one attempt, and keeps what became of it.
    public func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        do {
            let recorded = try await store.record(ticket, decide)
            log.append(.record(ticket, .success(recorded)))
            return recorded
        } catch {
            log.append(.record(ticket, .failure(error)))
            throw error
        }
    }

    /// Applies what an upload learned, and keeps what became of it.
    public func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        do {
            try await store.settle(settlement, merge)
            log.append(.settle(settlement, nil))
        } catch {
            log.append(.settle(settlement, error))
            throw error
        }
    }

    /// Events by a query.
    public func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] {
        try await store.events(query)
    }

    /// Entries by a query.
    public func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        try await store.entries(query)
    }

    /// Counts and the head.
    public func status() async throws(EventStoreError) -> EventStoreStatus {
        try await store.status()
    }

    /// Removes events, and keeps what became of it.
    public func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        do {
            let count = try await store.remove(scope)
            log.append(.remove(scope, .success(count)))
            return count
        } catch {
            log.append(.remove(scope, .failure(error)))
            throw error
        }
    }

    /// Closes the store behind it.
    public func close() async {
        await store.close()
        log.append(.close)
    }
}
