#if SQLite && (os(Linux) || canImport(SQLite3))
import Portico

/// An event store in an SQLite database: one file in a folder.
///
/// ```swift
/// let store = try await SQLiteEventStore(folder: "/var/lib/gate/events")
/// let gate = try await TicketGate(
///     serving: ["SUMMER-2026"], zone: "NORTH", verifier: verifier, store: store, documents: documents, time: time,
///     random: SystemRandomNumberGenerator())
/// ```
/// ## Durability
/// By default every record is synced before it is returned (`powerCut`). Records that wait while another one's commit
/// runs share the next commit, so many lanes together are much faster than one; a record that comes alone waits for
/// nobody. With `killed` a commit is handed to the system and not waited for.
///
/// After a failed write or sync nothing of it is trusted: it is written over and the file is opened anew before the next
/// record, so a record that failed stays not recorded, and the store works again when the fault is gone.
///
/// ## One writer, any readers
/// The first to open the folder for writing locks it until it is closed or its process ends, however it ends; others
/// are told `locked(by:)` with its process id. A store that is let go of without `close` lets go of the folder as soon
/// as what runs on its queue has ended. `init(readingAt:)` needs no lock and reads beside a writer: each call sees the
/// store as it was at one moment between two commits. Its `record`, `settle` and `remove` fail with `readOnly`.
///
/// ## Files
/// The folder and those above it are made with mode 0700 where they are missing, the files with 0600: `events.sqlite`,
/// its `-wal` and `-shm`, which belong to it and are copied and removed only together with it, and `events.lock`. A
/// document store may be in the folder too: the files of one are not touched by the other. On iOS
/// the composition root gives the folder the protection `completeUntilFirstUserAuthentication`, so that a gate works
/// behind a locked screen, and excludes it from backup: a restored copy would be a second device with the same id.
///
/// An event whose row cannot be read is passed over, and `status` names it under `repairs`.
public final class SQLiteEventStore: EventStore {
    private let writer: EventWriter?
    private let reader: EventReader

    /// Opens a folder for writing; it is made where it is missing.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - durability: What an acknowledged record survives.
    /// - Throws: `locked` while another has it open for writing; `corrupt` where the file is not an event store, or was
    ///   written by a later version, and then nothing of it is changed; `full`, `readOnly` or `failed` as the system says.
    public convenience init(
        folder: String, durability: SQLiteDurability = .powerCut
    ) async throws(EventStoreError) {
        try await self.init(folder: folder, durability: durability, tuning: SQLiteTuning())
    }

    /// Opens a folder for reading, beside a writer or without one, also on a medium that cannot be written where the
    /// store was closed before it came there.
    ///
    /// - Parameter folder: The path of the folder.
    /// - Throws: `failed` where there is no store, or one on such a medium that was not closed; `corrupt` where the file
    ///   is none.
    public init(readingAt folder: String) async throws(EventStoreError) {
        do throws(StorageFailure) {
            writer = nil
            reader = try await EventReader.open(folder, SQLiteTuning())
        } catch {
            throw EventStoreError(error)
        }
    }

    package init(
        folder: String, durability: SQLiteDurability, tuning: SQLiteTuning
    ) async throws(EventStoreError) {
        do throws(StorageFailure) {
            writer = try await EventWriter.open(folder, durability, tuning)
            reader = try await EventReader.open(folder, tuning)
        } catch {
            throw EventStoreError(error)
        }
    }

    /// Decides and records one attempt, as one step.
    public func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        guard let writer else { throw .readOnly }
        return try await writer.record(ticket, decide).get()
    }

    /// Applies what an upload learned, as one step.
    public func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        guard let writer else { throw .readOnly }
        try await writer.settle(settlement, merge).get()
    }

    /// Events by a query, ascending by sequence.
    public func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] {
        try await reader.events(query).get()
    }

    /// Entries of the ledger by a query, ascending by key.
    public func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        try await reader.entries(query).get()
    }

    /// Counts and the head.
    public func status() async throws(EventStoreError) -> EventStoreStatus {
        try await reader.status().get()
    }

    /// Removes events, and the ledger where the scope says so.
    ///
    /// Delivered events go in parts, so that scans go on meanwhile; a kill between two leaves the rest for another call.
    public func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        guard let writer else { throw .readOnly }
        return try await writer.remove(scope).get()
    }

    /// Ends what was begun and lets go of the folder.
    public func close() async {
        // The writer last: who closes last copies the log into the database and removes it.
        await reader.close()
        await writer?.close()
    }
}
#endif
