import Portico

/// What the journal says, taken together: the head, the events and the ledger.
///
/// Each frame is applied here in the same way while it is recorded and when it is read again, so that both end in the
/// same state.
struct JournalState: Sendable {
    var head: StoreHead
    /// The number of the last frame that was applied.
    var lastFrame: UInt64 = 0
    var events = EventIndex()
    var ledger = Ledger()

    /// Where a frame stands.
    struct Place {
        var segment: UInt32
        var offset: UInt32
    }

    mutating func apply(_ operation: Operation, at place: Place, undo: inout Undo) {
        switch operation {
        case .event(let event):
            let slot = EventSlot(
                id: event.id, sequence: event.sequence, scannedAt: event.scannedAt.milliseconds,
                segment: place.segment, offset: place.offset, repeats: EventSlot.asRecorded,
                state: event.isOpen ? .open : .pending)
            events.append(slot)
            undo.steps.append(.event)
            head.nextSequence = event.sequence + 1
        case .entry(let ticket, let entry, let replaced):
            undo.steps.append(
                .entry(ticket, ledger.recent[ticket], tickets: ledger.tickets, conflicts: ledger.conflicts))
            ledger.put(entry, for: ticket, replacing: replaced)
        case .clock(let clock): head.clock = clock
        case .mark(let mark): head.mark = mark
        case .cursor(let cursor): head.cursor = cursor
        case .closure(let id, let repeats):
            guard let index = events.index(of: id), events.slots[index].state == .open else { return }
            set(.pending, repeats: EventSlot.repeats(repeats), at: index, undo: &undo)
        case .delivery(let id, let delivery):
            guard let index = events.index(of: id), events.slots[index].state != .delivered else { return }
            switch delivery {
            case .delivered: set(.delivered, at: index, undo: &undo)
            case .parked(let code, let message):
                set(.parked, refusal: EventIndex.Refusal(code: code, message: message), at: index, undo: &undo)
            }
        case .removal(let scope):
            _ = events.remove(scope)
            if case .everything = scope {
                ledger.removeAll()
                // The redemptions up to the cursor went with the ledger: the server is asked for them again.
                head.cursor = nil
            }
        case .reopening: events.endPresentations()
        }
    }

    private mutating func set(
        _ state: EventSlot.State, repeats: UInt32? = nil, refusal: EventIndex.Refusal? = nil, at index: Int,
        undo: inout Undo
    ) {
        let earlier = events.set(state, repeats: repeats, refusal: refusal, at: index)
        undo.steps.append(.slot(index, earlier.slot, earlier.refusal))
    }

    /// What takes the changes of records and settlements back. (Removals and reopenings are applied only once they
    /// are durable, and need none.)
    struct Undo {
        fileprivate enum Step {
            case event
            case slot(Int, EventSlot, EventIndex.Refusal?)
            case entry(TicketKey, LedgerEntry?, tickets: Int, conflicts: Int)
        }

        fileprivate var steps: [Step] = []
        fileprivate let head: StoreHead
        fileprivate let lastFrame: UInt64

        init(_ state: JournalState) {
            head = state.head
            lastFrame = state.lastFrame
        }
    }

    /// Back to the state that `undo` was made from.
    mutating func revert(_ undo: Undo) {
        for step in undo.steps.reversed() {
            switch step {
            case .event: events.removeLast()
            case .slot(let index, let slot, let refusal):
                events.set(slot.state, repeats: slot.repeats, refusal: refusal, at: index)
            case .entry(let ticket, let entry, let tickets, let conflicts):
                ledger.restore(entry, for: ticket, tickets: tickets, conflicts: conflicts)
            }
        }
        head = undo.head
        lastFrame = undo.lastFrame
    }

    /// The counts, as `status` tells them.
    func status(repairs: [String]) -> EventStoreStatus {
        let kinds: [(EventSlot.State, EventState.Kind)] = [
            (.open, .open), (.pending, .pending), (.delivered, .delivered), (.parked, .parked),
        ]
        var counts: [EventState.Kind: Int] = [:]
        for (state, kind) in kinds where events.counts[state] > 0 { counts[kind] = events.counts[state] }
        let oldest = events.counts[.pending] > 0 ? events.slots.first { $0.state == .pending } : nil
        return EventStoreStatus(
            head: head, counts: counts, oldestPending: oldest.map { Instant(milliseconds: $0.scannedAt) },
            tickets: ledger.tickets, conflicts: ledger.conflicts, repairs: repairs)
    }
}
