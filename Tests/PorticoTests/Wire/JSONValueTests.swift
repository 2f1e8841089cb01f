import Portico
import Testing

@Suite("JSON: values")
struct JSONValueTests {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"

    @Test("Canonically equivalent strings and names differ")
    func byteEquality() {
        #expect(composed == decomposed)
        #expect(JSONValue.string(composed) != .string(decomposed))
        #expect(JSONValue.string("q\u{307}\u{323}") != .string("q\u{323}\u{307}"))
        let object: JSONObject = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(object.count == 2)
        #expect(object[composed] == 1)
        #expect(object[decomposed] == 2)
        #expect(JSONValue.object([composed: 1]) != .object([decomposed: 1]))
        #expect(Set([JSONValue.string(composed), .string(decomposed), .string(composed)]).count == 2)
    }

    /// In a table of thousands, names that `==` merges would meet in neighbouring places.
    @Test("Canonically equivalent names stay apart in a large object, built or parsed")
    func manyNames() throws {
        var object = JSONObject()
        for number in 0..<2_000 {
            object["\(number)\(composed)"] = .integer(Int64(number))
            object["\(number)\(decomposed)"] = .integer(-Int64(number))
        }
        #expect(object.count == 4_000)
        let read = try JSONValue(parsing: JSONValue.object(object).serialized())
        #expect(read.objectValue?.count == 4_000)
        #expect(read["7\(decomposed)"] == -7)
    }

    @Test("Objects are equal and hash alike in any order of members, short and long", arguments: [2, 16, 17, 50])
    func order(count: Int) {
        let members = (0..<count).map { JSONObject.Member(name: "m\($0)", value: .integer(Int64($0))) }
        let forwards = JSONValue.object(JSONObject(members))
        let backwards = JSONValue.object(JSONObject(members.reversed()))
        #expect(forwards == backwards)
        #expect(forwards.hashValue == backwards.hashValue)
        var other = JSONObject(members)
        other["m0"] = "other"
        #expect(forwards != .object(other))
        other["m0"] = nil
        #expect(forwards != .object(other))
        other["elsewhere"] = 0
        #expect(forwards != .object(other))
    }

    @Test("Kinds are told apart")
    func kinds() {
        let all: [JSONValue] = [nil, true, false, 1, 1.0, "1", [1], ["1": 1], 0, 0.0, "", [], [:], "null"]
        for (left, first) in all.enumerated() {
            for (right, second) in all.enumerated() { #expect((first == second) == (left == right)) }
        }
        #expect(Set(all).count == all.count)
    }

    @Test("Accessors give their own kind and nil for the others")
    func accessors() {
        let value: JSONValue = ["s": "x", "i": 5, "n": 2.5, "b": true, "a": [1], "o": ["k": nil]]
        #expect(value["s"]?.stringValue == "x")
        #expect(value["i"]?.integerValue == 5)
        #expect(value["i"]?.numberValue == 5)
        #expect(value["n"]?.numberValue == 2.5)
        #expect(value["n"]?.integerValue == nil)
        #expect(value["b"]?.boolValue == true)
        #expect(value["a"]?.arrayValue == [1])
        #expect(value["o"]?.objectValue == ["k": nil])
        #expect(value["o"]?["k"]?.isNull == true)
        #expect(value["missing"] == nil)
        let text: JSONValue = "text"
        #expect(text["s"] == nil)
        #expect(text.integerValue == nil && text.numberValue == nil && text.boolValue == nil)
        #expect(text.arrayValue == nil && text.objectValue == nil && !text.isNull)
        #expect(value.stringValue == nil)
    }

    @Test(
        "Setting replaces in place, appends or removes, below and above the size that is indexed", arguments: [3, 40])
    func setting(count: Int) {
        var object = JSONObject()
        for number in 0..<count { object.append("m\(number)", .integer(Int64(number))) }
        object["m1"] = "new"
        object.append("m2", "newer")
        #expect(object.count == count)
        #expect(object.members[1].value == "new")
        #expect(object.members[2].value == "newer")
        object["m0"] = nil
        object["absent"] = nil
        #expect(object.count == count - 1)
        #expect(object["m0"] == nil)
        #expect(object["m1"] == "new")
        object["m0"] = .null
        #expect(object.members.last == JSONObject.Member(name: "m0", value: nil))
        #expect(object.map(\.name).count == count)
        #expect(!object.isEmpty && JSONObject().isEmpty)
        while let last = object.members.last { object[last.name] = nil }
        #expect(object == [:])
    }

    @Test("Of two members with one name the first place and the later value stay")
    func repeatedNames() {
        let object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object.members == [.init(name: "a", value: 3), .init(name: "b", value: 2)])
    }
}

@Suite("JSON: what is written")
struct JSONWriterTests {
    @Test("The compact text keeps the order of members")
    func compact() {
        let value: JSONValue = ["b": [1, -2, nil, true, false], "a": ["x": "y"], "e": [], "o": [:]]
        #expect(text(value.serialized()) == #"{"b":[1,-2,null,true,false],"a":{"x":"y"},"e":[],"o":{}}"#)
    }

    @Test("Only what must be escaped is escaped")
    func escapes() {
        let value = JSONValue.string("\u{0}\u{1F}\u{8}\t\n\u{C}\r\"\\/\u{7F}\u{80}\u{2028}\u{1F600}")
        let written = "\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\/\u{7F}\u{80}\u{2028}\u{1F600}\""
        #expect(text(value.serialized()) == written)
        #expect(text(value.canonical()) == written)
    }

    @Test("A number stays a number when it is read again")
    func numbers() throws {
        for (number, written) in [
            (1.0, "1.0"), (-0.0, "-0.0"), (0.5, "0.5"), (1e21, "1e+21"), (1e20, "100000000000000000000"),
            (-0x1p63, "-9223372036854776000.0"), (.leastNonzeroMagnitude, "5e-324"),
        ] {
            #expect(text(JSONValue.number(number).serialized()) == written)
            #expect(try JSONValue(parsing: [UInt8](written.utf8)) == .number(number))
        }
        #expect(text(JSONValue.number(.infinity).serialized()) == "null")
        #expect(text(JSONValue.number(.nan).canonical()) == "null")
        #expect(text(JSONValue.integer(.min).serialized()) == "-9223372036854775808")
        #expect(text(JSONValue.integer(.max).serialized()) == "9223372036854775807")
    }

    /// RFC 8785 §3.2.2.
    @Test("The published sample of RFC 8785 is serialised as published")
    func primitives() throws {
        let sample = #"""
            {"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
             "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
             "literals": [null, true, false]}
            """#
        let canonical =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
            + #""string":"\#u{20AC}$\u000f\nA'B\"\\\\\"/"}"#
        #expect(text(try JSONValue(parsing: [UInt8](sample.utf8)).canonical()) == canonical)
    }

    /// RFC 8785 §3.2.3.
    @Test("Members are sorted as in the published sample")
    func sorting() throws {
        let sample = #"""
            {"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
             "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}
            """#
        let canonical = try JSONValue(parsing: [UInt8](sample.utf8)).canonical()
        let order = try #require(try JSONValue(parsing: canonical).objectValue).compactMap(\.value.stringValue)
        #expect(
            order == [
                "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
                "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
            ])
    }

    /// RFC 8785 appendix B: the bits of the double and its text.
    @Test(
        "Doubles are written as ECMAScript writes them",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
            (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func ecmaScript(bits: UInt64, written: String) {
        #expect(text(JSONValue.number(Double(bitPattern: bits)).canonical()) == written)
    }

    @Test("Integers are canonical as the doubles that they are")
    func canonicalIntegers() {
        for (integer, written) in [
            (0, "0"), (-7, "-7"), (9_007_199_254_740_992, "9007199254740992"),
            (9_007_199_254_740_993, "9007199254740992"), (.max, "9223372036854776000"), (.min, "-9223372036854776000"),
        ] as [(Int64, String)] {
            #expect(text(JSONValue.integer(integer).canonical()) == written)
        }
    }

    @Test("Names are ordered by UTF-16 code units", arguments: 1...4)
    func nameOrder(seed: Int) {
        var names = [
            "", "\u{0}", "\u{0}\u{0}", "1", "10", "9", "A", "__proto__", "a", "a\u{0}", "aa", "ab", "signature",
            "signature1", "signature10", "signature2", "validFrom", "validTo", "\u{7F}", "\u{E9}", "\u{D7FF}",
            "\u{10000}", "\u{1F600}", "\u{10FFFF}", "\u{E000}", "\u{FB33}", "\u{FFFD}", "prefix--\u{1F600}",
            "prefix--\u{FB33}", "prefix-\u{1F600}", "prefix-\u{FB33}",
        ]
        names.sort { $0.utf16.lexicographicallyPrecedes($1.utf16) }
        var random = SeededGenerator(seed: UInt64(seed))
        let members = names.shuffled(using: &random).map { JSONObject.Member(name: $0, value: 0) }
        let canonical = JSONValue.object(JSONObject(members)).canonical()
        let ordered = JSONValue.object(JSONObject(names.map { JSONObject.Member(name: $0, value: 0) }))
        #expect(text(canonical) == text(ordered.serialized()))
    }

    @Test("Only the object's own member of that name is left out")
    func omitting() {
        func canonical(_ value: JSONValue, without name: String?) -> String {
            var bytes = [UInt8]("!".utf8)
            value.appendCanonical(to: &bytes, omitting: name)
            return text(bytes)
        }
        let value: JSONValue = ["z": ["signature": 1], "signature": "s", "a": [["signature": 2]]]
        #expect(canonical(value, without: "signature") == #"!{"a":[{"signature":2}],"z":{"signature":1}}"#)
        #expect(
            canonical(value, without: nil) == #"!{"a":[{"signature":2}],"signature":"s","z":{"signature":1}}"#)
        #expect(canonical(["signature": 1], without: "signature") == "!{}")
        #expect(canonical(["a": 1, "b": 2], without: "a") == #"!{"b":2}"#)
        #expect(canonical(["a": 1, "b": 2], without: "b") == #"!{"a":1}"#)
        #expect(canonical([["signature": 1]], without: "signature") == #"![{"signature":1}]"#)
        #expect(canonical(["\u{E9}": 1, "e\u{301}": 2], without: "e\u{301}") == "!{\"\u{E9}\":1}")
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
