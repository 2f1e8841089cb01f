import Portico
import PorticoPOSIX

/// The state up to a frame in one file, so that opening reads only what was recorded since.
///
/// ```text
/// "PorticoK", version (16 bits), 6 zero bytes
/// blocks of the ledger (see LedgerBlock), ascending by key
/// blocks of events, 45 bytes an event, ascending by sequence
/// index: for each block offset (64), length, CRC-32C, entries, conflicts, insides (32 each), first key of a ledger's
/// summary: head, frame, counts, refusals
/// footer of 64 bytes: offset of the index (64), lengths of index and summary, blocks of the ledger and of events,
///     CRC-32C of index and summary, 20 zero bytes, version, zero, CRC-32C of the footer before, "PorticoK"
/// ```
///
/// It is written beside the old one and renamed over it, so that there is always a whole one.
enum Checkpoint {
    static let name = "checkpoint.pk"
    static let temporaryName = "checkpoint.pk.new"
    static let version: UInt16 = 1
    static let magic = Array("PorticoK".utf8)
    static let headerLength = 16
    static let footerLength = 64
    static let eventLength = 45

    /// What is known beside the blocks.
    struct Summary: Equatable {
        var head: StoreHead
        var device: DeviceCode
        /// Frames up to this one are contained.
        var lastFrame: UInt64
        /// The highest segment that there was.
        var lastSegment: UInt32
        var tickets: Int
        var conflicts: Int
        var events: Int
        var refusals: [Int64: EventIndex.Refusal]
    }

    /// Where the parts of a file stand.
    struct Footer: Equatable {
        var indexOffset: Int64
        var indexLength: UInt32
        var summaryLength: UInt32
        var ledgerBlocks: UInt32
        var eventBlocks: UInt32
        var sum: UInt32

        var encoded: [UInt8] {
            var writer = ByteWriter()
            writer.put(indexOffset)
            writer.put(indexLength)
            writer.put(summaryLength)
            writer.put(ledgerBlocks)
            writer.put(eventBlocks)
            writer.put(sum)
            writer.bytes += [UInt8](repeating: 0, count: 20)
            writer.put(Checkpoint.version)
            writer.put(UInt16(0))
            writer.put(CRC32C.checksum(writer.bytes))
            return writer.bytes + Checkpoint.magic
        }

        /// Takes a footer apart whose checksum holds; nil for anything else.
        init?(_ bytes: [UInt8]) {
            guard bytes.count == Checkpoint.footerLength, bytes.suffix(8).elementsEqual(Checkpoint.magic) else {
                return nil
            }
            let footer = bytes.withUnsafeBytes { bytes -> Footer? in
                do throws(Malformed) { return try Footer(checked: bytes) } catch { return nil }
            }
            guard let footer else { return nil }
            self = footer
        }

        private init(checked bytes: UnsafeRawBufferPointer) throws(Malformed) {
            var reader = ByteReader(bytes)
            indexOffset = try reader.integer()
            indexLength = try reader.integer()
            summaryLength = try reader.integer()
            ledgerBlocks = try reader.integer()
            eventBlocks = try reader.integer()
            sum = try reader.integer()
            var end = ByteReader(bytes, at: 52)
            let expected: UInt32 = try end.integer()
            guard indexOffset >= 0, CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<52])) == expected else {
                throw Malformed()
            }
        }

        init(
            indexOffset: Int64, indexLength: UInt32, summaryLength: UInt32, ledgerBlocks: UInt32,
            eventBlocks: UInt32, sum: UInt32
        ) {
            self.indexOffset = indexOffset
            self.indexLength = indexLength
            self.summaryLength = summaryLength
            self.ledgerBlocks = ledgerBlocks
            self.eventBlocks = eventBlocks
            self.sum = sum
        }
    }
}

extension Checkpoint.Summary {
    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.put(device.high)
        writer.put(device.low)
        writer.put(head.nextSequence)
        writer.put(lastFrame)
        writer.put(lastSegment)
        writer.put(Int64(tickets))
        writer.put(Int64(conflicts))
        writer.put(Int64(events))
        writer.put(head.clock != nil)
        if let clock = head.clock { writer.put(clock) }
        writer.put(head.mark != nil)
        if let mark = head.mark { writer.put(mark.milliseconds) }
        writer.put(head.cursor != nil)
        if let cursor = head.cursor { writer.putCounted(cursor) }
        writer.put(UInt32(refusals.count))
        for (sequence, refusal) in refusals.sorted(by: { $0.key < $1.key }) {
            writer.put(sequence)
            writer.putCounted(refusal.code)
            writer.putCounted(refusal.message)
        }
        return writer.bytes
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(Malformed) {
        var reader = ByteReader(bytes)
        device = DeviceCode(high: try reader.integer(), low: try reader.integer())
        head = StoreHead(deviceID: device.identifier, nextSequence: try reader.integer())
        lastFrame = try reader.integer()
        lastSegment = try reader.integer()
        guard head.nextSequence >= 1, head.nextSequence < .max, lastFrame <= Frame.lastNumber else {
            throw Malformed()
        }
        tickets = Int(try reader.integer(Int64.self))
        conflicts = Int(try reader.integer(Int64.self))
        events = Int(try reader.integer(Int64.self))
        if try reader.flag() { head.clock = try reader.clockAnchor() }
        if try reader.flag() { head.mark = Instant(milliseconds: try reader.integer()) }
        if try reader.flag() { head.cursor = try reader.countedText() }
        refusals = [:]
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let sequence: Int64 = try reader.integer()
            refusals[sequence] = EventIndex.Refusal(
                code: try reader.countedText(), message: try reader.countedText())
        }
    }
}

extension ByteWriter {
    mutating func put(_ slot: EventSlot) {
        put(slot.id)
        put(slot.sequence)
        put(slot.scannedAt)
        put(slot.segment)
        put(slot.offset)
        put(slot.repeats)
        put(slot.state.rawValue)
    }
}

extension ByteReader {
    mutating func eventSlot() throws(Malformed) -> EventSlot {
        let id = try eventID()
        let sequence: Int64 = try integer()
        let scannedAt: Int64 = try integer()
        let segment: UInt32 = try integer()
        let offset: UInt32 = try integer()
        let repeats: UInt32 = try integer()
        guard let state = EventSlot.State(rawValue: try integer()) else { throw Malformed() }
        return EventSlot(
            id: id, sequence: sequence, scannedAt: scannedAt, segment: segment, offset: offset, repeats: repeats,
            state: state)
    }
}
