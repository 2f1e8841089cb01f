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

/// What a parser makes of a stream that comes in pieces.
struct ParsedEventStream: Equatable {
    var events: [ServerSentEvent] = []
    var lastEventID = ""
    var retry: Int64?

    /// - Parameter pieces: Where the stream is cut: the length of each piece in turn, the last one for ever.
    init(_ bytes: [UInt8], pieces: [Int], limit: Int = 1 << 20) throws {
        var parser = EventStreamParser(maximumEvent: limit)
        var rest = bytes[...]
        var number = 0
        while !rest.isEmpty {
            let length = max(1, pieces[min(number, pieces.count - 1)])
            events += try parser.receive(rest.prefix(length))
            rest = rest.dropFirst(length)
            number += 1
        }
        // Text is compared as the specification decodes it.
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
}
