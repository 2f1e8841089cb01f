#if SQLite && (os(Linux) || canImport(SQLite3))
import Portico

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// What stopped a write inside its transaction.
enum WriteFailure: Error {
    /// The transaction does not take it, but is sound: nothing of it was written.
    case refused(String)
    /// The transaction is lost.
    case storage(StorageFailure)
}

/// What the writes of a transaction do, one after the other; the head goes from one to the next and is written once.
struct EventTransaction {
    let connection: Connection
    var head: EventHead

    mutating func record(
        _ ticket: TicketKey?, _ decide: (StoreHead, LedgerEntry?) -> ScanRecord
    ) throws(WriteFailure) -> Recorded {
        let before: LedgerEntry?
        let record: ScanRecord
        do throws(StorageFailure) {
            before = if let ticket { try connection.entry(ticket) } else { nil }
            record = decide(head.head, before)
        } catch {
            throw .storage(error)
        }
        let event = record.event
        guard event.sequence == head.head.nextSequence else {
            throw .refused("event with sequence \(event.sequence) where \(head.head.nextSequence) is next")
        }
        guard event.deviceID == head.head.deviceID else { throw .refused("event of another device") }
        // The insertion comes first: where the id is taken it fails alone, and nothing has to be undone.
        try insert(event, record.isOpen ? .open : .pending)
        do throws(StorageFailure) {
            try close(record.closures)
            if let ticket, let entry = record.entry { try put(entry, for: ticket, before) }
        } catch {
            throw .storage(error)
        }
        head.head.nextSequence += 1
        move(clock: record.clock, mark: record.mark)
        return Recorded(event: event, before: before)
    }

    mutating func settle(
        _ settlement: Settlement, _ merge: (LedgerEntry?, Redemption) -> LedgerEntry
    ) throws(StorageFailure) {
        try close(settlement.closures)
        for (id, delivery) in settlement.deliveries { try deliver(id, delivery) }
        if !settlement.deliveries.isEmpty { try passOver() }
        for redemption in settlement.redemptions {
            let before = try connection.entry(redemption.ticket)
            try put(merge(before, redemption), for: redemption.ticket, before)
        }
        move(clock: settlement.clock, mark: settlement.mark)
        if let cursor = settlement.cursor { head.head.cursor = cursor }
    }

    /// Removes delivered events with a higher sequence, at most so many.
    ///
    /// - Returns: How many, and the sequence after which there may be more; nil: there are none.
    mutating func removeDelivered(
        after sequence: Int64, limit: Int
    ) throws(StorageFailure) -> (count: Int, last: Int64?) {
        var found: [Int64] = []
        try connection.rows(
            "SELECT sequence FROM events WHERE sequence > ?1 AND state = 4 ORDER BY sequence LIMIT ?2",
            .integer(sequence), .integer(Int64(limit))
        ) { row in
            found.append(row.integer(0))
            return true
        }
        for sequence in found { try connection.run("DELETE FROM events WHERE sequence = ?1", .integer(sequence)) }
        head.counts[.delivered, default: 0] -= found.count
        return (found.count, found.count < limit ? nil : found.last)
    }

    /// Removes every event and the ledger.
    mutating func removeEverything() throws(StorageFailure) -> Int {
        let count = head.counts.values.reduce(0, +)
        // Without a condition pages are let go whole, not row by row.
        try connection.run("DELETE FROM events")
        try connection.run("DELETE FROM ledger")
        head.counts = [:]
        head.waitingFrom = head.head.nextSequence
        head.tickets = 0
        head.conflicts = 0
        // The redemptions up to the cursor went with the ledger: the server is asked for them again.
        head.head.cursor = nil
        return count
    }

    /// What was open when the store was last closed or killed is pending.
    mutating func endPresentations() throws(StorageFailure) {
        let count = head.counts[.open, default: 0]
        guard count > 0 else { return }
        // From the last one back, since what is open is young.
        var open: [Int64] = []
        try connection.rows(
            "SELECT sequence FROM events WHERE sequence >= ?1 AND state = 2 ORDER BY sequence DESC",
            .integer(head.waitingFrom)
        ) { row in
            open.append(row.integer(0))
            return open.count < count
        }
        for sequence in open {
            try connection.run("UPDATE events SET state = 3 WHERE sequence = ?1", .integer(sequence))
        }
        head.counts[.open] = 0
        head.counts[.pending, default: 0] += open.count
    }

    private mutating func insert(_ event: ScanEvent, _ state: EventState.Kind) throws(WriteFailure) {
        do throws(StorageFailure) {
            try connection.run(
                "INSERT INTO events VALUES(?1, ?2, ?3, ?4, ?5, NULL, NULL, ?6)", .integer(event.sequence),
                .blob(event.id.bytes), .integer(state.code), .integer(Int64(event.repeats)),
                .integer(event.scannedAt.milliseconds), .blob(event.encoded()))
        } catch {
            guard case .sqlite(let code, _) = error.cause, code & 0xFF == SQLITE_CONSTRAINT else {
                throw .storage(error)
            }
            throw .refused("a second event with one id")
        }
        head.move(from: nil, to: state)
    }

    private mutating func close(_ closures: [EventID: Int]) throws(StorageFailure) {
        for (id, repeats) in closures {
            try connection.run(
                "UPDATE events SET state = 3, repeats = ?2 WHERE id = ?1 AND state = 2", .blob(id.bytes),
                .integer(Int64(repeats)))
            if connection.changes > 0 { head.move(from: .open, to: .pending) }
        }
    }

    private mutating func deliver(_ id: EventID, _ delivery: Delivery) throws(StorageFailure) {
        let found = try connection.first("SELECT sequence, state FROM events WHERE id = ?1", .blob(id.bytes)) { row in
            (sequence: row.integer(0), state: EventState.Kind(code: row.integer(1)))
        }
        guard let found, found.state != .delivered else { return }
        switch delivery {
        case .delivered:
            try connection.run(
                "UPDATE events SET state = 4, code = NULL, message = NULL WHERE sequence = ?1",
                .integer(found.sequence))
            head.move(from: found.state, to: .delivered)
        case .parked(let code, let message):
            try connection.run(
                "UPDATE events SET state = 5, code = ?2, message = ?3 WHERE sequence = ?1", .integer(found.sequence),
                .text(code), .text(message))
            head.move(from: found.state, to: .parked)
        }
    }

    /// Moves the place where what waits begins past what waits no longer.
    private mutating func passOver() throws(StorageFailure) {
        head.waitingFrom =
            try connection.first(
                "SELECT sequence FROM events WHERE sequence >= ?1 AND state IN (2, 3) ORDER BY sequence LIMIT 1",
                .integer(head.waitingFrom)
            ) { $0.integer(0) } ?? head.head.nextSequence
    }

    private mutating func put(
        _ entry: LedgerEntry, for ticket: TicketKey, _ before: LedgerEntry?
    ) throws(StorageFailure) {
        try connection.run(
            """
            INSERT INTO ledger VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(event, ticket)
            DO UPDATE SET inside = excluded.inside, conflict = excluded.conflict, body = excluded.body
            """,
            .blob(ticket.event.utf8), .blob(ticket.ticket.utf8), .integer(entry.isInside ? 1 : 0),
            .integer(entry.isConflict ? 1 : 0), .blob(entry.body))
        if before == nil { head.tickets += 1 }
        head.conflicts += (entry.isConflict ? 1 : 0) - (before?.isConflict == true ? 1 : 0)
    }

    private mutating func move(clock: ClockAnchor?, mark: Instant?) {
        if let clock { head.head.clock = clock }
        if let mark { head.head.mark = mark }
    }
}
#endif
