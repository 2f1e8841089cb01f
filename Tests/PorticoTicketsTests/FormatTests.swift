import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Formats of tickets")
struct FormatTests {
    private let issuer = Issuer()

    /// A ticket behind a prefix: what a host brings of its own.
    private struct PrefixedFormat: TicketFormat {
        let name = "prefixed"
        private let json = JSONTicketFormat()

        func hasShape(_ text: [UInt8]) -> Bool { text.starts(with: "T1:".utf8) }
        func parse(_ text: [UInt8]) -> TicketParsing { json.parse(Array(text.dropFirst(3))) }
    }

    @Test(
        "A known shape that the gate does not take is unsupported, and no shape at all is malformed",
        arguments: [
            ("eyJhbGciOiJFZERTQSJ9.eyJ0aWNrZXRJZCI6IlQifQ.AAAA", .unsupportedFormat),
            ("v4.public.AAAA", .unsupportedFormat),
            ("v4.public.AAAA.AAAA", .unsupportedFormat), ("eyJhbGciOiJFZERTQSJ9.eyJ0", .malformed),
            ("eyJhbGciOiJFZERTQSJ9..AAAA", .malformed), ("a.b.c", .malformed), ("T1:AAAA", .malformed),
            ("https://example.org/t/1", .malformed), ("~", .malformed), ("abc~def", .malformed), ("{}", .malformed),
            ("WIFI:S:net;;", .malformed),
        ] as [(String, Reason)])
    func shapes(text: String, reason: Reason) async throws {
        #expect(try await outcome(of: text) == .refused(reason))
    }

    @Test("A ticket followed by a proof of its holder is reserved, whatever the proof")
    func holderProof() async throws {
        for proof in ["", "x", "eyJ", "~", "\u{0}", String(repeating: "A", count: 500)] {
            #expect(try await outcome(of: issuer.ticket() + "~" + proof) == .refused(.unsupportedFormat), "\(proof)")
        }
        #expect(try await outcome(of: issuer.ticket()) == .admitted)
    }

    @Test("A host's own format is told apart by its shape, and only keys that list it are tried")
    func ownFormat() async throws {
        let text = "T1:" + issuer.ticket()
        for (formats, expected, plain) in [
            (nil, .refused(.unknownKey), .admitted), (["prefixed"], .admitted, .refused(.unknownKey)),
            (["json", "prefixed"], .admitted, .admitted),
        ] as [(JSONValue?, ScanDecision.Outcome, ScanDecision.Outcome)] {
            let key = Issuer.key(issuer.key) { if let formats { $0["formats"] = formats } }
            let configuration = issuer.configuration(events: [issuer.event(keys: [key])])
            let both = try await TestGate.configured(
                issuer, configuration: configuration, formats: [JSONTicketFormat(), PrefixedFormat()])
            #expect(await both.outcome(text) == expected)
            let other = try await TestGate.configured(
                issuer, configuration: configuration, formats: [JSONTicketFormat(), PrefixedFormat()])
            #expect(await other.outcome(issuer.ticket()) == plain)
        }
        // A gate that was given only the host's own format takes no other.
        let only = try await TestGate.configured(issuer, formats: [PrefixedFormat()])
        #expect(await only.outcome(issuer.ticket()).isRefusedBeforeKeys)
    }

    /// A format of a host that breaks what claims promise.
    private struct CarelessFormat: TicketFormat {
        let name = "json"
        let change: @Sendable (inout TicketClaims) -> Void
        private let json = JSONTicketFormat()

        init(_ change: @escaping @Sendable (inout TicketClaims) -> Void) { self.change = change }
        func hasShape(_ text: [UInt8]) -> Bool { json.hasShape(text) }
        func parse(_ text: [UInt8]) -> TicketParsing {
            guard case .ticket(var ticket) = json.parse(text) else { return .malformed("") }
            change(&ticket.claims)
            return .ticket(ticket)
        }
    }

    @Test("What a host's format gives beyond the limits of a ticket is malformed, and never reaches a history")
    func carelessFormat() async throws {
        let changes: [@Sendable (inout TicketClaims) -> Void] = [
            { $0.uses = -1 }, { $0.uses = 0 }, { $0.uses = 1_001 }, { $0.contentHash = [] },
            { $0.contentHash.append(0) },
        ]
        for change in changes {
            let made = try await TestGate.configured(issuer, formats: [CarelessFormat(change)])
            for _ in 0..<2 { #expect(await made.outcome(issuer.ticket()) == .refused(.malformed)) }
            #expect(try await made.events().count == 2)
        }
    }

    @Test("A host's own form of the signed bytes is used instead of RFC 8785")
    func ownSigning() async throws {
        let format = JSONTicketFormat(signing: { object in
            var object = object
            object["signature"] = nil
            return Array("backend:".utf8) + JSONValue.object(object).canonical()
        })
        let made = try await TestGate.configured(issuer, formats: [format])
        #expect(await made.outcome(issuer.ticket("A")) == .refused(.badSignature))
        var object = issuer.members("B")
        let message = Array("backend:".utf8) + JSONValue.object(object).canonical()
        object["signature"] = .string(Base64URL.encode(issuer.key.signature(of: message)))
        let decision = await made.gate.validate(Base64URL.encode(JSONValue.object(object).serialized()))
        #expect(decision.outcome == .admitted)
        #expect(decision.ticket.verified?.contentHash == SHA256.hash(message))
    }

    @Test("The format's parsing says why, without the content of the text")
    func parsing() {
        let format = JSONTicketFormat()
        #expect(format.name == "json")
        let text = Array(issuer.ticket().utf8)
        #expect(format.hasShape(text))
        guard case .ticket(let ticket) = format.parse(text) else {
            Issue.record("an issued ticket parses")
            return
        }
        #expect(ticket.claims.ticketID == "T-0001")
        #expect(ticket.signedBytes == JSONValue.object(issuer.members()).canonical())
        #expect(ticket.claims.contentHash == SHA256.hash(ticket.signedBytes))
        for text in [issuer.adding("\"x\":1.5"), issuer.ticket { $0["uses"] = 0 }, "AAAA", ""] {
            guard case .malformed(let why) = format.parse(Array(text.utf8)) else {
                Issue.record("\(text) parses")
                continue
            }
            #expect(!why.isEmpty && !why.contains("\n"))
        }
        guard case .unsupported(let why) = format.parse(Array(issuer.ticket { $0["v"] = 2 }.utf8)) else {
            Issue.record("version 2 parses")
            return
        }
        #expect(!why.isEmpty)
    }
}

extension ScanDecision.Outcome {
    /// Refused because of its shape alone.
    fileprivate var isRefusedBeforeKeys: Bool {
        self == .refused(.malformed) || self == .refused(.unsupportedFormat)
    }
}
