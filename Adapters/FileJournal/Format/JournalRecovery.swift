/// What a segment's bytes still say: its good frames in order, what lies damaged between them, and what comes after.
///
/// Pure: bytes in, ranges out. Any bytes are safe, each is looked at a bounded number of times, and nothing is
/// allocated by a length that they claim.
package struct JournalRecovery {
    /// The good frames, as they stand in the bytes.
    private(set) var frames: [Frame] = []
    /// Damaged stretches that are followed by a good frame.
    package private(set) var damaged: [Range<Int>] = []
    /// What follows the last good frame: empty, or the torn end of a write, or zeros.
    package private(set) var tail: Range<Int>

    /// Looks through the bytes of a segment from `start` on.
    init(_ bytes: UnsafeRawBufferPointer, from start: Int, salt: UInt64) {
        var position = min(start, bytes.count)
        var damage: Int?
        while position <= bytes.count - Frame.overhead {
            if let frame = Frame.read(at: position, in: bytes, salt: salt) {
                if let first = damage { damaged.append(first..<position) }
                damage = nil
                frames.append(frame)
                position = frame.range.upperBound
            } else {
                damage = damage ?? position
                position = Frame.nextMagic(from: position + 1, in: bytes) ?? bytes.count
            }
        }
        tail = (damage ?? position)..<bytes.count
    }

    /// Puts any bytes to all that reads a segment: as a segment, as frames without a header, as the content of a good
    /// frame, and as a frame's content alone; the number of changes that were found.
    ///
    /// For tests and fuzzing.
    package static func exercise(_ bytes: [UInt8]) -> Int {
        var framed: [UInt8] = []
        Frame.append(bytes, number: 1, salt: 0, to: &framed)
        return changes(inSegment: bytes) + changes(in: bytes, from: 0, salt: 0)
            + changes(in: framed + bytes, from: 0, salt: 0) + bytes.withUnsafeBytes { changes(inPayload: $0) }
    }

    private static func changes(inSegment bytes: [UInt8]) -> Int {
        guard case .header(let header) = bytes.withUnsafeBytes({ SegmentHeader.read($0) }) else { return 0 }
        return changes(in: bytes, from: SegmentHeader.length, salt: header.salt)
    }

    private static func changes(in bytes: [UInt8], from start: Int, salt: UInt64) -> Int {
        bytes.withUnsafeBytes { bytes in
            JournalRecovery(bytes, from: start, salt: salt).frames.reduce(0) {
                $0 + changes(inPayload: UnsafeRawBufferPointer(rebasing: bytes[$1.payload]))
            }
        }
    }

    private static func changes(inPayload bytes: UnsafeRawBufferPointer) -> Int {
        do throws(Malformed) {
            return try Transaction(decoding: bytes, withBodies: true).operations.count
        } catch {
            // Content of no known kind is set aside, as a damaged frame is.
            return 0
        }
    }
}
