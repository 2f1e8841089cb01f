#if Curl && os(Linux)
import Portico

/// The status and fields of the final response, from the lines that libcurl hands over one by one.
///
/// Informational responses (RFC 9110 §15.2) come before it and are forgotten; trailers come after it and are dropped.
struct ResponseHead {
    /// The most that all lines of one answer may have, in bytes; libcurl limits only each line.
    static let maximumBytes = 256 << 10

    /// The status, 0 before the first status line.
    private(set) var status = 0
    /// The fields, in order, repeated ones apart.
    private(set) var fields: [HTTPField] = []
    /// Whether the head of a final response is whole.
    var isWhole: Bool { state == .whole }

    private enum State {
        case statusLine
        case fieldLines
        case whole
    }

    private var state = State.statusLine
    private var received = 0

    /// Takes one line, with its line end.
    ///
    /// - Throws: `protocolViolation` for what is no head, for a switch of protocols, which nobody asked for, and for
    ///   more than `maximumBytes` in all, informational responses and trailers included.
    mutating func receive(_ bytes: [UInt8]) throws(NetworkError) {
        received += bytes.count
        guard received <= Self.maximumBytes else {
            throw .protocolViolation("the response has more than \(Self.maximumBytes) bytes of fields")
        }
        let line = bytes[..<(bytes.lastIndex { $0 != 0x0D && $0 != 0x0A }.map { $0 + 1 } ?? 0)]
        switch state {
        case .statusLine:
            status = try Self.status(of: line)
            fields = []
            state = .fieldLines
        case .fieldLines where line.isEmpty:
            guard status != 101 else { throw .protocolViolation("the server switched protocols unasked") }
            state = status < 200 ? .statusLine : .whole
        case .fieldLines:
            try takeField(line)
        case .whole:
            break
        }
    }

    /// `HTTP/1.1 200 OK` (RFC 9112 §4).
    private static func status(of line: ArraySlice<UInt8>) throws(NetworkError) -> Int {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: true)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
            parts[1].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { throw .protocolViolation("the response has no status line") }
        let status = parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard status >= 100 else { throw .protocolViolation("the response's status is below 100") }
        return status
    }

    private mutating func takeField(_ line: ArraySlice<UInt8>) throws(NetworkError) {
        if let first = line.first, first == 0x20 || first == 0x09 {
            // An obsolete line folding stands for one space (RFC 9112 §5.2).
            guard let last = fields.indices.last else { throw .protocolViolation("the response begins with a fold") }
            fields[last].value += " " + Self.text(line)
            return
        }
        guard let colon = line.firstIndex(of: 0x3A) else {
            throw .protocolViolation("the response has a field line without a colon")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        guard name.isToken else { throw .protocolViolation("the response has a field whose name is no token") }
        fields.append(HTTPField(name: name, value: Self.text(line[(colon + 1)...])))
    }

    /// The bytes as text, without the white space around them.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
#endif
