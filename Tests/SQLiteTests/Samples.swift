#if SQLite && os(Linux)
import Portico
import PorticoSQLite
import Testing

enum Sample {
    static func ticket(_ number: Int) throws -> TicketKey {
        TicketKey(event: "FAIR-2026", ticket: try #require(Identifier("T-\(number)")))
    }

    static func event(_ head: StoreHead, random: UInt64 = .random(in: 0 ... .max)) -> ScanEvent {
        let now = Instant(milliseconds: 1_783_188_000_000 + head.nextSequence * 1_000)
        return ScanEvent(
            id: EventID(at: now, random: (UInt64(head.nextSequence), random)), deviceID: head.deviceID,
            sequence: head.nextSequence, gateEvents: ["FAIR-2026"], scannedAt: now)
    }
}

extension EventStore {
    /// Admits a ticket that was never seen and refuses one that was.
    @discardableResult
    func scan(_ ticket: TicketKey, bodySize: Int = 60) async throws(EventStoreError) -> ScanEvent {
        try await record(ticket) { head, entry in
            var event = Sample.event(head)
            event.verdict = entry == nil ? .admitted : .refused(.alreadyUsed)
            event.operatorName = ticket.ticket.text
            return ScanRecord(event: event, entry: entry ?? LedgerEntry(body: [UInt8](repeating: 7, count: bodySize)))
        }.event
    }

    /// Every event, whatever their number.
    func everything() async throws(EventStoreError) -> [StoredEvent] {
        var all: [StoredEvent] = []
        while true {
            let page = try await events(EventQuery(after: all.last?.event.sequence ?? 0))
            if page.isEmpty { return all }
            all += page
        }
    }
}

/// A generator whose numbers repeat from one run to the next (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
#endif
