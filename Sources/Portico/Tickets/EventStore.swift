/// Durable storage of a gate: every attempt, and what is known of every ticket that was used.
///
/// ## Why it exists
/// Whether a ticket was used and the record of its use are one question: a store that answers it in two steps admits a
/// ticket twice. So the store keeps the transaction and the room keeps the rules: `record` hands the room what the
/// store knows and writes what the room decides, all or nothing. Exits, undo and re-entry are new rules, not new stores.
///
/// ## Guarantees
/// - ES-1: `record` runs `decide` in the exclusive transaction that writes what it returns, with the head and the
///   entry of exactly that ticket as of that moment; concurrent calls see each other's results, in some order. `decide`
///   is pure: a store runs it once for what it writes, and may run it again only where a commit shared with others
///   failed and nothing of it was written.
/// - ES-2: `record` and `settle` return only when what they wrote is durable. On an error nothing was written, no
///   sequence was used, and the store answers as before. Once begun they are not cancelled.
/// - ES-3: sequences are gapless from 1 in the order of the records, also across reopening and removal. An event whose
///   sequence or device is not the head's is refused with `failed`, and nothing is written.
/// - ES-4: the clock anchor and the mark change exactly as a record or a settlement says; nil leaves them as they are.
/// - ES-5: `settle` is one transaction, and no reader sees half of it: deliveries by id (unknown ids ignored, repeats
///   harmless; delivered stays delivered, parked may still be delivered), redemptions merged in order, closures, clock,
///   mark and cursor. A merge sees the results of those before. A closure gives an open event its repeats and makes it
///   pending; it changes no other event, in a record as in a settlement.
/// - ES-6: `events` ascends by sequence, strictly after `query.after`, at most `query.limit` (none for 0 or less). What
///   is not delivered or parked is pending when a store is opened; an event that was open is then pending too.
/// - ES-7: `remove` keeps what must survive. `.delivered` leaves pending, open and parked events, ledger, head and
///   cursor; `.everything` leaves the head but for the cursor, since the redemptions that it stands for go with the
///   ledger. It returns how many events went.
/// - ES-8: `close` may be called twice. Afterwards the same storage can be opened; other calls fail with `closed`.
///   What was begun before `close` ends first.
/// - ES-9: tickets are told apart by the bytes of event and ticket: keys that only look alike are two entries.
/// - ES-10: the device id is made with the storage, random, and stays the same for its life.
/// - ES-11: `entries` ascends by key, strictly after `query.after`, at most `query.limit` (none for 0 or less), filtered
///   by the flags.
/// - ES-12: `status` counts what `events` and `entries` would return, and names the time of the pending event with the
///   lowest sequence.
/// - ES-13: a second writer on the same storage fails to open with `locked`, while the first is open (stores whose
///   storage two openers can reach).
/// - ES-14: events and entries come back as they were recorded: every member of an event, its texts byte by byte, and
///   any bytes of an entry, none and 64 KiB too.
/// - ES-15: an event that cannot be read, since it is damaged or of a later version, holds up no other: `events` passes
///   over it as if it did not match, and `status` names it in `repairs`.
///
/// ## Errors
/// `full`, `readOnly` and `failed` may pass: the caller may try again and the store works when the fault is gone.
/// `locked` passes when the other holder closes. `corrupt` does not pass by itself. `closed` is final.
///
/// ## Concurrency
/// Called from any task; calls may overlap, and writers are serialised by the store. `decide` and the merge run on the
/// store's thread, must not block and must not call the store. Calls that wait while a commit runs may share the next
/// one. Cancelling a task does not undo or hurry a call that has begun.
///
/// ## Write your own
/// ```swift
/// let subject = Subject<any EventStore>(name: "HostEventStore", capabilities: [.durable, .exclusive]) {
///     let folder = try makeEmptyFolder()
///     return { try HostEventStore(folder: folder) }
/// }
/// for clause in EventStoreContract.clauses {
///     print(await clause.check(subject))
/// }
/// ```
public protocol EventStore: Sendable {
    /// Decides and records one attempt, as one step.
    ///
    /// - Parameters:
    ///   - ticket: The ticket whose entry the decision needs; nil where no verified ticket was presented.
    ///   - decide: Pure: from the head and the ticket's entry (nil: never seen) to what is to be written.
    /// - Returns: The event as recorded and the entry as it was before.
    func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded

    /// Applies what an upload learned, as one step.
    ///
    /// - Parameters:
    ///   - settlement: Deliveries, redemptions of other devices, closures, clock and cursor.
    ///   - merge: Pure: a ticket's entry (nil: never seen) and another device's redemption to the new entry.
    func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError)

    /// Events by a query, ascending by sequence.
    func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent]

    /// Entries of the ledger by a query, ascending by key.
    func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry]

    /// Counts and the head.
    func status() async throws(EventStoreError) -> EventStoreStatus

    /// Removes events, and the ledger where the scope says so.
    ///
    /// - Returns: How many events were removed.
    func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int

    /// Ends what was begun and lets go of the storage.
    func close() async
}

/// What broke in a store.
public enum EventStoreError: Error, Sendable, Hashable {
    /// There is no room; nothing was written. It works again when there is.
    case full
    /// The storage cannot be written.
    case readOnly
    /// Another writer holds the storage; the text names it where that is known.
    case locked(by: String?)
    /// The storage is not what a store wrote; the text says where.
    case corrupt(String)
    /// The store was closed.
    case closed
    /// Anything else; the text says what and gives the system's cause.
    case failed(String)
}

extension EventStoreError: CustomStringConvertible {
    /// One line: what failed and what to do.
    public var description: String {
        switch self {
        case .full: "event store full: nothing was written; make room on the volume"
        case .readOnly: "event store read-only: nothing was written; check the permissions of the folder"
        case .locked(let holder):
            "event store locked\(holder.map { " by \($0)" } ?? ""): another process writes it; close that one first"
        case .corrupt(let detail): "event store corrupt: \(detail)"
        case .closed: "event store closed"
        case .failed(let detail): "event store failed: \(detail)"
        }
    }
}
