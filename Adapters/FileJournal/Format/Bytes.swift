import Portico

/// What does not decode: the checksum held, but the content is none that this format has.
struct Malformed: Error {}

/// Builds bytes; integers are little endian.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func put<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    /// A length of 32 bits, then the bytes.
    mutating func putCounted(_ content: [UInt8]) {
        put(UInt32(content.count))
        bytes.append(contentsOf: content)
    }

    /// A length of 32 bits, then UTF-8.
    mutating func putCounted(_ text: String) {
        putCounted(Array(text.utf8))
    }

    mutating func put(_ id: EventID) {
        put(id.high)
        put(id.low)
    }

    /// A length of 8 bits, then the bytes: an identifier has at most 128.
    mutating func put(_ identifier: Identifier) {
        put(UInt8(identifier.utf8.count))
        bytes.append(contentsOf: identifier.utf8)
    }

    mutating func put(_ key: TicketKey) {
        put(key.event)
        put(key.ticket)
    }
}

/// Takes bytes apart; each step is checked against what is left, so that any input is safe.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var remaining: Int { bytes.count - position }

    mutating func skip(_ count: Int) throws(Malformed) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw Malformed() }
        defer { position += count }
        return position..<position + count
    }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(Malformed) -> Value {
        let range = try skip(MemoryLayout<Value>.size)
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: Value.self))
    }

    mutating func flag() throws(Malformed) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw Malformed()
        }
    }

    /// The range of what `putCounted` wrote, without its length.
    mutating func countedRange() throws(Malformed) -> Range<Int> {
        try skip(Int(try integer(UInt32.self)))
    }

    mutating func counted() throws(Malformed) -> [UInt8] {
        Array(bytes[try countedRange()])
    }

    mutating func countedText() throws(Malformed) -> String {
        let range = try countedRange()
        let text = String(decoding: bytes[range], as: UTF8.self)
        // Decoding repairs what is not UTF-8; bytes that came back changed were not.
        guard text.utf8.count == range.count, text.utf8.elementsEqual(bytes[range]) else { throw Malformed() }
        return text
    }

    mutating func eventID() throws(Malformed) -> EventID {
        EventID(high: try integer(), low: try integer())
    }

    mutating func identifier() throws(Malformed) -> Identifier {
        let range = try skip(Int(try integer(UInt8.self)))
        guard let identifier = Identifier(utf8: Array(bytes[range])) else { throw Malformed() }
        return identifier
    }

    mutating func ticketKey() throws(Malformed) -> TicketKey {
        TicketKey(event: try identifier(), ticket: try identifier())
    }
}
