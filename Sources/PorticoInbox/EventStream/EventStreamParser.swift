/// One event of a stream (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// What it is about; `message` where the server did not say.
    public var type: String
    /// The bytes of its `data` lines, joined by LF; not yet known to be UTF-8.
    public var data: [UInt8]
    /// The stream's last event id when it was dispatched; empty where there was none so far.
    public var lastEventID: String

    /// Puts an event together.
    public init(type: String = "message", data: [UInt8], lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}

/// Reads an event stream (WHATWG HTML §9.2.5 and §9.2.6) from bytes, wherever its pieces begin and end.
///
/// The fields are told apart on bytes: CR, LF and the colon mean the same in no multibyte sequence of UTF-8, so that a
/// piece may end anywhere, and what is not UTF-8 is repaired only where a field is used as text. The bytes of `data` go
/// straight where the event keeps them; time and memory are linear in what arrives.
///
/// ```swift
/// var parser = EventStreamParser(maximumEvent: 1 << 20)
/// for event in try parser.receive(Array("id: 7\ndata: hello\n\n".utf8)[...]) {
///     print(event.lastEventID, String(decoding: event.data, as: UTF8.self))  // 7 hello
/// }
/// ```
public struct EventStreamParser: Sendable {
    /// An event that is longer than the limit, in bytes.
    public struct TooLarge: Error, Sendable, Hashable {
        /// The most bytes of a line's name and value, and of the `data` of an event.
        public let limit: Int
    }

    /// Where in a line the next byte is.
    private enum Place {
        /// Within the name of a field, or before the first byte of the line.
        case name
        /// Directly after the colon, where one space is passed over.
        case colon
        /// Within the value.
        case value
    }

    /// What the value of the current line is for.
    private enum Field {
        case data
        case kept
        case ignored
    }

    /// How many bytes of a field's name are looked at: none that matters is longer.
    private static let longestName = 5

    private let maximumEvent: Int
    private var place = Place.name
    private var field = Field.ignored
    private var name: [UInt8] = []
    private var isLineEmpty = true
    /// The value of a line that is neither `data` nor of no interest.
    private var value: [UInt8] = []
    private var data: [UInt8] = []
    private var type: [UInt8] = []
    private var idBuffer: [UInt8] = []
    private var followsCR = false
    /// How much of a byte-order mark the stream began with so far; nil once that is settled.
    private var markLength: Int? = 0

    /// The id that the last dispatched block left, to be sent as `Last-Event-ID` when the connection is made anew.
    public private(set) var lastEventID = ""
    /// What the server wants a client to wait before it connects again, in milliseconds; nil where it did not say.
    public private(set) var retryMilliseconds: Int64?

    /// A parser at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - maximumEvent: The most bytes that the data of an event, or any other value, may have.
    ///   - lastEventID: The id that earlier connections of the same stream left.
    public init(maximumEvent: Int, lastEventID: String = "") {
        self.maximumEvent = maximumEvent
        self.lastEventID = lastEventID
        idBuffer = Array(lastEventID.utf8)
    }

    /// Takes a piece of the stream and gives the events that it completes.
    ///
    /// What is not complete when the stream ends is never given, as the specification asks.
    public mutating func receive(_ piece: ArraySlice<UInt8>) throws(TooLarge) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var rest = piece
        if markLength != nil { rest = passMark(rest) }
        if followsCR, let first = rest.first {
            followsCR = false
            if first == lineFeed { rest = rest.dropFirst() }
        }
        while let first = rest.first {
            if isLineEmpty, first == lineFeed || first == carriageReturn {
                // An empty line: the commonest end of a line is that of a block.
                if let event = dispatch() { events.append(event) }
                rest = afterLineEnd(rest)
                continue
            }
            isLineEmpty = false
            let end = rest.firstLineEnd ?? rest.endIndex
            try take(rest[rest.startIndex..<end])
            rest = rest[end...]
            if !rest.isEmpty {
                try endLine()
                rest = afterLineEnd(rest)
            }
        }
        return events
    }

    /// Behind CR, LF or CRLF, whose LF may be in the next piece.
    private mutating func afterLineEnd(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isCR = rest[rest.startIndex] == carriageReturn
        let next = rest.dropFirst()
        guard isCR else { return next }
        guard let first = next.first else {
            followsCR = true
            return next
        }
        return first == lineFeed ? next.dropFirst() : next
    }

    /// One byte-order mark at the very beginning is no part of the stream (§9.2.5), also where it comes in pieces.
    private mutating func passMark(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = piece
        while let length = markLength, let byte = rest.first {
            guard byte == byteOrderMark[length] else {
                markLength = nil
                // The beginning of a mark that is none belongs to the first line, whose name it makes unknown.
                if length > 0 {
                    isLineEmpty = false
                    name = Array(byteOrderMark[..<length])
                }
                return rest
            }
            rest = rest.dropFirst()
            markLength = length + 1 == byteOrderMark.count ? nil : length + 1
        }
        return rest
    }
}

// MARK: - Lines

extension EventStreamParser {
    /// Takes bytes of one line, without its end.
    private mutating func take(_ bytes: ArraySlice<UInt8>) throws(TooLarge) {
        var rest = bytes
        if place == .name {
            let colon = rest.firstIndex(of: colon) ?? rest.endIndex
            // One byte more than the longest name tells a longer one from it.
            name += rest[..<colon].prefix(Self.longestName + 1 - min(name.count, Self.longestName + 1))
            guard colon != rest.endIndex else { return }
            nameEnded()
            place = .colon
            rest = rest[(colon + 1)...]
        }
        if place == .colon, let first = rest.first {
            place = .value
            if first == space { rest = rest.dropFirst() }
        }
        guard !rest.isEmpty else { return }
        switch field {
        case .ignored: break
        case .data: try append(rest, to: &data)
        case .kept: try append(rest, to: &value)
        }
    }

    private mutating func nameEnded() {
        if name.elementsEqual(Name.data) {
            field = .data
        } else if Name.kept.contains(where: { name.elementsEqual($0) }) {
            field = .kept
        } else {
            // A comment has an empty name.
            field = .ignored
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>, to buffer: inout [UInt8]) throws(TooLarge) {
        guard bytes.count <= maximumEvent - buffer.count else { throw TooLarge(limit: maximumEvent) }
        buffer += bytes
    }

    private mutating func endLine() throws(TooLarge) {
        // A line without a colon is a field with an empty value.
        if place == .name { nameEnded() }
        switch field {
        case .data: try append([lineFeed], to: &data)
        case .kept: keep()
        case .ignored: break
        }
        place = .name
        field = .ignored
        name.removeAll(keepingCapacity: true)
        value.removeAll(keepingCapacity: true)
        isLineEmpty = true
    }

    /// Processes `event`, `id` and `retry` (§9.2.6).
    private mutating func keep() {
        if name.elementsEqual(Name.event) {
            type = value
        } else if name.elementsEqual(Name.id) {
            if !value.contains(0) { idBuffer = value }
        } else if !value.isEmpty, value.allSatisfy({ (zero...nine).contains($0) }) {
            // A number beyond the range is longer than anybody waits.
            retryMilliseconds = value.reduce(into: Int64(0)) { sum, digit in
                let (tens, overflow) = sum.multipliedReportingOverflow(by: 10)
                sum = overflow ? .max : tens.saturatingAdd(Int64(digit - zero))
            }
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        if !lastEventID.utf8.elementsEqual(idBuffer) { lastEventID = String(decoding: idBuffer, as: UTF8.self) }
        guard !data.isEmpty else {
            type = []
            return nil
        }
        // Every line of data left an LF, of which the last one separates nothing.
        data.removeLast()
        let event = ServerSentEvent(
            type: type.isEmpty ? "message" : String(decoding: type, as: UTF8.self), data: data,
            lastEventID: lastEventID)
        data = []
        type = []
        return event
    }
}

private enum Name {
    static let data = "data".utf8
    static let event = "event".utf8
    static let id = "id".utf8
    static let retry = "retry".utf8
    static let kept = [event, id, retry]
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
private let colon = UInt8(ascii: ":")
private let space = UInt8(ascii: " ")
private let zero = UInt8(ascii: "0")
private let nine = UInt8(ascii: "9")
private let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

extension Int64 {
    fileprivate func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension ArraySlice<UInt8> {
    /// Where the line ends: the first CR or LF.
    fileprivate var firstLineEnd: Int? {
        withUnsafeBufferPointer { bytes in
            // A slice has storage of its own, so the offset within it is the distance from its start.
            bytes.firstIndex { $0 == lineFeed || $0 == carriageReturn }.map { startIndex + $0 }
        }
    }
}
