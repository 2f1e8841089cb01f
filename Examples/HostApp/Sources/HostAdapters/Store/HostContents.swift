import Portico

/// What the store holds, as a value: a call is planned over it as a `HostChange`, and a change is applied to it.
struct HostContents {
    private var head: StoreHead
    /// Ascending by sequence; removal leaves gaps.
    private var stored: [StoredEvent] = []
    private var sequences: [EventID: Int64] = [:]
    private var ledger: [TicketKey: LedgerEntry] = [:]

    /// How many events there are.
    var count: Int { stored.count }

    /// Empty contents of a new device.
    static func new() -> HostContents {
        let digits = Array("0123456789abcdef".utf8)
        guard let device = Identifier(utf8: (0..<32).map { _ in digits[Int.random(in: 0..<16)] }) else {
            preconditionFailure("hexadecimal digits are an identifier")
        }
        return HostContents(head: StoreHead(deviceID: device))
    }

    private init(head: StoreHead) {
        self.head = head
    }

    /// What a file's changes made; nil for none. What was open is pending from here on.
    init?(replaying changes: [HostChange]) {
        guard let first = changes.first else { return nil }
        head = first.head
        for change in changes { apply(change) }
        for index in stored.indices where stored[index].state == .open { stored[index].state = .pending }
    }

    /// What makes these contents out of nothing, in pieces, so that no line grows with the store.
    var changes: [HostChange] {
        let size = 100
        var changes = [HostChange(head: head)]
        for start in stride(from: 0, to: stored.count, by: size) {
            changes.append(HostChange(head: head, added: Array(stored[start...].prefix(size))))
        }
        let entries = ledger.map { StoredEntry(ticket: $0.key, entry: $0.value) }
        for start in stride(from: 0, to: entries.count, by: size) {
            changes.append(HostChange(head: head, entries: Array(entries[start...].prefix(size))))
        }
        return changes
    }

    /// Takes in a change that is durable.
    mutating func apply(_ change: HostChange) {
        head = change.head
        for event in change.added {
            sequences[event.event.id] = event.event.sequence
            stored.append(event)
        }
        for move in change.moves {
            guard let index = index(of: move.sequence) else { continue }
            stored[index].state = move.state
            stored[index].event.repeats = move.repeats
        }
        for entry in change.entries { ledger[entry.ticket] = entry.entry }
    }

    /// Where the event of that sequence stands; nil where there is none.
    private func index(of sequence: Int64) -> Int? {
        let index = firstIndex(after: sequence - 1)
        return index < stored.count && stored[index].event.sequence == sequence ? index : nil
    }

    /// Where the first event with a higher sequence stands, or would.
    private func firstIndex(after sequence: Int64) -> Int {
        var (low, high) = (0, stored.count)
        while low < high {
            let middle = low + (high - low) / 2
            if stored[middle].event.sequence > sequence { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

// MARK: - Planning

extension HostContents {
    /// The change that records what is decided.
    ///
    /// - Throws: `failed` where the event is not the one that the head asks for.
    func recording(
        _ ticket: TicketKey?, _ decide: (StoreHead, LedgerEntry?) -> ScanRecord
    ) throws(EventStoreError) -> (Recorded, HostChange) {
        let before = ticket.flatMap { ledger[$0] }
        let record = decide(head, before)
        let event = record.event
        guard event.deviceID == head.deviceID else { throw .failed("event of another device") }
        guard event.sequence == head.nextSequence else {
            throw .failed("event with sequence \(event.sequence) where \(head.nextSequence) is next")
        }
        guard sequences[event.id] == nil else { throw .failed("a second event with one id") }

        var change = HostChange(head: head)
        change.head.nextSequence += 1
        change.head.clock = record.clock ?? head.clock
        change.head.mark = record.mark ?? head.mark
        change.added = [StoredEvent(event: event, state: record.isOpen ? .open : .pending)]
        if let ticket, let entry = record.entry { change.entries = [StoredEntry(ticket: ticket, entry: entry)] }
        change.moves = moves(closures: record.closures, deliveries: [:])
        return (Recorded(event: event, before: before), change)
    }

    /// The change that an upload's result makes.
    func settling(
        _ settlement: Settlement, _ merge: (LedgerEntry?, Redemption) -> LedgerEntry
    ) -> HostChange {
        var change = HostChange(head: head)
        change.head.clock = settlement.clock ?? head.clock
        change.head.mark = settlement.mark ?? head.mark
        change.head.cursor = settlement.cursor ?? head.cursor
        change.moves = moves(closures: settlement.closures, deliveries: settlement.deliveries)
        var merged: [TicketKey: LedgerEntry] = [:]
        for redemption in settlement.redemptions {
            let ticket = redemption.ticket
            merged[ticket] = merge(merged[ticket] ?? ledger[ticket], redemption)
        }
        change.entries = merged.map { StoredEntry(ticket: $0.key, entry: $0.value) }
        return change
    }

    private func moves(closures: [EventID: Int], deliveries: [EventID: Delivery]) -> [HostChange.Move] {
        var moved: [Int64: HostChange.Move] = [:]
        for (id, repeats) in closures {
            guard let move = currentMove(id), move.state == .open else { continue }
            moved[move.sequence] = HostChange.Move(sequence: move.sequence, state: .pending, repeats: repeats)
        }
        for (id, delivery) in deliveries {
            guard let current = currentMove(id), current.state != .delivered else { continue }
            var move = moved[current.sequence] ?? current
            switch delivery {
            case .delivered: move.state = .delivered
            case .parked(let code, let message): move.state = .parked(code: code, message: message)
            }
            moved[move.sequence] = move
        }
        return Array(moved.values)
    }

    /// Where that event stands now; nil where it is unknown.
    private func currentMove(_ id: EventID) -> HostChange.Move? {
        guard let sequence = sequences[id], let index = index(of: sequence) else { return nil }
        return HostChange.Move(
            sequence: sequence, state: stored[index].state, repeats: stored[index].event.repeats)
    }

    /// What is left after a removal.
    func removing(_ scope: RemovalScope) -> HostContents {
        var left = HostContents(head: head)
        switch scope {
        case .delivered:
            left.apply(HostChange(head: head, added: stored.filter { $0.state != .delivered }))
            left.ledger = ledger
        case .everything:
            // The redemptions up to the cursor went with the ledger: the server is asked for them again.
            left.head.cursor = nil
        }
        return left
    }
}

// MARK: - Queries

extension HostContents {
    func events(_ query: EventQuery) -> [StoredEvent] {
        let candidates = stored[firstIndex(after: query.after)...].lazy
        return Array(candidates.filter { query.states.contains($0.state.kind) }.prefix(max(0, query.limit)))
    }

    func entries(_ query: EntryQuery) -> [StoredEntry] {
        let keys = query.ticket.map { [$0] } ?? ledger.keys.sorted()
        let found = keys.lazy.compactMap { key -> StoredEntry? in
            guard let entry = ledger[key], query.after.map({ key > $0 }) ?? true,
                entry.isConflict || !query.conflictsOnly, entry.isInside || !query.insideOnly
            else { return nil }
            return StoredEntry(ticket: key, entry: entry)
        }
        return Array(found.prefix(max(0, query.limit)))
    }

    func status() -> EventStoreStatus {
        EventStoreStatus(
            head: head,
            counts: stored.reduce(into: [:]) { $0[$1.state.kind, default: 0] += 1 },
            oldestPending: stored.first { $0.state == .pending }?.event.scannedAt,
            tickets: ledger.count,
            conflicts: ledger.values.count { $0.isConflict })
    }
}
