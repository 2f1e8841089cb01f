/// Cuts a stream of bytes into lines, wherever the pieces of the stream begin and end.
///
/// A line ends with CR, LF or CRLF: readers that type send their Enter as any of the three. An empty line is no
/// sighting, since readers that send two Enters would make one after each code; it counts in the numbers all the same.
/// Of a line longer than 16 KiB the first 16 KiB are given as soon as that is clear, and the rest is passed over, so
/// that a stream without line ends costs no memory. A code is at most 2,953 bytes.
package struct LineSplitter {
    /// A line with something in it.
    package struct Line: Sendable, Hashable {
        /// Its number, counted from 1.
        package let number: Int
        /// Its bytes, without its end.
        package let bytes: [UInt8]
    }

    /// The most bytes that are kept of a line.
    package static let longestLine = 16_384

    private var line: [UInt8] = []
    private var number = 1
    private var isPassingOver = false
    private var endedWithCR = false

    package init() {}

    /// Whether a line has begun that has not ended.
    package var isInsideLine: Bool { isPassingOver || !line.isEmpty }

    /// Takes a piece of the stream and gives the lines that it completes.
    package mutating func receive(_ piece: ArraySlice<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = piece
        while let byte = rest.first {
            switch byte {
            case carriageReturn, lineFeed:
                rest.removeFirst()
                // The LF of a CRLF, which may come in another piece than its CR.
                if byte == lineFeed && endedWithCR {
                    endedWithCR = false
                    continue
                }
                if !line.isEmpty { lines.append(Line(number: number, bytes: line)) }
                endedWithCR = byte == carriageReturn
                line.removeAll(keepingCapacity: true)
                isPassingOver = false
                number += 1
            default:
                endedWithCR = false
                let end = rest.firstIndex { $0 == carriageReturn || $0 == lineFeed } ?? rest.endIndex
                if let overlong = take(rest[..<end]) { lines.append(overlong) }
                rest = rest[end...]
            }
        }
        return lines
    }

    /// The stream has ended: the last line, where nothing ended it.
    package mutating func finish() -> Line? {
        defer { line.removeAll() }
        return line.isEmpty ? nil : Line(number: number, bytes: line)
    }

    /// Adds to the line; gives its beginning once more than that has come.
    private mutating func take(_ bytes: ArraySlice<UInt8>) -> Line? {
        guard !isPassingOver else { return nil }
        let room = Self.longestLine - line.count
        line += bytes.prefix(room)
        guard bytes.count > room else { return nil }
        defer { line.removeAll() }
        isPassingOver = true
        return Line(number: number, bytes: line)
    }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
