#if SQLite && (os(Linux) || canImport(SQLite3))
import Dispatch
import Portico
import PorticoPOSIX

/// A document store in an SQLite database: one file in a folder, which several processes may have open at once.
///
/// ```swift
/// let documents = try await SQLiteDocumentStore(folder: "/var/lib/gate/documents")
/// let revision = try await documents.replace("theme", with: Array("dark".utf8), if: nil)
/// ```
/// A revision is compared and the document replaced in one transaction that excludes other writers, of other processes
/// too; who has to wait for them, also to open, does so for up to five seconds, then fails with `failed`. What was
/// removed leaves its revision behind, so that the next one is higher.
///
/// The folder and those above it are made with mode 0700 where they are missing, the files with 0600: `documents.sqlite`,
/// its `-wal` and `-shm`, and `documents.lock`, which is held only while one opens. An event store may be in the folder
/// too: the files of one are not touched by the other. On iOS the composition root gives the
/// folder the protection that its documents need, `completeUntilFirstUserAuthentication` for what is read in background.
///
/// `@unchecked Sendable`: `database` is only touched on `queue`.
public final class SQLiteDocumentStore: DocumentStore, @unchecked Sendable {
    private let queue = DispatchQueue(label: "portico.sqlite.documents", qos: .userInitiated)
    private let database: Database

    /// Opens a folder; it is made where it is missing.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - durability: What an acknowledged document survives.
    /// - Throws: `failed` where another process is opening it for longer than five seconds; `corrupt` where the file is
    ///   not a document store, or was written by a later version, and then nothing of it is changed; `full`, `readOnly` or
    ///   `failed` as the system says.
    public convenience init(
        folder: String, durability: SQLiteDurability = .powerCut
    ) async throws(DocumentStoreError) {
        try await self.init(folder: folder, durability: durability, tuning: SQLiteTuning())
    }

    package init(
        folder: String, durability: SQLiteDurability, tuning: SQLiteTuning
    ) async throws(DocumentStoreError) {
        database = Database(
            folder, "documents.sqlite", .documents, durability: durability, busyMilliseconds: tuning.patience,
            tuning: tuning)
        try await queue.run { () throws(StorageFailure) in
            // One at a time: two that make the tables of a new file, or turn on its log, disturb each other.
            let lock = try FileLock(making: folder, "documents.lock", waiting: Int(tuning.patience))
            defer { lock.release() }
            try self.database.open()
        }.mapError(DocumentStoreError.init).get()
    }

    /// The document of that name; nil where there is none.
    public func read(_ name: String) async throws(DocumentStoreError) -> Document? {
        let name = try Self.key(name)
        return try await perform { database throws(StorageFailure) in
            try database.read { connection throws(StorageFailure) in
                try connection.first(
                    "SELECT revision, bytes FROM documents WHERE name = ?1 AND bytes IS NOT NULL", .blob(name)
                ) { Document(bytes: $0.blob(1), revision: UInt64(bitPattern: $0.integer(0))) }
            }
        }.get()
    }

    /// The revision of the document of that name, without reading it; nil where there is none.
    public func revision(_ name: String) async throws(DocumentStoreError) -> UInt64? {
        let name = try Self.key(name)
        return try await perform { database throws(StorageFailure) in
            try database.read { connection throws(StorageFailure) in
                let stored = try connection.revision(name)
                return stored.isPresent ? stored.revision : nil
            }
        }.get()
    }

    /// Replaces the document whole, if its revision is still `revision` (nil: if there is none).
    public func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) async throws(DocumentStoreError) -> UInt64 {
        let name = try Self.key(name)
        return try await perform { database throws(StorageFailure) in
            try database.write { connection throws(StorageFailure) -> Result<UInt64, DocumentStoreError> in
                let stored = try connection.revision(name)
                let present = stored.isPresent ? stored.revision : nil
                guard present == revision else { return .failure(.changed(present)) }
                try connection.put(name, revision: stored.revision + 1, .blob(bytes))
                return .success(stored.revision + 1)
            }
        }.get().get()
    }

    /// Removes the document.
    public func remove(_ name: String) async throws(DocumentStoreError) {
        let name = try Self.key(name)
        try await perform { database throws(StorageFailure) in
            try database.write { connection throws(StorageFailure) in
                let stored = try connection.revision(name)
                // The row stays, without bytes, for its revision.
                if stored.isPresent { try connection.put(name, revision: stored.revision + 1, .null) }
            }
        }.get()
    }

    /// The names that have a document, ascending by bytes.
    public func names() async throws(DocumentStoreError) -> [String] {
        try await perform { database throws(StorageFailure) in
            try database.read { connection throws(StorageFailure) in
                var names: [String] = []
                try connection.rows("SELECT name FROM documents WHERE bytes IS NOT NULL ORDER BY name") { row in
                    names.append(row.text(0))
                    return true
                }
                return names
            }
        }.get()
    }

    /// Ends what was begun and lets go of the file.
    public func close() async {
        await queue.run { self.database.close() }
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws(StorageFailure) -> Value
    ) async -> Result<Value, DocumentStoreError> {
        // The one closure that is queued answers exactly once.
        await withUnsafeContinuation { continuation in
            queue.async {
                do throws(StorageFailure) {
                    let value = try body(self.database)
                    continuation.resume(returning: .success(value))
                    self.database.checkpointIfDue()
                } catch {
                    continuation.resume(returning: .failure(DocumentStoreError(error)))
                }
            }
        }
    }
}

extension Database.Schema {
    /// One row a name; without bytes it stands for a document that was removed.
    fileprivate static let documents = Database.Schema(name: "document store", applicationID: 0x5072_4463, version: 1) {
        connection throws(StorageFailure) in
        try connection.run("PRAGMA application_id = 0x50724463")
        try connection.run("PRAGMA user_version = 1")
        try connection.run(
            "CREATE TABLE documents(name BLOB NOT NULL UNIQUE, revision INTEGER NOT NULL, bytes BLOB)")
    }
}

extension Connection {
    /// The last revision of that name, 0 before the first, and whether there is a document.
    fileprivate func revision(_ name: [UInt8]) throws(StorageFailure) -> (revision: UInt64, isPresent: Bool) {
        try first("SELECT revision, bytes IS NOT NULL FROM documents WHERE name = ?1", .blob(name)) {
            (UInt64(bitPattern: $0.integer(0)), $0.integer(1) != 0)
        } ?? (0, false)
    }

    fileprivate func put(_ name: [UInt8], revision: UInt64, _ bytes: Value) throws(StorageFailure) {
        try run(
            """
            INSERT INTO documents VALUES(?1, ?2, ?3)
            ON CONFLICT(name) DO UPDATE SET revision = excluded.revision, bytes = excluded.bytes
            """, .blob(name), .integer(Int64(bitPattern: revision)), bytes)
    }
}
#endif
