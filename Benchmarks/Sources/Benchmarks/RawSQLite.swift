import CRawSQLite
import Foundation

/// The least that SQLite can do for a scan: the statements of a record through its C interface, on the caller's thread,
/// on tables and with pragmas as the store has them.
final class RawSQLite {
    private var handle: OpaquePointer?
    private var begin: OpaquePointer?
    private var select: OpaquePointer?
    private var insert: OpaquePointer?
    private var upsert: OpaquePointer?
    private var commit: OpaquePointer?
    private var sequence: Int64 = 0

    init(path: String) {
        check(sqlite3_open(path, &handle))
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("PRAGMA journal_size_limit = 16777216")
        run("PRAGMA cache_size = -8000")
        run("PRAGMA secure_delete = FAST")
        run("PRAGMA cell_size_check = ON")
        run(
            """
            CREATE TABLE events(sequence INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, state INTEGER NOT NULL,
                repeats INTEGER NOT NULL, scanned_at INTEGER NOT NULL, code TEXT, message TEXT, body BLOB NOT NULL)
            """)
        run("CREATE INDEX events_undelivered ON events(state) WHERE state <> 4")
        run(
            """
            CREATE TABLE ledger(event BLOB NOT NULL, ticket BLOB NOT NULL, inside INTEGER NOT NULL,
                conflict INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY(event, ticket)) WITHOUT ROWID
            """)
        run("CREATE INDEX ledger_inside ON ledger(event, ticket) WHERE inside = 1")
        run("CREATE INDEX ledger_conflicts ON ledger(event, ticket) WHERE conflict = 1")
        begin = prepare("BEGIN IMMEDIATE")
        select = prepare("SELECT inside, conflict, body FROM ledger WHERE event = ?1 AND ticket = ?2")
        insert = prepare("INSERT INTO events VALUES(?1, ?2, 3, 0, ?3, NULL, NULL, ?4)")
        upsert = prepare(
            """
            INSERT INTO ledger VALUES(?1, ?2, 1, 0, ?3) ON CONFLICT(event, ticket)
            DO UPDATE SET inside = excluded.inside, conflict = excluded.conflict, body = excluded.body
            """)
        commit = prepare("COMMIT")
    }

    func record(event: [UInt8], ticket: [UInt8], id: [UInt8], body: [UInt8], entry: [UInt8]) {
        sequence += 1
        step(begin)
        bind(select, 1, event)
        bind(select, 2, ticket)
        step(select)
        sqlite3_bind_int64(insert, 1, sequence)
        bind(insert, 2, id)
        sqlite3_bind_int64(insert, 3, sequence)
        bind(insert, 4, body)
        step(insert)
        bind(upsert, 1, event)
        bind(upsert, 2, ticket)
        bind(upsert, 3, entry)
        step(upsert)
        step(commit)
    }

    func close() {
        for statement in [begin, select, insert, upsert, commit] { sqlite3_finalize(statement) }
        check(sqlite3_close(handle))
    }

    private func bind(_ statement: OpaquePointer?, _ index: Int32, _ bytes: [UInt8]) {
        // SQLITE_TRANSIENT is the pointer -1 in C's header: the library copies the bytes before the call returns.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        check(sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient))
    }

    private func step(_ statement: OpaquePointer?) {
        let code = sqlite3_step(statement)
        precondition(code == SQLITE_DONE || code == SQLITE_ROW, String(cString: sqlite3_errmsg(handle)))
        sqlite3_reset(statement)
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        return statement
    }

    private func run(_ sql: String) { check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "SQLite: \(code) \(handle.map { String(cString: sqlite3_errmsg($0)) } ?? "")")
    }
}
