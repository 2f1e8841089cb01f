import Portico

/// An event store in memory: for tests, for previews, and for a host that keeps nothing.
///
/// It keeps every guarantee of `EventStore`. What it writes lives as long as its `Storage`, which can be opened again,
/// so that a restart is tested without a disk. Every call runs on the caller's thread and returns without waiting: no
/// queue, no actor.
///
/// ```swift
/// let storage = InMemoryEventStore.Storage()
/// let store = try InMemoryEventStore(storage)
/// // … record, then restart:
/// await store.close()
/// let again = try InMemoryEventStore(storage)
/// ```
public final class InMemoryEventStore: EventStore {
    private let storage: Storage
    private let opening: UInt64

    /// A store with a storage of its own.
    public init() {
        storage = Storage()
        opening = storage.openFirst()
    }

    /// Opens a storage; what was open in it is pending from then on.
    ///
    /// - Throws: `EventStoreError.locked` while another store has it open.
    public init(_ storage: Storage) throws(EventStoreError) {
        self.storage = storage
        opening = try storage.open()
    }

    deinit {
        storage.close(opening)
    }

    /// Decides and records one attempt, as one step; `decide` runs on the caller's thread.
    public func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        try storage.record(opening, ticket, decide)
    }

    /// Applies what an upload learned, as one step; `merge` runs on the caller's thread.
    public func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        try storage.settle(opening, settlement, merge)
    }

    /// Events by a query, ascending by sequence.
    public func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] {
        try storage.read(opening) { $0.events(query) }
    }

    /// Entries of the ledger by a query, ascending by key.
    public func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        try storage.read(opening) { $0.entries(query) }
    }

    /// Counts and the head.
    public func status() async throws(EventStoreError) -> EventStoreStatus {
        try storage.read(opening) { $0.status() }
    }

    /// Removes events, and the ledger where the scope says so.
    public func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        try storage.read(opening) { $0.remove(scope) }
    }

    /// Lets go of the storage.
    public func close() async {
        storage.close(opening)
    }
}

extension InMemoryEventStore {
    /// What outlives a store: the events, the ledger and the head. One store at a time has it open.
    ///
    /// `@unchecked Sendable`: every access to its variables is between `lock` and `unlock` of its own lock.
    public final class Storage: @unchecked Sendable {
        private let lock = Lock()
        private var contents: Contents
        /// The store that has it open, by the number of its opening; nil while none has.
        private var holder: UInt64?
        private var openings: UInt64 = 0

        /// A new, empty storage.
        ///
        /// - Parameter deviceID: The device that it stands for; by default a random one of 32 hexadecimal digits.
        public init(deviceID: Identifier? = nil) {
            contents = Contents(
                deviceID: deviceID ?? Identifier(device: .random(in: .min ... .max), .random(in: .min ... .max)))
        }

        /// Takes the storage from the store that has it open, as if that one's process had been killed.
        ///
        /// The later calls of that store fail with `closed`.
        ///
        /// ```swift
        /// storage.abandon()
        /// let afterTheKill = try InMemoryEventStore(storage)
        /// ```
        public func abandon() {
            lock.withLock { holder = nil }
        }

        fileprivate func openFirst() -> UInt64 {
            lock.withLock { takeOver() }
        }

        fileprivate func open() throws(EventStoreError) -> UInt64 {
            lock.lock()
            defer { lock.unlock() }
            guard holder == nil else { throw .locked(by: "another InMemoryEventStore") }
            return takeOver()
        }

        private func takeOver() -> UInt64 {
            openings += 1
            holder = openings
            contents.endPresentations()
            return openings
        }

        fileprivate func close(_ opening: UInt64) {
            lock.withLock {
                if holder == opening { holder = nil }
            }
        }

        fileprivate func record(
            _ opening: UInt64, _ ticket: TicketKey?, _ decide: (StoreHead, LedgerEntry?) -> ScanRecord
        ) throws(EventStoreError) -> Recorded {
            lock.lock()
            defer { lock.unlock() }
            guard holder == opening else { throw .closed }
            return try contents.record(ticket, decide)
        }

        fileprivate func settle(
            _ opening: UInt64, _ settlement: Settlement, _ merge: (LedgerEntry?, Redemption) -> LedgerEntry
        ) throws(EventStoreError) {
            lock.lock()
            defer { lock.unlock() }
            guard holder == opening else { throw .closed }
            contents.settle(settlement, merge)
        }

        fileprivate func read<Value>(
            _ opening: UInt64, _ body: (inout Contents) -> Value
        ) throws(EventStoreError) -> Value {
            lock.lock()
            defer { lock.unlock() }
            guard holder == opening else { throw .closed }
            return body(&contents)
        }
    }
}

extension InMemoryEventStore {
    /// The rules of a store, over plain values; whoever calls it holds the lock.
    fileprivate struct Contents {
        private var head: StoreHead
        /// Ascending by sequence; removal leaves gaps.
        private var stored: [StoredEvent] = []
        /// How many events stand in each state, so that a status beside a scan takes no time.
        private var counts: [EventState.Kind: Int] = [:]
        /// How many at the front are delivered or parked: none of them becomes pending again.
        private var settledPrefix = 0
        private var sequences: [EventID: Int64] = [:]
        private var ledger: [TicketKey: LedgerEntry] = [:]
        private var conflicts = 0
        /// The ledger's keys in order, made when they are asked for; nil once a key was added.
        private var orderedKeys: [TicketKey]?

        init(deviceID: Identifier) {
            head = StoreHead(deviceID: deviceID)
        }

        mutating func endPresentations() {
            for index in stored.indices where stored[index].state == .open { move(index, to: .pending) }
        }

        mutating func record(
            _ ticket: TicketKey?, _ decide: (StoreHead, LedgerEntry?) -> ScanRecord
        ) throws(EventStoreError) -> Recorded {
            var before: LedgerEntry?
            if let ticket { before = ledger[ticket] }
            let record = decide(head, before)
            try check(record.event)

            if let ticket, let entry = record.entry { put(entry, for: ticket) }
            close(record.closures)
            sequences[record.event.id] = record.event.sequence
            stored.append(StoredEvent(event: record.event, state: record.isOpen ? .open : .pending))
            counts[record.isOpen ? .open : .pending, default: 0] += 1
            head.nextSequence += 1
            if let clock = record.clock { head.clock = clock }
            if let mark = record.mark { head.mark = mark }
            return Recorded(event: record.event, before: before)
        }

        private func check(_ event: ScanEvent) throws(EventStoreError) {
            guard event.sequence == head.nextSequence else {
                throw .failed("event with sequence \(event.sequence) where \(head.nextSequence) is next")
            }
            guard event.deviceID == head.deviceID else { throw .failed("event of another device") }
            guard sequences[event.id] == nil else { throw .failed("a second event with one id") }
        }

        mutating func settle(_ settlement: Settlement, _ merge: (LedgerEntry?, Redemption) -> LedgerEntry) {
            close(settlement.closures)
            for (id, delivery) in settlement.deliveries {
                guard let index = index(of: id), stored[index].state != .delivered else { continue }
                switch delivery {
                case .delivered: move(index, to: .delivered)
                case .parked(let code, let message): move(index, to: .parked(code: code, message: message))
                }
            }
            for redemption in settlement.redemptions {
                put(merge(ledger[redemption.ticket], redemption), for: redemption.ticket)
            }
            if let clock = settlement.clock { head.clock = clock }
            if let mark = settlement.mark { head.mark = mark }
            if let cursor = settlement.cursor { head.cursor = cursor }
        }

        private mutating func put(_ entry: LedgerEntry, for ticket: TicketKey) {
            if entry.isConflict { conflicts += 1 }
            if let before = ledger.updateValue(entry, forKey: ticket) {
                if before.isConflict { conflicts -= 1 }
            } else {
                orderedKeys = nil
            }
        }

        private mutating func close(_ closures: [EventID: Int]) {
            for (id, repeats) in closures {
                guard let index = index(of: id), stored[index].state == .open else { continue }
                stored[index].event.repeats = repeats
                move(index, to: .pending)
            }
        }

        private mutating func move(_ index: Int, to state: EventState) {
            counts[stored[index].state.kind, default: 0] -= 1
            counts[state.kind, default: 0] += 1
            stored[index].state = state
        }

        /// Where the first event stands that is open or pending.
        private mutating func firstUnsettled() -> Int {
            while settledPrefix < stored.count, ![.open, .pending].contains(stored[settledPrefix].state.kind) {
                settledPrefix += 1
            }
            return settledPrefix
        }

        private func index(of id: EventID) -> Int? {
            sequences[id].map { firstIndex(after: $0 - 1) }
        }

        /// Where the first event with a higher sequence stands, or would.
        private func firstIndex(after sequence: Int64) -> Int {
            partition(stored.count) { stored[$0].event.sequence > sequence }
        }

        mutating func events(_ query: EventQuery) -> [StoredEvent] {
            var first = firstIndex(after: query.after)
            if query.states.isDisjoint(with: [.delivered, .parked]) { first = max(first, firstUnsettled()) }
            let candidates = stored[first...].lazy.filter { query.states.contains($0.state.kind) }
            return Array(candidates.prefix(max(0, query.limit)))
        }

        mutating func entries(_ query: EntryQuery) -> [StoredEntry] {
            let keys = keys(for: query)
            let first = query.after.map { after in partition(keys.count) { keys[$0] > after } } ?? 0
            var found: [StoredEntry] = []
            for key in keys[first...] {
                guard found.count < query.limit else { break }
                guard let entry = ledger[key], !query.conflictsOnly || entry.isConflict,
                    !query.insideOnly || entry.isInside
                else { continue }
                found.append(StoredEntry(ticket: key, entry: entry))
            }
            return found
        }

        private mutating func keys(for query: EntryQuery) -> [TicketKey] {
            if let ticket = query.ticket { return ledger[ticket] == nil ? [] : [ticket] }
            if let orderedKeys { return orderedKeys }
            let sorted = ledger.keys.sorted()
            orderedKeys = sorted
            return sorted
        }

        mutating func status() -> EventStoreStatus {
            EventStoreStatus(
                head: head,
                counts: counts.filter { $0.value > 0 },
                oldestPending: stored[firstUnsettled()...].first { $0.state == .pending }?.event.scannedAt,
                tickets: ledger.count,
                conflicts: conflicts)
        }

        mutating func remove(_ scope: RemovalScope) -> Int {
            let before = stored.count
            switch scope {
            case .delivered:
                for event in stored where event.state == .delivered { sequences[event.event.id] = nil }
                stored.removeAll { $0.state == .delivered }
                counts[.delivered] = nil
                settledPrefix = 0
            case .everything:
                stored = []
                counts = [:]
                settledPrefix = 0
                sequences = [:]
                ledger = [:]
                conflicts = 0
                orderedKeys = nil
                // The redemptions up to the cursor went with the ledger: the server is asked for them again.
                head.cursor = nil
            }
            return before - stored.count
        }
    }
}

/// The lowest index below `count` from which on `isAfter` holds, `count` where it holds nowhere.
private func partition(_ count: Int, where isAfter: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
        let middle = low + (high - low) / 2
        if isAfter(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
