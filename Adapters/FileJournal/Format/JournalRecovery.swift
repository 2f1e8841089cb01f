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

    /// Recovers a whole segment, header and contents, as opening does; the number of changes that it holds.
    ///
    /// For tests that feed arbitrary bytes: nil where the beginning is no header.
    package static func changes(in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard case .header(let header) = SegmentHeader.read(bytes) else { return nil }
            let recovery = JournalRecovery(bytes, from: SegmentHeader.length, salt: header.salt)
            return recovery.frames.reduce(0) { sum, frame in
                let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payload])
                do throws(Malformed) {
                    return sum + (try Transaction(decoding: payload, withBodies: true).operations.count)
                } catch {
                    // A frame whose content is of no known kind is set aside, as a damaged one.
                    return sum
                }
            }
        }
    }
}
