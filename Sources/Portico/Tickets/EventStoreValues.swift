/// What a store knows besides events and tickets, at the moment of a decision.
public struct StoreHead: Sendable, Hashable {
    /// The store's own identity, random, made with it.
    public var deviceID: Identifier
    /// The sequence that the next event must carry.
    public var nextSequence: Int64
    /// The last trusted readings of the clocks, nil before the first.
    public var clock: ClockAnchor?
    /// The highest trusted wall clock, nil before the first.
    public var mark: Instant?
    /// Where the redemptions of other devices were read up to; the server's own token.
    public var cursor: String?

    /// Puts a head together.
    public init(
        deviceID: Identifier, nextSequence: Int64 = 1, clock: ClockAnchor? = nil, mark: Instant? = nil,
        cursor: String? = nil
    ) {
        self.deviceID = deviceID
        self.nextSequence = nextSequence
        self.clock = clock
        self.mark = mark
        self.cursor = cursor
    }
}

/// Readings of the clocks that were trusted, kept to judge later ones by.
public struct ClockAnchor: Sendable, Hashable {
    /// The readings.
    public var reading: ClockReading
    /// Whether it rests on a supervisor's word.
    public var isConfirmed: Bool

    /// An anchor from readings.
    public init(reading: ClockReading, isConfirmed: Bool = false) {
        self.reading = reading
        self.isConfirmed = isConfirmed
    }
}

/// What a store keeps of a ticket: bytes that only the room reads, and the flags that a store indexes.
public struct LedgerEntry: Sendable, Hashable {
    /// The room's own record; opaque to a store.
    public var body: [UInt8]
    /// Whether the holder is inside.
    public var isInside: Bool
    /// Whether more was admitted, here and elsewhere, than the ticket is good for.
    public var isConflict: Bool

    /// Puts an entry together.
    public init(body: [UInt8], isInside: Bool = false, isConflict: Bool = false) {
        self.body = body
        self.isInside = isInside
        self.isConflict = isConflict
    }
}

/// What a decision writes.
public struct ScanRecord: Sendable, Hashable {
    /// The event, with the head's device and next sequence.
    public var event: ScanEvent
    /// Whether its presentation may still go on: it is not uploaded before it is closed.
    public var isOpen: Bool
    /// The ticket's new entry; nil leaves it as it is. Meaningless where no ticket was named.
    public var entry: LedgerEntry?
    /// The new anchor; nil leaves it as it is.
    public var clock: ClockAnchor?
    /// The new mark; nil leaves it as it is.
    public var mark: Instant?
    /// Presentations that ended: their events' final repeats. Ids that are unknown or not open are ignored.
    public var closures: [EventID: Int]

    /// Puts a record together.
    public init(
        event: ScanEvent, isOpen: Bool = false, entry: LedgerEntry? = nil, clock: ClockAnchor? = nil,
        mark: Instant? = nil, closures: [EventID: Int] = [:]
    ) {
        self.event = event
        self.isOpen = isOpen
        self.entry = entry
        self.clock = clock
        self.mark = mark
        self.closures = closures
    }
}

/// What `record` wrote, and what was known before.
public struct Recorded: Sendable, Hashable {
    /// The event as recorded.
    public var event: ScanEvent
    /// The ticket's entry before this record: who used it, where and when.
    public var before: LedgerEntry?

    /// Puts a result together.
    public init(event: ScanEvent, before: LedgerEntry? = nil) {
        self.event = event
        self.before = before
    }
}

/// What became of an event at the server.
public enum Delivery: Sendable, Hashable {
    /// The server has it.
    case delivered
    /// The server refused it for good: kept and shown, not sent again.
    case parked(code: String, message: String)
}

/// A use of a ticket that another device recorded.
public struct Redemption: Sendable, Hashable {
    /// The other device's event: merging the same one again changes nothing.
    public var id: EventID
    /// The ticket.
    public var ticket: TicketKey
    /// The other device.
    public var deviceID: Identifier
    /// The other gate, where it had a name.
    public var gateID: Identifier?
    /// The zone of the ticket, where it is told.
    public var zoneID: Identifier?
    /// How many were admitted.
    public var count: Int
    /// When, by the other device's clock.
    public var at: Instant
    /// SHA-256 of the signed bytes of the ticket that was presented there, where it is told.
    public var contentHash: [UInt8]?

    /// Puts a redemption together; nothing is checked.
    public init(
        id: EventID, ticket: TicketKey, deviceID: Identifier, gateID: Identifier? = nil, zoneID: Identifier? = nil,
        count: Int = 1, at: Instant, contentHash: [UInt8]? = nil
    ) {
        self.id = id
        self.ticket = ticket
        self.deviceID = deviceID
        self.gateID = gateID
        self.zoneID = zoneID
        self.count = count
        self.at = at
        self.contentHash = contentHash
    }
}

/// What an upload learned, to be made durable in one step.
public struct Settlement: Sendable, Hashable {
    /// What became of events, by their ids.
    public var deliveries: [EventID: Delivery]
    /// Uses by other devices, in the order in which they are merged.
    public var redemptions: [Redemption]
    /// Presentations that ended: their events' final repeats. Ids that are unknown or not open are ignored.
    public var closures: [EventID: Int]
    /// The new anchor; nil leaves it as it is.
    public var clock: ClockAnchor?
    /// The new mark; nil leaves it as it is.
    public var mark: Instant?
    /// Where redemptions were read up to; nil leaves it as it is.
    public var cursor: String?

    /// Puts a settlement together.
    public init(
        deliveries: [EventID: Delivery] = [:], redemptions: [Redemption] = [], closures: [EventID: Int] = [:],
        clock: ClockAnchor? = nil, mark: Instant? = nil, cursor: String? = nil
    ) {
        self.deliveries = deliveries
        self.redemptions = redemptions
        self.closures = closures
        self.clock = clock
        self.mark = mark
        self.cursor = cursor
    }
}

/// Where an event stands.
public enum EventState: Sendable, Hashable {
    /// Its presentation may still go on.
    case open
    /// To be uploaded.
    case pending
    /// The server has it.
    case delivered
    /// The server refused it for good.
    case parked(code: String, message: String)

    /// The kind of state, without its payload.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Its presentation may still go on.
        case open
        /// To be uploaded.
        case pending
        /// The server has it.
        case delivered
        /// The server refused it for good.
        case parked
    }

    /// The kind of this state.
    public var kind: Kind {
        switch self {
        case .open: .open
        case .pending: .pending
        case .delivered: .delivered
        case .parked: .parked
        }
    }
}

/// An event and where it stands.
public struct StoredEvent: Sendable, Hashable {
    /// The event.
    public var event: ScanEvent
    /// Where it stands.
    public var state: EventState

    /// Puts the two together.
    public init(event: ScanEvent, state: EventState) {
        self.event = event
        self.state = state
    }
}

/// Which events are asked for.
public struct EventQuery: Sendable, Hashable {
    /// The states that are asked for.
    public var states: Set<EventState.Kind>
    /// Only events with a higher sequence.
    public var after: Int64
    /// At most that many.
    public var limit: Int

    /// A query; by default every event from the first on, at most 500.
    public init(states: Set<EventState.Kind> = Set(EventState.Kind.allCases), after: Int64 = 0, limit: Int = 500) {
        self.states = states
        self.after = after
        self.limit = limit
    }

    /// What waits for upload.
    public static func pending(after: Int64 = 0, limit: Int = 500) -> EventQuery {
        EventQuery(states: [.pending], after: after, limit: limit)
    }
}

/// Which entries of the ledger are asked for.
public struct EntryQuery: Sendable, Hashable {
    /// Only this ticket's.
    public var ticket: TicketKey?
    /// Only keys that order after this one.
    public var after: TicketKey?
    /// Only those in conflict.
    public var conflictsOnly: Bool
    /// Only those inside.
    public var insideOnly: Bool
    /// At most that many.
    public var limit: Int

    /// A query; by default every entry from the first on, at most 500.
    public init(
        ticket: TicketKey? = nil, after: TicketKey? = nil, conflictsOnly: Bool = false, insideOnly: Bool = false,
        limit: Int = 500
    ) {
        self.ticket = ticket
        self.after = after
        self.conflictsOnly = conflictsOnly
        self.insideOnly = insideOnly
        self.limit = limit
    }
}

/// A ticket and what the store keeps of it.
public struct StoredEntry: Sendable, Hashable {
    /// The ticket.
    public var ticket: TicketKey
    /// What is kept of it.
    public var entry: LedgerEntry

    /// Puts the two together.
    public init(ticket: TicketKey, entry: LedgerEntry) {
        self.ticket = ticket
        self.entry = entry
    }
}

/// What a store holds, counted.
public struct EventStoreStatus: Sendable, Hashable {
    /// The head.
    public var head: StoreHead
    /// How many events stand in each state; a kind that is missing has none.
    public var counts: [EventState.Kind: Int]
    /// When the pending event with the lowest sequence was scanned.
    public var oldestPending: Instant?
    /// How many tickets the ledger knows.
    public var tickets: Int
    /// How many of them are in conflict.
    public var conflicts: Int
    /// What opening had to repair and what could not be read since, one line each: a torn tail cut off, an event that is
    /// passed over.
    public var repairs: [String]

    /// Puts a status together.
    public init(
        head: StoreHead, counts: [EventState.Kind: Int] = [:], oldestPending: Instant? = nil, tickets: Int = 0,
        conflicts: Int = 0, repairs: [String] = []
    ) {
        self.head = head
        self.counts = counts
        self.oldestPending = oldestPending
        self.tickets = tickets
        self.conflicts = conflicts
        self.repairs = repairs
    }

    /// How many events wait for upload.
    public var pending: Int { counts[.pending, default: 0] }
}

/// What `remove` removes.
public enum RemovalScope: Sendable, Hashable {
    /// Events that the server has.
    case delivered
    /// Every event and the ledger: the device starts a new season.
    case everything
}
