/// Base 16 (RFC 4648 §8), written in lower case and read in either.
package enum Hexadecimal {
    /// Two lower-case digits a byte.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { output in
            // Two characters are written for each byte, which is the capacity.
            for (index, byte) in bytes.enumerated() {
                output[2 * index] = digit(byte >> 4)
                output[2 * index + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    /// The bytes, or nil for an odd count of digits or anything that is not one.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let upper = value(of: text[index]), let lower = value(of: text[index + 1]) else { return nil }
            bytes.append(upper << 4 | lower)
        }
        return bytes
    }

    /// As for an array of bytes, over the UTF-8 of `text`.
    package static func decode(_ text: String) -> [UInt8]? {
        decode([UInt8](text.utf8))
    }

    /// The value of one ASCII hexadecimal digit.
    @inline(__always)
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// The lower-case digit of a value below 16.
    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 + value - 10
    }
}
