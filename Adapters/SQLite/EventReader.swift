#if SQLite && (os(Linux) || canImport(SQLite3))
import Dispatch
import Portico

/// The reading half of a store: a connection and a queue of its own, so that no scan waits for an export.
///
/// `@unchecked Sendable`: `database` and `unreadable` are only touched on `queue`.
final class EventReader: @unchecked Sendable {
    private let queue = DispatchQueue(label: "portico.sqlite.events.reader", qos: .userInitiated)
    private let database: Database
    private var unreadable = UnreadableEvents()

    /// Opens the database of a folder, which must be there.
    static func open(_ folder: String, _ tuning: SQLiteTuning) async throws(StorageFailure) -> EventReader {
        let reader = EventReader(.events(in: folder, nil, tuning))
        try await reader.queue.run { () throws(StorageFailure) in try reader.database.open() }.get()
        return reader
    }

    private init(_ database: Database) {
        self.database = database
    }

    func events(_ query: EventQuery) async -> Result<[StoredEvent], EventStoreError> {
        await answer { reader, connection throws(StorageFailure) in try reader.events(query, connection) }
    }

    func entries(_ query: EntryQuery) async -> Result<[StoredEntry], EventStoreError> {
        await answer { _, connection throws(StorageFailure) in try connection.entries(query) }
    }

    func status() async -> Result<EventStoreStatus, EventStoreError> {
        await answer { reader, connection throws(StorageFailure) in try reader.status(connection) }
    }

    /// Ends what was begun and closes the file.
    func close() async {
        await queue.run { self.database.close() }
    }

    /// Reads in one transaction, on the queue.
    private func answer<Value: Sendable>(
        _ read: @escaping @Sendable (EventReader, Connection) throws(StorageFailure) -> Value
    ) async -> Result<Value, EventStoreError> {
        await queue.run { () throws(StorageFailure) in
            try self.database.read { connection throws(StorageFailure) in try read(self, connection) }
        }.mapError(EventStoreError.init)
    }

    private func events(_ query: EventQuery, _ connection: Connection) throws(StorageFailure) -> [StoredEvent] {
        guard query.limit > 0 else { return [] }
        if query.states.contains(.delivered) {
            return try events(query.states, after: query.after, query.limit, connection)
        }
        var found: [StoredEvent] = []
        let waiting = query.states.intersection([.open, .pending])
        if !waiting.isEmpty {
            let first = try connection.first("SELECT waiting_from FROM head") { $0.integer(0) } ?? 1
            found = try events(waiting, after: max(query.after, first - 1), query.limit, connection)
        }
        if query.states.contains(.parked) {
            found += try collect(query.limit) { body throws(StorageFailure) in
                try connection.rows(
                    """
                    SELECT sequence, state, repeats, code, message, body FROM events
                    WHERE state = 5 AND sequence > ?1 ORDER BY sequence
                    """, .integer(query.after), each: body)
            }
            found.sort { $0.event.sequence < $1.event.sequence }
        }
        return Array(found.prefix(query.limit))
    }

    /// Events in any of the states, by reading all after the sequence.
    private func events(
        _ states: Set<EventState.Kind>, after sequence: Int64, _ limit: Int, _ connection: Connection
    ) throws(StorageFailure) -> [StoredEvent] {
        let mask = states.reduce(Int64(0)) { $0 | 1 << $1.code }
        return try collect(limit) { body throws(StorageFailure) in
            try connection.rows(
                """
                SELECT sequence, state, repeats, code, message, body FROM events
                WHERE sequence > ?1 AND (1 << state) & ?2 <> 0 ORDER BY sequence
                """, .integer(sequence), .integer(mask), each: body)
        }
    }

    /// Collects the events that can be read, up to the limit.
    private func collect(
        _ limit: Int,
        from rows: ((Statement) throws(StorageFailure) -> Bool) throws(StorageFailure) -> Void
    ) throws(StorageFailure) -> [StoredEvent] {
        var found: [StoredEvent] = []
        try rows { row in
            do throws(ScanEventCodingError) {
                if let event = try StoredEvent(row) {
                    found.append(event)
                } else {
                    unreadable.add(row.integer(0), "its state is none")
                }
            } catch {
                unreadable.add(row.integer(0), error.description)
            }
            return found.count < limit
        }
        return found
    }

    private func status(_ connection: Connection) throws(StorageFailure) -> EventStoreStatus {
        let head = try EventHead(readFrom: connection)
        let oldest = try connection.first(
            "SELECT scanned_at FROM events WHERE sequence >= ?1 AND state = 3 ORDER BY sequence LIMIT 1",
            .integer(head.waitingFrom)
        ) { Instant(milliseconds: $0.integer(0)) }
        return EventStoreStatus(
            head: head.head, counts: head.counts, oldestPending: oldest, tickets: head.tickets,
            conflicts: head.conflicts,
            repairs: unreadable.repairs)
    }
}

extension StoredEvent {
    /// The event of a row; nil where what stands beside it is none that a store wrote.
    fileprivate init?(_ row: Statement) throws(ScanEventCodingError) {
        guard let kind = EventState.Kind(code: row.integer(1)), let repeats = Int(exactly: row.integer(2)) else {
            return nil
        }
        var event = try ScanEvent(decoding: row.blob(5), sequence: row.integer(0))
        event.repeats = repeats
        let state: EventState =
            switch kind {
            case .open: .open
            case .pending: .pending
            case .delivered: .delivered
            case .parked: .parked(code: row.text(3), message: row.text(4))
            }
        self.init(event: event, state: state)
    }
}

extension Connection {
    fileprivate func entries(_ query: EntryQuery) throws(StorageFailure) -> [StoredEntry] {
        guard query.limit > 0 else { return [] }
        if let ticket = query.ticket {
            let found = try entry(ticket).map { StoredEntry(ticket: ticket, entry: $0) }
            return [found].compactMap { $0 }.filter {
                query.after.map { $0 < ticket } ?? true && (!query.conflictsOnly || $0.entry.isConflict)
                    && (!query.insideOnly || $0.entry.isInside)
            }
        }
        // No key is empty: every one is after the empty one.
        let event = Value.blob(query.after?.event.utf8 ?? [])
        let ticket = Value.blob(query.after?.ticket.utf8 ?? [])
        let limit = Value.integer(Int64(query.limit))
        var found: [StoredEntry] = []
        let collect: (Statement) throws(StorageFailure) -> Bool = { row throws(StorageFailure) in
            found.append(try StoredEntry(row))
            return true
        }
        // Four texts, since an index over some rows serves only a query that names its condition.
        switch (query.conflictsOnly, query.insideOnly) {
        case (false, false):
            try rows(
                """
                SELECT event, ticket, inside, conflict, body FROM ledger
                WHERE (event, ticket) > (?1, ?2) ORDER BY event, ticket LIMIT ?3
                """, event, ticket, limit, each: collect)
        case (true, false):
            try rows(
                """
                SELECT event, ticket, inside, conflict, body FROM ledger
                WHERE (event, ticket) > (?1, ?2) AND conflict = 1 ORDER BY event, ticket LIMIT ?3
                """, event, ticket, limit, each: collect)
        case (false, true):
            try rows(
                """
                SELECT event, ticket, inside, conflict, body FROM ledger
                WHERE (event, ticket) > (?1, ?2) AND inside = 1 ORDER BY event, ticket LIMIT ?3
                """, event, ticket, limit, each: collect)
        case (true, true):
            try rows(
                """
                SELECT event, ticket, inside, conflict, body FROM ledger
                WHERE (event, ticket) > (?1, ?2) AND conflict = 1 AND inside = 1 ORDER BY event, ticket LIMIT ?3
                """, event, ticket, limit, each: collect)
        }
        return found
    }
}

extension StoredEntry {
    fileprivate init(_ row: Statement) throws(StorageFailure) {
        guard let event = Identifier(utf8: row.blob(0)), let ticket = Identifier(utf8: row.blob(1)) else {
            throw StorageFailure("ledger", .damaged("a key that no ticket has"))
        }
        self.init(
            ticket: TicketKey(event: event, ticket: ticket),
            entry: LedgerEntry(
                body: row.blob(4), isInside: row.integer(2) != 0, isConflict: row.integer(3) != 0))
    }
}
#endif
