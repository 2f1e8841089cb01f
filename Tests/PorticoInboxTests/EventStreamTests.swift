import Portico
import Testing

@testable import PorticoInbox

@Suite("Event streams")
struct EventStreamTests {
    /// A stream and the events that it gives, each as `type|data|id`.
    struct Format: CustomStringConvertible, Sendable {
        let number: Int
        let name: String
        let stream: String
        let events: [String]

        init(_ number: Int, _ name: String, _ stream: String, _ events: [String]) {
            self.number = number
            self.name = name
            self.stream = stream
            self.events = events
        }

        var description: String { "\(number) \(name)" }
    }

    /// The format cases of the WHATWG suite, by what the specification says of each.
    static let formats: [Format] = [
        Format(1, "byte-order mark", "\u{FEFF}data: a\n\n", ["message|a|"]),
        Format(2, "second byte-order mark", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", ["message|b|"]),
        Format(3, "byte-order mark later", "data: a\n\n\u{FEFF}data: b\n\ndata: c\n\n", ["message|a|", "message|c|"]),
        Format(4, "comments", ":\n:comment\ndata: a\n: data: no\ndata: b\n:\n\n", ["message|a\nb|"]),
        Format(5, "comment with NUL", "data:1\n:\0\ndata:2\n\n", ["message|1\n2|"]),
        Format(
            6, "comment that is long", "data:1\n:\(String(repeating: "x", count: 4_096))\ndata:2\n\n", ["message|1\n2|"]
        ),
        Format(7, "data before the final empty line", "data: a\n\ndata: b", ["message|a|"]),
        Format(8, "data, one empty line", "data:\n\n", ["message||"]),
        Format(9, "data, two empty lines", "data\ndata\n\n", ["message|\n|"]),
        Format(10, "field without a colon", "data\n\n", ["message||"]),
        Format(11, "empty block", "\n\n\n", []),
        Format(12, "event without data", "event: x\n\ndata: a\n\n", ["message|a|"]),
        Format(13, "event name", "event: test\ndata: x\n\ndata: x\n\n", ["test|x|", "message|x|"]),
        Format(14, "empty event name", "event: \ndata:data\n\n", ["message|data|"]),
        Format(15, "event name twice", "event: a\nevent: b\ndata: x\n\n", ["b|x|"]),
        Format(16, "event name taken back", "event: a\nevent\ndata: x\n\n", ["message|x|"]),
        Format(
            17, "unknown fields", "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n\n",
            ["message|test\n|"]),
        Format(
            18, "names with other case and spaces", "Data: a\nDATA: b\ndata : c\n data: d\ndata:e\n\n", ["message|e|"]),
        Format(19, "leading space", "data:\ttest\rdata: \ndata:test\n\n", ["message|\ttest\n\ntest|"]),
        Format(20, "only one space goes", "data:  two\n\n", ["message| two|"]),
        Format(21, "colons in the value", "data: a: b:c\n\n", ["message|a: b:c|"]),
        Format(22, "NUL in the name", "data:a\n\0data:b\ndata\0:c\n\n", ["message|a|"]),
        Format(23, "NUL in the data", "data:\0\n\n", ["message|\0|"]),
        Format(24, "newlines of all kinds", "data:test\r\ndata\ndata:test\r\n\r\n", ["message|test\n\ntest|"]),
        Format(25, "CR alone", "data: a\r\rdata: b\r\r", ["message|a|", "message|b|"]),
        Format(26, "CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["message|a|", "message|b|"]),
        Format(27, "LF and CR are two", "data: a\n\rdata: b\n\r", ["message|a|", "message|b|"]),
        Format(
            28, "U+2028, U+2029, U+0085, FF and VT end no line", "data: a\u{2028}b\u{2029}c\u{85}d\u{0C}e\u{0B}f\n\n",
            ["message|a\u{2028}b\u{2029}c\u{85}d\u{0C}e\u{0B}f|"]),
        Format(29, "id", "id: 1\ndata: a\n\ndata: b\n\n", ["message|a|1", "message|b|1"]),
        Format(30, "id taken back", "id: 1\ndata: a\n\nid\ndata: b\n\n", ["message|a|1", "message|b|"]),
        Format(
            31, "id with NUL is ignored", "id: 1\ndata: a\n\nid: 2\u{0}x\ndata: b\n\n", ["message|a|1", "message|b|1"]),
        Format(32, "id with spaces and more", "id:  …\u{1F4A9} \ndata: a\n\n", ["message|a| …\u{1F4A9} "]),
        Format(33, "id of a block without data", "id: 7\n\ndata: a\n\n", ["message|a|7"]),
        Format(34, "id of an unterminated block is not kept", "id: 1\ndata: a\n\nid: 2\ndata: b", ["message|a|1"]),
        Format(35, "retry", "retry: 3000\ndata: a\n\n", ["message|a|"]),
        Format(
            36, "retry that is none", "retry: 3000x\nretry:-1\nretry: 1.5\nretry:\nretry: ١\ndata: a\n\n",
            ["message|a|"]),
        Format(37, "retry with leading zeros", "retry:03000\ndata:x\n\n", ["message|x|"]),
        Format(38, "UTF-8", "data: ok… é \u{1F600}\n\n", ["message|ok… é \u{1F600}|"]),
        Format(39, "a combining mark after the colon", "data:\u{301}a\n\n", ["message|\u{301}a|"]),
        Format(40, "many", String(repeating: "data: x\n\n", count: 50), Array(repeating: "message|x|", count: 50)),
    ]

    /// What a parser makes of a stream that comes in pieces.
    private struct Parsed: Equatable {
        var events: [ServerSentEvent] = []
        var lastEventID = ""
        var retry: Int64?

        /// - Parameter pieces: The length of each piece in turn, the last one for ever.
        init(_ bytes: [UInt8], pieces: [Int], limit: Int = 1 << 20) throws {
            var parser = EventStreamParser(maximumEvent: limit)
            var rest = bytes[...]
            for number in 0... {
                let length = pieces[min(number, pieces.count - 1)]
                events += try parser.receive(rest.prefix(length))
                rest = rest.dropFirst(length)
                if rest.isEmpty { break }
            }
            lastEventID = parser.lastEventID
            retry = parser.retryMilliseconds
        }
    }

    private func text(_ event: ServerSentEvent) -> String {
        "\(event.type)|\(String(decoding: event.data, as: UTF8.self))|\(event.lastEventID)"
    }

    @Test("The format cases, whole, byte by byte, and cut at every place", arguments: formats)
    func format(_ format: Format) throws {
        let bytes = Array(format.stream.utf8)
        let whole = try Parsed(bytes, pieces: [max(1, bytes.count)])
        // As bytes: String equality would merge CR LF with other things that look alike.
        #expect(whole.events.map { Array(text($0).utf8) } == format.events.map { Array($0.utf8) })
        #expect(try Parsed(bytes, pieces: [1]) == whole)
        for cut in 1..<min(bytes.count, 200) {
            #expect(try Parsed(bytes, pieces: [cut, bytes.count]) == whole, "cut at \(cut)")
        }
    }

    @Test("What a stream says of retry and of the last id is kept, and only what it says in its own form")
    func settings() throws {
        func parsed(_ stream: String) throws -> Parsed { try Parsed(Array(stream.utf8), pieces: [1]) }
        #expect(try parsed("retry: 3000\n").retry == 3_000)
        #expect(try parsed("retry: 3000").retry == nil)
        #expect(try parsed("retry: 3000x\nretry:\nretry: ٣\nretry:  5\n").retry == nil)
        #expect(try parsed("retry: 0007\nretry: 99999999999999999999999\n").retry == .max)
        #expect(try parsed("id: 1\n\nid: 2\n").lastEventID == "1")
        #expect(try parsed("id: 1\n\nid\n\n").lastEventID == "")
        var parser = EventStreamParser(maximumEvent: 100, lastEventID: "before")
        #expect(try parser.receive(Array("data: a\n\n".utf8)[...]).map(\.lastEventID) == ["before"])
    }

    @Test(
        "An event, or any line that is kept, of more than the limit ends in a typed error; one of just the limit is taken"
    )
    func limit() throws {
        let fits = "data: \(String(repeating: "x", count: 99))\n\n"
        #expect(try Parsed(Array(fits.utf8), pieces: [7], limit: 100).events.count == 1)
        for stream in [
            "data: \(String(repeating: "x", count: 100))\n\n", String(repeating: "data\n", count: 101),
            "event: \(String(repeating: "x", count: 101))\n", "id: \(String(repeating: "x", count: 101))",
            "data: \(String(repeating: "x", count: 1_000_000))",
        ] {
            for pieces in [[1], [1 << 30]] {
                #expect(throws: EventStreamParser.TooLarge(limit: 100)) {
                    try Parsed(Array(stream.utf8), pieces: pieces, limit: 100)
                }
            }
        }
        // What is of no interest costs no memory, however long it is.
        let ignored =
            ":\(String(repeating: "x", count: 100_000))\n\(String(repeating: "y", count: 100_000))\ndata: a\n\n"
        #expect(try Parsed(Array(ignored.utf8), pieces: [999], limit: 100).events.count == 1)
    }
}
