import Portico

@testable import PorticoFileJournal

/// All that reads a journal's bytes.
///
/// The first byte says what follows: a segment; a frame's content; contents to be framed and then damaged; the closing
/// parts of a checkpoint. Checksums keep chance away from what stands behind them, so only the first goes through them.
enum JournalReading: FuzzTarget {
    static let name = "journal"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        guard let mode = bytes.first else { return false }
        let rest = Array(bytes.dropFirst())
        switch mode % 4 {
        case 0: return try segment(rest)
        case 1: return try content(rest)
        case 2: return try damage(rest)
        default: return try checkpoint(rest)
        }
    }

    // MARK: Segments

    private static func segment(_ bytes: [UInt8]) throws -> Bool {
        try bytes.withUnsafeBytes { bytes in
            guard case .header(let header) = SegmentHeader.read(bytes) else {
                _ = try frames(bytes, from: 0, salt: 0)
                return false
            }
            let copy = header.encoded.withUnsafeBytes { SegmentHeader.read($0) }
            try hold(copy == .header(header), "a header reads otherwise once written")
            return try !frames(bytes, from: SegmentHeader.length, salt: header.salt).isEmpty
        }
    }

    /// The frames that recovery finds; with damage and tail they are all there is, each as it was written.
    private static func frames(_ bytes: UnsafeRawBufferPointer, from start: Int, salt: UInt64) throws -> [Frame] {
        let recovery = JournalRecovery(bytes, from: start, salt: salt)
        var pieces = recovery.frames.map(\.range) + recovery.damaged
        pieces.sort { $0.lowerBound < $1.lowerBound }
        pieces.append(recovery.tail)
        var position = min(start, bytes.count)
        for piece in pieces {
            try hold(piece.lowerBound == position && piece.upperBound <= bytes.count, "a byte is missed or read twice")
            position = piece.upperBound
        }
        try hold(position == bytes.count, "the end is missed")
        for frame in recovery.frames {
            var written: [UInt8] = []
            Frame.append(Array(bytes[frame.payload]), number: frame.number, salt: salt, to: &written)
            // The reserved word is another version's to use: it is checked by the sum alone.
            let isReserved = bytes[frame.range][(frame.range.lowerBound + 16)..<(frame.range.lowerBound + 20)]
                .contains { $0 != 0 }
            try hold(isReserved || written.elementsEqual(bytes[frame.range]), "a frame is written otherwise")
            _ = try content(Array(bytes[frame.payload]))
        }
        return recovery.frames
    }

    private static func content(_ bytes: [UInt8]) throws -> Bool {
        try bytes.withUnsafeBytes { raw in
            let transaction = Self.transaction(raw, withBodies: true)
            let index = Self.transaction(raw, withBodies: false)
            try hold(
                index?.operations.count == transaction?.operations.count, "without bodies it has other operations")
            guard let transaction else { return false }
            try hold(transaction.encoded == bytes, "a transaction is written otherwise")
            return !transaction.operations.isEmpty
        }
    }

    private static func transaction(_ bytes: UnsafeRawBufferPointer, withBodies: Bool) -> Transaction? {
        do throws(Malformed) {
            return try Transaction(decoding: bytes, withBodies: withBodies)
        } catch {
            return nil
        }
    }

    // MARK: Damage

    /// Frames around pieces of the input, then one stretch of damage: whatever it did not touch is found again.
    private static func damage(_ script: [UInt8]) throws -> Bool {
        guard script.count > 4 else { return false }
        let salt: UInt64 = 0x5A17_5A17_5A17_5A17
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        var rest = script[4...]
        while let length = rest.popFirst() {
            let piece = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            let start = bytes.count
            Frame.append(piece, number: UInt64(ranges.count) + 1, salt: salt, to: &bytes)
            ranges.append(start..<bytes.count)
        }
        let place = (Int(script[0]) << 8 | Int(script[1])) % max(bytes.count, 1)
        let damage: Range<Int>
        switch script[2] % 4 {
        case 0:
            bytes = Array(bytes[..<place])
            damage = place..<Int.max
        case 1:
            damage = place..<min(bytes.count, place + 1 + Int(script[3]))
            for index in damage { bytes[index] = 0 }
        case 2:
            damage = place..<min(bytes.count, place + 1)
            for index in damage { bytes[index] ^= script[3] | 1 }
        default:
            bytes += [UInt8](repeating: script[3], count: place)
            damage = Int.max - 1..<Int.max
        }
        let found = try bytes.withUnsafeBytes { try frames($0, from: 0, salt: salt) }
        let numbers = Dictionary(uniqueKeysWithValues: found.map { ($0.range, $0.number) })
        for (index, range) in ranges.enumerated() where !range.overlaps(damage) {
            try hold(numbers[range] == UInt64(index) + 1, "an undamaged frame is not found")
        }
        return !found.isEmpty
    }

    // MARK: Checkpoints

    private static func checkpoint(_ bytes: [UInt8]) throws -> Bool {
        if let footer = Checkpoint.Footer(bytes) {
            try hold(Checkpoint.Footer(footer.encoded) == footer, "a footer reads otherwise once written")
        }
        return try bytes.withUnsafeBytes { raw in
            let summary: Checkpoint.Summary
            do throws(Malformed) {
                summary = try Checkpoint.Summary(decoding: raw)
            } catch {
                return false
            }
            let again = try summary.encoded.withUnsafeBytes { try Checkpoint.Summary(decoding: $0) }
            try hold(again == summary, "a summary reads otherwise once written")
            return true
        }
    }
}
