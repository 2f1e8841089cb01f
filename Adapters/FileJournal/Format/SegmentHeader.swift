import Portico

/// What stands at the beginning of a segment, twice, so that damage to one copy loses nothing; zeros follow up to the
/// first frame.
///
/// ```text
/// offset  bytes
///      0      8  "PorticoJ"
///      8      2  format version, 1
///     10      2  1 where it begins with frames that it repeats, else 0
///     12      4  number of the segment
///     16      8  number of its first frame; frames before it with that number or a higher one are void
///     24      8  salt of the frames' checksums
///     32     16  device
///     48      8  sequence that the next event had
///     56      4  zero, reserved
///     60      4  CRC-32C of the 60 bytes before
/// ```
struct SegmentHeader: Equatable {
    var segment: UInt32
    /// A segment that replaces one whose last write failed begins with a number that was used there: what stands
    /// there from that number on was never acknowledged, or stands here again.
    var firstFrame: UInt64
    var salt: UInt64
    var device: DeviceCode
    /// Whether its first frames stand in an earlier segment too, where they are no longer to be trusted.
    var repeats = false
    /// Keeps sequences rising even where damage took the last events.
    var nextSequence: Int64

    static let version: UInt16 = 1
    static let copyLength = 64
    /// Frames begin here: what goes wrong with a write of the first of them stays out of the header's block.
    static let length = 4_096
    private static let magic = Array("PorticoJ".utf8)

    /// What the beginning of a file turned out to be.
    enum Reading: Equatable {
        case header(SegmentHeader)
        /// Written by a later version of the format.
        case newer(UInt16)
        /// A segment, but neither copy of its header holds.
        case damaged
        /// Nothing that this store wrote.
        case foreign
    }

    var encoded: [UInt8] {
        var copy = ByteWriter(bytes: Self.magic)
        copy.put(Self.version)
        copy.put(UInt16(repeats ? 1 : 0))
        copy.put(segment)
        copy.put(firstFrame)
        copy.put(salt)
        copy.put(device.high)
        copy.put(device.low)
        copy.put(nextSequence)
        copy.put(UInt32(0))
        copy.put(CRC32C.checksum(copy.bytes))
        return copy.bytes + copy.bytes + [UInt8](repeating: 0, count: Self.length - 2 * Self.copyLength)
    }

    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        var version: UInt16?
        for start in [0, copyLength] {
            guard bytes.count >= start + copyLength else { break }
            let copy = UnsafeRawBufferPointer(rebasing: bytes[start..<start + copyLength])
            guard copy.starts(with: magic) else { continue }
            version = UInt16(littleEndian: copy.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
            if let header = SegmentHeader(copy) { return .header(header) }
        }
        guard let version else { return bytes.allSatisfy { $0 == 0 } ? .damaged : .foreign }
        return version > Self.version ? .newer(version) : .damaged
    }

    private init?(_ copy: UnsafeRawBufferPointer) {
        let content = UnsafeRawBufferPointer(rebasing: copy[..<60])
        var reader = ByteReader(copy, at: 8)
        do throws(Malformed) {
            let version = try reader.integer(UInt16.self)
            repeats = try reader.integer(UInt16.self) == 1
            segment = try reader.integer()
            firstFrame = try reader.integer()
            salt = try reader.integer()
            device = DeviceCode(high: try reader.integer(), low: try reader.integer())
            nextSequence = try reader.integer()
            _ = try reader.integer(UInt32.self)
            guard version == Self.version, try reader.integer() == CRC32C.checksum(content),
                firstFrame >= 1, firstFrame <= Frame.lastNumber, nextSequence >= 1, nextSequence < .max
            else { return nil }
        } catch {
            return nil
        }
    }

    init(
        segment: UInt32, firstFrame: UInt64, salt: UInt64, device: DeviceCode, nextSequence: Int64,
        repeats: Bool = false
    ) {
        self.repeats = repeats
        self.segment = segment
        self.firstFrame = firstFrame
        self.salt = salt
        self.device = device
        self.nextSequence = nextSequence
    }
}

/// A store's device id: 128 random bits, shown as 32 hexadecimal digits.
struct DeviceCode: Equatable {
    var high: UInt64
    var low: UInt64

    static func random() -> DeviceCode {
        DeviceCode(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    var identifier: Identifier { Identifier(device: high, low) }
}
