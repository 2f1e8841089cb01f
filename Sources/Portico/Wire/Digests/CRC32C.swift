/// CRC-32C, the Castagnoli polynomial in its reflected form (RFC 3720 §12.1).
///
/// It finds accidents, not people.
package struct CRC32C {
    /// The checksum of `bytes`; `previous` is the checksum of what came before them, so that a long record can be
    /// summed in parts.
    package static func checksum(_ bytes: [UInt8], continuing previous: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, continuing: previous) }
    }

    /// As for an array of bytes.
    package static func checksum(_ bytes: ArraySlice<UInt8>, continuing previous: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, continuing: previous) }
    }

    /// As for an array of bytes.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing previous: UInt32 = 0) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var sum = ~previous
            var index = 0
            // The condition keeps the eight bytes inside the buffer; each table has an entry for every byte value.
            while index &+ 8 <= bytes.count {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(sum)
                sum = 0
                for lane in 0..<8 {
                    let byte = Int(word &>> UInt64(8 &* lane) & 0xFF)
                    sum ^= tables[(7 &- lane) &* 256 &+ byte]
                }
                index &+= 8
            }
            while index < bytes.count {
                sum = (sum &>> 8) ^ tables[Int((sum ^ UInt32(bytes[index])) & 0xFF)]
                index &+= 1
            }
            return ~sum
        }
    }

    /// Eight tables of 256: the n-th moves a byte past n more bytes of zeros, so that eight are taken at once.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var sum = UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0x82F6_3B78 }
            tables[byte] = sum
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = shorter >> 8 ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()
}
