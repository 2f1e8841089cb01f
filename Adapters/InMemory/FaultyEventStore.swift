import Portico

/// An event store that fails where it is told to; without a plan it passes everything on.
///
/// ```swift
/// let store = FaultyEventStore(InMemoryEventStore())
/// store.plan(.before(.full), for: .record, call: 3)  // the third record finds no room
/// store.plan(.before(.readOnly), for: .settle)       // every settlement, until …
/// store.heal()                                       // … the fault is gone
/// ```
public final class FaultyEventStore: EventStore {
    /// What can fail.
    public enum Operation: Sendable, Hashable, CaseIterable {
        /// `record`.
        case record
        /// `settle`.
        case settle
        /// `events`.
        case events
        /// `entries`.
        case entries
        /// `status`.
        case status
        /// `remove`.
        case remove
    }

    /// What happens to a call.
    public enum Fault: Sendable {
        /// It fails and nothing was written, as ES-2 asks.
        case before(EventStoreError)
        /// It fails though all was written: what a store must never do, and a room should survive.
        case after(EventStoreError)
        /// It waits for the closure, then goes on.
        case waiting(@Sendable () async -> Void)
    }

    private let store: any EventStore
    private let faults = FaultPlan<Operation, Fault>()

    /// A store in front of another.
    public init(_ store: any EventStore) {
        self.store = store
    }

    /// Plans a fault.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - operation: To which operation.
    ///   - call: To which call of it, counted from 1 since this store was made; nil: to every call from now on.
    public func plan(_ fault: Fault, for operation: Operation, call: Int? = nil) {
        faults.add(fault, for: operation, call: call)
    }

    /// Forgets every plan.
    public func heal() {
        faults.clear()
    }

    /// How often an operation was called since this store was made.
    public func calls(of operation: Operation) -> Int {
        faults.count(of: operation)
    }

    /// Decides and records one attempt, unless a fault is planned.
    public func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        let failure = try await begin(.record)
        let recorded = try await store.record(ticket, decide)
        if let failure { throw failure }
        return recorded
    }

    /// Applies what an upload learned, unless a fault is planned.
    public func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        let failure = try await begin(.settle)
        try await store.settle(settlement, merge)
        if let failure { throw failure }
    }

    /// Events by a query, unless a fault is planned.
    public func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] {
        let failure = try await begin(.events)
        let events = try await store.events(query)
        if let failure { throw failure }
        return events
    }

    /// Entries by a query, unless a fault is planned.
    public func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        let failure = try await begin(.entries)
        let entries = try await store.entries(query)
        if let failure { throw failure }
        return entries
    }

    /// Counts and the head, unless a fault is planned.
    public func status() async throws(EventStoreError) -> EventStoreStatus {
        let failure = try await begin(.status)
        let status = try await store.status()
        if let failure { throw failure }
        return status
    }

    /// Removes events, unless a fault is planned.
    public func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        let failure = try await begin(.remove)
        let count = try await store.remove(scope)
        if let failure { throw failure }
        return count
    }

    /// Closes the store behind it.
    public func close() async {
        await store.close()
    }

    /// Fails, or waits, or gives the error that follows the call.
    private func begin(_ operation: Operation) async throws(EventStoreError) -> EventStoreError? {
        switch faults.begin(operation) {
        case nil: return nil
        case .before(let error): throw error
        case .after(let error): return error
        case .waiting(let wait):
            await wait()
            return nil
        }
    }
}
