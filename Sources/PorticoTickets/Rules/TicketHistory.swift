import Portico

/// One use of a ticket, here or at another device.
public struct TicketUse: Sendable, Hashable {
    /// The event that recorded it.
    public var eventID: EventID
    /// When, by the clock of the device that recorded it.
    public var at: Instant
    /// Which device.
    public var deviceID: Identifier
    /// Which gate, where it had a name.
    public var gateID: Identifier?
    /// The zone of the ticket, where it is known.
    public var zoneID: Identifier?
    /// How many were admitted.
    public var count: Int
    /// Whether another device recorded it.
    public var isElsewhere: Bool
    /// Whether it was said to lie in the future when it was learned.
    public var isImplausible: Bool
    /// SHA-256 of the signed bytes that were presented, where it is known.
    public var contentHash: [UInt8]?
}

/// What a ledger's entry says of a ticket: every use, and how many it is good for.
struct TicketHistory: Sendable, Hashable {
    private(set) var uses: [TicketUse] = []
    /// How many admissions the ticket last presented here is good for; nil before one was.
    var limit: Int?

    /// Beyond so many uses no ticket can be admitted, and no more are kept.
    static let maximumUses = 1_024

    /// How many were admitted in all.
    var admitted: Int { uses.reduce(0) { $0 + $1.count } }

    /// Whether more was admitted than the ticket is good for.
    var isConflict: Bool { limit.map { admitted > $0 } ?? false }

    /// Adds a use, once: the same event again changes nothing.
    mutating func add(_ use: TicketUse) {
        guard uses.count < Self.maximumUses, !uses.contains(where: { $0.eventID == use.eventID }) else { return }
        uses.append(use)
    }
}

// MARK: - Coding

/// The bytes of an entry's body: compact, because a ledger holds a million of them.
///
/// Version, limit, then the uses; whole numbers as base-128 varints, texts with their length before them.
extension TicketHistory {
    private static let version: UInt8 = 1

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = [Self.version]
        bytes.reserveCapacity(16 + uses.count * 128)
        append(UInt64(limit ?? 0), to: &bytes)
        append(UInt64(uses.count), to: &bytes)
        for use in uses {
            var flags: UInt8 = 0
            if use.isElsewhere { flags |= 1 }
            if use.isImplausible { flags |= 2 }
            if use.gateID != nil { flags |= 4 }
            if use.zoneID != nil { flags |= 8 }
            if use.contentHash != nil { flags |= 16 }
            bytes.append(flags)
            bytes += use.eventID.bytes
            append(UInt64(bitPattern: use.at.milliseconds), to: &bytes)
            append(UInt64(use.count), to: &bytes)
            append(use.deviceID, to: &bytes)
            if let gateID = use.gateID { append(gateID, to: &bytes) }
            if let zoneID = use.zoneID { append(zoneID, to: &bytes) }
            if let contentHash = use.contentHash { bytes += contentHash }
        }
        return bytes
    }

    /// What `encoded` made; nil for anything else, a newer version included.
    init?(decoding bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        guard reader.byte() == Self.version, let limit = reader.number(), let count = reader.number(),
            limit <= 1_000, count <= UInt64(Self.maximumUses)
        else { return nil }
        self.limit = limit == 0 ? nil : Int(limit)
        for _ in 0..<count {
            guard let use = reader.use() else { return nil }
            uses.append(use)
        }
        guard reader.rest.isEmpty else { return nil }
    }

    private func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var number = number
        while number >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        bytes.append(UInt8(number))
    }

    private func append(_ identifier: Identifier, to bytes: inout [UInt8]) {
        bytes.append(UInt8(identifier.utf8.count))
        bytes += identifier.utf8
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func number() -> UInt64? {
            var number: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = byte() else { return nil }
                number |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return number }
            }
            return nil
        }

        mutating func bytes(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }

        mutating func identifier() -> Identifier? {
            byte().flatMap { bytes(Int($0)) }.flatMap { Identifier(utf8: $0) }
        }

        mutating func use() -> TicketUse? {
            guard let flags = byte(), let id = bytes(16).flatMap({ EventID(bytes: $0) }), let at = number(),
                let count = number(), count <= 1_000, let device = identifier()
            else { return nil }
            var use = TicketUse(
                eventID: id, at: Instant(milliseconds: Int64(bitPattern: at)), deviceID: device, count: Int(count),
                isElsewhere: flags & 1 != 0, isImplausible: flags & 2 != 0)
            if flags & 4 != 0 {
                guard let gate = identifier() else { return nil }
                use.gateID = gate
            }
            if flags & 8 != 0 {
                guard let zone = identifier() else { return nil }
                use.zoneID = zone
            }
            if flags & 16 != 0 {
                guard let hash = bytes(32) else { return nil }
                use.contentHash = hash
            }
            return use
        }
    }
}

extension LedgerEntry {
    /// What a store keeps of a history.
    init(_ history: TicketHistory, isInside: Bool) {
        self.init(body: history.encoded(), isInside: isInside, isConflict: history.isConflict)
    }
}
