import Portico

/// One transaction as it stands in a segment: all of it counts, or none.
///
/// ```text
/// offset  bytes
///      0      4  magic F5 50 4A FF: F5 and FF occur in no UTF-8 text, so no event's text contains it
///      4      4  length of the payload
///      8      8  number: 1 for the first frame of a store, then one more each
///     16      4  zero, reserved
///     20      4  CRC-32C of the segment's salt and of the 20 bytes before
///     24      n  payload
///   24+n      4  CRC-32C of the payload, continuing the one above
/// ```
///
/// The header has a checksum of its own, so that a damaged length is seen before it is believed and a search for the
/// next good frame passes over each byte once. The salt is random for each segment: bytes that were left over from
/// another file, or that somebody had recorded as data, are no frames.
struct Frame: Equatable {
    /// Its place among all frames of the store.
    var number: UInt64
    /// All of it.
    var range: Range<Int>
    /// What it carries.
    var payload: Range<Int> { range.lowerBound + Frame.headerLength..<range.upperBound - Frame.trailerLength }

    static let magic: [UInt8] = [0xF5, 0x50, 0x4A, 0xFF]
    static let headerLength = 24
    static let trailerLength = 4
    static let overhead = headerLength + trailerLength
    /// Offsets in a segment have 32 bits; a transaction has to leave room for others.
    static let longestPayload = 1 << 30

    /// No store comes near it, and counting on from it is safe.
    static let lastNumber = UInt64(1) << 62

    /// Appends a frame around a payload.
    static func append(_ payload: [UInt8], number: UInt64, salt: UInt64, to bytes: inout [UInt8]) {
        var header = ByteWriter()
        header.bytes.reserveCapacity(headerLength)
        header.bytes += magic
        header.put(UInt32(payload.count))
        header.put(number)
        header.put(UInt32(0))
        let sum = CRC32C.checksum(header.bytes, continuing: seed(salt))
        header.put(sum)
        bytes.reserveCapacity(bytes.count + overhead + payload.count)
        bytes += header.bytes
        bytes += payload
        withUnsafeBytes(of: CRC32C.checksum(payload, continuing: sum).littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// The length of the frame whose header stands at `offset`; nil where none does.
    static func length(at offset: Int, in bytes: UnsafeRawBufferPointer, salt: UInt64) -> Int? {
        guard offset >= 0, offset <= bytes.count - headerLength, isMagic(at: offset, in: bytes) else { return nil }
        let header = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + headerLength - 4])
        guard CRC32C.checksum(header, continuing: seed(salt)) == word(at: offset + 20, in: bytes) else { return nil }
        return Int(word(at: offset + 4, in: bytes)) + overhead
    }

    /// The frame that stands at `offset`, whole and undamaged; nil where none does.
    static func read(at offset: Int, in bytes: UnsafeRawBufferPointer, salt: UInt64) -> Frame? {
        guard let length = length(at: offset, in: bytes, salt: salt), length <= bytes.count - offset else {
            return nil
        }
        let number = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        guard number >= 1, number <= lastNumber else { return nil }
        let frame = Frame(number: number, range: offset..<offset + length)
        let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payload])
        let sum = CRC32C.checksum(payload, continuing: word(at: offset + 20, in: bytes))
        return sum == word(at: frame.payload.upperBound, in: bytes) ? frame : nil
    }

    /// Where the next magic stands, from `offset` on; nil where none does.
    static func nextMagic(from offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        var position = offset
        while position <= bytes.count - magic.count {
            if isMagic(at: position, in: bytes) { return position }
            position += 1
        }
        return nil
    }

    private static func isMagic(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        bytes[offset] == 0xF5 && bytes[offset + 1] == 0x50 && bytes[offset + 2] == 0x4A && bytes[offset + 3] == 0xFF
    }

    /// Callers have checked that four bytes stand at `offset`.
    private static func word(at offset: Int, in bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    private static func seed(_ salt: UInt64) -> UInt32 {
        withUnsafeBytes(of: salt.littleEndian) { CRC32C.checksum($0) }
    }
}
