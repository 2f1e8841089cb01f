import Portico
import Testing

@Suite("JSON: what is accepted")
struct JSONParserTests {
    static let accepted: [(String, JSONValue)] = [
        ("null", .null), ("true", true), ("false", false), ("0", 0), ("-1", -1), ("\"\"", ""), ("[]", []), ("{}", [:]),
        (" \t\r\n0 \t\r\n", 0), ("[ ]", []), ("{ }", [:]), ("[1,2]", [1, 2]), (" [ 1 , [ 2 ] ] ", [1, [2]]),
        ("{\"a\":1}", ["a": 1]), (" { \"a\" : { \"b\" : [ ] } } ", ["a": ["b": []]]), ("{\"\":0}", ["": 0]),
        ("10", 10), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(9.223372036854775808e18)), ("-9223372036854775809", .number(-0x1p63)),
        ("18446744073709551616", .number(0x1p64)), ("9007199254740993", .integer(9_007_199_254_740_993)),
        ("9007199254740993.0", .number(9_007_199_254_740_992)), ("-0", .number(-0.0)), ("-0.0", .number(-0.0)),
        ("1.0", .number(1)), ("1e0", .number(1)), ("1E+2", .number(100)), ("25e-1", .number(2.5)),
        ("0.1", .number(0.1)), ("1e308", .number(1e308)), ("1e-400", .number(0)), ("0e999", .number(0)),
        ("2.2250738585072011e-308", .number(0x1p-1022.nextDown)),
        ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"), ("\"\\u0041\\u00e9\\u20AC\"", "A\u{E9}\u{20AC}"),
        ("\"\\ud83d\\uDE00\"", "\u{1F600}"), ("\"x\\u0000y\"", "x\u{0}y"), ("\"\u{7F}\u{80}\"", "\u{7F}\u{80}"),
        ("\"\u{2028}\u{FEFF}\"", "\u{2028}\u{FEFF}"), ("\"\u{10FFFF}\"", "\u{10FFFF}"), ("\"\\uFFFE\"", "\u{FFFE}"),
        ("\"/\"", "/"), ("\"a long text that is longer than a word\"", "a long text that is longer than a word"),
        ("\"seven..\"", "seven.."), ("\"eight...\"", "eight..."), ("\"1234567\\n\"", "1234567\n"),
        ("{\"e\u{301}\":1,\"\u{E9}\":2}", ["e\u{301}": 1, "\u{E9}": 2]),
        ("{\"a\":{\"a\":1},\"b\":{\"a\":2}}", ["a": ["a": 1], "b": ["a": 2]]),
        ("[{\"a\":1},{\"a\":1}]", [["a": 1], ["a": 1]]), ("{\"\\u0061\":1}", ["a": 1]),
        ("{\"validFrom\":1,\"validFro\":2,\"validTo\":3}", ["validFrom": 1, "validFro": 2, "validTo": 3]),
    ]

    @Test("A text of the grammar is read as its value", arguments: accepted)
    func accept(text: String, value: JSONValue) throws {
        let read = try JSONValue(parsing: [UInt8](text.utf8))
        #expect(read == value)
        #expect(try JSONValue(parsing: read.serialized()) == read)
    }

    static let refused: [(String, JSONError.Reason, Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
        ("[1,", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1), ("{\"a\"", .unexpectedEnd, 4),
        ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6), ("{\"a\":1,", .unexpectedEnd, 7),
        ("\"", .unexpectedEnd, 1), ("\"abc", .unexpectedEnd, 4), ("\"\\", .unexpectedEnd, 2),
        ("\"\\u12", .unexpectedEnd, 5), ("tru", .unexpectedEnd, 3), ("nul", .unexpectedEnd, 3),
        ("\u{FEFF}0", .byteOrderMark, 0), (" \u{FEFF}0", .unexpectedByte, 1), ("0\u{FEFF}", .textAfterEnd, 1),
        ("0 0", .textAfterEnd, 2), ("{}{}", .textAfterEnd, 2), ("[]]", .textAfterEnd, 2), ("1]", .textAfterEnd, 1),
        ("0\u{0}", .textAfterEnd, 1), ("\"a\"\"b\"", .textAfterEnd, 3), ("nullx", .textAfterEnd, 4),
        ("[,]", .unexpectedByte, 1), ("[1,]", .unexpectedByte, 3), ("[1,,2]", .unexpectedByte, 3),
        ("[1 2]", .unexpectedByte, 3), ("[1}", .unexpectedByte, 2), ("{]", .unexpectedByte, 1),
        ("{\"a\":1,}", .unexpectedByte, 7), ("{,}", .unexpectedByte, 1), ("{a:1}", .unexpectedByte, 1),
        ("{'a':1}", .unexpectedByte, 1), ("{\"a\" 1}", .unexpectedByte, 5), ("{\"a\"::1}", .unexpectedByte, 5),
        ("{1:1}", .unexpectedByte, 1), ("{\"a\":}", .unexpectedByte, 5), ("'a'", .unexpectedByte, 0),
        ("True", .unexpectedByte, 0), ("nUll", .unexpectedByte, 1), ("NaN", .unexpectedByte, 0),
        ("Infinity", .unexpectedByte, 0), ("/**/0", .unexpectedByte, 0), ("//\n0", .unexpectedByte, 0),
        ("\u{A0}0", .unexpectedByte, 0), ("\u{B}0", .unexpectedByte, 0), ("\u{0}", .unexpectedByte, 0),
        ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("٣", .unexpectedByte, 0),
        ("01", .invalidNumber, 0), ("00", .invalidNumber, 0), ("-01", .invalidNumber, 0), ("-", .invalidNumber, 0),
        ("1.", .invalidNumber, 0), ("1.e1", .invalidNumber, 0), ("1e", .invalidNumber, 0), ("1e+", .invalidNumber, 0),
        ("-a", .invalidNumber, 0), ("--1", .invalidNumber, 0), ("[1,01]", .invalidNumber, 3),
        ("1e+-1", .invalidNumber, 0),
        ("0x10", .textAfterEnd, 1), ("1_000", .textAfterEnd, 1), ("1.5.5", .textAfterEnd, 3),
        ("1e400", .numberOutOfRange, 0), ("[-1e400]", .numberOutOfRange, 1),
        ("\"\n\"", .controlCharacter, 1), ("\"a\u{0}\"", .controlCharacter, 2),
        ("\"12345678\u{1F}\"", .controlCharacter, 9), ("\"\t\"", .controlCharacter, 1),
        ("\"\\x41\"", .invalidEscape, 1), ("\"\\'\"", .invalidEscape, 1), ("\"\\U0041\"", .invalidEscape, 1),
        ("\"\\u00g0\"", .invalidEscape, 1), ("\"\\u 041\"", .invalidEscape, 1), ("\"\\\n\"", .invalidEscape, 1),
        ("\"\\ud83d\"", .loneSurrogate, 1), ("\"\\ude00\"", .loneSurrogate, 1), ("\"\\ud83dx\"", .loneSurrogate, 1),
        ("\"\\ud83d\\n\"", .loneSurrogate, 1), ("\"\\ud83d\\ud83d\"", .loneSurrogate, 1),
        ("\"\\ude00\\ud83d\"", .loneSurrogate, 1), ("{\"\\udfff\":1}", .loneSurrogate, 2),
        ("{\"a\":1,\"a\":1}", .duplicateMember, 7), ("{\"a\":1,\"\\u0061\":2}", .duplicateMember, 7),
        ("[{\"b\":{\"a\":1,\"c\":0,\"\\u0061\":2}}]", .duplicateMember, 19), ("{\"\":1,\"\":2}", .duplicateMember, 6),
        ("{\"a\":{\"a\":1},\"a\":2}", .duplicateMember, 13),
        ("{\"\\/x\":1,\"/x\":2}", .duplicateMember, 9),
        ("{\"\\ud83d\\ude00\":1,\"\u{1F600}\":2}", .duplicateMember, 18),
        ("{\"signature0\":1,\"signature1\":1,\"signature0\":1}", .duplicateMember, 31),
    ]

    @Test("A text outside the grammar is refused, with its reason and its place", arguments: refused)
    func refuse(text: String, reason: JSONError.Reason, offset: Int) {
        #expect(error(of: [UInt8](text.utf8)) == JSONError(reason, offset: offset))
    }

    @Test(
        "Bytes that are not UTF-8 are refused, in values and in names",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        for padding in [0, 3, 8, 20] {
            let text = [UInt8](repeating: 0x61, count: padding) + bytes
            #expect(error(of: [0x22] + text + [0x22]) == JSONError(.invalidUTF8, offset: 1 + padding))
            #expect(error(of: [0x7B, 0x22] + text + [0x22, 0x3A, 0x30, 0x7D])?.reason == .invalidUTF8)
        }
        #expect(error(of: [0x22] + bytes) != nil)
    }

    @Test("Every scalar at the edges of UTF-8 is read raw and escaped")
    func edges() throws {
        for scalar in [
            0x20, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF,
            0x100000, 0x10FFFF,
        ] as [UInt32] {
            let text = String(try #require(Unicode.Scalar(scalar)))
            #expect(try JSONValue(parsing: [0x22] + [UInt8](text.utf8) + [0x22]) == .string(text))
            let units = text.utf16.map { unit in
                "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
            }
            #expect(try JSONValue(parsing: [UInt8]("\"\(units.joined())\"".utf8)) == .string(text))
        }
    }

    @Test("A duplicate is found at every place of a short and of a long object")
    func duplicates() throws {
        for count in [2, 15, 16, 17, 18, 40] {
            let names = (0..<count).map { "name-of-member-\($0)" }
            let members = names.map { "\"\($0)\":0" }
            let whole = try JSONValue(parsing: [UInt8]("{\(members.joined(separator: ","))}".utf8))
            #expect(whole.objectValue?.count == count)
            for name in names {
                #expect(whole[name] == 0)
                let text = "{\((members + ["\"\(name)\":1"]).joined(separator: ","))}"
                #expect(error(of: [UInt8](text.utf8))?.reason == .duplicateMember)
            }
        }
    }

    @Test("An error says what and where in one line, and nothing of the text")
    func description() {
        #expect("\(JSONError(.duplicateMember, offset: 7))" == "JSON refused: duplicateMember at byte 7")
    }
}

@Suite("JSON: limits")
struct JSONLimitsTests {
    @Test(
        "Every form of number but the plain integer is refused where only integers are taken, nested too",
        arguments: [
            ("1.0", .numberNotAllowed), ("1e0", .numberNotAllowed), ("1E2", .numberNotAllowed),
            ("-0", .numberNotAllowed), ("-0.0", .numberNotAllowed), ("0.5", .numberNotAllowed),
            ("1e400", .numberNotAllowed), ("01", .invalidNumber), ("-01", .invalidNumber),
            ("9007199254740992", .numberOutOfRange), ("-9007199254740992", .numberOutOfRange),
            ("9223372036854775808", .numberOutOfRange), ("18446744073709551616", .numberOutOfRange),
            ("-18446744073709551616", .numberOutOfRange), ("100000000000000000000000", .numberOutOfRange),
        ] as [(String, JSONError.Reason)])
    func integersOnly(number: String, reason: JSONError.Reason) {
        for text in [number, "{\"a\":\(number)}", "{\"a\":[0,{\"b\":\(number)}]}"] {
            #expect(error(of: [UInt8](text.utf8), .ticket)?.reason == reason, "\(text)")
        }
    }

    @Test("The ends of the exact integers are taken")
    func exactIntegers() throws {
        let text = "[9007199254740991,-9007199254740991,0,-1,10]"
        let read = try JSONValue(parsing: [UInt8](text.utf8), limits: .ticket)
        #expect(read == [9_007_199_254_740_991, -9_007_199_254_740_991, 0, -1, 10])
    }

    @Test("A name that is no token is refused after unescaping")
    func names() throws {
        let longest = String(repeating: "n", count: 64)
        for name in ["a", "A-z_0.9", longest, "\\u0061", "__proto__"] {
            _ = try JSONValue(parsing: [UInt8]("{\"\(name)\":0}".utf8), limits: .ticket)
        }
        for name in ["", longest + "n", "a b", "\u{E9}", "e\u{301}", "a/b", "a:b", "a\\u0020", "@", "[", "`", "{", "^"]
        {
            #expect(error(of: [UInt8]("{\"\(name)\":0}".utf8), .ticket) == JSONError(.nameNotAllowed, offset: 1))
        }
        let both = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        #expect(error(of: [UInt8](both.utf8), .ticket)?.reason == .nameNotAllowed)
    }

    @Test("Noncharacters are refused where the limits say so, raw and escaped")
    func noncharacters() throws {
        func quoted(_ scalar: UInt32) throws -> [UInt8] {
            [0x22] + [UInt8](String(try #require(Unicode.Scalar(scalar))).utf8) + [0x22]
        }
        for scalar in [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF] as [UInt32] {
            #expect(error(of: try quoted(scalar), .ticket) == JSONError(.noncharacter, offset: 1))
            _ = try JSONValue(parsing: quoted(scalar))
        }
        for escaped in ["\\ufdd0", "\\ud83f\\udfff"] {
            #expect(error(of: [UInt8]("\"\(escaped)\"".utf8), .ticket) == JSONError(.noncharacter, offset: 1))
            _ = try JSONValue(parsing: [UInt8]("\"\(escaped)\"".utf8))
        }
        for scalar in [0xFDCF, 0xFDF0, 0xFFFD, 0x10000, 0x1FFFD] as [UInt32] {
            _ = try JSONValue(parsing: quoted(scalar), limits: .ticket)
        }
    }

    @Test("Depth is counted from the outermost container")
    func depth() throws {
        _ = try JSONValue(parsing: [UInt8]("{\"a\":[{\"b\":[0]}]}".utf8), limits: .ticket)
        #expect(
            error(of: [UInt8]("{\"a\":[{\"b\":[[]]}]}".utf8), .ticket) == JSONError(.tooDeep, offset: 12))
        var flat = JSONLimits.standard
        flat.maximumDepth = 0
        #expect(error(of: [UInt8]("[]".utf8), flat) == JSONError(.tooDeep, offset: 0))
        #expect(error(of: [UInt8]("0".utf8), flat) == nil)
    }

    @Test("A hundred thousand brackets are refused, whatever the limit says", arguments: ["[", "{\"a\":", "[{\"a\":"])
    func deepNesting(opening: String) {
        let bytes = [UInt8](String(repeating: opening, count: 100_000).utf8)
        #expect(error(of: bytes)?.reason == .tooDeep)
        #expect(error(of: bytes, .configuration)?.reason == .tooDeep)
        #expect(error(of: [UInt8](bytes.prefix(2_000)), .ticket)?.reason == .tooDeep)
        var unlimited = JSONLimits.standard
        unlimited.maximumDepth = .max
        #expect(error(of: bytes, unlimited)?.reason == .tooDeep)
        unlimited.maximumDepth = .min
        #expect(error(of: bytes, unlimited) == JSONError(.tooDeep, offset: 0))
    }

    @Test("The deepest value that is ever taken is read, written and freed")
    func deepest() throws {
        var limits = JSONLimits.standard
        limits.maximumDepth = .max
        let text = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
        let value = try JSONValue(parsing: [UInt8](text.utf8), limits: limits)
        #expect(value.serialized() == [UInt8](text.utf8))
        #expect(error(of: [UInt8]("[\(text)]".utf8), limits)?.reason == .tooDeep)
    }

    @Test("Members of all objects are counted together")
    func members() throws {
        func text(_ count: Int) -> [UInt8] {
            let inner = (0..<(count - 2)).map { "\"m\($0)\":0" }.joined(separator: ",")
            return [UInt8]("{\"a\":{\(inner)},\"b\":0}".utf8)
        }
        _ = try JSONValue(parsing: text(64), limits: .ticket)
        #expect(error(of: text(65), .ticket)?.reason == .tooManyMembers)
        _ = try JSONValue(parsing: text(65), limits: .configuration)
    }

    @Test("A text of one byte too many is refused before it is read")
    func size() throws {
        let room = JSONLimits.ticket.maximumBytes
        #expect(room == 2_214)
        let text = [0x22] + [UInt8](repeating: 0x61, count: room - 2) + [0x22]
        _ = try JSONValue(parsing: text, limits: .ticket)
        #expect(error(of: text + [0x20], .ticket) == JSONError(.tooManyBytes, offset: room))
        #expect(error(of: [UInt8](repeating: 0xFF, count: room + 1), .ticket)?.reason == .tooManyBytes)
    }
}

/// The error that parsing gives, nil where it gives a value.
func error(of bytes: [UInt8], _ limits: JSONLimits = .standard) -> JSONError? {
    do {
        _ = try JSONValue(parsing: bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}
