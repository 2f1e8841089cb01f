import Portico

/// The guarantees of `EventStore`, as checks that any store can be put to.
///
/// ```swift
/// let subject = Subject<any EventStore>(name: "HostEventStore", capabilities: [.durable, .exclusive]) {
///     let folder = try makeEmptyFolder()
///     return { try HostEventStore(folder: folder) }
/// }
/// for clause in EventStoreContract.clauses {
///     if case .broken(let why) = await clause.check(subject) { print(why) }
/// }
/// ```
/// Capabilities: `durable` adds what must be there after closing and opening again, `exclusive` adds ES-13.
public enum EventStoreContract {
    /// One clause for each guarantee of the port's documentation, in its order.
    public static let clauses: [Clause<any EventStore>] = [
        decision, durability, sequence, clock, settlement, paging, removal, closing, keys, device, ledger, counts,
        exclusion, fidelity, unreadable,
    ]
}

extension EventStoreContract {
    typealias Store = any EventStore

    /// A storage of its own for one clause, opened as often as the clause asks.
    struct Bench {
        let isDurable: Bool
        private let opening: Subject<Store>.Opening

        init(_ subject: Subject<Store>) async throws {
            isDurable = subject.capabilities.contains(.durable)
            opening = try await subject.fresh()
        }

        /// Opens the storage for the body and closes it, also where the body fails.
        func open<Value>(_ body: (Store) async throws -> Value) async throws -> Value {
            let store = try await opening()
            do {
                let value = try await body(store)
                await store.close()
                return value
            } catch {
                await store.close()
                throw error
            }
        }

        /// Opens it again, where it keeps what was written.
        func reopen(_ body: (Store) async throws -> Void) async throws {
            if isDurable { try await open(body) }
        }
    }

    static let ticket = TicketKey(event: "FAIR-2026", ticket: "T-1")

    static func ticket(_ number: Int) throws -> TicketKey {
        guard let name = Identifier("T-\(number)") else { throw Breach("no identifier: T-\(number)") }
        return TicketKey(event: "FAIR-2026", ticket: name)
    }

    /// The identity of the event with that number; numbers order as identities do.
    static func id(_ number: Int) -> EventID {
        let word = UInt64(number)
        return EventID(at: instant(number), random: (word, word &* 0x9E37_79B9_7F4A_7C15))
    }

    static func instant(_ number: Int) -> Instant {
        Instant(milliseconds: 1_783_188_000_000 + Int64(number) * 1_000)
    }

    /// The event with that number, as the head asks for it.
    static func event(_ number: Int, _ head: StoreHead) -> ScanEvent {
        ScanEvent(
            id: id(number), deviceID: head.deviceID, sequence: head.nextSequence, gateEvents: ["FAIR-2026"],
            scannedAt: instant(number), verdict: .admitted)
    }

    static func redemption(_ number: Int, of ticket: TicketKey = ticket) -> Redemption {
        Redemption(
            id: id(900_000 + number), ticket: ticket, deviceID: "other-device", count: number, at: instant(number))
    }

    /// An entry that counts, in a body of eight bytes.
    static func entry(counting count: Int) -> LedgerEntry {
        LedgerEntry(body: (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) })
    }

    /// What such an entry counts; zero where there is none.
    static func count(_ entry: LedgerEntry?) -> Int {
        entry?.body.reduce(0) { $0 << 8 | Int($1) } ?? 0
    }

    /// Everything that a store answers, to tell whether anything changed.
    struct Picture: Equatable {
        let events: [StoredEvent]
        let entries: [StoredEntry]
        let status: EventStoreStatus

        init(of store: Store) async throws {
            events = try await store.events(EventQuery(limit: 10_000))
            entries = try await store.entries(EntryQuery(limit: 10_000))
            status = try await store.status()
        }

        static func == (one: Picture, other: Picture) -> Bool {
            one.events == other.events && one.entries == other.entries && one.status.head == other.status.head
                && one.status.tickets == other.status.tickets && one.status.conflicts == other.status.conflicts
                && one.status.oldestPending == other.status.oldestPending
                && EventState.Kind.allCases.allSatisfy {
                    one.status.counts[$0, default: 0] == other.status.counts[$0, default: 0]
                }
        }
    }
}

extension EventStore {
    /// Records the event with that number.
    @discardableResult
    func add(
        _ number: Int, ticket: TicketKey? = nil, isOpen: Bool = false, entry: LedgerEntry? = nil,
        clock: ClockAnchor? = nil, mark: Instant? = nil, closures: [EventID: Int] = [:]
    ) async throws(EventStoreError) -> Recorded {
        try await record(ticket) { head, _ in
            ScanRecord(
                event: EventStoreContract.event(number, head), isOpen: isOpen, entry: entry, clock: clock, mark: mark,
                closures: closures)
        }
    }

    /// Records the event with that number and adds one to the count in the ticket's entry.
    func addCounting(_ number: Int, ticket: TicketKey) async throws(EventStoreError) -> Recorded {
        try await record(ticket) { head, entry in
            let count = EventStoreContract.count(entry) + 1
            var event = EventStoreContract.event(number, head)
            event.count = count
            return ScanRecord(event: event, entry: EventStoreContract.entry(counting: count))
        }
    }

    /// Settles without redemptions, or with redemptions whose counts are added to the entry's.
    func settle(_ settlement: Settlement) async throws(EventStoreError) {
        try await settle(settlement) { entry, redemption in
            EventStoreContract.entry(counting: EventStoreContract.count(entry) + redemption.count)
        }
    }

    /// The one entry of that ticket, nil where there is none.
    func entry(_ ticket: TicketKey) async throws -> LedgerEntry? {
        let found = try await entries(EntryQuery(ticket: ticket))
        try require(found.count <= 1, "\(found.count) entries of one ticket")
        try require(found.allSatisfy { $0.ticket == ticket }, "an entry of another ticket than was asked for")
        return found.first?.entry
    }

    /// The states of all events, by their numbers' identities.
    func states() async throws -> [EventID: EventState] {
        Dictionary(
            try await events(EventQuery(limit: 10_000)).map { ($0.event.id, $0.state) }, uniquingKeysWith: { $1 })
    }
}

/// Ends a clause with a breach unless the call fails, and with an error that matches.
func requireFailure(
    _ what: String, _ isExpected: (any Error) -> Bool, _ call: () async throws -> Void
) async throws {
    do {
        try await call()
    } catch {
        if isExpected(error) { return }
        throw Breach("\(what) failed with another error: \(error)")
    }
    throw Breach("\(what) did not fail")
}

/// Whether it is `failed` of the event store, with any text.
func isFailed(_ error: any Error) -> Bool {
    if case .failed = error as? EventStoreError { true } else { false }
}

/// Whether it is `closed` of the event store.
func isClosed(_ error: any Error) -> Bool {
    error as? EventStoreError == .closed
}
