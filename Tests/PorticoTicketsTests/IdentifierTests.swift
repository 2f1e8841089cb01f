import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    /// The refused code points, by ranges.
    static let refused: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x061C...0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF,
    ]

    @Test("Exactly the listed code points are refused")
    func codePoints() {
        for value: UInt32 in 0...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isListed = Self.refused.contains { $0.contains(value) }
            if (Identifier("a\(Character(scalar))b") == nil) != isListed {
                Issue.record("U+\(String(value, radix: 16)) is \(isListed ? "accepted" : "refused")")
            }
        }
    }

    @Test("A ticket with a refused code point in any identifier is malformed, and its neighbours are read")
    func inTickets() async throws {
        let issuer = Issuer()
        for name in ["ticketId", "eventId", "zoneId", "keyId", "category"] {
            for range in Self.refused {
                for value in Set([range.lowerBound, range.upperBound]) {
                    guard let scalar = Unicode.Scalar(value) else { continue }
                    let text = issuer.ticket { $0[name] = .string("a\(Character(scalar))b") }
                    let named = "\(name) U+\(String(value, radix: 16))"
                    #expect(try await outcome(of: text) == .refused(.malformed), "\(named)")
                }
            }
        }
        for value: UInt32 in [
            0x20, 0x7E, 0xA0, 0xAC, 0xAE, 0x061B, 0x061D, 0x200A, 0x2010, 0x2027, 0x202F, 0x205F, 0x2070,
        ] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = issuer.ticket { $0["ticketId"] = .string("a\(Character(scalar))b") }
            #expect(try await outcome(of: text) == .admitted, "U+\(String(value, radix: 16))")
        }
    }

    @Test(
        "Escape sequences, direction marks, line separators and tabs in an id are malformed; a formula is text",
        arguments: [
            ("\u{1B}[31m", false), ("\u{202E}abc", false), ("a\u{85}b", false), ("a\u{2028}b", false), ("\t", false),
            ("=1+1", true), ("<b>x</b>", true), ("'); DROP TABLE tickets--", true), ("\u{1F3AB}", true),
        ])
    func hostileIDs(id: String, isRead: Bool) async throws {
        let text = Issuer().ticket { $0["ticketId"] = .string(id) }
        #expect(try await outcome(of: text) == (isRead ? .admitted : .refused(.malformed)))
    }

    @Test("1 to 128 UTF-8 bytes are an identifier, whatever they count in characters")
    func lengths() async throws {
        let issuer = Issuer()
        let cases: [(String, Bool)] = [
            ("", false), ("x", true), (String(repeating: "x", count: 128), true),
            (String(repeating: "x", count: 129), false), (String(repeating: "\u{E9}", count: 64), true),
            (String(repeating: "\u{E9}", count: 64) + "x", false),
            ("e" + String(repeating: "\u{301}", count: 63), true),
            ("e" + String(repeating: "\u{301}", count: 64), false),
        ]
        for (id, isRead) in cases {
            #expect((Identifier(id) != nil) == isRead)
            #expect((Identifier(utf8: Array(id.utf8)) != nil) == isRead)
            let text = issuer.ticket { $0["ticketId"] = .string(id) }
            #expect(
                try await outcome(of: text) == (isRead ? .admitted : .refused(.malformed)), "\(id.utf8.count) bytes")
        }
    }

    @Test("Bytes that are not UTF-8 are no identifier")
    func notText() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x80]] {
            #expect(Identifier(utf8: bytes) == nil)
        }
        #expect(Identifier(utf8: [0xC3, 0xA9])?.text == "\u{E9}")
    }

    @Test("Ids that only look alike are two tickets and two rows of the ledger")
    func lookingAlike() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        // Composed and decomposed; two cases; with and without a space; a letter and its compatibility form.
        let ids = ["\u{E9}", "e\u{301}", "T-1", "t-1", " T-1", "T-1 ", "\u{FF34}-1", "\u{212B}", "\u{C5}", "A\u{30A}"]
        for id in ids { #expect(await made.outcome(issuer.ticket(id)) == .admitted, "\(id)") }
        for id in ids { #expect(await made.outcome(issuer.ticket(id)) == .refused(.alreadyUsed), "\(id)") }
        #expect(try await made.store.entries(EntryQuery()).count == ids.count)
        #expect(try await made.store.status().tickets == ids.count)
    }

    @Test("Events, zones and keys are told apart by bytes too")
    func otherIdentifiers() async throws {
        let issuer = Issuer()
        #expect(try await outcome(of: issuer.ticket(zone: "north")) == .refused(.wrongZone))
        #expect(try await outcome(of: issuer.ticket(zone: "NORTH ")) == .refused(.wrongZone))
        #expect(try await outcome(of: issuer.ticket { $0["eventId"] = "summer-2026" }) == .refused(.unknownEvent))
        #expect(try await outcome(of: issuer.ticket { $0["keyId"] = "K1" }) == .refused(.unknownKey))
        #expect(try await outcome(of: issuer.ticket { $0["keyId"] = "k1" }) == .admitted)
    }
}
