import Portico
import PorticoPOSIX

/// An event store in a folder: a journal of checked records, and a checkpoint from which it opens quickly.
///
/// It needs nothing but files. One writer at a time has a folder open; readers open it beside the writer.
///
/// ```swift
/// let store = try await FileJournalEventStore(folder: "/var/lib/gate/events")
/// let status = try await store.status()
/// print(status.pending, status.repairs)
/// await store.close()
/// ```
///
/// The folder may hold a document store too, and anything else but a second event store of this kind: its own files are
/// `LOCK`, `checkpoint.pk`, `journal-…`, and it touches no other.
///
/// On a device that is backed up the folder must be left out of the backup: a restored copy is a second device with
/// the first one's identity.
public final class FileJournalEventStore: EventStore {
    /// What a record that was acknowledged outlives.
    public enum Durability: Sendable, Hashable {
        /// The end of the process: the record is written, and the system has it.
        case killed
        /// The loss of power, too: the record is on the disk (fdatasync, F_FULLFSYNC on Apple).
        case powerCut
    }

    /// What an opener is about to do.
    public enum Access: Sendable, Hashable {
        /// Everything. The folder and those above it are made (0700) where they are missing, and it is locked; what a crash left behind is repaired.
        case write
        /// Queries alone, beside a writer or without one: nothing is locked or repaired, an unfinished record at the
        /// end is not seen, and what the writer holds open is open. The rest fails with `readOnly`.
        case read
    }

    let worker: any JournalWorker

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - folder: The path.
    ///   - durability: What a record outlives before it is acknowledged.
    ///   - access: To write, or to read beside a writer.
    /// - Throws: `locked` while another writer has it open; `corrupt` where it is not what a store wrote, and `failed`
    ///   where a later version wrote it, both without touching it; `full`, `readOnly` and `failed` as the system says.
    public convenience init(
        folder: String, durability: Durability = .powerCut, access: Access = .write
    ) async throws(EventStoreError) {
        try await self.init(
            folder: folder, access: access, options: JournalOptions(durability: durability),
            fileSystem: POSIXFileSystem())
    }

    /// Opens a folder of a file system that may fail and be watched.
    init(
        folder: String, access: Access = .write, options: JournalOptions, fileSystem: any FileSystem
    ) async throws(EventStoreError) {
        switch access {
        case .write:
            worker = try await JournalWriter.open(folder, in: fileSystem, options: options)
        case .read:
            worker = try await JournalReader.open(folder, in: fileSystem)
        }
    }

    /// Decides and records one attempt, as one step; `decide` runs on the journal's queue.
    public func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        try await worker.record(ticket, decide)
    }

    /// Applies what an upload learned, as one step; `merge` runs on the journal's queue.
    public func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        try await worker.settle(settlement, merge)
    }

    /// Events by a query, ascending by sequence; they are read from the disk.
    public func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] {
        var query = query
        var found: [StoredEvent] = []
        while true {
            let page = try await worker.events(query)
            var unreadable = UnreadableEvents()
            // Taken apart here, on the caller's side: the queue has scans to write.
            for event in page {
                do throws(ScanEventCodingError) {
                    found.append(try event.decoded())
                } catch {
                    unreadable.add(event.sequence, error.description)
                }
            }
            guard !unreadable.isEmpty else { return found }
            try await worker.passOver(unreadable)
            guard page.count == query.limit, let last = page.last else { return found }
            // The page was full: others come in the place of those that were passed over.
            query.after = last.sequence
            query.limit = unreadable.count
        }
    }

    /// Entries of the ledger by a query, ascending by key.
    public func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        try await worker.entries(query)
    }

    /// Counts and the head.
    public func status() async throws(EventStoreError) -> EventStoreStatus {
        try await worker.status()
    }

    /// Removes events, and the ledger where the scope says so; segments that nothing needs any more go with them.
    public func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        try await worker.remove(scope)
    }

    /// Ends what was begun and lets go of the folder.
    public func close() async {
        await worker.close()
    }
}

/// A folder that is open, to write or to read: what of it may block runs on a queue of its own.
protocol JournalWorker: Sendable {
    func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded
    func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError)
    func events(_ query: EventQuery) async throws(EventStoreError) -> [RawEvent]
    /// Tells events that could not be taken apart in the repairs from now on.
    func passOver(_ events: UnreadableEvents) async throws(EventStoreError)
    func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry]
    func status() async throws(EventStoreError) -> EventStoreStatus
    func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int
    func close() async
}
