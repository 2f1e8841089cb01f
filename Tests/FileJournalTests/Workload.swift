import Portico
import PorticoInMemory

@testable import PorticoFileJournal

/// One call of a store, made so that every store that it is put to does the same.
enum Step: Sendable {
    case record(Int, ticket: Int?, isOpen: Bool, closes: Int?)
    case settle(delivered: [Int], parked: [Int], redeemed: [Int], cursor: String?)
    case remove(RemovalScope)

    static func id(_ number: Int) -> EventID {
        EventID(high: UInt64(number), low: 0x8000_0000_0000_0000 | UInt64(number) &* 0x9E37_79B9)
    }

    static func key(_ number: Int) -> TicketKey {
        guard let ticket = Identifier("T-\(number)") else { preconditionFailure("digits are an identifier") }
        return TicketKey(event: "FAIR-2026", ticket: ticket)
    }

    /// Does it; the error is the store's.
    func run(on store: any EventStore) async throws(EventStoreError) {
        switch self {
        case .record(let number, let ticket, let isOpen, let closes):
            _ = try await store.record(ticket.map(Self.key)) { head, before in
                Self.record(number, ticket: ticket, isOpen: isOpen, closes: closes, head, before)
            }
        case .settle(let delivered, let parked, let redeemed, let cursor):
            var settlement = Settlement(cursor: cursor)
            for number in delivered { settlement.deliveries[Self.id(number)] = .delivered }
            for number in parked { settlement.deliveries[Self.id(number)] = .parked(code: "no", message: "never") }
            settlement.redemptions = redeemed.map {
                Redemption(
                    id: Self.id(1_000_000 + $0), ticket: Self.key($0), deviceID: "other",
                    at: Instant(milliseconds: Int64($0)))
            }
            try await store.settle(settlement) { before, redemption in
                LedgerEntry(
                    body: (before?.body ?? []) + Array("+\(redemption.at.milliseconds)".utf8),
                    isInside: before?.isInside ?? false, isConflict: before != nil)
            }
        case .remove(let scope): _ = try await store.remove(scope)
        }
    }

    private static func record(
        _ number: Int, ticket: Int?, isOpen: Bool, closes: Int?, _ head: StoreHead, _ before: LedgerEntry?
    ) -> ScanRecord {
        let at = Instant(milliseconds: 1_783_188_000_000 + Int64(number))
        let event = ScanEvent(
            id: id(number), deviceID: head.deviceID, sequence: head.nextSequence, scannedAt: at,
            verdict: before == nil ? .admitted : .refused(.alreadyUsed))
        var record = ScanRecord(event: event, isOpen: isOpen)
        if ticket != nil {
            record.entry = LedgerEntry(
                body: (before?.body ?? []) + Array("·\(number)".utf8), isInside: number % 2 == 0,
                isConflict: before?.isConflict ?? false)
        }
        if number % 3 == 0 {
            record.mark = at
            record.clock = ClockAnchor(
                reading: ClockReading(wall: at, uptime: Int64(number), bootID: "boot"), isConfirmed: number % 2 == 0)
        }
        if let closes { record.closures = [id(closes): number] }
        return record
    }

    /// Steps of every kind, the same for the same seed.
    static func random(_ count: Int, seed: UInt64, tickets: Int = 40) -> [Step] {
        var generator = Seeded(seed)
        return (1...count).map { number in
            let recent = { (generator: inout Seeded) in Int.random(in: max(1, number - 20)...number, using: &generator)
            }
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<70:
                let isAnonymous = Int.random(in: 0..<8, using: &generator) == 0
                return .record(
                    number, ticket: isAnonymous ? nil : Int.random(in: 1...tickets, using: &generator),
                    isOpen: Bool.random(using: &generator),
                    closes: Bool.random(using: &generator) ? recent(&generator) : nil)
            case 70..<93:
                return .settle(
                    delivered: (0..<4).map { _ in recent(&generator) }, parked: [recent(&generator)],
                    redeemed: (0..<2).map { _ in Int.random(in: 1...tickets, using: &generator) },
                    cursor: Bool.random(using: &generator) ? "c\(number)" : nil)
            case 93..<99: return .remove(.delivered)
            default: return .remove(.everything)
            }
        }
    }
}

/// All that a store tells of itself, for comparison.
struct Snapshot: Sendable, Equatable {
    var events: [StoredEvent]
    var entries: [StoredEntry]
    var status: EventStoreStatus

    init(_ store: any EventStore) async throws(EventStoreError) {
        events = try await store.events(EventQuery(limit: .max))
        entries = try await store.entries(EntryQuery(limit: .max))
        status = try await store.status()
        status.repairs = []
    }

    /// Where two differ, for messages.
    func difference(from other: Snapshot) -> String {
        if events != other.events {
            let (mine, others) = (
                events.map { "\($0.event.sequence) \($0.state)" },
                other.events.map { "\($0.event.sequence) \($0.state)" }
            )
            return mine == others ? "events differ in content" : "events \(mine), expected \(others)"
        }
        if entries != other.entries {
            let differing = entries.filter { !other.entries.contains($0) }.map(\.ticket.ticket.text)
            return "\(entries.count) entries, expected \(other.entries.count); differing \(differing)"
        }
        return status == other.status ? "none" : "status \(status), expected \(other.status)"
    }

    /// What it is after opening: what was open is pending.
    var reopened: Snapshot {
        var copy = self
        for index in copy.events.indices where copy.events[index].state == .open {
            copy.events[index].state = .pending
        }
        let open = copy.status.counts.removeValue(forKey: .open) ?? 0
        if open > 0 { copy.status.counts[.pending, default: 0] += open }
        copy.status.oldestPending = copy.events.first { $0.state == .pending }?.event.scannedAt
        return copy
    }
}

/// Options that make a few steps reach what a season reaches: segments end, checkpoints are merged.
extension JournalOptions {
    static func small(_ durability: FileJournalEventStore.Durability = .powerCut) -> JournalOptions {
        JournalOptions(
            durability: durability, segmentLength: 10_000, entriesInMemory: 16, bytesToReplay: 20_000,
            bytesToReplayAfterClosing: 3_000)
    }
}

/// A store over simulated files.
func openJournal(
    _ fileSystem: SimulatedFileSystem, _ options: JournalOptions = .small(),
    access: FileJournalEventStore.Access = .write
) async throws(EventStoreError) -> FileJournalEventStore {
    try await FileJournalEventStore(folder: "/journal", access: access, options: options, fileSystem: fileSystem)
}

/// A store in memory with the journal's device, so that both tell the same.
func model(of store: any EventStore) async throws -> InMemoryEventStore.Storage {
    InMemoryEventStore.Storage(deviceID: try await store.status().head.deviceID)
}
