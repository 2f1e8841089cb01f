/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5), canonical only (§3.5).
package enum Base64URL {
    /// The bytes that `text` stands for, or nil where `text` is not what `encode` would write for them: a foreign
    /// character, padding, a length of 4n + 1, or unused bits that are not zero.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBufferPointer { decode($0) }
    }

    /// As for an array of bytes.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        text.withUnsafeBufferPointer { decode($0) }
    }

    /// As for an array of bytes, over the UTF-8 of `text`.
    package static func decode(_ text: String) -> [UInt8]? {
        text.withUTF8Bytes { decode($0) }
    }

    /// As for an array of bytes.
    package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let whole = text.count & ~3
        let rest = text.count & 3
        guard rest != 1 else { return nil }
        let size = whole / 4 * 3 + (rest == 0 ? 0 : rest - 1)
        var isValid = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            isValid = values.withUnsafeBufferPointer { table in
                fill(output, from: text, whole: whole, table: table)
            }
            // A refused text may leave bytes unwritten, and then none are claimed.
            count = isValid ? size : 0
        }
        return isValid ? bytes : nil
    }

    /// Whether every byte is a character of the alphabet.
    package static func isInAlphabet(_ text: ArraySlice<UInt8>) -> Bool {
        values.withUnsafeBufferPointer { table in
            // The table has an entry for every byte; only that of a foreign one has its upper bits set.
            text.reduce(0) { seen, byte in seen | table[Int(byte)] } < 64
        }
    }

    /// The canonical text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        let rest = bytes.count % 3
        let size = bytes.count / 3 * 4 + (rest == 0 ? 0 : rest + 1)
        return String(unsafeUninitializedCapacity: size) { output in
            var read = 0
            var write = 0
            // Every write stays below `size`: four characters for three bytes, and rest + 1 for the rest.
            while read + 3 <= bytes.count {
                let word = Int(bytes[read]) << 16 | Int(bytes[read + 1]) << 8 | Int(bytes[read + 2])
                output[write] = alphabet[word >> 18]
                output[write + 1] = alphabet[word >> 12 & 63]
                output[write + 2] = alphabet[word >> 6 & 63]
                output[write + 3] = alphabet[word & 63]
                read += 3
                write += 4
            }
            if rest == 1 {
                output[write] = alphabet[Int(bytes[read] >> 2)]
                output[write + 1] = alphabet[Int(bytes[read] & 3) << 4]
            } else if rest == 2 {
                let word = Int(bytes[read]) << 8 | Int(bytes[read + 1])
                output[write] = alphabet[word >> 10]
                output[write + 1] = alphabet[word >> 4 & 63]
                output[write + 2] = alphabet[(word & 15) << 2]
            }
            return size
        }
    }

    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte as a character of the alphabet, 255 for a foreign one.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    /// Decodes into `output`, whose capacity is the decoded size of `text`; false where `text` is not canonical.
    private static func fill(
        _ output: UnsafeMutableBufferPointer<UInt8>, from text: UnsafeBufferPointer<UInt8>, whole: Int,
        table: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // Reads end at text.count and the table has an entry for every byte; writes are three for four characters and
        // rest - 1 for the rest, which is the capacity.
        var write = 0
        var seen: UInt8 = 0
        var read = 0
        while read < whole {
            let first = table[Int(text[read])]
            let second = table[Int(text[read &+ 1])]
            let third = table[Int(text[read &+ 2])]
            let fourth = table[Int(text[read &+ 3])]
            seen |= first | second | third | fourth
            output[write] = first << 2 | second >> 4
            output[write &+ 1] = second << 4 | third >> 2
            output[write &+ 2] = third << 6 | fourth
            read &+= 4
            write &+= 3
        }
        if whole < text.count {
            let first = table[Int(text[whole])]
            let second = table[Int(text[whole &+ 1])]
            seen |= first | second
            output[write] = first << 2 | second >> 4
            if text.count &- whole == 3 {
                let third = table[Int(text[whole &+ 2])]
                seen |= third
                output[write &+ 1] = second << 4 | third >> 2
                guard third & 0x03 == 0 else { return false }
            } else {
                guard second & 0x0F == 0 else { return false }
            }
        }
        // Values of the alphabet are below 64; only a foreign character sets the upper bits.
        return seen < 64
    }
}
