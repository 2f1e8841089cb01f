#if SQLite && (os(Linux) || canImport(SQLite3))
#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The one owner of a database handle and of the statements prepared on it.
///
/// It has no lock of its own: whoever owns it uses it on one queue.
final class Connection {
    /// How a file is opened.
    enum Access {
        /// To write; a missing file is made.
        case write
        /// To read, beside a writer or without one.
        case read
        /// To read a file that nobody changes: neither its log nor a lock is looked at.
        case readImmutable
    }

    let handle: OpaquePointer
    let access: Access
    /// Frames in the write-ahead log as of the last commit of this connection.
    private(set) var logFrames: Int32 = 0
    /// By the address of the literal, which is the same for the life of the process.
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]

    /// Opens the file.
    init(path: String, _ access: Access, busyMilliseconds: Int32, vfs: String?) throws(StorageFailure) {
        let flags =
            switch access {
            case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .read: SQLITE_OPEN_READONLY
            case .readImmutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .readImmutable ? Self.uri(path) + "?immutable=1" : path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, vfs)
        guard code == SQLITE_OK, let opened else {
            let extended = opened.map { sqlite3_extended_errcode($0) } ?? code
            let systemError = opened.map { sqlite3_system_errno($0) } ?? 0
            // A handle may come back from a failed opening too, and it has to be closed.
            sqlite3_close(opened)
            throw StorageFailure("open", .sqlite(code: extended, systemError: systemError))
        }
        handle = opened
        self.access = access
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyMilliseconds)
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                if let context { Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logFrames = frames }
                return SQLITE_OK
            },
            // Not retained: the hook goes with the handle, which goes with this object.
            Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // Statements first: a handle with statements is not closed. The last one to close copies the log into the
        // database; where that fails the log stays, and the next opening reads it.
        statements = [:]
        sqlite3_close(handle)
    }

    /// The path as a URI (<https://sqlite.org/uri.html>), in which three characters would end it or begin another.
    private static func uri(_ path: String) -> String {
        "file:"
            + path.unicodeScalars.reduce(into: "") { uri, scalar in
                switch scalar {
                case "%": uri += "%25"
                case "?": uri += "%3f"
                case "#": uri += "%23"
                default: uri.unicodeScalars.append(scalar)
                }
            }
    }

    /// Whether a transaction has begun and not ended.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Runs a statement for every row, until the body returns false.
    func rows(
        _ sql: StaticString, _ values: Value..., each body: (Statement) throws(StorageFailure) -> Bool
    ) throws(StorageFailure) {
        try statement(sql).rows(values, body)
    }

    /// Runs a statement for its first row; nil where it has none.
    func first<Result>(
        _ sql: StaticString, _ values: Value..., read: (Statement) throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result? {
        var result: Result?
        try statement(sql).rows(values) { row throws(StorageFailure) in
            result = try read(row)
            return false
        }
        return result
    }

    /// Runs a statement to its end.
    func run(_ sql: StaticString, _ values: Value...) throws(StorageFailure) {
        try statement(sql).rows(values) { _ in true }
    }

    /// The failure for a result code, with the system's error where there was one.
    func failure(_ code: Int32, in step: String) -> StorageFailure {
        switch code & 0xFF {
        case SQLITE_CANTOPEN: StorageFailure(step, .sqlite(code: code, systemError: sqlite3_system_errno(handle)))
        case SQLITE_IOERR: StorageFailure(step, .sqlite(code: code, systemError: systemError))
        default: StorageFailure(step, .sqlite(code: code, systemError: 0))
        }
    }

    /// The system's error behind the last failure; 0: unknown.
    private var systemError: Int32 {
        let known = sqlite3_system_errno(handle)
        if known != 0 { return known }
        // Of a commit that fails SQLite does not keep it, but the file that failed does: the log, or the database.
        var log: UnsafeMutablePointer<sqlite3_file>?
        var error: Int32 = 0
        if sqlite3_file_control(handle, nil, SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK, let log,
            let methods = log.pointee.pMethods,
            methods.pointee.xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error) == SQLITE_OK, error != 0
        {
            return error
        }
        return sqlite3_file_control(handle, nil, SQLITE_FCNTL_LAST_ERRNO, &error) == SQLITE_OK ? error : 0
    }

    /// Copies what it can of the log into the database without making anybody wait.
    ///
    /// - Returns: Whether all of it was copied, so that the log begins anew with the next commit.
    func checkpoint() -> Bool {
        var frames: Int32 = 0
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
        return code == SQLITE_OK && frames == copied
    }

    private func statement(_ sql: StaticString) throws(StorageFailure) -> Statement {
        if let statement = statements[sql.utf8Start] { return statement }
        let statement = try Statement(sql, self)
        statements[sql.utf8Start] = statement
        return statement
    }
}
#endif
