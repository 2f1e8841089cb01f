import Portico

/// Where an event stands in the segments, and what became of it: 48 bytes an event, the event itself stays on disk.
struct EventSlot: Equatable, Sendable {
    var id: EventID
    var sequence: Int64
    /// Milliseconds since 1970.
    var scannedAt: Int64
    var segment: UInt32
    /// Of the frame in the segment.
    var offset: UInt32
    /// What closing its presentation counted; `EventSlot.asRecorded` before that.
    var repeats: UInt32
    var state: State

    enum State: UInt8, Sendable {
        case open
        case pending
        case delivered
        case parked
    }

    static let asRecorded = UInt32.max

    /// Repeats as they fit beside the others: at thirty frames a second it takes four years to reach the end.
    static func repeats(_ count: Int) -> UInt32 {
        UInt32(clamping: min(max(count, 0), Int(asRecorded) - 1))
    }
}

/// Every event of the store, ascending by sequence, found by sequence or by id.
struct EventIndex: Sendable {
    /// Why a server refused an event for good.
    struct Refusal: Equatable, Sendable {
        var code: String
        var message: String
    }

    private(set) var slots: [EventSlot] = []
    private(set) var refusals: [Int64: Refusal] = [:]
    private(set) var counts = Counts()
    private var table = SlotTable()

    /// How many events stand in each state.
    struct Counts: Equatable, Sendable {
        private var values = SIMD4<Int>()

        subscript(state: EventSlot.State) -> Int {
            get { values[Int(state.rawValue)] }
            set { values[Int(state.rawValue)] = newValue }
        }
    }

    mutating func reserve(_ count: Int) {
        slots.reserveCapacity(count)
        table = SlotTable(for: count)
    }

    /// The index of the first slot with a higher sequence, the count where there is none.
    func firstIndex(after sequence: Int64) -> Int {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = low + (high - low) / 2
            if slots[middle].sequence > sequence { high = middle } else { low = middle + 1 }
        }
        return low
    }

    func index(of id: EventID) -> Int? {
        table.index(of: id, in: slots)
    }

    func state(at index: Int) -> EventState {
        let slot = slots[index]
        switch slot.state {
        case .open: return .open
        case .pending: return .pending
        case .delivered: return .delivered
        case .parked:
            let refusal = refusals[slot.sequence] ?? Refusal(code: "", message: "")
            return .parked(code: refusal.code, message: refusal.message)
        }
    }

    /// Adds an event; its sequence is higher than all before.
    mutating func append(_ slot: EventSlot, refusal: Refusal? = nil) {
        slots.append(slot)
        counts[slot.state] += 1
        refusals[slot.sequence] = refusal
        table.insert(slots.count - 1, in: slots)
    }

    /// Takes the last `append` back.
    mutating func removeLast() {
        guard let slot = slots.last else { return }
        table.removeLast(slots.count - 1, in: slots)
        counts[slot.state] -= 1
        refusals[slot.sequence] = nil
        slots.removeLast()
    }

    /// Changes an event; the slot and refusal as they were.
    @discardableResult
    mutating func set(
        _ state: EventSlot.State, repeats: UInt32? = nil, refusal: Refusal? = nil, at index: Int
    ) -> (slot: EventSlot, refusal: Refusal?) {
        let earlier = slots[index]
        counts[earlier.state] -= 1
        counts[state] += 1
        slots[index].state = state
        if let repeats { slots[index].repeats = repeats }
        let earlierRefusal = refusals[earlier.sequence]
        refusals[earlier.sequence] = refusal
        return (earlier, earlierRefusal)
    }

    /// What was open is pending.
    mutating func endPresentations() {
        guard counts[.open] > 0 else { return }
        for index in slots.indices where slots[index].state == .open { set(.pending, at: index) }
    }

    /// Says where an event stands now.
    mutating func move(_ sequence: Int64, toSegment segment: UInt32, offset: UInt32) {
        let index = firstIndex(after: sequence - 1)
        guard index < slots.count, slots[index].sequence == sequence else { return }
        slots[index].segment = segment
        slots[index].offset = offset
    }

    /// Leaves an event out whose frame cannot be read.
    mutating func drop(_ sequence: Int64) {
        let index = firstIndex(after: sequence - 1)
        guard index < slots.count, slots[index].sequence == sequence else { return }
        counts[slots[index].state] -= 1
        refusals[sequence] = nil
        slots.remove(at: index)
        reindex()
    }

    private mutating func reindex() {
        table = SlotTable(for: slots.count)
        for index in slots.indices { table.insert(index, in: slots) }
    }

    /// Removes events; how many.
    mutating func remove(_ scope: RemovalScope) -> Int {
        let before = slots.count
        switch scope {
        case .delivered:
            slots.removeAll { $0.state == .delivered }
            counts[.delivered] = 0
            reindex()
        case .everything: self = EventIndex()
        }
        return before - slots.count
    }
}

/// Finds slots by event id: a hash table of indices with linear probing, 8 bytes an event where a dictionary of ids
/// takes 50.
private struct SlotTable: Sendable {
    private var places: [UInt32]
    private var count = 0

    private static let empty = UInt32.max

    init(for count: Int = 0) {
        var capacity = 16
        while capacity < 2 * count { capacity *= 2 }
        places = [UInt32](repeating: Self.empty, count: capacity)
    }

    func index(of id: EventID, in slots: [EventSlot]) -> Int? {
        var place = home(of: id)
        while places[place] != Self.empty {
            if slots[Int(places[place])].id == id { return Int(places[place]) }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    mutating func insert(_ index: Int, in slots: [EventSlot]) {
        if 2 * (count + 1) > places.count { grow(slots) }
        place(index, slots[index].id)
    }

    /// Removes the index that was inserted last: no probe of another has passed over it.
    mutating func removeLast(_ index: Int, in slots: [EventSlot]) {
        var place = home(of: slots[index].id)
        while places[place] != UInt32(index) {
            precondition(places[place] != Self.empty, "an event is removed that was not indexed")
            place = (place + 1) & (places.count - 1)
        }
        places[place] = Self.empty
        count -= 1
    }

    private mutating func place(_ index: Int, _ id: EventID) {
        var place = home(of: id)
        while places[place] != Self.empty { place = (place + 1) & (places.count - 1) }
        places[place] = UInt32(index)
        count += 1
    }

    private mutating func grow(_ slots: [EventSlot]) {
        let indexed = places.filter { $0 != Self.empty }.sorted()
        places = [UInt32](repeating: Self.empty, count: 2 * places.count)
        count = 0
        for index in indexed { place(Int(index), slots[Int(index)].id) }
    }

    /// Both words count: the first is mostly time, the second random.
    private func home(of id: EventID) -> Int {
        let mixed = (id.high ^ id.low &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed >> 32) & (places.count - 1)
    }
}
