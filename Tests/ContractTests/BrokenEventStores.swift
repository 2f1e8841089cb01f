import Foundation
import Portico
import PorticoContracts
import PorticoInMemory
import Testing

/// An event store with one thing wrong: what a closure does not replace goes to the store behind it.
struct AlteredEventStore: EventStore {
    typealias Decide = @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    typealias Merge = @Sendable (LedgerEntry?, Redemption) -> LedgerEntry

    let store: any EventStore
    var onRecord: (@Sendable (TicketKey?, @escaping Decide) async throws(EventStoreError) -> Recorded)?
    var onSettle: (@Sendable (Settlement, @escaping Merge) async throws(EventStoreError) -> Void)?
    var onEvents: (@Sendable (EventQuery) async throws(EventStoreError) -> [StoredEvent])?
    var onEntries: (@Sendable (EntryQuery) async throws(EventStoreError) -> [StoredEntry])?
    var onStatus: (@Sendable (EventStoreStatus) -> EventStoreStatus)?
    var onRemove: (@Sendable (RemovalScope) async throws(EventStoreError) -> Int)?
    var onClose: (@Sendable () async -> Void)?

    init(_ store: any EventStore) {
        self.store = store
    }

    func record(_ ticket: TicketKey?, _ decide: @escaping Decide) async throws(EventStoreError) -> Recorded {
        if let onRecord { return try await onRecord(ticket, decide) }
        return try await store.record(ticket, decide)
    }

    func settle(_ settlement: Settlement, _ merge: @escaping Merge) async throws(EventStoreError) {
        if let onSettle { return try await onSettle(settlement, merge) }
        try await store.settle(settlement, merge)
    }

    func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] {
        if let onEvents { return try await onEvents(query) }
        return try await store.events(query)
    }

    func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        if let onEntries { return try await onEntries(query) }
        return try await store.entries(query)
    }

    func status() async throws(EventStoreError) -> EventStoreStatus {
        let status = try await store.status()
        return onStatus?(status) ?? status
    }

    func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        if let onRemove { return try await onRemove(scope) }
        return try await store.remove(scope)
    }

    func close() async {
        if let onClose { return await onClose() }
        await store.close()
    }
}

/// A way to break a guarantee, and the clause that must notice.
struct Flaw<Port: Sendable>: Sendable, CustomTestStringConvertible {
    let id: String
    let name: String
    let subject: Subject<Port>

    var testDescription: String { "\(id): \(name)" }

    init(
        _ id: String, _ name: String, _ capabilities: Set<Capability>,
        fresh: @escaping @Sendable () -> Subject<Port>.Opening
    ) {
        self.id = id
        self.name = name
        subject = Subject(name: name, capabilities: capabilities) { fresh() }
    }
}

extension Flaw<any EventStore> {
    /// A flaw of the calls to an open store.
    init(_ id: String, _ name: String, _ alter: @escaping @Sendable (inout AlteredEventStore) -> Void) {
        self.init(id, name, [.durable, .exclusive]) {
            let storage = InMemoryEventStore.Storage()
            return {
                var store = AlteredEventStore(try InMemoryEventStore(storage))
                alter(&store)
                return store
            }
        }
    }

    static let all: [Flaw<any EventStore>] = deciding + writing + settling + reading + opening

    private static let deciding: [Flaw<any EventStore>] = [
        Flaw("ES-1", "reads the entry before the transaction") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                let stale = try await store.entries(EntryQuery(ticket: ticket, limit: ticket == nil ? 0 : 1)).first?
                    .entry
                await letOthersIn()
                return try await store.record(ticket) { head, _ in decide(head, stale) }
            }
        },
        Flaw("ES-1", "says that there was no entry before") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                Recorded(event: try await store.record(ticket, decide).event)
            }
        },
        Flaw("ES-1", "writes an entry where no ticket was named") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                try await store.record(ticket ?? TicketKey(event: "E", ticket: "none"), decide)
            }
        },
        Flaw("ES-1", "takes an entry that is left for one that is removed") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                try await store.record(ticket) { head, entry in
                    var record = decide(head, entry)
                    if record.entry == nil { record.entry = LedgerEntry(body: []) }
                    return record
                }
            }
        },
    ]

    private static let writing: [Flaw<any EventStore>] = [
        Flaw("ES-2", "gives up where its task is cancelled") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                if Task.isCancelled { throw .failed("cancelled") }
                return try await store.record(ticket, decide)
            }
        },
        Flaw("ES-2", "drops what a cancelled task settles") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                if !Task.isCancelled { try await store.settle(settlement, merge) }
            }
        },
        Flaw("ES-2", "keeps the clock of a record that failed") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                do throws(EventStoreError) {
                    return try await store.record(ticket, decide)
                } catch {
                    try await store.settle(Settlement(mark: Instant(seconds: 1))) { entry, _ in
                        entry ?? LedgerEntry(body: [])
                    }
                    throw error
                }
            }
        },
        Flaw("ES-3", "corrects a sequence that is off") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                try await store.record(ticket) { head, entry in
                    var record = decide(head, entry)
                    record.event.sequence = head.nextSequence
                    return record
                }
            }
        },
        Flaw("ES-3", "uses the sequences of removed events again") { altered in
            let removed = Counter()
            altered.onRemove = { [store = altered.store] scope throws(EventStoreError) in
                let count = try await store.remove(scope)
                removed.add(count)
                return count
            }
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                let offset = Int64(removed.value)
                var recorded = try await store.record(ticket) { head, entry in
                    var shifted = head
                    shifted.nextSequence -= offset
                    var record = decide(shifted, entry)
                    record.event.sequence += offset
                    return record
                }
                recorded.event.sequence -= offset
                return recorded
            }
        },
        Flaw("ES-4", "never lowers the mark") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                try await store.record(ticket) { head, entry in
                    var record = decide(head, entry)
                    if let mark = record.mark, let known = head.mark { record.mark = max(mark, known) }
                    return record
                }
            }
        },
        Flaw("ES-4", "forgets the anchor that a settlement brings") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                var settlement = settlement
                settlement.clock = nil
                try await store.settle(settlement, merge)
            }
        },
    ]

    private static let settling: [Flaw<any EventStore>] = [
        Flaw("ES-5", "forgets the closures of a settlement") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                var settlement = settlement
                settlement.closures = [:]
                try await store.settle(settlement, merge)
            }
        },
        Flaw("ES-5", "forgets the closures of a record") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                try await store.record(ticket) { head, entry in
                    var record = decide(head, entry)
                    record.closures = [:]
                    return record
                }
            }
        },
        Flaw("ES-5", "merges twice") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                try await store.settle(settlement) { entry, redemption in merge(merge(entry, redemption), redemption) }
            }
        },
        Flaw("ES-5", "merges in the opposite order") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                var settlement = settlement
                settlement.redemptions.reverse()
                try await store.settle(settlement, merge)
            }
        },
        Flaw("ES-5", "merges each redemption with the entry from before the settlement") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                var known: [TicketKey: LedgerEntry] = [:]
                for entry in try await store.entries(EntryQuery(limit: .max)) { known[entry.ticket] = entry.entry }
                let before = known
                try await store.settle(settlement) { _, redemption in merge(before[redemption.ticket], redemption) }
            }
        },
        Flaw("ES-5", "settles in two steps") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                try await store.settle(Settlement(deliveries: settlement.deliveries), merge)
                await letOthersIn()
                var rest = settlement
                rest.deliveries = [:]
                try await store.settle(rest, merge)
            }
        },
        Flaw("ES-5", "loses the message of a parked event") { altered in
            altered.onSettle = { [store = altered.store] settlement, merge throws(EventStoreError) in
                var settlement = settlement
                for (id, delivery) in settlement.deliveries {
                    if case .parked(let code, _) = delivery {
                        settlement.deliveries[id] = .parked(code: code, message: "")
                    }
                }
                try await store.settle(settlement, merge)
            }
        },
        Flaw("ES-7", "removes everything with the delivered") { altered in
            altered.onRemove = { [store = altered.store] _ throws(EventStoreError) in
                try await store.remove(.everything)
            }
        },
        Flaw("ES-7", "says that nothing was removed") { altered in
            altered.onRemove = { [store = altered.store] scope throws(EventStoreError) in
                _ = try await store.remove(scope)
                return 0
            }
        },
        Flaw("ES-7", "removes the delivered only, always") { altered in
            altered.onRemove = { [store = altered.store] _ throws(EventStoreError) in try await store.remove(.delivered)
            }
        },
        Flaw("ES-8", "does not close") { altered in
            altered.onClose = {}
        },
        Flaw("ES-8", "fails after close with another error") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                do throws(EventStoreError) {
                    return try await store.events(query)
                } catch {
                    throw .failed("\(error)")
                }
            }
        },
    ]

    private static let reading: [Flaw<any EventStore>] = [
        Flaw("ES-6", "begins a page with the event that the last one ended with") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                var query = query
                query.after = max(0, query.after == .max ? .max : query.after) - 1
                return try await store.events(query)
            }
        },
        Flaw("ES-6", "takes no heed of the limit") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                var query = query
                query.limit = .max
                return try await store.events(query)
            }
        },
        Flaw("ES-6", "takes a negative limit for none") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                var query = query
                if query.limit < 0 { query.limit = .max }
                return try await store.events(query)
            }
        },
        Flaw("ES-6", "gives the last events first") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                try await store.events(query).reversed()
            }
        },
        Flaw("ES-9", "takes canonically equivalent keys for one") { altered in
            altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                let text = ticket?.ticket.text.precomposedStringWithCanonicalMapping
                return try await store.record(
                    ticket.map { TicketKey(event: $0.event, ticket: text.flatMap { Identifier($0) } ?? $0.ticket) },
                    decide)
            }
        },
        Flaw("ES-11", "takes no heed of the flags") { altered in
            altered.onEntries = { [store = altered.store] query throws(EventStoreError) in
                var query = query
                query.conflictsOnly = false
                return try await store.entries(query)
            }
        },
        Flaw("ES-11", "applies the limit before the flags") { altered in
            altered.onEntries = { [store = altered.store] query throws(EventStoreError) in
                var unfiltered = query
                unfiltered.insideOnly = false
                unfiltered.conflictsOnly = false
                return try await store.entries(unfiltered).filter {
                    (!query.insideOnly || $0.entry.isInside) && (!query.conflictsOnly || $0.entry.isConflict)
                }
            }
        },
        Flaw("ES-11", "goes on from another ticket of the event") { altered in
            altered.onEntries = { [store = altered.store] query throws(EventStoreError) in
                var query = query
                if let after = query.after { query.after = TicketKey(event: after.event, ticket: "~") }
                return try await store.entries(query)
            }
        },
        Flaw("ES-12", "counts no conflict") { altered in
            altered.onStatus = { status in
                var status = status
                status.conflicts = 0
                return status
            }
        },
        Flaw("ES-12", "counts delivered events as pending") { altered in
            altered.onStatus = { status in
                var status = status
                status.counts[.pending, default: 0] += status.counts[.delivered, default: 0]
                return status
            }
        },
        Flaw("ES-12", "names no oldest pending event") { altered in
            altered.onStatus = { status in
                var status = status
                status.oldestPending = nil
                return status
            }
        },
        Flaw("ES-14", "drops who acted") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                try await store.events(query).map { stored in
                    var stored = stored
                    stored.event.operatorName = nil
                    return stored
                }
            }
        },
        Flaw("ES-14", "composes the operator's name") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                try await store.events(query).map { stored in
                    var stored = stored
                    stored.event.operatorName = stored.event.operatorName?.precomposedStringWithCanonicalMapping
                    return stored
                }
            }
        },
        Flaw("ES-14", "ends a body at its first zero") { altered in
            altered.onEntries = { [store = altered.store] query throws(EventStoreError) in
                try await store.entries(query).map { stored in
                    var stored = stored
                    stored.entry.body = Array(stored.entry.body.prefix { $0 != 0 })
                    return stored
                }
            }
        },
        Flaw("ES-15", "fails where one event does not read") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                let events = try await store.events(query)
                guard events.allSatisfy(\.isReadable) else { throw .corrupt("an event does not read") }
                return events
            }
        },
        Flaw("ES-15", "leaves out what does not read, and does not tell") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                let events = try await store.events(EventQuery(after: query.after)).filter(\.isReadable)
                return Array(events.prefix(query.limit))
            }
        },
        Flaw("ES-15", "counts what does not read towards the page") { altered in
            altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                try await store.events(query).filter(\.isReadable)
            }
            altered.onStatus = { status in
                var status = status
                status.repairs = ["event 2 cannot be read"]
                return status
            }
        },
    ]

    private static let opening: [Flaw<any EventStore>] =
        ["ES-2", "ES-3", "ES-4", "ES-5", "ES-6", "ES-7", "ES-9", "ES-10", "ES-12", "ES-14"].map { id in
            Flaw(id, "loses all when it is closed", [.durable]) { { InMemoryEventStore() } }
        } + [
            Flaw("ES-10", "has one device id for all storages", []) {
                let storage = InMemoryEventStore.Storage(deviceID: "00000000000000000000000000000000")
                return { try InMemoryEventStore(storage) }
            },
            Flaw("ES-13", "lets a second writer take over", [.durable, .exclusive]) {
                let storage = InMemoryEventStore.Storage()
                return {
                    storage.abandon()
                    return try InMemoryEventStore(storage)
                }
            },
            Flaw("ES-6", "keeps presentations open over a restart", [.durable]) {
                let storage = InMemoryEventStore.Storage()
                let open = OpenIdentities()
                return {
                    var altered = AlteredEventStore(try InMemoryEventStore(storage))
                    altered.onRecord = { [store = altered.store] ticket, decide throws(EventStoreError) in
                        try await store.record(ticket) { head, entry in
                            let record = decide(head, entry)
                            if record.isOpen { open.insert(record.event.id) }
                            return record
                        }
                    }
                    altered.onEvents = { [store = altered.store] query throws(EventStoreError) in
                        try await store.events(query).map { stored in
                            open.contains(stored.event.id) ? StoredEvent(event: stored.event, state: .open) : stored
                        }
                    }
                    return altered
                }
            },
        ]
}

extension StoredEvent {
    /// Whether its own coding could be read back.
    fileprivate var isReadable: Bool { event.codeHash.map { $0.count == 32 } ?? true }
}

/// A number that several tasks change.
///
/// `@unchecked Sendable`: its one variable is accessed only while its own lock is held.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }

    /// Adds, and gives the sum.
    @discardableResult
    func add(_ number: Int) -> Int {
        lock.withLock {
            count += number
            return count
        }
    }
}

/// Identities that several tasks note.
///
/// `@unchecked Sendable`: its one variable is accessed only while its own lock is held.
private final class OpenIdentities: @unchecked Sendable {
    private let lock = NSLock()
    private var ids: Set<EventID> = []

    func insert(_ id: EventID) {
        lock.withLock { _ = ids.insert(id) }
    }

    func contains(_ id: EventID) -> Bool {
        lock.withLock { ids.contains(id) }
    }
}
