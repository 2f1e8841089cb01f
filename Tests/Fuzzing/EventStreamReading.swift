import Portico

@testable import PorticoInbox

/// The event stream's grammar and rules as the specification tells them (WHATWG HTML §9.2.5, §9.2.6): the whole stream at
/// once, decoded first and split into lines after it. Slow and obvious; the parser is held against it.
struct ReferenceEventStream {
    private(set) var events: [ServerSentEvent] = []
    private(set) var lastEventID = ""
    private(set) var retry: Int64?

    private var data = ""
    private var type = ""
    private var idBuffer = ""

    init(_ bytes: [UInt8]) {
        // UTF-8 decode: one leading byte-order mark goes, what is not UTF-8 is replaced.
        var scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var line: [Unicode.Scalar] = []
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            guard scalar == "\r" || scalar == "\n" else {
                line.append(scalar)
                continue
            }
            if scalar == "\r", index < scalars.count, scalars[index] == "\n" { index += 1 }
            process(line)
            line = []
        }
        // An unterminated line is discarded with the rest of its block.
    }

    private mutating func process(_ line: [Unicode.Scalar]) {
        guard !line.isEmpty else { return dispatch() }
        guard line[0] != ":" else { return }
        guard let colon = line.firstIndex(of: ":") else { return process(field: text(line[...]), "") }
        var value = line[(colon + 1)...]
        if value.first == " " { value = value.dropFirst() }
        process(field: text(line[..<colon]), text(value))
    }

    private mutating func process(field: String, _ value: String) {
        switch field {
        case "event": type = value
        case "data": data += value + "\n"
        case "id" where !value.unicodeScalars.contains("\0"): idBuffer = value
        case "retry" where !value.isEmpty && value.unicodeScalars.allSatisfy({ "0"..."9" ~= $0 }):
            retry = Int64(value) ?? .max
        default: break
        }
    }

    private mutating func dispatch() {
        lastEventID = idBuffer
        defer {
            data = ""
            type = ""
        }
        guard !data.isEmpty else { return }
        data.unicodeScalars.removeLast()
        events.append(
            ServerSentEvent(type: type.isEmpty ? "message" : type, data: Array(data.utf8), lastEventID: lastEventID))
    }

    private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

/// An event stream in pieces, held against the reference. The first bytes say how it is cut.
enum EventStreamReading: FuzzTarget {
    static let name = "eventstream"
    /// How many bytes of an input are lengths of pieces.
    private static let lengths = 4

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let pieces = bytes.prefix(lengths).map { Int($0 % 16) + 1 }
        let stream = Array(bytes.dropFirst(lengths))
        guard !pieces.isEmpty else { return false }
        let reference = ParsedEventStream(ReferenceEventStream(stream))
        let inPieces = try ParsedEventStream(stream, pieces: pieces, limit: .max)
        try hold(inPieces == reference, "in pieces of \(pieces) it reads otherwise than the specification says")
        // With a limit it ends in an error or reads the same.
        let limit = pieces[0] * 4
        do {
            let limited = try ParsedEventStream(stream, pieces: [1], limit: limit)
            try hold(limited == reference, "below the limit it reads otherwise")
            try hold(limited.events.allSatisfy { $0.data.count <= 3 * limit }, "an event is over the limit")
        } catch is EventStreamParser.TooLarge {
            return !reference.events.isEmpty
        }
        return !reference.events.isEmpty
    }
}

/// What a parser makes of a stream that comes in pieces.
struct ParsedEventStream: Equatable {
    var events: [ServerSentEvent] = []
    var lastEventID = ""
    var retry: Int64?

    /// - Parameter pieces: Where the stream is cut: the length of each piece in turn, and from the first on again.
    init(_ bytes: [UInt8], pieces: [Int], limit: Int) throws(EventStreamParser.TooLarge) {
        var parser = EventStreamParser(maximumEvent: limit)
        var rest = bytes[...]
        var number = 0
        while !rest.isEmpty {
            let length = pieces[number % pieces.count]
            events += try parser.receive(rest.prefix(length))
            rest = rest.dropFirst(length)
            number += 1
        }
        // Text is compared as the specification decodes it, and as bytes: equality of String would merge.
        events = events.map { event in
            var event = event
            event.data = Array(String(decoding: event.data, as: UTF8.self).utf8)
            return event
        }
        lastEventID = parser.lastEventID
        retry = parser.retryMilliseconds
    }

    init(_ reference: ReferenceEventStream) {
        events = reference.events
        lastEventID = reference.lastEventID
        retry = reference.retry
    }

    static func == (left: ParsedEventStream, right: ParsedEventStream) -> Bool {
        left.retry == right.retry && left.lastEventID.hasSameBytes(as: right.lastEventID)
            && left.events.elementsEqual(right.events) { left, right in
                left.type.hasSameBytes(as: right.type) && left.data == right.data
                    && left.lastEventID.hasSameBytes(as: right.lastEventID)
            }
    }
}
