import Portico

/// What an uploader makes of a receipt: every part of it checked, nothing of it believed beyond that.
struct ReceiptReading: Sendable, Hashable {
    /// What the uploader knows when the receipt arrives.
    struct Context: Sendable {
        var batch: [ScanEvent]
        var deviceID: Identifier
        var lastSequence: Int64
        /// Where redemptions were read up to before.
        var cursor: String?
        var reading: ClockReading
        var clock: ClockGuard
        /// The events of the applied configuration; nil where there is none, and then no redemption can be judged.
        var known: Set<Identifier>?
    }

    /// What is to be made durable.
    var settlement: Settlement
    /// Redemptions that lie in the future by this device's clock: merged, and marked.
    var implausible: Set<EventID> = []
    /// Events of the batch that the receipt names no clear result of.
    var unresolved: Int
    /// Parts of the receipt that were ignored: foreign ids, contradictions, rows that break a rule.
    var ignored: Int
    /// The server's clock less this device's, in milliseconds; nil where it gave none.
    var clockDifference: Int64?
    /// The server's highest sequence of this device, where it is above our own: the store was rolled back or cloned.
    var rolledBackBelow: Int64?
    /// Whether more redemptions wait, and asking again will bring others.
    var hasMore: Bool

    static let maximumRedemptions = 1_000
    static let maximumCursorLength = 1_024

    init(_ receipt: SyncReceipt, _ context: Context) {
        var ignored = receipt.unreadableRedemptions
        let deliveries = Self.deliveries(receipt, context, ignored: &ignored)
        var settlement = Settlement(deliveries: deliveries)

        let latest = context.reading.wall.advanced(byMilliseconds: context.clock.tolerance)
        for redemption in receipt.redemptions.prefix(context.known == nil ? 0 : Self.maximumRedemptions) {
            guard Self.isSound(redemption, context) else {
                ignored += 1
                continue
            }
            if redemption.at > latest { implausible.insert(redemption.id) }
            settlement.redemptions.append(redemption)
        }
        // What is not taken is not passed by the cursor either, or it would be lost for good.
        let excess = max(0, receipt.redemptions.count - Self.maximumRedemptions)
        ignored += excess
        if let cursor = receipt.cursor, excess == 0, context.known != nil {
            if cursor.utf8.count <= Self.maximumCursorLength { settlement.cursor = cursor } else { ignored += 1 }
        }
        if let serverTime = receipt.serverTime {
            let difference = serverTime.milliseconds(since: context.reading.wall)
            clockDifference = difference
            // A server that agrees vouches for this clock; one that does not is shown, and moves nothing.
            if difference.magnitude <= UInt64(context.clock.tolerance), context.clock.mayAnchor(context.reading) {
                settlement.clock = ClockAnchor(reading: context.reading)
                settlement.mark = context.reading.wall
            }
        }
        if let highest = receipt.highestSequence, highest > context.lastSequence { rolledBackBelow = highest }
        unresolved = context.batch.count - deliveries.count
        hasMore = receipt.hasMore && settlement.cursor != nil && settlement.cursor != context.cursor
        self.ignored = ignored
        self.settlement = settlement
    }

    /// One delivery for each event of the batch that the receipt names once, or several times alike.
    private static func deliveries(
        _ receipt: SyncReceipt, _ context: Context, ignored: inout Int
    ) -> [EventID: Delivery] {
        let sent = Set(context.batch.map(\.id))
        var deliveries: [EventID: Delivery] = [:]
        var contradicted: Set<EventID> = []
        for item in receipt.items {
            guard sent.contains(item.id) else {
                ignored += 1
                continue
            }
            let delivery: Delivery =
                switch item.result {
                case .accepted, .duplicate: .delivered
                case .refused(let code, let message): .parked(code: short(code, 64), message: short(message, 512))
                }
            if let other = deliveries.updateValue(delivery, forKey: item.id), other != delivery {
                contradicted.insert(item.id)
            }
        }
        for id in contradicted { deliveries[id] = nil }
        ignored += contradicted.count
        return deliveries
    }

    private static func isSound(_ redemption: Redemption, _ context: Context) -> Bool {
        redemption.deviceID != context.deviceID && 1...1_000 ~= redemption.count && redemption.at.milliseconds >= 0
            && context.known?.contains(redemption.ticket.event) == true
            && (redemption.contentHash.map { $0.count == 32 } ?? true)
    }

    /// A server's text is kept for people, so it need not be longer than they read.
    static func short(_ text: String, _ length: Int) -> String {
        text.utf8.count <= length ? text : String(text.unicodeScalars.prefix(length / 4).map(Character.init))
    }

    /// The room's way to merge another device's use into a ticket's history: it only adds, and the same use once.
    static func merge(marking implausible: Set<EventID>) -> @Sendable (LedgerEntry?, Redemption) -> LedgerEntry {
        { entry, redemption in
            var history = TicketHistory()
            if let entry {
                // A history that cannot be read is kept: it refuses, which is what a use more would do.
                guard let known = TicketHistory(decoding: entry.body) else { return entry }
                history = known
            }
            history.add(
                TicketUse(
                    eventID: redemption.id, at: redemption.at, deviceID: redemption.deviceID,
                    gateID: redemption.gateID, zoneID: redemption.zoneID, count: redemption.count, isElsewhere: true,
                    isImplausible: implausible.contains(redemption.id), contentHash: redemption.contentHash))
            return LedgerEntry(history, isInside: entry?.isInside ?? false)
        }
    }
}
