import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("The gate's configuration")
struct ConfigurationTests {
    private static let now = Issuer.evening.seconds

    /// A flaw, and what the refusal must name.
    struct Flaw: Sendable, CustomTestStringConvertible {
        let names: String
        let bytes: [UInt8]
        var testDescription: String { names }
    }

    private static func top(_ names: String, _ change: (inout JSONObject) -> Void) -> Flaw {
        Flaw(names: names, bytes: Issuer().configuration(version: 2, change))
    }

    private static func event(_ names: String, _ change: (inout JSONObject) -> Void) -> Flaw {
        Flaw(names: names, bytes: Issuer().configuration(version: 2, events: [Issuer().event(change)]))
    }

    private static func key(_ names: String, _ change: (inout JSONObject) -> Void) -> Flaw {
        let key = Issuer.key(Issuer().key, change)
        return Flaw(names: names, bytes: Issuer().configuration(version: 2, events: [Issuer().event(keys: [key])]))
    }

    private static func zone(_ names: String, _ change: (inout JSONObject) -> Void) -> Flaw {
        var zone: JSONObject = ["zoneId": "NORTH"]
        change(&zone)
        return event(names) { $0["zones"] = [.object(zone)] }
    }

    private static func hours(_ names: String, _ change: (inout JSONObject) -> Void) -> Flaw {
        var hours: JSONObject = ["opens": "18:00", "minutes": 60]
        change(&hours)
        return zone(names) { $0["hours"] = [.object(hours)] }
    }

    private static func revocation(_ names: String, _ change: (inout JSONObject) -> Void) -> Flaw {
        var revocation: JSONObject = ["ticketId": "T"]
        change(&revocation)
        return event(names) { $0["revokedTickets"] = [.object(revocation)] }
    }

    private static func text(_ names: String, _ change: (String) -> String) -> Flaw {
        let text = String(decoding: Issuer().configuration(version: 2), as: UTF8.self)
        return Flaw(names: names, bytes: Array(change(text).utf8))
    }

    static let unknownMembers: [Flaw] = [
        top("surprise") { $0["surprise"] = 1 }, event("surprise") { $0["surprise"] = 1 },
        key("surprise") { $0["surprise"] = 1 }, key("except") { $0["except"] = [] },
        zone("surprise") { $0["surprise"] = 1 }, hours("surprise") { $0["surprise"] = 1 },
        hours("closes") { $0["closes"] = "02:00" }, revocation("surprise") { $0["surprise"] = 1 },
        event("capacity") { $0["capacity"] = 100 }, top("signatures") { $0["signatures"] = [] },
    ]

    static let flaws: [Flaw] = [
        top("schema") { $0["schema"] = "portico.gate/2" }, top("schema") { $0["schema"] = nil },
        top("schema") { $0["schema"] = 1 }, top("epoch") { $0["epoch"] = 2 }, top("epoch") { $0["epoch"] = 0 },
        top("epoch") { $0["epoch"] = "1" }, top("version") { $0["version"] = nil },
        top("version") { $0["version"] = "2" },
        top("version") { $0["version"] = -1 }, top("issuedAt") { $0["issuedAt"] = nil },
        top("issuedAt") { $0["issuedAt"] = .integer(now * 1_000) },
        top("issuedAt") { $0["issuedAt"] = "2026-02-30T00:00:00Z" },
        top("staleAfter") { $0["staleAfter"] = nil }, top("staleAfter") { $0["staleAfter"] = "soon" },
        top("events") { $0["events"] = nil }, top("events") { $0["events"] = [:] },
        top("events") { $0["events"] = [1] },
        Flaw(
            names: "SUMMER-2026",
            bytes: Issuer().configuration(version: 2, events: [Issuer().event(), Issuer().event()])),
        event("eventId") { $0["eventId"] = nil }, event("eventId") { $0["eventId"] = "" },
        event("eventId") { $0["eventId"] = "a\u{202E}b" }, event("timeZone") { $0["timeZone"] = nil },
        event("timeZone") { $0["timeZone"] = "Mars/Olympus_Mons" }, event("timeZone") { $0["timeZone"] = "PST" },
        event("timeZone") { $0["timeZone"] = "GMT+2" }, event("timeZone") { $0["timeZone"] = "+02:00" },
        event("timeZone") { $0["timeZone"] = "" }, event("timeZone") { $0["timeZone"] = "europe/zurich" },
        event("timeZone") { $0["timeZone"] = "../etc/passwd" }, event("ends") { $0["ends"] = nil },
        event("ends") { $0["ends"] = -1 }, event("keys") { $0["keys"] = nil }, event("keys") { $0["keys"] = 1 },
        event("zones") { $0["zones"] = nil }, event("zones") { $0["zones"] = "NORTH" },
        event("NORTH") { $0["zones"] = [["zoneId": "NORTH"], ["zoneId": "NORTH"]] },
        event("tolerance") { $0["tolerance"] = -1 }, event("tolerance") { $0["tolerance"] = 3_601 },
        event("tolerance") { $0["tolerance"] = "120" }, event("revokedTickets") { $0["revokedTickets"] = [:] },
        key("keyId") { $0["keyId"] = nil }, key("keyId") { $0["keyId"] = 1 },
        key("publicKey") { $0["publicKey"] = nil },
        key("publicKey") { $0["publicKey"] = "AAAA" }, key("publicKey") { $0["publicKey"] = "not base64url" },
        key("publicKey") { $0["publicKey"] = .string(Base64URL.encode([UInt8](repeating: 3, count: 32)) + "=") },
        key("status") { $0["status"] = nil }, key("status") { $0["status"] = "paused" },
        key("validFrom") { $0["validFrom"] = "yesterday" }, key("validTo") { $0["validTo"] = 1_783_188_000_000 },
        key("formats") { $0["formats"] = "json" }, key("formats") { $0["formats"] = [] },
        key("validFrom") {
            $0["validFrom"] = 1_783_000_001
            $0["validTo"] = 1_783_000_000
        }, key("formats") { $0["formats"] = [1] },
        key("reinstated") { $0["reinstated"] = 1 }, zone("zoneId") { $0["zoneId"] = nil },
        zone("zoneId") { $0["zoneId"] = "" }, zone("admits") { $0["admits"] = "NORTH" },
        zone("admits") { $0["admits"] = [""] }, zone("hours") { $0["hours"] = [:] },
        hours("opens") { $0["opens"] = nil },
        hours("opens") { $0["opens"] = "24:00" }, hours("opens") { $0["opens"] = "6:00" },
        hours("opens") { $0["opens"] = "18:60" }, hours("opens") { $0["opens"] = "18:00:00" },
        hours("opens") { $0["opens"] = "6:00 PM" }, hours("minutes") { $0["minutes"] = nil },
        hours("minutes") { $0["minutes"] = 0 }, hours("minutes") { $0["minutes"] = -60 },
        hours("minutes") { $0["minutes"] = 1_441 }, hours("days") { $0["days"] = ["monday"] },
        hours("days") { $0["days"] = "mon" }, hours("days") { $0["days"] = ["Mon"] },
        hours("dates") { $0["dates"] = ["2026-02-30"] }, hours("dates") { $0["dates"] = ["4.7.2026"] },
        hours("dates") {
            $0["days"] = ["mon"]
            $0["dates"] = ["2026-07-04"]
        },
        revocation("ticketId") { $0["ticketId"] = nil }, revocation("ticketId") { $0["ticketId"] = "\u{0}" },
        revocation("issuedBefore") { $0["issuedBefore"] = "never" },
    ]

    static let notJSON: [Flaw] = [
        Flaw(names: "", bytes: []), Flaw(names: "", bytes: [0xFF]), text("") { String($0.dropLast()) },
        text("") { $0 + "x" }, text("") { "\u{FEFF}" + $0 }, text("") { "[" + $0 + "]" },
        text("") { $0.replacing("\"version\":2", with: "\"version\":2,\"version\":2") },
        text("") { $0.replacing("\"version\":2", with: "\"version\":2,\"versi\\u006fn\":2") },
        text("") { $0.replacing("\"version\":2", with: "\"version\":2.0") },
        text("") { $0.replacing("\"version\":2", with: "\"version\":1e0") },
        text("") { $0.replacing("\"version\":2", with: "\"version\":02") },
        text("") { $0.replacing("\"version\":2", with: "\"version\":9007199254740992") },
        text("version") { $0.replacing("\"version\":2", with: "\"version\":null") },
        text("tolerance") { $0.replacing("\"timeZone\"", with: "\"tolerance\":null,\"timeZone\"") },
        text("") { $0.replacing("\"version\":2", with: "\"version\":2,\"a b\":1") },
        text("") {
            $0.replacing(
                "\"version\":2",
                with: "\"version\":2,\"x\":\(String(repeating: "[", count: 16))\(String(repeating: "]", count: 16))")
        },
    ]

    @Test("A member that is not implemented is refused by its name, at every place", arguments: unknownMembers)
    func unknownMember(flaw: Flaw) async throws {
        try await checkRefusal(flaw)
    }

    @Test(
        "A rule that is broken is refused by the name of its member, and the old configuration stays", arguments: flaws)
    func brokenRule(flaw: Flaw) async throws {
        try await checkRefusal(flaw)
    }

    @Test("What is not strict JSON is refused, and the old configuration stays", arguments: notJSON)
    func notStrict(flaw: Flaw) async throws {
        try await checkRefusal(flaw)
    }

    private func checkRefusal(_ flaw: Flaw) async throws {
        let made = try await TestGate.configured()
        let before = try await made.documents.names()
        let failure = await #expect(throws: ConfigurationError.self) { try await made.gate.apply(flaw.bytes) }
        guard case .invalid = failure else {
            Issue.record("refused as \(String(describing: failure))")
            return
        }
        #expect("\(failure.map(String.init(describing:)) ?? "")".contains(flaw.names))
        #expect(throws: failure.map { $0 } ?? ConfigurationError.invalid(path: "", "")) {
            _ = try GateConfiguration(parsing: flaw.bytes)
        }
        #expect(await made.gate.configuration?.stamp == ConfigurationStamp(version: 1))
        #expect(try await made.documents.names() == before)
        #expect(await made.outcome(Issuer().ticket()) == .admitted)
    }

    @Test("The fields of a configuration are read as they are written, and its limits are inclusive")
    func reading() throws {
        let issuer = Issuer()
        let bytes = issuer.configuration(
            version: 7,
            events: [
                issuer.event {
                    $0["tolerance"] = 3_600
                    $0["zones"] = [
                        [
                            "zoneId": "NORTH", "admits": ["NORTH", "VIP"],
                            "hours": [
                                ["days": ["mon", "sun"], "opens": "00:00", "minutes": 1_440],
                                ["dates": ["2026-07-04"], "opens": "23:59", "minutes": 1],
                            ],
                        ]
                    ]
                    $0["revokedTickets"] = [
                        ["ticketId": "A"], ["ticketId": "B", "issuedBefore": "2026-07-01T00:00:00Z"],
                    ]
                }
            ]
        ) { $0["epoch"] = 1 }
        let configuration = try GateConfiguration(parsing: bytes)
        #expect(configuration.stamp == ConfigurationStamp(epoch: 1, version: 7))
        #expect(configuration.issuedAt == Instant(seconds: 1_783_000_007))
        #expect(configuration.staleAfter == Instant(seconds: 1_783_300_000))
        let event = try #require(configuration.events.first)
        #expect(event.timeZone == "Europe/Zurich")
        #expect(event.ends == Instant(seconds: 1_783_296_000))
        #expect(event.toleranceSeconds == 3_600)
        #expect(event.zones.first?.admits == ["NORTH", "VIP"])
        #expect(event.zones.first?.hours.map(\.days) == [.week([0, 6]), .dates(["2026-07-04"])])
        #expect(event.zones.first?.hours.map(\.opensMinutes) == [0, 1_439])
        #expect(event.zones.first?.hours.map(\.minutes) == [1_440, 1])
        #expect(event.revokedTickets.map(\.ticketID) == ["A", "B"])
        #expect(event.revokedTickets.map(\.issuedBefore) == [nil, Instant("2026-07-01T00:00:00Z")])
        let key = try #require(event.keys.first)
        #expect(key.keyID == "k1")
        #expect(key.publicKey == issuer.key.publicKey)
        #expect(key.status == .active)
        #expect(key.formats == ["json"])
        #expect(!key.isReinstated && !key.isCarried)
        #expect(try GateConfiguration(parsing: issuer.configuration()).events.first?.toleranceSeconds == 120)
    }

    @Test("Public keys of small order and in another encoding are refused when they are loaded")
    func weakKeys() async throws {
        for hex in SmallOrder.encodings + ["eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"] {
            let bytes = try #require(Hexadecimal.decode(hex))
            let made = try await TestGate.configured()
            await #expect(throws: ConfigurationError.self, "\(hex)") {
                try await made.gate.apply(
                    Self.key("publicKey") { $0["publicKey"] = .string(Base64URL.encode(bytes)) }.bytes)
            }
        }
    }

    @Test("Two keys of one event may not have one keyId; in two events they may")
    func keyIDs() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let twice = [Issuer.key(issuer.key), Issuer.key(Issuer.Key("k1", seed: 2))]
        let failure = await #expect(throws: ConfigurationError.self) {
            try await made.gate.apply(issuer.configuration(version: 2, events: [issuer.event(keys: twice)]))
        }
        #expect(failure.map { "\($0)".contains("k1") } == true)
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k1", seed: 2))
        try await made.gate.apply(issuer.configuration(version: 2, events: [issuer.event(), winter.event()]))
    }

    @Test(
        "A lower version is refused, the same content again is nothing, other content under the same version is refused"
    )
    func order() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer, configuration: issuer.configuration(version: 5))
        await #expect(
            throws: ConfigurationError.older(ConfigurationStamp(version: 4), applied: ConfigurationStamp(version: 5))
        ) {
            try await made.gate.apply(issuer.configuration(version: 4))
        }
        let name = try #require(try await made.documents.names().first)
        let revision = try await made.documents.revision(name)
        try await made.gate.apply(issuer.configuration(version: 5))
        // The same members in another order, with white space: the canonical bytes are the same.
        let canonical = try JSONValue(parsing: issuer.configuration(version: 5)).canonical()
        let respelt = String(decoding: canonical, as: UTF8.self)
        try await made.gate.apply(Array(respelt.replacing(",\"", with: " ,\n \"").utf8))
        #expect(try await made.documents.revision(name) == revision)

        await #expect(throws: ConfigurationError.contradicts(ConfigurationStamp(version: 5))) {
            try await made.gate.apply(
                issuer.configuration(version: 5, events: [issuer.event { $0["tolerance"] = 0 }]))
        }
        try await made.gate.apply(issuer.configuration(version: 6))
        #expect(await made.gate.configuration?.stamp.version == 6)
    }

    @Test(
        "A version in which an event that the gate serves lacks its zone is refused, and so is one with none of its events"
    )
    func missingPlaces() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        await #expect(throws: ConfigurationError.zoneMissing(event: issuer.event, zone: "NORTH")) {
            try await made.gate.apply(
                issuer.configuration(version: 2, events: [issuer.event { $0["zones"] = [["zoneId": "SOUTH"]] }]))
        }
        let blank = try await TestGate.blank()
        let winter = Issuer(event: "WINTER-2026")
        await #expect(throws: ConfigurationError.eventsMissing([issuer.event])) {
            try await blank.gate.apply(winter.configuration())
        }
        #expect(await blank.outcome(issuer.ticket()) == .refused(.notConfigured))
    }

    @Test(
        "A gate without a configuration, or started with an event or zone that it lacks, refuses everything as not configured"
    )
    func notConfigured() async throws {
        let issuer = Issuer()
        let blank = try await TestGate.blank()
        for text in [issuer.ticket(), "", "noise", issuer.ticket { $0["v"] = 2 }] {
            #expect(await blank.outcome(text) == .refused(.notConfigured))
        }
        #expect(try await blank.gate.health().isConfigured == false)

        let configured = try await TestGate.configured(issuer)
        for (served, zone) in [("WINTER-2026", "NORTH"), ("SUMMER-2026", "WEST")] as [(Identifier, Identifier)] {
            let other = try await TestGate.blank(serving: [served], zone: zone, documents: configured.documents)
            #expect(await other.outcome(issuer.ticket()) == .refused(.notConfigured))
            #expect(try await other.gate.health().isConfigured == false)
        }
    }

    @Test("Each gate of a place admits what its zone lists: A only at gate 1, B only at gate 2")
    func zones() async throws {
        let issuer = Issuer()
        let configuration = issuer.configuration(events: [
            issuer.event {
                $0["zones"] = [
                    ["zoneId": "G1", "admits": ["A", "VIP"]], ["zoneId": "G2", "admits": ["B", "VIP"]], ["zoneId": "A"],
                    ["zoneId": "NONE", "admits": []],
                ]
            }
        ])
        for (gate, admitted) in [("G1", ["A", "VIP"]), ("G2", ["B", "VIP"]), ("A", ["A"]), ("NONE", [])] {
            let made = try await TestGate.configured(
                issuer, configuration: configuration, zone: try #require(Identifier(gate)))
            for zone in ["A", "B", "VIP", "G1", "G2", "NONE"] {
                let expected: ScanDecision.Outcome = admitted.contains(zone) ? .admitted : .refused(.wrongZone)
                #expect(await made.outcome(issuer.ticket("T-\(zone)", zone: zone)) == expected, "\(zone) at \(gate)")
            }
        }
    }

    @Test("Two events with equal zone names at one place: each gate admits its own event's tickets alone")
    func twoEvents() async throws {
        let summer = Issuer()
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k2", seed: 2))
        let configuration = summer.configuration(events: [summer.event(), winter.event()])
        let first = try await TestGate.configured(summer, configuration: configuration)
        let second = try await TestGate.configured(winter, configuration: configuration)
        let both = try await TestGate.configured(
            summer, configuration: configuration, serving: [summer.event, winter.event])
        #expect(await first.outcome(summer.ticket()) == .admitted)
        let wrong = await first.gate.validate(winter.ticket())
        #expect(wrong.outcome == .refused(.wrongEvent))
        #expect(wrong.ticket.verified?.eventID == winter.event)
        #expect(await second.outcome(winter.ticket()) == .admitted)
        #expect(await second.outcome(summer.ticket()) == .refused(.wrongEvent))
        #expect(await both.outcome(summer.ticket()) == .admitted)
        #expect(await both.outcome(winter.ticket()) == .admitted)
    }

    @Test("A revoked ticket is refused; a re-print issued since then is not, and other events' tickets are not either")
    func revokedTickets() async throws {
        let issuer = Issuer()
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k2", seed: 2))
        let configuration = issuer.configuration(events: [
            issuer.event {
                $0["revokedTickets"] = [
                    ["ticketId": "A"], ["ticketId": "B", "issuedBefore": .integer(Self.now - 1_000)],
                ]
            },
            winter.event(),
        ])
        let made = try await TestGate.configured(
            issuer, configuration: configuration, serving: [issuer.event, winter.event])
        func issued(_ span: Int64) -> (inout JSONObject) -> Void { { $0["issuedAt"] = .integer(Self.now + span) } }
        let refused = await made.gate.validate(issuer.ticket("A"))
        #expect(refused.outcome == .refused(.revoked))
        #expect(refused.ticket.verified != nil)
        #expect(await made.outcome(issuer.ticket("B", issued(-1_001))) == .refused(.revoked))
        #expect(await made.outcome(issuer.ticket("B", issued(-1_000))) == .admitted)
        #expect(await made.outcome(issuer.ticket("C")) == .admitted)
        #expect(await made.outcome(winter.ticket("A")) == .admitted)
    }

    @Test("A stale configuration warns and judges on")
    func stale() async throws {
        let issuer = Issuer()
        let old = issuer.configuration { $0["staleAfter"] = .integer(Self.now - 1) }
        let made = try await TestGate.configured(issuer, configuration: old)
        let health = try await made.gate.health()
        #expect(health.isConfigurationStale)
        #expect(health.isConfigurationUnsigned)
        #expect(health.configuration == ConfigurationStamp(version: 1))
        #expect(health.configurationAge == (Self.now - 1_783_000_001) * 1_000)
        #expect(await made.outcome(issuer.ticket()) == .admitted)

        let fresh = try await TestGate.configured(issuer)
        #expect(try await fresh.gate.health().isConfigurationStale == false)
    }

    @Test("After apply returns the next scan uses the new configuration, also after a restart")
    func applied() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let closed = issuer.configuration(
            version: 2, events: [issuer.event { $0["revokedTickets"] = [["ticketId": "A"]] }])
        try await made.gate.apply(closed)
        let decision = await made.gate.validate(issuer.ticket("A"))
        #expect(decision.outcome == .refused(.revoked))
        #expect(decision.configuration == ConfigurationStamp(version: 2))

        let again = try await TestGate.blank(documents: made.documents)
        #expect(await again.outcome(issuer.ticket("A")) == .refused(.revoked))
        #expect(await again.gate.configuration == made.gate.configuration)
    }

    @Test("A scan that began before apply returned is judged to its end by the old configuration")
    func scanUnderWay() async throws {
        let issuer = Issuer()
        let store = FaultyEventStore(InMemoryEventStore())
        let latch = Latch()
        store.plan(.waiting { await latch.wait() }, for: .record, call: 1)
        let made = try await TestGate.configured(issuer, store: store)
        async let early = made.gate.validate(issuer.ticket("A"))
        while store.calls(of: .record) < 1 { await Task.yield() }
        try await made.gate.apply(
            issuer.configuration(version: 2, events: [issuer.event { $0["revokedTickets"] = [["ticketId": "A"]] }]))
        await latch.open()
        let decision = await early
        #expect(decision.outcome == .admitted)
        #expect(decision.configuration == ConfigurationStamp(version: 1))
        #expect(await made.outcome(issuer.ticket("A")) == .refused(.revoked))
    }

    @Test("Of two applies at once the higher version stays, in memory and in the store", arguments: [1, 2])
    func twoApplies(held: Int) async throws {
        let issuer = Issuer()
        let documents = FaultyDocumentStore(InMemoryDocumentStore())
        let made = try await TestGate.configured(issuer, documents: documents)
        let latch = Latch()
        let replacements = documents.calls(of: .replace)
        documents.plan(.waiting { await latch.wait() }, for: .replace, call: replacements + 1)
        // The held one read the store before the other wrote it.
        let versions: [Int64] = held == 1 ? [2, 3] : [3, 2]
        let first = Task { () async -> ConfigurationError? in
            do throws(ConfigurationError) {
                try await made.gate.apply(issuer.configuration(version: versions[0]))
                return nil
            } catch { return error }
        }
        while documents.calls(of: .replace) < replacements + 1 { await Task.yield() }
        try await made.gate.apply(issuer.configuration(version: versions[1]))
        await latch.open()
        let failure = await first.value
        if held == 1 {
            #expect(
                failure == .older(ConfigurationStamp(version: 2), applied: ConfigurationStamp(version: 3)))
        } else {
            #expect(failure == nil)
        }
        #expect(await made.gate.configuration?.stamp.version == 3)
        #expect(try await TestGate.blank(documents: documents).gate.configuration?.stamp.version == 3)
    }

    @Test("Of many applies at once, by two gates over one store, the highest stays")
    func manyApplies() async throws {
        let issuer = Issuer()
        let documents = InMemoryDocumentStore()
        let one = try await TestGate.configured(issuer, documents: documents)
        let two = try await TestGate.blank(documents: documents, time: one.time)
        await withTaskGroup(of: Void.self) { group in
            for version: Int64 in 2...40 {
                let gate = version.isMultiple(of: 2) ? one.gate : two.gate
                group.addTask {
                    do throws(ConfigurationError) {
                        try await gate.apply(issuer.configuration(version: version))
                    } catch {
                        guard case .older = error else {
                            Issue.record("\(error)")
                            return
                        }
                    }
                }
            }
        }
        one.time.advance(milliseconds: 1_000)
        for made in [one, two] {
            #expect(await made.gate.validate(issuer.ticket()).configuration?.version == 40)
        }
    }

    @Test("What another process applies is taken up within a second")
    func otherProcess() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        #expect(await made.gate.validate(issuer.ticket("A")).configuration?.version == 1)
        let stamp = try await GateConfiguration.apply(
            issuer.configuration(version: 2), to: made.documents, at: made.time.now)
        #expect(stamp == ConfigurationStamp(version: 2))
        made.time.advance(milliseconds: 1_000)
        #expect(await made.gate.validate(issuer.ticket("B")).configuration?.version == 2)
        await #expect(throws: ConfigurationError.older(ConfigurationStamp(version: 1), applied: stamp)) {
            try await GateConfiguration.apply(issuer.configuration(), to: made.documents, at: made.time.now)
        }
    }

    @Test("What another process applies without this gate's zone is refused, and the one in force stays")
    func otherProcessLacksTheZone() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let elsewhere = issuer.configuration(
            version: 2, events: [issuer.event { $0["zones"] = [["zoneId": "SOUTH"]] }])
        let expected = ConfigurationError.zoneMissing(event: issuer.event, zone: "NORTH")
        await #expect(throws: expected) {
            try await GateConfiguration.apply(
                elsewhere, to: made.documents, at: made.time.now, for: (served: [issuer.event], zone: "NORTH"))
        }
        _ = try await GateConfiguration.apply(elsewhere, to: made.documents, at: made.time.now)
        made.time.advance(milliseconds: 1_000)
        let decision = await made.gate.validate(issuer.ticket("A"))
        #expect(decision.outcome == .admitted)
        #expect(decision.configuration?.version == 1)
        #expect(try await made.gate.health().lastError?.description == "\(expected)")

        _ = try await GateConfiguration.apply(issuer.configuration(version: 3), to: made.documents, at: made.time.now)
        made.time.advance(milliseconds: 1_000)
        #expect(await made.gate.validate(issuer.ticket("B")).configuration?.version == 3)
    }

    @Test("A store that fails leaves the old configuration in force, and health tells of it")
    func failingStore() async throws {
        let issuer = Issuer()
        let documents = FaultyDocumentStore(InMemoryDocumentStore())
        let made = try await TestGate.configured(issuer, documents: documents)
        documents.plan(.before(.full), for: .replace)
        await #expect(throws: ConfigurationError.store(.full)) {
            try await made.gate.apply(issuer.configuration(version: 2))
        }
        #expect(await made.gate.validate(issuer.ticket("A")).configuration?.version == 1)
        documents.heal()

        documents.plan(.before(.failed("no disk")), for: .revision)
        documents.plan(.before(.failed("no disk")), for: .read)
        made.time.advance(milliseconds: 5_000)
        #expect(await made.gate.validate(issuer.ticket("B")).outcome == .admitted)
        #expect(try await made.gate.health().lastError?.description.contains("no disk") == true)
        documents.heal()

        try await made.gate.apply(issuer.configuration(version: 2))
        #expect(await made.gate.validate(issuer.ticket("C")).configuration?.version == 2)
    }

    @Test("Stored bytes that are no configuration keep the gate from starting, with a clear error")
    func unreadableStore() async throws {
        let configured = try await TestGate.configured()
        let name = try #require(try await configured.documents.names().first)
        let revision = try await configured.documents.revision(name)
        _ = try await configured.documents.replace(name, with: [1, 2, 3], if: revision)
        do {
            _ = try await TestGate.blank(documents: configured.documents)
            Issue.record("a gate started on bytes that it cannot read")
        } catch let error as TicketGateError {
            guard case .configurationUnreadable = error else {
                Issue.record("\(error)")
                return
            }
            #expect("\(error)".hasPrefix("gate not started"))
        }
    }

    @Test("A store that cannot be read keeps the gate from starting, with its error")
    func unreachableStore() async throws {
        let documents = FaultyDocumentStore(InMemoryDocumentStore())
        documents.plan(.before(.failed("no disk")), for: .read)
        await #expect(throws: TicketGateError.configurationUnreadable(.store(.failed("no disk")))) {
            _ = try await TestGate.blank(documents: documents)
        }
    }

    @Test("Every refusal is one line that begins with what failed")
    func messages() {
        let stamp = ConfigurationStamp(version: 3)
        let errors: [ConfigurationError] = [
            .invalid(path: "events[0].ends", "missing"), .invalid(path: "", "not JSON"), .older(stamp, applied: stamp),
            .contradicts(stamp), .zoneMissing(event: "E", zone: "Z"), .eventsMissing(["E", "F"]),
            .tooManyKeys(event: "E", 65), .store(.full),
        ]
        for error in errors {
            #expect("\(error)".hasPrefix("configuration "))
            #expect(!"\(error)".contains("\n"))
        }
        #expect(Set(errors.map { "\($0)" }).count == errors.count)
    }
}

/// The encodings of points of small order, canonical or not of edwards25519 (RFC 7748 §4.1).
enum SmallOrder {
    static let encodings: [String] = {
        let zeros = String(repeating: "0", count: 62)
        let ones = String(repeating: "f", count: 60)
        return [
            "00" + zeros, String(repeating: "0", count: 62) + "80", "01" + zeros, "01" + zeros.dropLast(2) + "80",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "ec" + ones + "7f", "ec" + ones + "ff", "ed" + ones + "7f", "ed" + ones + "ff", "ee" + ones + "7f",
            "ee" + ones + "ff",
        ]
    }()
}
