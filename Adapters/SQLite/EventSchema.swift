#if SQLite && (os(Linux) || canImport(SQLite3))
import Portico

extension Database {
    /// The events of a folder; for a reader without a durability.
    static func events(in folder: String, _ durability: SQLiteDurability?, _ tuning: SQLiteTuning) -> Database {
        // Nobody else writes; a second is for a foreign program that looks into the file, or a reader that closes.
        Database(folder, "events.sqlite", .events, durability: durability, busyMilliseconds: 1_000, tuning: tuning)
    }
}

/// The tables of an event store.
///
/// - `head`: one row: the head and the counts, so that nothing is counted by reading what is stored.
/// - `events`: by sequence, with the state and the repeats beside the event, which itself never changes.
/// - `ledger`: by the bytes of event and ticket.
extension Database.Schema {
    fileprivate static let events = Database.Schema(name: "event store", applicationID: 0x5072_4576, version: 1) {
        connection throws(StorageFailure) in
        try connection.run("PRAGMA application_id = 0x50724576")
        try connection.run("PRAGMA user_version = 1")
        try connection.run(
            """
            CREATE TABLE head(
                device BLOB NOT NULL, next_sequence INTEGER NOT NULL,
                clock_wall INTEGER, clock_uptime INTEGER, clock_boot TEXT, clock_confirmed INTEGER,
                mark INTEGER, cursor TEXT,
                open INTEGER NOT NULL, pending INTEGER NOT NULL, delivered INTEGER NOT NULL, parked INTEGER NOT NULL,
                tickets INTEGER NOT NULL, conflicts INTEGER NOT NULL, waiting_from INTEGER NOT NULL)
            """)
        try connection.run(
            """
            CREATE TABLE events(
                sequence INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, state INTEGER NOT NULL,
                repeats INTEGER NOT NULL, scanned_at INTEGER NOT NULL, code TEXT, message TEXT, body BLOB NOT NULL)
            """)
        // What waits for upload has no index, which every scan would pay for: the head says where it begins.
        try connection.run("CREATE INDEX events_parked ON events(state) WHERE state = 5")
        try connection.run(
            """
            CREATE TABLE ledger(
                event BLOB NOT NULL, ticket BLOB NOT NULL, inside INTEGER NOT NULL, conflict INTEGER NOT NULL,
                body BLOB NOT NULL, PRIMARY KEY(event, ticket)) WITHOUT ROWID
            """)
        try connection.run("CREATE INDEX ledger_inside ON ledger(event, ticket) WHERE inside = 1")
        try connection.run("CREATE INDEX ledger_conflicts ON ledger(event, ticket) WHERE conflict = 1")
        try connection.run(
            "INSERT INTO head VALUES(?1, 1, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 1)",
            .blob(Identifier(device: .random(in: .min ... .max), .random(in: .min ... .max)).utf8))
    }
}

/// The head, and the counts that go with it.
struct EventHead: Hashable {
    var head: StoreHead
    var counts: [EventState.Kind: Int]
    var tickets: Int
    var conflicts: Int
    /// No event with a lower sequence is open or pending. It only rises, so what was delivered is passed over once.
    var waitingFrom: Int64

    init(readFrom connection: Connection) throws(StorageFailure) {
        let found = try connection.first("SELECT * FROM head") { row throws(StorageFailure) in
            guard let device = Identifier(utf8: row.blob(0)) else {
                throw StorageFailure("head", .damaged("the device id is none"))
            }
            var clock: ClockAnchor?
            if let wall = row.optionalInteger(2) {
                clock = ClockAnchor(
                    reading: ClockReading(
                        wall: Instant(milliseconds: wall), uptime: row.integer(3), bootID: row.text(4)),
                    isConfirmed: row.integer(5) != 0)
            }
            return EventHead(
                head: StoreHead(
                    deviceID: device, nextSequence: row.integer(1), clock: clock,
                    mark: row.optionalInteger(6).map { Instant(milliseconds: $0) }, cursor: row.optionalText(7)),
                counts: [
                    .open: Int(row.integer(8)), .pending: Int(row.integer(9)), .delivered: Int(row.integer(10)),
                    .parked: Int(row.integer(11)),
                ],
                tickets: Int(row.integer(12)), conflicts: Int(row.integer(13)), waitingFrom: row.integer(14))
        }
        guard let found else { throw StorageFailure("head", .damaged("its row is missing")) }
        self = found
    }

    private init(head: StoreHead, counts: [EventState.Kind: Int], tickets: Int, conflicts: Int, waitingFrom: Int64) {
        self.head = head
        self.counts = counts
        self.tickets = tickets
        self.conflicts = conflicts
        self.waitingFrom = waitingFrom
    }

    func write(to connection: Connection) throws(StorageFailure) {
        let reading = head.clock?.reading
        try connection.run(
            """
            UPDATE head SET next_sequence = ?1, clock_wall = ?2, clock_uptime = ?3, clock_boot = ?4,
                clock_confirmed = ?5, mark = ?6, cursor = ?7, open = ?8, pending = ?9, delivered = ?10, parked = ?11,
                tickets = ?12, conflicts = ?13, waiting_from = ?14
            """,
            .integer(head.nextSequence), .optional(reading?.wall.milliseconds), .optional(reading?.uptime),
            .optional(reading?.bootID), .optional(head.clock.map { $0.isConfirmed ? 1 : 0 }),
            .optional(head.mark?.milliseconds), .optional(head.cursor), count(.open), count(.pending),
            count(.delivered), count(.parked), .integer(Int64(tickets)), .integer(Int64(conflicts)),
            .integer(waitingFrom))
    }

    mutating func move(from before: EventState.Kind?, to after: EventState.Kind) {
        if let before { counts[before, default: 0] -= 1 }
        counts[after, default: 0] += 1
    }

    private func count(_ kind: EventState.Kind) -> Value { .integer(Int64(counts[kind, default: 0])) }
}

extension EventState.Kind {
    /// How it is stored. 0 and 1 take no byte of their own in a record, larger numbers one: with these an event whose
    /// state changes keeps its length and is overwritten in place.
    var code: Int64 {
        switch self {
        case .open: 2
        case .pending: 3
        case .delivered: 4
        case .parked: 5
        }
    }

    init?(code: Int64) {
        guard let kind = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = kind
    }
}

extension Connection {
    /// The ledger's entry of a ticket.
    func entry(_ ticket: TicketKey) throws(StorageFailure) -> LedgerEntry? {
        try first(
            "SELECT inside, conflict, body FROM ledger WHERE event = ?1 AND ticket = ?2", .blob(ticket.event.utf8),
            .blob(ticket.ticket.utf8)
        ) { row in
            LedgerEntry(body: row.blob(2), isInside: row.integer(0) != 0, isConflict: row.integer(1) != 0)
        }
    }
}
#endif
