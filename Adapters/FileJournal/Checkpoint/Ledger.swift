import Portico

/// What is known of every ticket that was used: the snapshot of the last checkpoint, and what changed since.
struct Ledger: Sendable {
    /// Changes since the last checkpoint was begun.
    private(set) var recent: [TicketKey: LedgerEntry] = [:]
    /// Changes that the checkpoint which is being written takes in; they stay here until it is done.
    private(set) var frozen: [TicketKey: LedgerEntry] = [:]
    private(set) var snapshot: LedgerSnapshot?
    private(set) var tickets = 0
    private(set) var conflicts = 0

    /// How many entries are in memory.
    var inMemory: Int { recent.count + frozen.count }

    func entry(_ ticket: TicketKey) throws(EventStoreError) -> LedgerEntry? {
        if let entry = recent[ticket] { return entry }
        if let entry = frozen[ticket] { return entry }
        return try snapshot?.entry(ticket)
    }

    mutating func put(_ entry: LedgerEntry, for ticket: TicketKey, replacing replaced: Operation.Replaced) {
        recent[ticket] = entry
        if replaced == .nothing { tickets += 1 }
        conflicts += (entry.isConflict ? 1 : 0) - (replaced == .conflict ? 1 : 0)
    }

    /// Takes a `put` back: `earlier` is what `recent` held, and the counts were those.
    mutating func restore(_ earlier: LedgerEntry?, for ticket: TicketKey, tickets: Int, conflicts: Int) {
        recent[ticket] = earlier
        self.tickets = tickets
        self.conflicts = conflicts
    }

    mutating func removeAll() {
        self = Ledger()
    }

    // MARK: Checkpoints

    init() {}

    init(_ snapshot: LedgerSnapshot?, tickets: Int, conflicts: Int) {
        self.snapshot = snapshot
        self.tickets = tickets
        self.conflicts = conflicts
    }

    /// Sets aside what a checkpoint takes in.
    mutating func freeze() {
        if frozen.isEmpty { frozen = recent } else { frozen.merge(recent) { _, newer in newer } }
        recent = [:]
    }

    /// The checkpoint is done: what was set aside stands in `snapshot`.
    mutating func thaw(into snapshot: LedgerSnapshot) {
        self.snapshot = snapshot
        frozen = [:]
    }

    /// The checkpoint failed: what was set aside waits for the next.
    mutating func thaw() {
        frozen.merge(recent) { _, newer in newer }
        recent = frozen
        frozen = [:]
    }

    // MARK: Pages

    /// Entries by a query, ascending by key.
    func page(_ query: EntryQuery) throws(EventStoreError) -> [StoredEntry] {
        var page = Page(query: query)
        if let ticket = query.ticket {
            if let entry = try entry(ticket) { page.take(ticket, entry) }
            return page.entries
        }
        let changed = frozen.merging(recent) { _, newer in newer }
        var waiting = changed.filter { page.accepts($0.key, $0.value) }.sorted { $0.key < $1.key }[...]
        if let snapshot {
            var block = query.after.flatMap { snapshot.block(for: $0) } ?? 0
            while block < snapshot.blocks.count, !page.isFull {
                if page.mayInterest(snapshot.blocks[block]) {
                    try page.take(snapshot.contents(block), besides: changed, and: &waiting)
                }
                block += 1
            }
        }
        for (ticket, entry) in waiting where !page.isFull { page.take(ticket, entry) }
        return page.entries
    }

    /// A page as it fills up.
    private struct Page {
        let query: EntryQuery
        var entries: [StoredEntry] = []

        var isFull: Bool { entries.count >= query.limit }

        func accepts(_ ticket: TicketKey, _ entry: LedgerEntry) -> Bool {
            if let after = query.after, ticket <= after { return false }
            return (!query.conflictsOnly || entry.isConflict) && (!query.insideOnly || entry.isInside)
        }

        func mayInterest(_ block: LedgerSnapshot.Block) -> Bool {
            (!query.conflictsOnly || block.conflicts > 0) && (!query.insideOnly || block.insides > 0)
        }

        mutating func take(_ ticket: TicketKey, _ entry: LedgerEntry) {
            if !isFull, accepts(ticket, entry) { entries.append(StoredEntry(ticket: ticket, entry: entry)) }
        }

        /// Takes a block's entries in order, those of `waiting` that order before each first.
        mutating func take(
            _ block: LedgerBlock, besides changed: [TicketKey: LedgerEntry],
            and waiting: inout ArraySlice<(key: TicketKey, value: LedgerEntry)>
        ) throws(EventStoreError) {
            var offset = 0
            while offset < block.bytes.count, !isFull {
                let item = try block.item(at: offset)
                offset = item.all.upperBound
                let ticket = try block.ticket(item)
                while let first = waiting.first, first.key < ticket {
                    take(first.key, first.value)
                    waiting.removeFirst()
                }
                if changed[ticket] == nil { take(ticket, block.entry(item)) }
            }
        }
    }
}
