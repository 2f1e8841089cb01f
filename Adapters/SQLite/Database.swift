#if SQLite && (os(Linux) || canImport(SQLite3))
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import PorticoPOSIX

/// What a test sets otherwise.
package struct SQLiteTuning: Sendable {
    /// SQLite's layer to the system, by the name under which it is registered; nil for the usual one.
    package var vfs: String?
    /// The log is copied into the database each time it has grown by so many frames of 4 KiB.
    package var checkpointFrames: Int32
    /// How many milliseconds a document store waits for other processes.
    package var patience: Int32

    package init(vfs: String? = nil, checkpointFrames: Int32 = 1_000, patience: Int32 = 5_000) {
        self.vfs = vfs
        self.checkpointFrames = checkpointFrames
        self.patience = patience
    }
}

/// A database file of one kind: opened with what durability asks, told apart from foreign ones, written in transactions.
///
/// It has no lock of its own: whoever owns it uses it on one queue.
final class Database {
    /// How a file is recognised and what a new one holds.
    struct Schema: Sendable {
        /// What it is, for people.
        let name: String
        /// Bytes 68 to 71 of the file's header (<https://sqlite.org/fileformat.html> §1.3.14).
        let applicationID: Int64
        let version: Int64
        /// Makes the tables of a new file and sets its application id and version, in a transaction that is open.
        let create: @Sendable (Connection) throws(StorageFailure) -> Void
    }

    private enum State {
        case absent
        case sound(Connection)
        /// A transaction failed after it began. What it left in the log is unknown.
        case suspect(Connection)
        case closed
    }

    private let folder: String
    private let file: String
    private let schema: Schema
    private let durability: SQLiteDurability?
    private let busyMilliseconds: Int32
    private let tuning: SQLiteTuning
    private var state = State.absent
    private var checkpointDue: Int32
    /// The database as it was when it was first opened to write: a new connection must not begin another in its place.
    private var home: FilePlace?
    /// The database and its log as they were when the connection first wrote; nil: not yet.
    private var places: [FilePlace]?

    /// A database that is not opened yet.
    ///
    /// - Parameters:
    ///   - durability: nil for a reader.
    init(
        _ folder: String, _ file: String, _ schema: Schema, durability: SQLiteDurability?,
        busyMilliseconds: Int32, tuning: SQLiteTuning
    ) {
        self.folder = folder
        self.file = file
        self.schema = schema
        self.durability = durability
        self.busyMilliseconds = busyMilliseconds
        self.tuning = tuning
        checkpointDue = tuning.checkpointFrames
    }

    /// Runs the body in a transaction of its own that nobody else writes in, and commits.
    ///
    /// When it throws, nothing was written.
    func write<Result>(
        _ body: (Connection) throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result {
        let connection = try ready()
        if let places, places != filePlaces { throw StorageFailure("write", .moved(file)) }
        try connection.run("BEGIN IMMEDIATE")
        do throws(StorageFailure) {
            let result = try body(connection)
            try connection.run("COMMIT")
            if places == nil { places = filePlaces }
            return result
        } catch {
            state = .suspect(connection)
            // At once, so that nothing of it is found after a kill, and others need not wait for the file. Where this
            // fails too it is tried again before anything else is.
            do throws(StorageFailure) { try open() } catch {}
            throw error
        }
    }

    /// Runs the body in a transaction that sees one moment of the database.
    func read<Result>(
        _ body: (Connection) throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result {
        let connection = try ready()
        do throws(StorageFailure) {
            try connection.run("BEGIN")
            let result = try body(connection)
            try connection.run("COMMIT")
            return result
        } catch {
            // A reader owes nothing: the next one begins with a new connection.
            state = durability == nil ? .absent : .suspect(connection)
            do throws(StorageFailure) { try rollBack(connection) } catch {}
            throw error
        }
    }

    /// Opens it where that is not done, so that what is wrong with it is known.
    func open() throws(StorageFailure) {
        _ = try ready()
    }

    /// Copies the log into the database when it has grown long: after the callers were answered, so that none waits
    /// for it. Where it fails nothing is lost, the log only grows, and it is tried again.
    func checkpointIfDue() {
        guard case .sound(let connection) = state else { return }
        let frames = connection.logFrames
        if frames < tuning.checkpointFrames { checkpointDue = tuning.checkpointFrames }
        guard frames >= checkpointDue else { return }
        checkpointDue = connection.checkpoint() ? tuning.checkpointFrames : frames + tuning.checkpointFrames
    }

    /// Lets go of the file; later calls fail with `closed`.
    func close() {
        // A last try to bury what a failed transaction left: the next opening would find it in the log. Where it fails
        // the file is as it would be after a kill.
        if case .suspect(let connection) = state {
            do throws(StorageFailure) { try bury(in: connection) } catch {}
        }
        state = .closed
    }

    private var path: String { "\(folder)/\(file)" }

    /// Where the files are found now: what is committed to files that have no name any more is gone with the process.
    private var filePlaces: [FilePlace] { [path, path + "-wal"].map { FilePlace($0) } }

    private func ready() throws(StorageFailure) -> Connection {
        switch state {
        case .sound(let connection): return connection
        case .closed: throw StorageFailure("open", .closed)
        case .absent: break
        case .suspect(let connection):
            try bury(in: connection)
            state = .absent
        }
        if let home, home != FilePlace(path) { throw StorageFailure("open", .moved(file)) }
        let connection = try connect()
        if durability != nil { home = FilePlace(path) }
        places = nil
        // One that looks at no log would not see who comes to write: it serves one call.
        if connection.access != .readImmutable { state = .sound(connection) }
        return connection
    }

    /// Writes over what a failed transaction left in the log.
    ///
    /// After a failed sync its frames may stand there whole, and whoever reads the log next, after a kill or on a new
    /// connection, would take them for committed although their caller was told that nothing was written. This
    /// connection knows where the last good frame ends: a transaction of its own goes over them and is synced. Until it
    /// succeeds nothing else is tried, and the connection is not closed.
    private func bury(in connection: Connection) throws(StorageFailure) {
        try rollBack(connection)
        try connection.run("BEGIN IMMEDIATE")
        try connection.run("UPDATE fence SET count = count + 1")
        try connection.run("COMMIT")
    }

    private func rollBack(_ connection: Connection) throws(StorageFailure) {
        if connection.isInTransaction { try connection.run("ROLLBACK") }
    }

    private func connect() throws(StorageFailure) -> Connection {
        guard let durability else { return try connectReader() }
        let connection = try connection(.write)
        let isNew = try inspect(connection)
        try configure(connection, durability)
        if isNew { try create(connection) }
        return connection
    }

    private func connection(_ access: Connection.Access) throws(StorageFailure) -> Connection {
        try Connection(path: path, access, busyMilliseconds: busyMilliseconds, vfs: tuning.vfs)
    }

    private func connectReader() throws(StorageFailure) -> Connection {
        let connection = try connection(.read)
        do throws(StorageFailure) {
            return try inspected(connection)
        } catch {
            guard error.lacksFile, !canWriteFolder else { throw error }
            // Readers find their way in the log by a file that one of them makes, and here none can
            // (<https://sqlite.org/wal.html> §5). Without a log there is nothing to find.
            guard logLength == 0 else {
                throw StorageFailure(
                    "open",
                    .refused(
                        "\(file)-wal has what is not in \(file) yet, and to read both takes a folder that can be "
                            + "written: copy them into one"))
            }
            return try inspected(try self.connection(.readImmutable))
        }
    }

    private func inspected(_ connection: Connection) throws(StorageFailure) -> Connection {
        if try inspect(connection) { throw StorageFailure("open", .damaged("no \(schema.name) yet")) }
        return connection
    }

    private var canWriteFolder: Bool { faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0 }

    private var logLength: off_t {
        var information = stat()
        return stat(path + "-wal", &information) == 0 ? information.st_size : 0
    }

    /// Tells whether the file is new, and refuses one that is not ours before anything of it is changed.
    private func inspect(_ connection: Connection) throws(StorageFailure) -> Bool {
        let id = try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
        let version = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
        let isEmpty = try connection.first("SELECT 1 FROM sqlite_master LIMIT 1") { _ in true } == nil
        if id == 0, version == 0, isEmpty { return true }
        guard id == schema.applicationID else {
            throw StorageFailure("open", .damaged("\(file) is a database of something else, no \(schema.name)"))
        }
        guard version == schema.version else {
            throw StorageFailure(
                "open", .damaged("\(file) has schema \(version), this version reads \(schema.version)"))
        }
        return false
    }

    private func configure(_ connection: Connection, _ durability: SQLiteDurability) throws(StorageFailure) {
        // By its name: closing a descriptor of a database file would drop the locks that SQLite holds on it in this
        // process (<https://sqlite.org/howtocorrupt.html> §2.2).
        guard chmod(path, 0o600) == 0 else { throw StorageFailure("protect \(file)", .system(errno)) }
        let mode = try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) }
        guard mode == "wal" else {
            throw StorageFailure("open", .damaged("no write-ahead log on this volume: mode \(mode ?? "unknown")"))
        }
        switch durability {
        case .killed: try connection.run("PRAGMA synchronous = NORMAL")
        case .powerCut:
            try connection.run("PRAGMA synchronous = FULL")
            // On Apple fsync stops at the drive's cache; elsewhere these two say nothing.
            try connection.run("PRAGMA fullfsync = ON")
            try connection.run("PRAGMA checkpoint_fullfsync = ON")
        }
        // A log is used again from its start; one that grew for a large transaction is cut back to 16 MiB.
        try connection.run("PRAGMA journal_size_limit = 16777216")
        try connection.run("PRAGMA cache_size = -8000")
        // Removed content is overwritten where that costs no page of its own.
        try connection.run("PRAGMA secure_delete = FAST")
        // A file from elsewhere: its pages are checked as they are read, and its schema may call nothing.
        try connection.run("PRAGMA cell_size_check = ON")
        try connection.run("PRAGMA trusted_schema = OFF")
    }

    private func create(_ connection: Connection) throws(StorageFailure) {
        try connection.run("BEGIN IMMEDIATE")
        // A failure leaves an empty file, which the next opening makes anew.
        try connection.run("CREATE TABLE fence(count INTEGER NOT NULL)")
        try connection.run("INSERT INTO fence VALUES(0)")
        try schema.create(connection)
        try connection.run("COMMIT")
    }
}
#endif
