import Portico

@testable import PorticoHTTPSync
@testable import PorticoTickets

/// A server's answer to a batch of three, read and made use of.
enum ReceiptDecoding: FuzzTarget {
    static let name = "receipts"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let receipt: SyncReceipt
        do throws(SyncTransportError) {
            receipt = try SyncReceipt(parsing: HTTPResponse(status: 200, body: bytes))
        } catch {
            return false
        }
        let reading = ReceiptReading(receipt, context)
        let sent = Set(context.batch.map(\.id))
        let settlement = reading.settlement
        try hold(settlement.deliveries.keys.allSatisfy(sent.contains), "an event is settled that was not sent")
        try hold(reading.unresolved == sent.count - settlement.deliveries.count, "an event is neither settled nor left")
        try hold(reading.ignored >= 0, "fewer than none were ignored")
        try hold(settlement.redemptions.count <= ReceiptReading.maximumRedemptions, "too many redemptions are taken")
        for redemption in settlement.redemptions { try merge(redemption, reading) }
        if let mark = settlement.mark { try hold(mark == context.reading.wall, "the server moved the clock") }
        return !settlement.deliveries.isEmpty || !settlement.redemptions.isEmpty
    }

    /// A use of another device's is merged once, however often it comes.
    private static func merge(_ redemption: Redemption, _ reading: ReceiptReading) throws {
        try hold(redemption.deviceID != context.deviceID, "a use of this device comes back as another's")
        let merge = ReceiptReading.merge(marking: reading.implausible)
        let once = merge(nil, redemption)
        try hold(merge(once, redemption) == once, "a use counts twice")
        try hold(TicketHistory(decoding: once.body)?.admitted == redemption.count, "a use counts otherwise")
    }

    private static let context: ReceiptReading.Context = {
        let wall = Instant(seconds: 1_783_188_000)
        let batch = (1...3).map { number in
            ScanEvent(
                id: EventID(high: 0x019F_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number)), deviceID: "d-1",
                sequence: Int64(number), scannedAt: wall, verdict: .admitted)
        }
        return ReceiptReading.Context(
            batch: batch, deviceID: "d-1", lastSequence: 3, cursor: "c0",
            reading: ClockReading(wall: wall, uptime: 1_000, bootID: "boot"),
            clock: ClockGuard(tolerance: 120_000, ceiling: wall.advanced(byMilliseconds: 86_400_000)),
            known: ["SUMMER-2026"])
    }()
}
