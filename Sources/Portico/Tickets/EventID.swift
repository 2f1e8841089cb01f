/// The identity of a recorded event: a UUID of version 7 (RFC 9562 §5.7), 16 bytes.
public struct EventID: Sendable, Hashable {
    /// The first eight bytes, big endian.
    package let high: UInt64
    /// The last eight bytes, big endian.
    package let low: UInt64

    /// An identity made now: the time in milliseconds, then 74 random bits.
    ///
    /// - Parameters:
    ///   - instant: The time; only its 48 low bits are kept.
    ///   - random: Two words of randomness, of which 74 bits are used.
    public init(at instant: Instant, random: (UInt64, UInt64)) {
        let time = UInt64(bitPattern: instant.milliseconds) & 0xFFFF_FFFF_FFFF
        high = time << 16 | 0x7000 | random.0 & 0x0FFF
        low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
    }

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// An identity from its 16 bytes, of any version; nil for another length.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// An identity from its text of 36 characters in lower or upper case, of any version; nil for anything else.
    public init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard utf8.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt64
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = UInt64(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
            if digits < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
            digits += 1
        }
        (high, low) = words
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    /// The text: 36 characters, lower case.
    public var text: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            // 36 bytes are written into a buffer of at least 36, all of them ASCII.
            var position = 0
            for nibble in 0..<32 {
                if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = nibble < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(nibble & 15))) & 15
                buffer[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                position += 1
            }
            return position
        }
    }
}

extension EventID: Comparable {
    /// Orders by bytes, and so by the time in which the identities were made.
    public static func < (lhs: EventID, rhs: EventID) -> Bool {
        lhs.high == rhs.high ? lhs.low < rhs.low : lhs.high < rhs.high
    }
}

extension EventID: CustomStringConvertible {
    /// The text: 36 characters, lower case.
    public var description: String { text }
}
