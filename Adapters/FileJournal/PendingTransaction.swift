import Portico

/// A record or a settlement that waits for its commit.
protocol PendingTransaction: Sendable {
    associatedtype Value: Sendable
    /// Tells the caller what became of it; called once.
    var resume: @Sendable (Result<Value, EventStoreError>) -> Void { get }
    /// Decides what to write and adds it to the batch; the result is what to tell once that is durable.
    func stage(in journal: Journal, _ batch: inout Journal.Batch) throws(EventStoreError) -> Value
}

extension PendingTransaction {
    /// Adds it to the batch; what is returned tells the caller.
    func answer(in journal: Journal, _ batch: inout Journal.Batch) throws(EventStoreError) -> () -> Void {
        let value = try stage(in: journal, &batch)
        return { resume(.success(value)) }
    }

    func fail(_ error: EventStoreError) {
        resume(.failure(error))
    }
}

/// One attempt.
struct PendingRecord: PendingTransaction {
    let ticket: TicketKey?
    let decide: @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    let resume: @Sendable (Result<Recorded, EventStoreError>) -> Void

    func stage(in journal: Journal, _ batch: inout Journal.Batch) throws(EventStoreError) -> Recorded {
        var before: LedgerEntry?
        if let ticket { before = try journal.state.ledger.entry(ticket) }
        let record = decide(journal.state.head, before)
        try check(record.event, in: journal.state)
        var operations: [Operation] = []
        if let ticket, let entry = record.entry {
            operations.append(.entry(ticket, entry, replaced: Operation.Replaced(before)))
        }
        operations += record.closures.map { .closure($0.key, repeats: $0.value) }
        operations.append(.event(EventRecord(record.event, isOpen: record.isOpen)))
        if let clock = record.clock { operations.append(.clock(clock)) }
        if let mark = record.mark { operations.append(.mark(mark)) }
        try journal.add(operations, to: &batch)
        return Recorded(event: record.event, before: before)
    }

    private func check(_ event: ScanEvent, in state: JournalState) throws(EventStoreError) {
        guard event.sequence == state.head.nextSequence else {
            throw .failed("event with sequence \(event.sequence) where \(state.head.nextSequence) is next")
        }
        guard event.deviceID == state.head.deviceID else { throw .failed("event of another device") }
        guard state.events.index(of: event.id) == nil else { throw .failed("a second event with one id") }
    }
}

/// What an upload learned.
struct PendingSettlement: PendingTransaction {
    let settlement: Settlement
    let merge: @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    let resume: @Sendable (Result<Void, EventStoreError>) -> Void

    func stage(in journal: Journal, _ batch: inout Journal.Batch) throws(EventStoreError) {
        var operations: [Operation] = settlement.closures.map { .closure($0.key, repeats: $0.value) }
        operations += settlement.deliveries.map { .delivery($0.key, $0.value) }
        operations += try merged(journal.state.ledger)
        if let clock = settlement.clock { operations.append(.clock(clock)) }
        if let mark = settlement.mark { operations.append(.mark(mark)) }
        if let cursor = settlement.cursor { operations.append(.cursor(cursor)) }
        if !operations.isEmpty { try journal.add(operations, to: &batch) }
    }

    /// Each redemption sees what those before it left of its ticket; the last state of each ticket is written.
    private func merged(_ ledger: Ledger) throws(EventStoreError) -> [Operation] {
        var entries: [TicketKey: (entry: LedgerEntry, replaced: Operation.Replaced)] = [:]
        var order: [TicketKey] = []
        for redemption in settlement.redemptions {
            if let known = entries[redemption.ticket] {
                entries[redemption.ticket] = (merge(known.entry, redemption), known.replaced)
            } else {
                let before = try ledger.entry(redemption.ticket)
                entries[redemption.ticket] = (merge(before, redemption), Operation.Replaced(before))
                order.append(redemption.ticket)
            }
        }
        return order.compactMap { ticket in
            entries[ticket].map { .entry(ticket, $0.entry, replaced: $0.replaced) }
        }
    }
}

extension EventRecord {
    init(_ event: ScanEvent, isOpen: Bool) {
        self.init(
            sequence: event.sequence, id: event.id, scannedAt: event.scannedAt, isOpen: isOpen, body: event.encoded())
    }
}
