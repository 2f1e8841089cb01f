import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Keys and their states")
struct KeyStateTests {
    private static let now = Issuer.evening.seconds
    private let issuer = Issuer()
    private let other = Issuer.Key("k2", seed: 2)

    private func configuration(version: Int64 = 1, _ keys: [JSONObject]) -> [UInt8] {
        issuer.configuration(version: version, events: [issuer.event(keys: keys)])
    }

    @Test("A ticket names its key, or each of the event's is tried")
    func selection() async throws {
        let both = configuration([Issuer.key(issuer.key), Issuer.key(other)])
        #expect(try await outcome(of: issuer.ticket(by: other), configuration: both) == .admitted)
        let named = issuer.ticket(by: other) { $0["keyId"] = "k2" }
        #expect(try await outcome(of: named, configuration: both) == .admitted)
        let misnamed = issuer.ticket(by: other) { $0["keyId"] = "k1" }
        #expect(try await outcome(of: misnamed, configuration: both) == .refused(.badSignature))
        let unknown = issuer.ticket(by: other) { $0["keyId"] = "k3" }
        #expect(try await outcome(of: unknown, configuration: both) == .refused(.unknownKey))
    }

    @Test("The decision says which key verified")
    func verifyingKey() async throws {
        let made = try await TestGate.configured(
            issuer, configuration: configuration([Issuer.key(issuer.key), Issuer.key(other)]))
        #expect(await made.gate.validate(issuer.ticket(by: other)).ticket.verified?.keyID == "k2")
    }

    @Test("The key of another event is no key of this one")
    func otherEventsKey() async throws {
        let winter = Issuer(event: "WINTER-2026", key: other)
        let configuration = issuer.configuration(events: [issuer.event(), winter.event()])
        let named = issuer.ticket(by: other) { $0["keyId"] = "k2" }
        #expect(try await outcome(of: named, configuration: configuration) == .refused(.unknownKey))
        #expect(
            try await outcome(of: issuer.ticket(by: other), configuration: configuration) == .refused(.badSignature))
    }

    @Test("An event of the configuration that has no key of the ticket's format leaves no key to try")
    func otherFormats() async throws {
        for formats: JSONValue in [["jws"], ["JSON"], ["jws", "paseto"]] {
            let configuration = configuration([Issuer.key(issuer.key) { $0["formats"] = formats }])
            #expect(try await outcome(of: issuer.ticket(), configuration: configuration) == .refused(.unknownKey))
            let named = issuer.ticket { $0["keyId"] = "k1" }
            #expect(try await outcome(of: named, configuration: configuration) == .refused(.unknownKey))
        }
        let listed = configuration([Issuer.key(issuer.key) { $0["formats"] = ["jws", "json"] }])
        #expect(try await outcome(of: issuer.ticket(), configuration: listed) == .admitted)
        // One key is not tried, the other is, and does not verify.
        let mixed = configuration([Issuer.key(issuer.key) { $0["formats"] = ["jws"] }, Issuer.key(other)])
        #expect(try await outcome(of: issuer.ticket(), configuration: mixed) == .refused(.badSignature))
    }

    @Test("A forgery that names a revoked key is a bad signature")
    func forgeryUnderRevoked() async throws {
        let revoked = configuration([Issuer.key(issuer.key, status: "revoked"), Issuer.key(other)])
        let forged = issuer.ticket(by: Issuer.Key("k9", seed: 9)) { $0["keyId"] = "k1" }
        #expect(try await outcome(of: forged, configuration: revoked) == .refused(.badSignature))
        let unnamed = issuer.ticket(by: Issuer.Key("k9", seed: 9))
        #expect(try await outcome(of: unnamed, configuration: revoked) == .refused(.badSignature))
    }

    @Test("A genuine ticket by a revoked key says so, named or tried, and its content is genuine")
    func revoked() async throws {
        let revoked = configuration([Issuer.key(issuer.key, status: "revoked"), Issuer.key(other)])
        let made = try await TestGate.configured(issuer, configuration: revoked)
        for text in [issuer.ticket("A"), issuer.ticket("B") { $0["keyId"] = "k1" }] {
            let decision = await made.gate.validate(text)
            #expect(decision.outcome == .refused(.keyRevoked))
            #expect(decision.ticket.verified?.keyID == "k1")
        }
        #expect(await made.outcome(issuer.ticket("C", by: other)) == .admitted)
    }

    @Test("A key's interval includes both ends; outside it a genuine ticket is outsideKeyValidity")
    func interval() async throws {
        for status in ["active", "retired"] {
            let configuration = configuration([
                Issuer.key(issuer.key, status: status) {
                    $0["validFrom"] = .integer(Self.now - 1_000)
                    $0["validTo"] = .integer(Self.now - 500)
                }
            ])
            for (issued, expected) in [
                (-1_001, .refused(.outsideKeyValidity)), (-1_000, .admitted), (-750, .admitted), (-500, .admitted),
                (-499, .refused(.outsideKeyValidity)),
            ] as [(Int64, ScanDecision.Outcome)] {
                let text = issuer.ticket { $0["issuedAt"] = .integer(Self.now + issued) }
                #expect(try await outcome(of: text, configuration: configuration) == expected, "\(status) \(issued)")
            }
        }
    }

    @Test("Revoked bytes under another keyId of a higher version are still revoked, and verify only as reinstated")
    func revokedBytes() async throws {
        let made = try await TestGate.configured(
            issuer, configuration: configuration([Issuer.key(issuer.key, status: "revoked"), Issuer.key(other)]))
        let renamed: (Bool) -> JSONObject = { [issuer] isReinstated in
            var key = Issuer.key(issuer.key)
            key["keyId"] = "fresh"
            if isReinstated { key["reinstated"] = true }
            return key
        }
        try await made.gate.apply(configuration(version: 2, [renamed(false), Issuer.key(other)]))
        #expect(await made.outcome(issuer.ticket("A") { $0["keyId"] = "fresh" }) == .refused(.keyRevoked))
        #expect(await made.outcome(issuer.ticket("A")) == .refused(.keyRevoked))

        try await made.gate.apply(configuration(version: 3, [renamed(true), Issuer.key(other)]))
        #expect(await made.outcome(issuer.ticket("A") { $0["keyId"] = "fresh" }) == .admitted)
    }

    @Test("Revoked bytes are remembered through a version that omits them, and through a restart")
    func rememberedRevocation() async throws {
        let made = try await TestGate.configured(
            issuer, configuration: configuration([Issuer.key(issuer.key, status: "revoked"), Issuer.key(other)]))
        try await made.gate.apply(configuration(version: 2, [Issuer.key(other)]))
        #expect(await made.outcome(issuer.ticket("A")) == .refused(.keyRevoked))

        let again = try await TestGate.blank(store: made.store, documents: made.documents, time: made.time)
        #expect(await again.outcome(issuer.ticket("A")) == .refused(.keyRevoked))
        try await again.gate.apply(configuration(version: 3, [Issuer.key(issuer.key), Issuer.key(other)]))
        #expect(await again.outcome(issuer.ticket("A")) == .refused(.keyRevoked))
    }

    @Test("A public key that is revoked in one event is revoked in all, by its bytes")
    func revokedElsewhere() async throws {
        let winter = Issuer(event: "WINTER-2026", key: issuer.key)
        let configuration = issuer.configuration(events: [
            issuer.event(),
            winter.event(keys: [Issuer.key(issuer.key, status: "revoked") { $0["keyId"] = "w1" }]),
        ])
        #expect(try await outcome(of: issuer.ticket(), configuration: configuration) == .refused(.keyRevoked))
    }

    @Test("A key that a higher version omits verifies on as retired, what it signs after that version does not")
    func carriedKey() async throws {
        let made = try await TestGate.configured(issuer, configuration: configuration([Issuer.key(issuer.key)]))
        // Version 2 was issued at 1783000002.
        try await made.gate.apply(configuration(version: 2, [Issuer.key(other)]))
        #expect(await made.outcome(issuer.ticket("A") { $0["issuedAt"] = 1_783_000_002 }) == .admitted)
        #expect(await made.outcome(issuer.ticket("B", by: other)) == .admitted)
        #expect(
            await made.outcome(issuer.ticket("C") { $0["issuedAt"] = 1_783_000_003 }) == .refused(.outsideKeyValidity))

        #expect(try await made.gate.health().carried == [.key(event: issuer.event, keyID: "k1")])
        let key = await made.gate.configuration?.events.first?.keys.first { $0.keyID == "k1" }
        #expect(key?.isCarried == true)
        #expect(key?.status == .retired)
        #expect(key?.validTo == Instant(seconds: 1_783_000_002))
    }

    @Test("A carried key keeps an end of its own that is earlier, and is no longer carried once it is named again")
    func carriedEnds() async throws {
        let short = Issuer.key(issuer.key, status: "retired") { $0["validTo"] = 1_782_000_000 }
        let made = try await TestGate.configured(issuer, configuration: configuration([short, Issuer.key(other)]))
        for version: Int64 in 2...4 {
            try await made.gate.apply(configuration(version: version, [Issuer.key(other)]))
            let key = await made.gate.configuration?.events.first?.keys.first { $0.keyID == "k1" }
            #expect(key?.validTo == Instant(seconds: 1_782_000_000))
        }
        try await made.gate.apply(configuration(version: 5, [Issuer.key(issuer.key), Issuer.key(other)]))
        #expect(try await made.gate.health().carried == [])
        #expect(await made.outcome(issuer.ticket("A")) == .admitted)
    }

    @Test("A key carried through several versions ends at the first that omitted it")
    func carriedTwice() async throws {
        let made = try await TestGate.configured(issuer, configuration: configuration([Issuer.key(issuer.key)]))
        try await made.gate.apply(configuration(version: 2, [Issuer.key(other)]))
        try await made.gate.apply(configuration(version: 9, [Issuer.key(other)]))
        #expect(
            await made.outcome(issuer.ticket("A") { $0["issuedAt"] = 1_783_000_003 }) == .refused(.outsideKeyValidity))
    }

    @Test("A revoked key is carried as revoked")
    func carriedRevoked() async throws {
        let made = try await TestGate.configured(
            issuer, configuration: configuration([Issuer.key(issuer.key, status: "revoked"), Issuer.key(other)]))
        try await made.gate.apply(configuration(version: 2, [Issuer.key(other)]))
        let key = await made.gate.configuration?.events.first?.keys.first { $0.keyID == "k1" }
        #expect(key?.status == .revoked)
        #expect(try await made.gate.health().carried == [.key(event: issuer.event, keyID: "k1")])
    }

    @Test("An event that a higher version omits is carried with its rules, until a day after its end")
    func carriedEvent() async throws {
        let winter = Issuer(event: "WINTER-2026", key: other)
        let made = try await TestGate.configured(
            issuer, configuration: issuer.configuration(events: [issuer.event(), winter.event()]),
            serving: [issuer.event, winter.event])
        let onlySummer = { [issuer] (version: Int64) in issuer.configuration(version: version) }
        try await made.gate.apply(onlySummer(2))
        // Its keys are carried like any other: what they signed before version 2 verifies.
        let early: (inout JSONObject) -> Void = { $0["issuedAt"] = 1_783_000_000 }
        #expect(await made.outcome(winter.ticket("A", early)) == .admitted)
        #expect(await made.outcome(winter.ticket("B")) == .refused(.outsideKeyValidity))
        let carried = try await made.gate.health().carried
        #expect(carried.contains(.event(winter.event)))
        #expect(await made.gate.configuration?.events.first { $0.eventID == winter.event }?.isCarried == true)

        let ends: Int64 = 1_783_296_000
        for (seconds, isKnown) in [(ends + 86_400, true), (ends + 86_401, false)] {
            let late = try await TestGate.configured(
                issuer, configuration: issuer.configuration(events: [issuer.event(), winter.event()]),
                serving: [issuer.event], time: ManualTimeSource(now: Instant(seconds: seconds)))
            try await late.gate.apply(onlySummer(2))
            let expected: Reason = isKnown ? .wrongEvent : .unknownEvent
            #expect(await late.outcome(winter.ticket("B", early)) == .refused(expected), "\(seconds)")
        }
    }

    @Test("An event has at most eight keys of a file's own; nine are refused, and the message counts them")
    func nineKeys() async throws {
        func keys(_ count: UInt8) -> [JSONObject] {
            (1...count).map { Issuer.key(Issuer.Key(Identifier("k\($0)") ?? "k", seed: $0)) }
        }
        let made = try await TestGate.configured(issuer, configuration: configuration(keys(8)))
        #expect(await made.outcome(issuer.ticket(by: Issuer.Key("k8", seed: 8))) == .admitted)
        await #expect {
            try await made.gate.apply(configuration(version: 2, keys(9)))
        } throws: { error in
            "\(error)".contains("keys") && "\(error)".contains("8")
        }
        #expect(await made.gate.configuration?.stamp.version == 1)
    }

    @Test("With carried keys an event has 64; a version that would make it more is refused by name")
    func sixtyFourKeys() async throws {
        func keys(_ round: UInt8) -> [JSONObject] {
            (0..<UInt8(8)).map { number in
                let seed = round * 8 + number + 1
                return Issuer.key(Issuer.Key(Identifier("k\(seed)") ?? "k", seed: seed))
            }
        }
        let made = try await TestGate.configured(issuer, configuration: configuration(keys(0)))
        for version: UInt8 in 2...8 {
            try await made.gate.apply(configuration(version: Int64(version), keys(version - 1)))
        }
        #expect(await made.gate.configuration?.events.first?.keys.count == 64)
        await #expect(throws: ConfigurationError.tooManyKeys(event: issuer.event, 72)) {
            try await made.gate.apply(configuration(version: 9, keys(8)))
        }
        #expect(await made.gate.configuration?.stamp.version == 8)
        let first = issuer.ticket("A", by: Issuer.Key("k1", seed: 1)) { $0["issuedAt"] = 1_783_000_000 }
        #expect(await made.outcome(first) == .admitted)
    }

    @Test("What would be carried can be asked before it is applied")
    func carriedBeforehand() throws {
        let winter = Issuer(event: "WINTER-2026", key: other)
        let old = issuer.configuration(events: [issuer.event(), winter.event()])
        let new = issuer.configuration(
            version: 2, events: [issuer.event(keys: [Issuer.key(Issuer.Key("k3", seed: 3))])])
        let carried = try GateConfiguration.carried(applying: new, after: old)
        #expect(carried.contains(.event(winter.event)))
        #expect(carried.contains(.key(event: issuer.event, keyID: "k1")))
        #expect(try GateConfiguration.carried(applying: old, after: old).isEmpty)
        #expect(carried.allSatisfy { !"\($0)".isEmpty })
    }
}
