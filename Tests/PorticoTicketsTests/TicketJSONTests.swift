import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("The JSON of a ticket")
struct TicketJSONTests {
    /// Number forms that two parsers may read as two numbers, and forms that are none.
    static let badNumbers = [
        "1.0", "1e0", "1E+2", "1e-1", "-0", "-0.0", "01", "-01", "00", "9007199254740992", "-9007199254740992", "1e400",
        "9223372036854775808", "123456789012345678901234567890", "+1", ".5", "1.", "0x1", "--1", "-", "NaN", "Infinity",
        "1_000", "１",
    ]

    @Test("A number in any form but a plain integer within 2^53 is malformed, nested too", arguments: badNumbers)
    func numbers(form: String) async throws {
        let issuer = Issuer()
        for member in [
            "\"x\":\(form)", "\"x\":[\(form)]", "\"x\":{\"y\":\(form)}", "\"x\":[{\"y\":\(form)}]", "\"uses\":\(form)",
        ] {
            #expect(try await outcome(of: issuer.adding(member)) == .refused(.malformed), "\(member)")
        }
        for name in ["issuedAt", "validFrom", "validTo"] {
            #expect(try await outcome(of: issuer.writing(name, as: form)) == .refused(.malformed), "\(name)")
        }
    }

    @Test("Integers up to 2^53 − 1 either way are read")
    func goodNumbers() async throws {
        let issuer = Issuer()
        // Unsigned they come as far as the signature; signed they pass.
        for form in ["0", "1", "-1", "9007199254740991", "-9007199254740991"] {
            #expect(try await outcome(of: issuer.adding("\"x\":\(form)")) == .refused(.badSignature), "\(form)")
        }
        let text = issuer.ticket { $0["x"] = [0, -1, 9_007_199_254_740_991, -9_007_199_254_740_991] }
        #expect(try await outcome(of: text) == .admitted)
    }

    @Test(
        "A member that stands twice is malformed, however it is written and wherever it lies",
        arguments: [
            #""zoneId":"NORTH""#, #""ticketId":"T-0001""#, #""ticket\u0049d":"T-0001""#,
            #""\u0073\u0069gnature":"x""#, #""x":1,"x":1"#, #""a":1,"\u0061":2"#, #""x":{"a":1,"a":1}"#,
            #""x":{"a":1,"\u0061":2}"#, #""x":[{"a":1,"\u0061":2}]"#,
        ])
    func duplicates(member: String) async throws {
        #expect(try await outcome(of: Issuer().adding(member)) == .refused(.malformed))
    }

    @Test("Members é and e with U+0301 in one object are malformed")
    func lookingAlike() async throws {
        #expect(try await outcome(of: Issuer().adding("\"\u{E9}\":1,\"e\u{301}\":2")) == .refused(.malformed))
        #expect(try await outcome(of: Issuer().adding(#""x":{"\u00e9":1,"e\u0301":2}"#)) == .refused(.malformed))
    }

    @Test(
        "A member's name that is not 1 to 64 of letters, digits, `_`, `.` and `-` is malformed",
        arguments: [
            "", " ", "a b", "\u{E9}", "a/b", "$x", "a:b", "\u{130}", #"\u0000"#, #"a\u0020"#, "@", "[", "`", "{",
            String(repeating: "n", count: 65),
        ])
    func names(name: String) async throws {
        #expect(try await outcome(of: Issuer().adding("\"\(name)\":1")) == .refused(.malformed))
        #expect(try await outcome(of: Issuer().adding("\"x\":{\"\(name)\":1}")) == .refused(.malformed))
    }

    @Test("Names of 1 and of 64 characters, of every kind, are read")
    func goodNames() async throws {
        let text = Issuer().ticket {
            $0["x"] = 1
            $0[String(repeating: "n", count: 64)] = 1
            $0["A-z.0_9"] = ["10": 1, "9": 2, "__proto__": 3, "-": 4]
        }
        #expect(try await outcome(of: text) == .admitted)
    }

    @Test(
        "What is not a Unicode text is malformed",
        arguments: [
            #""x":"\ud800""#, #""x":"\udc00""#, #""x":"\ud800\ud800""#, #""x":"\ud800x""#, #""x":"\udc00\ud800""#,
            #""x":"\ud800\u0041""#, #""x":"\x41""#, #""x":"\u00zz""#, #""x":"\u12""#, #""x":"\'""#, "\"x\":\"\u{1F}\"",
            "\"x\":\"\n\"", "\"x\":\"\u{0}\"", #""x":"\uffff""#, #""x":"\ud83f\udffe""#, #""x":"\ufdd0""#,
        ])
    func strings(member: String) async throws {
        #expect(try await outcome(of: Issuer().adding(member)) == .refused(.malformed))
    }

    @Test("Bytes that are not UTF-8 are malformed, also inside a string")
    func encoding() async throws {
        let issuer = Issuer()
        for bytes: [UInt8] in [
            [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] {
            let json = issuer.json().dropLast() + Array(",\"x\":\"".utf8) + bytes + Array("\"}".utf8)
            #expect(try await outcome(of: Base64URL.encode(Array(json))) == .refused(.malformed))
        }
    }

    @Test("Ticket bytes begin with a brace: white space before it is no ticket, behind and between it is")
    func firstByte() async throws {
        let issuer = Issuer()
        let text = String(decoding: issuer.json(), as: UTF8.self)
        #expect(try await outcome(of: Base64URL.encode(Array((" " + text).utf8))) == .refused(.malformed))
        let spaced = text.replacing(",", with: " ,\r\n\t") + "\n "
        #expect(try await outcome(of: Base64URL.encode(Array(spaced.utf8))) == .admitted)
    }

    @Test("A byte-order mark inside is malformed")
    func byteOrderMark() async throws {
        let text = Base64URL.encode([0xEF, 0xBB, 0xBF] + Issuer().json())
        #expect(try await outcome(of: text) == .refused(.malformed))
    }

    @Test(
        "Text after the end is malformed",
        arguments: ["x", "}", "{}", ",", "0", "\u{0}", " x", "\u{A0}", "\u{FEFF}", "//"])
    func trailing(rest: String) async throws {
        let text = Base64URL.encode(Issuer().json() + Array(rest.utf8))
        #expect(try await outcome(of: text) == .refused(.malformed))
    }

    @Test(
        "What RFC 8259 does not have is malformed",
        arguments: [
            #""x":1,"#, #""x":[1,]"#, #""x":{"y":1,}"#, #"'x':1"#, #"x:1"#, #""x":'1'"#, #""x" 1"#, #""x":"#,
            #""x":tru"#,
            #""x":True"#, #""x":nil"#, #""x":[1"#, #""x":{"y":1"#, #""x":1/**/"#, #""x":undefined"#, "\"x\":\u{A0}1",
        ])
    func grammar(member: String) async throws {
        #expect(try await outcome(of: Issuer().adding(member)) == .refused(.malformed))
    }

    @Test("Depth 4 is read, depth 5 is malformed")
    func depth() async throws {
        let issuer = Issuer()
        #expect(try await outcome(of: issuer.ticket { $0["x"] = [[[1]]] }) == .admitted)
        #expect(try await outcome(of: issuer.ticket { $0["x"] = ["a": ["b": ["c": 1]]] }) == .admitted)
        #expect(try await outcome(of: issuer.ticket { $0["x"] = [[[[1]]]] }) == .refused(.malformed))
        #expect(try await outcome(of: issuer.ticket { $0["x"] = ["a": ["b": ["c": [:]]]] }) == .refused(.malformed))
        for depth in [100, 1_000, 2_200] {
            let deep = Array("{\"x\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: depth)
            #expect(try await outcome(of: Base64URL.encode(deep)) == .refused(.malformed))
        }
    }

    @Test("64 members in all are read, 65 are malformed, nested ones counted")
    func manyMembers() async throws {
        let issuer = Issuer()
        // Seven of its own with the signature.
        func ticket(_ more: Int, nested: Bool) -> String {
            issuer.ticket { object in
                var added = JSONObject()
                for number in 0..<more { added["m\(number)"] = 1 }
                if nested {
                    object["x"] = .object(added)
                } else {
                    for member in added { object[member.name] = member.value }
                }
            }
        }
        #expect(try await outcome(of: ticket(57, nested: false)) == .admitted)
        #expect(try await outcome(of: ticket(58, nested: false)) == .refused(.malformed))
        #expect(try await outcome(of: ticket(56, nested: true)) == .admitted)
        #expect(try await outcome(of: ticket(57, nested: true)) == .refused(.malformed))
    }

    @Test(
        "A defined member that is null is malformed",
        arguments: [
            "ticketId", "eventId", "zoneId", "issuedAt", "validFrom", "validTo", "v", "keyId", "uses", "category",
            "crit",
            "holder", "seat", "note",
        ])
    func null(name: String) async throws {
        #expect(try await outcome(of: Issuer().ticket { $0[name] = .null }) == .refused(.malformed))
    }

    @Test("A signature that is null is malformed")
    func nullSignature() async throws {
        #expect(try await outcome(of: Issuer().writing("signature", as: "null")) == .refused(.malformed))
    }

    @Test(
        "A ticket that lacks one of the seven members is malformed",
        arguments: ["ticketId", "eventId", "zoneId", "issuedAt", "validFrom", "validTo"])
    func missing(name: String) async throws {
        #expect(try await outcome(of: Issuer().ticket { $0[name] = nil }) == .refused(.malformed))
    }

    @Test("A ticket without a signature is malformed")
    func unsigned() async throws {
        let bytes = JSONValue.object(Issuer().members()).serialized()
        #expect(try await outcome(of: Base64URL.encode(bytes)) == .refused(.malformed))
    }

    @Test(
        "A member of the wrong type or out of range is malformed",
        arguments: [
            ("ticketId", 7), ("ticketId", ["T"]), ("eventId", true), ("zoneId", [:]), ("issuedAt", true),
            ("issuedAt", [1]), ("validFrom", -1), ("validTo", 253_402_300_800), ("validTo", "1783188000"),
            ("keyId", 1), ("category", 1), ("uses", 0), ("uses", -1), ("uses", 1_001), ("uses", "1"), ("uses", true),
            ("uses", [1]), ("holder", 1), ("seat", true), ("note", [:]),
        ] as [(String, JSONValue)])
    func types(name: String, value: JSONValue) async throws {
        #expect(try await outcome(of: Issuer().ticket { $0[name] = value }) == .refused(.malformed))
    }

    @Test("uses of 1 and of 1000 are read")
    func uses() async throws {
        #expect(try await outcome(of: Issuer().ticket { $0["uses"] = 1 }) == .admitted)
        #expect(try await outcome(of: Issuer().ticket { $0["uses"] = 1_000 }) == .admitted)
    }

    @Test(
        "What is no object is malformed", arguments: ["[]", "[{}]", "1", "\"T\"", "null", "true", "{}", "", "{", "{]"])
    func noObject(text: String) async throws {
        #expect(try await outcome(of: Base64URL.encode(Array(text.utf8))) == .refused(.malformed))
    }

    @Test("Another version is unsupported whatever else the ticket holds; version 1 may be written out")
    func version() async throws {
        let issuer = Issuer()
        for version: JSONValue in [2, 0, -1, "1", "2", true, [1]] {
            let text = issuer.ticket { $0["v"] = version }
            #expect(try await outcome(of: text) == .refused(.unsupportedFormat), "\(version)")
        }
        for other in [
            #"{"v":2}"#, #"{"v":2,"ticketId":7}"#, #"{"v":2,"crit":[]}"#, #"{"v":2,"uses":0,"signature":""}"#,
        ] {
            #expect(
                try await outcome(of: Base64URL.encode(Array(other.utf8))) == .refused(.unsupportedFormat), "\(other)")
        }
        #expect(try await outcome(of: issuer.ticket { $0["v"] = 1 }) == .admitted)
        // It must be JSON all the same.
        #expect(try await outcome(of: issuer.adding(#""v":2,"x":1,"x":1"#)) == .refused(.malformed))
    }

    @Test("A critical member that the gate does not know is unsupported")
    func unknownCritical() async throws {
        let issuer = Issuer()
        let text = issuer.ticket {
            $0["crit"] = ["x"]
            $0["x"] = 1
        }
        #expect(try await outcome(of: text) == .refused(.unsupportedFormat))
        let bare = Base64URL.encode(Array(#"{"crit":["x"],"x":1}"#.utf8))
        #expect(try await outcome(of: bare) == .refused(.unsupportedFormat))
    }

    @Test("A critical member that a host's format understands is taken")
    func understoodCritical() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer, formats: [JSONTicketFormat(understanding: ["x"])])
        let known = issuer.ticket("A") {
            $0["crit"] = ["x"]
            $0["x"] = 1
        }
        let unknown = issuer.ticket("B") {
            $0["crit"] = ["x", "y"]
            $0["x"] = 1
            $0["y"] = 1
        }
        #expect(await made.outcome(known) == .admitted)
        #expect(await made.outcome(unknown) == .refused(.unsupportedFormat))
    }

    @Test(
        "A list of critical members that is empty, no list, or names an absent or defined member is malformed",
        arguments: [
            [], "x", 1, [1], ["absent"], ["x", "absent"], ["uses"], ["ticketId"], ["signature"], ["crit"], ["v"],
            [["x"]], [:], [""],
        ] as [JSONValue])
    func badCritical(list: JSONValue) async throws {
        let text = Issuer().ticket {
            $0["crit"] = list
            $0["x"] = 1
            $0["uses"] = 1
            $0["v"] = 1
        }
        #expect(try await outcome(of: text) == .refused(.malformed))
    }

    @Test("A signature that is not canonical base64url of 64 bytes is malformed")
    func signatureText() async throws {
        let issuer = Issuer()
        let good = Base64URL.encode([UInt8](repeating: 1, count: 64))
        let bad = [
            "", "AAAA", Base64URL.encode([UInt8](repeating: 1, count: 63)),
            Base64URL.encode([UInt8](repeating: 1, count: 65)), good + "==", good + "A", String(good.dropLast()) + "R",
            " " + good, good + " ", good.replacing("B", with: "+", maxReplacements: 1),
        ]
        for signature in bad {
            let text = issuer.writing("signature", as: "\"\(signature)\"")
            #expect(try await outcome(of: text) == .refused(.malformed), "\(signature)")
        }
        #expect(try await outcome(of: issuer.writing("signature", as: "\"\(good)\"")) == .refused(.badSignature))
        #expect(try await outcome(of: issuer.writing("signature", as: "7")) == .refused(.malformed))
    }

    @Test("A signature that fails the pre-check is a bad one, not a malformed one")
    func preCheck() async throws {
        let issuer = Issuer()
        guard let text = JSONValue.ticket(issuer.json())["signature"]?.stringValue, let good = Base64URL.decode(text)
        else {
            Issue.record("an issued ticket has a signature")
            return
        }
        var bad: [[UInt8]] = [
            Self.addingOrder(to: good), Array(good[..<32]) + Self.order, [UInt8](repeating: 0, count: 64),
            [1] + [UInt8](repeating: 0, count: 31) + good[32...], [UInt8](repeating: 0xFF, count: 64),
        ]
        bad.append([0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F] + good[32...])
        for signature in bad {
            let respelt = issuer.json().replacing(text.utf8, with: Base64URL.encode(signature).utf8)
            #expect(try await outcome(of: Base64URL.encode(respelt)) == .refused(.badSignature))
        }
    }

    /// The order of the group, 2^252 + 27742317777372353535851937790883648493, little endian (RFC 8032 §5.1).
    private static let order: [UInt8] =
        [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
        ] + [UInt8](repeating: 0, count: 15) + [0x10]

    /// The same signature with its S one order higher: a lax engine takes both.
    private static func addingOrder(to signature: [UInt8]) -> [UInt8] {
        var result = signature
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            result[32 + index] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        return result
    }

    @Test("A signature inside another member stays signed")
    func innerSignature() async throws {
        let issuer = Issuer()
        let text = issuer.ticket("A") { $0["x"] = ["signature": "abc"] }
        #expect(try await outcome(of: text) == .admitted)
        let changed = issuer.json("A") { $0["x"] = ["signature": "abc"] }.replacing("abc".utf8, with: "abd".utf8)
        #expect(try await outcome(of: Base64URL.encode(changed)) == .refused(.badSignature))
    }

    @Test("Members that are not defined are signed, and otherwise ignored; display members are shown")
    func otherMembers() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let decision = await made.gate.validate(
            issuer.ticket {
                $0["extra"] = ["deep": [true, .null, "\u{1F600}"]]
                $0["none"] = .null
                $0["holder"] = "Zo\u{EB} \u{674E}"
                $0["seat"] = "A 1"
                $0["note"] = "=1+1"
            })
        #expect(decision.outcome == .admitted)
        #expect(decision.display == TicketDisplay(holder: "Zo\u{EB} \u{674E}", seat: "A 1", note: "=1+1"))
        #expect(try await outcome(of: issuer.adding("\"late\":1")) == .refused(.badSignature))
    }

    @Test("The signed bytes order names by UTF-16 and write numbers and escapes as RFC 8785 does")
    func canonicalForm() throws {
        let object: JSONObject = [
            "\u{FB33}": 1, "\u{1F600}": 2, "9": 3, "10": 4, "__proto__": 5, "\r": 6, "\u{20AC}": 7,
            "a": "\u{1}\"\\/\u{7F}\n",
            "1": [.null, true, -9_007_199_254_740_991],
        ]
        let expected =
            "{\"\\r\":6,\"1\":[null,true,-9007199254740991],\"10\":4,\"9\":3,\"__proto__\":5,"
            + "\"a\":\"\\u0001\\\"\\\\/\u{7F}\\n\",\"\u{20AC}\":7,\"\u{1F600}\":2,\"\u{FB33}\":1}"
        #expect(JSONValue.object(object).canonical() == Array(expected.utf8))
    }
}

extension JSONValue {
    /// The JSON of a ticket that an issuer made.
    fileprivate static func ticket(_ bytes: [UInt8]) -> JSONValue {
        do { return try JSONValue(parsing: bytes) } catch { preconditionFailure("\(error)") }
    }
}
