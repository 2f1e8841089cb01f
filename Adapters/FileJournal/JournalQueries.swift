import Portico
import PorticoPOSIX

/// An event as it was read: its state, and its own coding still to be taken apart.
struct RawEvent: Sendable {
    var sequence: Int64
    var state: EventState
    /// What closing its presentation counted.
    var repeats: Int?
    var body: [UInt8]

    /// The event itself.
    func decoded() throws(ScanEventCodingError) -> StoredEvent {
        var event = try ScanEvent(decoding: body, sequence: sequence)
        if let repeats { event.repeats = repeats }
        return StoredEvent(event: event, state: state)
    }
}

/// Events by a query, read frame by frame from the segments.
struct EventPage {
    var events: [RawEvent] = []
    /// Events whose frames are damaged.
    var unreadable: [EventSlot] = []

    init(
        _ query: EventQuery, of index: EventIndex, in segments: [Segment], by reader: inout SegmentReader
    ) throws(SystemError) {
        let wanted = Set(query.states.map(EventSlot.State.init))
        var position = index.firstIndex(after: query.after)
        while position < index.slots.count, events.count < query.limit {
            defer { position += 1 }
            let slot = index.slots[position]
            guard wanted.contains(slot.state) else { continue }
            guard let body = try Self.body(of: slot, in: segments, by: &reader) else {
                unreadable.append(slot)
                continue
            }
            let repeats = slot.repeats == EventSlot.asRecorded ? nil : Int(slot.repeats)
            events.append(
                RawEvent(sequence: slot.sequence, state: index.state(at: position), repeats: repeats, body: body))
        }
    }

    private static func body(
        of slot: EventSlot, in segments: [Segment], by reader: inout SegmentReader
    ) throws(SystemError) -> [UInt8]? {
        guard let segment = segments.first(where: { $0.number == slot.segment }),
            let payload = try reader.payload(of: segment, at: slot.offset)
        else { return nil }
        return payload.withUnsafeBytes { payload in
            do throws(Malformed) {
                for case .event(let event) in try Transaction(decoding: payload, withBodies: true).operations
                where event.sequence == slot.sequence {
                    return event.body
                }
                return nil
            } catch {
                return nil
            }
        }
    }
}

extension EventSlot.State {
    init(_ kind: EventState.Kind) {
        switch kind {
        case .open: self = .open
        case .pending: self = .pending
        case .delivered: self = .delivered
        case .parked: self = .parked
        }
    }
}

extension Journal {
    /// Events by a query. One whose frame is damaged is left out from now on and told in the repairs: it must not stop
    /// those behind it.
    func events(_ query: EventQuery) throws(EventStoreError) -> [RawEvent] {
        let page = try storing { () throws(SystemError) in
            try EventPage(query, of: state.events, in: segments, by: &reader)
        }
        for slot in page.unreadable {
            state.events.drop(slot.sequence)
            repairs.append(
                "\(Segment.name(slot.segment)): event \(slot.sequence) at \(slot.offset) is damaged and was left out")
        }
        return page.events
    }

    /// Counts, the head and what was repaired.
    func status() -> EventStoreStatus {
        let failure = checkpoints.failure.map { ["checkpoint not written: \($0)"] } ?? []
        return state.status(repairs: repairs + unreadable.repairs + failure)
    }

    /// Removes events, and the ledger where the scope says so; how many events went.
    func remove(_ scope: RemovalScope) throws(EventStoreError) -> Int {
        if scope == .delivered, state.events.counts[.delivered] == 0 { return 0 }
        let before = state.events.slots.count
        var batch = try begin()
        // Applied only when it is durable: what goes is not kept to take it back.
        try add([.removal(scope)], to: &batch, applying: false)
        try commit(batch)
        apply(scope)
        if scope == .everything { checkpoints.isStale = true }
        startCheckpoint()
        return before - state.events.slots.count
    }
}
