import Portico

/// A document as it stands in its file.
///
/// ```text
/// offset  bytes
///      0      8  "PorticoD"
///      8      2  format version, 1
///     10      1  1 where there is a document, 0 where it was removed
///     11      1  length of the name
///     12      8  revision
///     20      8  length of the document
///     28      4  CRC-32C of the document
///     32      n  name
///   32+n      4  CRC-32C of all before
///   36+n         document
/// ```
///
/// A removed document leaves its header behind: the next one of that name goes on from its revision.
struct DocumentFile: Equatable {
    /// What stands before the document.
    struct Header: Equatable {
        var isPresent: Bool
        var revision: UInt64
        var length: UInt64
        var sum: UInt32
        var name: [UInt8]

        var encodedLength: Int { DocumentFile.fixedLength + name.count + 4 }
    }

    enum Unreadable: Error, Equatable {
        /// Written by a later version of the format.
        case newer(UInt16)
        /// Not what a store wrote.
        case damaged
    }

    static let version: UInt16 = 1
    static let fixedLength = 32
    /// A header has at most that many bytes: names have at most 128.
    static let longestHeader = fixedLength + 128 + 4
    private static let magic = Array("PorticoD".utf8)

    static func encoded(_ bytes: [UInt8]?, name: String, revision: UInt64) -> [UInt8] {
        let content = bytes ?? []
        var file = magic
        append(version, to: &file)
        file.append(bytes == nil ? 0 : 1)
        file.append(UInt8(name.utf8.count))
        append(revision, to: &file)
        append(UInt64(content.count), to: &file)
        append(CRC32C.checksum(content), to: &file)
        file += name.utf8
        append(CRC32C.checksum(file), to: &file)
        return file + content
    }

    /// The header at the beginning of a file.
    static func header(_ bytes: [UInt8]) throws(Unreadable) -> Header {
        guard bytes.starts(with: magic), bytes.count >= fixedLength else { throw .damaged }
        let version: UInt16 = integer(bytes, at: 8)
        guard version == Self.version else { throw version > Self.version ? .newer(version) : .damaged }
        let end = fixedLength + Int(bytes[11])
        guard bytes.count >= end + 4, bytes[10] <= 1, CRC32C.checksum(bytes[..<end]) == integer(bytes, at: end) else {
            throw .damaged
        }
        return Header(
            isPresent: bytes[10] == 1, revision: integer(bytes, at: 12), length: integer(bytes, at: 20),
            sum: integer(bytes, at: 28), name: Array(bytes[fixedLength..<end]))
    }

    /// The document of a whole file; nil where it was removed.
    static func document(_ bytes: [UInt8]) throws(Unreadable) -> Document? {
        let header = try header(bytes)
        let content = bytes[header.encodedLength...]
        guard UInt64(content.count) == header.length, CRC32C.checksum(content) == header.sum else { throw .damaged }
        return header.isPresent ? Document(bytes: Array(content), revision: header.revision) : nil
    }

    private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Callers have checked that enough bytes stand at `offset`.
    private static func integer<Value: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int) -> Value {
        bytes.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self)) }
    }
}
