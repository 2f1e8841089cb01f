import Portico
import PorticoPOSIX

/// A segment in the folder: its number, and what its header says.
struct Segment: Equatable, Sendable {
    var header: SegmentHeader
    var number: UInt32 { header.segment }
    var name: String { Segment.name(number) }

    /// Longer files are not what a store wrote; offsets in them would not fit either.
    static let longest = Int64(Frame.longestPayload) * 2

    static func name(_ number: UInt32) -> String {
        let digits = String(number)
        return "journal-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".pj"
    }

    /// Behind the name of a segment that is being begun.
    static let temporarySuffix = ".new"

    static func isTemporary(_ name: String) -> Bool {
        name.hasSuffix(temporarySuffix) && number(String(name.dropLast(temporarySuffix.count))) != nil
    }

    /// The number in a segment's name, nil for any other name.
    static func number(_ name: String) -> UInt32? {
        guard name.hasPrefix("journal-"), name.hasSuffix(".pj"),
            let number = UInt32(name.dropFirst(8).dropLast(3)), Segment.name(number) == name
        else { return nil }
        return number
    }
}

/// Reads frames back from segments, each checked; keeps a few files open and what lies near the last frame.
struct SegmentReader {
    let folder: String
    let fileSystem: any FileSystem
    private var files: [(number: UInt32, file: OpenFile)] = []
    private var window: (segment: UInt32, start: Int64, bytes: [UInt8]) = (0, 0, [])

    private static let openFiles = 8
    private static let windowLength: Int64 = 1 << 16

    init(folder: String, fileSystem: any FileSystem) {
        self.folder = folder
        self.fileSystem = fileSystem
    }

    /// The payload of the frame at an offset; nil where no whole frame stands there.
    mutating func payload(of segment: Segment, at offset: UInt32) throws(SystemError) -> [UInt8]? {
        let salt = segment.header.salt
        if let payload = cached(segment, at: offset) { return payload }
        let file = try file(segment)
        let start = Int64(offset)
        let bytes = try fileSystem.bytes(file, start..<start + Self.windowLength)
        window = (segment.number, start, bytes)
        if let payload = cached(segment, at: offset) { return payload }
        // Longer than the window, or damaged.
        guard let length = bytes.withUnsafeBytes({ Frame.length(at: 0, in: $0, salt: salt) }) else { return nil }
        let end = min(start + Int64(length), try fileSystem.size(file))
        guard end > start else { return nil }
        return Self.payload(in: try fileSystem.bytes(file, start..<end), at: 0, salt: salt)
    }

    private func cached(_ segment: Segment, at offset: UInt32) -> [UInt8]? {
        let position = Int64(offset) - window.start
        guard window.segment == segment.number, position >= 0, position < window.bytes.count else { return nil }
        return Self.payload(in: window.bytes, at: Int(position), salt: segment.header.salt)
    }

    private static func payload(in bytes: [UInt8], at offset: Int, salt: UInt64) -> [UInt8]? {
        bytes.withUnsafeBytes { bytes in
            Frame.read(at: offset, in: bytes, salt: salt).map { Array(bytes[$0.payload]) }
        }
    }

    private mutating func file(_ segment: Segment) throws(SystemError) -> OpenFile {
        if let known = files.first(where: { $0.number == segment.number }) { return known.file }
        let file = try fileSystem.open("\(folder)/\(segment.name)", .read)
        if files.count == Self.openFiles { fileSystem.close(files.removeFirst().file) }
        files.append((segment.number, file))
        return file
    }

    /// Lets go of all files.
    mutating func close() {
        for (_, file) in files { fileSystem.close(file) }
        files = []
        window = (0, 0, [])
    }
}
