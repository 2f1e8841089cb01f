extension String {
    /// Gives `body` the UTF-8 bytes of this text, without a copy where the text is stored natively.
    @inline(__always)
    package func withUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        // withUTF8 is mutating only because it may make the storage contiguous; the copy shares the storage.
        var text = self
        return text.withUTF8(body)
    }

    /// Whether both texts are the same bytes.
    ///
    /// `==` is not that: it merges canonically equivalent texts.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withUTF8Bytes { left in
            other.withUTF8Bytes { right in
                for index in 0..<left.count where left[index] != right[index] { return false }
                return true
            }
        }
    }
}

/// A text that is equal to another when their UTF-8 bytes are: a key for names, of which `String` merges those that
/// only look alike.
package struct ByteComparedText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ByteComparedText, right: ByteComparedText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.withUTF8Bytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No UTF-8 text holds this byte: it keeps the ends of neighbours apart.
        hasher.combine(UInt8(0xFF))
    }
}

/// The words of eight bytes in which texts are searched.
enum ByteLanes {
    static let high: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let quotes: UInt64 = 0x2222_2222_2222_2222
    private static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C
    private static let spaces: UInt64 = 0x2020_2020_2020_2020

    /// The first index from `start` whose byte is a quote, a reverse solidus, a control character below U+0020 or has a
    /// bit of `also` set; the count if there is none.
    ///
    /// A subtraction borrows only above a lane that matched, so the lowest marked lane is always a true match.
    @inline(__always)
    static func firstSpecial(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, also: UInt64) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        let count = bytes.count
        var index = start
        while index &+ 8 <= count {
            // The loop's condition keeps all eight bytes inside the buffer.
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quote = word ^ quotes
            let backslash = word ^ backslashes
            let marks =
                (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- spaces) & ~word)) & high
                | (word & also)
            if marks != 0 { return index &+ marks.trailingZeroBitCount / 8 }
            index &+= 8
        }
        let alsoByte = UInt8(truncatingIfNeeded: also)
        while index < count {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte & alsoByte != 0 { return index }
            index &+= 1
        }
        return count
    }
}
