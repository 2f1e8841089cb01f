import Portico

@testable import PorticoTickets

/// What stores keep: events as JSON, and the histories of tickets.
///
/// The first byte says which: an event (even) or a history (odd).
enum EventDecoding: FuzzTarget {
    static let name = "events"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        guard let mode = bytes.first else { return false }
        let rest = Array(bytes.dropFirst())
        return try mode.isMultiple(of: 2) ? event(rest) : history(rest)
    }

    private static func event(_ bytes: [UInt8]) throws -> Bool {
        let event: ScanEvent
        do throws(ScanEventCodingError) {
            event = try ScanEvent(decoding: bytes)
        } catch {
            return false
        }
        let written = event.encoded()
        let again = try ScanEvent(decoding: written)
        try hold(again.encoded() == written, "an event is written otherwise the second time")
        try hold(again.id == event.id && again.sequence == event.sequence, "an event changed its identity")
        try hold(again.verdict == event.verdict && again.reason == event.reason, "an event changed its verdict")
        try hold(again.ticket.claims?.key == event.ticket.claims?.key, "an event changed its ticket")
        return true
    }

    private static func history(_ bytes: [UInt8]) throws -> Bool {
        guard let history = TicketHistory(decoding: bytes) else { return false }
        try hold(TicketHistory(decoding: history.encoded()) == history, "a history reads otherwise once written")
        try hold(history.admitted >= 0, "fewer than none were admitted")
        return true
    }
}
