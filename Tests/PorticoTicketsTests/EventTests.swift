import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Recorded events")
struct EventTests {
    private let issuer = Issuer()

    @Test("Every attempt is recorded, admitted or not, in order and without a gap")
    func everyAttempt() async throws {
        let made = try await TestGate.configured(issuer)
        let texts = [
            issuer.ticket("A"), issuer.ticket("A"), "noise", "", issuer.ticket("B") { $0["v"] = 2 },
            issuer.ticket("C") { $0["eventId"] = "NOWHERE" }, issuer.ticket("D") { $0["keyId"] = "k7" },
            issuer.ticket("E", by: Issuer.Key("k9", seed: 9)), issuer.ticket("F", zone: "SOUTH"),
        ]
        for text in texts { _ = await made.outcome(text) }
        let events = try await made.events()
        #expect(events.map(\.sequence) == Array(1...9))
        #expect(
            events.map(\.reason) == [
                nil, .alreadyUsed, .malformed, .malformed, .unsupportedFormat, .unknownEvent, .unknownKey,
                .badSignature,
                .wrongZone,
            ])
        #expect(events.map(\.isAdmission) == [true] + Array(repeating: false, count: 8))
        #expect(Set(events.map(\.id)).count == 9)
        #expect(try await made.store.status().pending == 9)
    }

    @Test("An event says which device, gate, lane, configuration and time it is of")
    func circumstances() async throws {
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k2", seed: 2))
        let made = try await TestGate.configured(
            issuer, configuration: issuer.configuration(version: 12, events: [issuer.event(), winter.event()]),
            serving: [issuer.event, winter.event])
        let decision = await made.gate.validate(issuer.ticket(), lane: "L1")
        let event = try #require(try await made.events().first)
        #expect(event.id == decision.eventID)
        #expect(event.deviceID == (try await made.store.status().head.deviceID))
        #expect(event.gateID == "G1")
        #expect(event.lane == "L1")
        #expect(Set(event.gateEvents) == [issuer.event, winter.event])
        #expect(event.scannedAt == Issuer.evening)
        #expect(event.clock == .trusted)
        #expect(event.configuration == ConfigurationStamp(epoch: 1, version: 12))
        #expect(event.kind == .entry)
        #expect(event.verdict == .admitted)
        #expect(event.count == 1)
        #expect(event.operatorName == nil)
        #expect(event.repeats == 0)
        // UUIDv7: 48 bits of time, the version, the variant (RFC 9562 §5.7).
        let bytes = event.id.bytes
        #expect(bytes[..<6].reduce(0) { $0 << 8 | Int64($1) } == Issuer.evening.milliseconds)
        #expect(bytes[6] >> 4 == 7)
        #expect(bytes[8] >> 6 == 2)
    }

    @Test("The seven members are recorded and decided as verified from a genuine ticket, as claimed from another")
    func evidence() async throws {
        let made = try await TestGate.configured(issuer)
        let genuine = issuer.ticket("A", zone: "SOUTH") {
            $0["category"] = "CHILD"
            $0["uses"] = 3
        }
        let forged = issuer.ticket("A", by: Issuer.Key("k9", seed: 9)) { $0["keyId"] = "k1" }
        for (text, reason, isVerified) in [
            (genuine, .wrongZone, true), (forged, .badSignature, false),
            (issuer.ticket("A") { $0["keyId"] = "k7" }, .unknownKey, false),
            (issuer.ticket("A") { $0["eventId"] = "NOWHERE" }, .unknownEvent, false),
        ] as [(String, Reason, Bool)] {
            let decision = await made.gate.validate(text)
            #expect(decision.outcome == .refused(reason))
            let bytes = try #require(Base64URL.decode(text))
            let json = try #require(try JSONValue(parsing: bytes).objectValue)
            let claims = try #require(decision.ticket.claims)
            #expect((decision.ticket.verified != nil) == isVerified, "\(reason)")
            #expect((decision.display != nil) == isVerified, "\(reason)")
            #expect(claims.ticketID.text == json["ticketId"]?.stringValue)
            #expect(claims.eventID.text == json["eventId"]?.stringValue)
            #expect(claims.zoneID.text == json["zoneId"]?.stringValue)
            #expect(claims.issuedAt.seconds == json["issuedAt"]?.integerValue)
            #expect(claims.validFrom.seconds == json["validFrom"]?.integerValue)
            #expect(claims.validTo.seconds == json["validTo"]?.integerValue)
            #expect(Base64URL.encode(claims.signature) == json["signature"]?.stringValue)
            #expect(claims.uses == (isVerified ? 3 : 1))
            #expect(claims.category == (isVerified ? "CHILD" : nil))
            var signed = json
            signed["signature"] = nil
            #expect(claims.contentHash == SHA256.hash(JSONValue.object(signed).canonical()))
            let event = try #require(try await made.events().last)
            #expect(event.ticket == decision.ticket)
        }
    }

    @Test("Every reason from keyRevoked on shows a genuine ticket as verified", arguments: [true, false])
    func verifiedReasons(isRevoked: Bool) async throws {
        let key = Issuer.key(issuer.key, status: isRevoked ? "revoked" : "active") {
            $0["validTo"] = .integer(Issuer.evening.seconds - 90_000)
        }
        let made = try await TestGate.configured(
            issuer, configuration: issuer.configuration(events: [issuer.event(keys: [key])]))
        let decision = await made.gate.validate(issuer.ticket { $0["holder"] = "Ana" })
        #expect(decision.outcome == .refused(isRevoked ? .keyRevoked : .outsideKeyValidity))
        #expect(decision.ticket.verified?.ticketID == "T-0001")
        #expect(decision.display?.holder == "Ana")
    }

    @Test("The hash of a code is recorded only where it parsed as a ticket; its length always")
    func codeHash() async throws {
        let made = try await TestGate.configured(issuer)
        let other = issuer.ticket(by: Issuer.Key("k9", seed: 9))
        let texts = [issuer.ticket(), other, "1234", "", "https://example.org", issuer.ticket { $0["v"] = 2 }]
        for text in texts { _ = await made.outcome(" " + text + "\r\n") }
        let events = try await made.events()
        #expect(events.map(\.codeLength) == texts.map(\.utf8.count))
        #expect(events[0].codeHash == SHA256.hash(Array(texts[0].utf8)))
        #expect(events[1].codeHash == SHA256.hash(Array(texts[1].utf8)))
        #expect(events[2...4].allSatisfy { $0.codeHash == nil })
        #expect(events[2...].allSatisfy { $0.ticket == .none })
    }

    @Test("No admission is shown that was not recorded: notRecorded, with the store's error, and nothing is burnt")
    func notRecorded() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        let text = issuer.ticket()
        for error: EventStoreError in [.full, .readOnly, .failed("EIO"), .corrupt("page 3"), .locked(by: "gate 7")] {
            store.plan(.before(error), for: .record)
            let decision = await made.gate.validate(text)
            #expect(decision.outcome == .refused(.notRecorded))
            #expect(decision.storeError == error)
            #expect(decision.eventID == nil)
            #expect(decision.sequence == nil)
            #expect(!decision.isRecorded)
            #expect(decision.detail?.isEmpty == false)
            #expect(decision.ticket.verified?.ticketID == "T-0001")
            #expect(try await made.gate.health().lastError?.description == "\(error)")
        }
        store.heal()
        let decision = await made.gate.validate(text)
        #expect(decision.outcome == .admitted)
        #expect(decision.sequence == 1)
        #expect(decision.isRecorded)
    }

    @Test("A refusal that could not be recorded stays that refusal")
    func refusalStays() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        store.plan(.before(.full), for: .record)
        for (text, reason) in [
            ("noise", .malformed), (issuer.ticket(zone: "SOUTH"), .wrongZone),
            (issuer.ticket { $0["v"] = 2 }, .unsupportedFormat),
            (issuer.ticket(by: Issuer.Key("k9", seed: 9)), .badSignature),
            (issuer.ticket { $0["validTo"] = .integer(Issuer.evening.seconds - 600) }, .expired),
        ] as [(String, Reason)] {
            let decision = await made.gate.validate(text)
            #expect(decision.outcome == .refused(reason))
            #expect(decision.storeError == .full)
            #expect(!decision.isRecorded)
        }
    }

    @Test("A store that fails after it wrote admits nobody, and the ticket counts as used")
    func burnt() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        store.plan(.after(.failed("the commit's answer was lost")), for: .record, call: 1)
        let text = issuer.ticket()
        #expect(await made.outcome(text) == .refused(.notRecorded))
        #expect(await made.outcome(text) == .refused(.alreadyUsed))
        #expect(try await made.events().count == 2)
    }

    @Test("500 offline scans and a restart: 500 in the queue, in order and without a gap")
    func fiveHundred() async throws {
        let storage = InMemoryEventStore.Storage()
        let store = try InMemoryEventStore(storage)
        let made = try await TestGate.configured(issuer, store: store)
        for number in 0..<500 {
            #expect(await made.outcome(issuer.ticket("T-\(number)")) == .admitted)
            made.time.advance(milliseconds: 1_000)
        }
        await store.close()
        let again = try InMemoryEventStore(storage)
        let pending = try await again.events(.pending())
        #expect(pending.map(\.event.sequence) == Array(1...500))
        #expect(pending.map(\.event.ticket.verified?.ticketID.text) == (0..<500).map { "T-\($0)" })
        #expect(pending.map(\.event.scannedAt).sorted() == pending.map(\.event.scannedAt))
    }

    @Test("A transport that hangs or throws changes no verdict")
    func transportPlaysNoPart() async throws {
        let made = try await TestGate.configured(issuer)
        _ = await made.outcome(issuer.ticket("A"))
        let transport = FaultySyncTransport(StubSyncTransport())
        transport.plan(.hanging, call: 1)
        transport.plan(.before(.unavailable("host not found")))
        let uploader = ScanUploader(
            store: made.store, documents: made.documents, transport: transport, time: made.time,
            random: SeededGenerator(seed: 5), policy: UploadPolicy(sendTimeout: nil))
        let upload = Task { await uploader.upload() }
        while transport.calls < 1 { await Task.yield() }
        #expect(await made.outcome(issuer.ticket("A")) == .refused(.alreadyUsed))
        #expect(await made.outcome(issuer.ticket("B")) == .admitted)
        await uploader.cancel()
        #expect(await upload.value.ending == .cancelled)
        #expect(try await made.store.status().pending == 3)
    }

    @Test("Health counts what waits and how old the oldest is")
    func health() async throws {
        let made = try await TestGate.configured(issuer)
        #expect(try await made.gate.health().pending == 0)
        #expect(try await made.gate.health().oldestPendingAge == nil)
        _ = await made.outcome(issuer.ticket("A"))
        made.time.advance(milliseconds: 90_000)
        _ = await made.outcome(issuer.ticket("B"))
        let health = try await made.gate.health()
        #expect(health.pending == 2)
        #expect(health.oldestPendingAge == 90_000)
        #expect(health.parked == 0)
        #expect(health.isConfigured)
        #expect(health.lastError == nil)
        #expect(health.missingEvents.isEmpty)
        #expect(health.repairs.isEmpty)
    }

    @Test("A gate does not start on an engine that does not work")
    func selfTest() async throws {
        for verifier in [
            StubTicketVerifier(isValid: true), StubTicketVerifier(isValid: false),
            StubTicketVerifier(failure: .unavailable("no engine")),
        ] {
            do throws(TicketGateError) {
                _ = try await TicketGate(
                    serving: [issuer.event], zone: "NORTH", verifier: verifier, store: InMemoryEventStore(),
                    documents: InMemoryDocumentStore(), time: ManualTimeSource(), random: SeededGenerator(seed: 1))
                Issue.record("a gate started without an engine")
            } catch {
                guard case .verifier = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect("\(error)".hasPrefix("gate not started"))
            }
        }
    }

    @Test("An engine that breaks later admits nobody, and calls nothing a forgery")
    func brokenEngine() async throws {
        let engine = try Issuer.verifier()
        let message = JSONValue.object(issuer.members("BROKEN")).canonical()
        let verifier = StubTicketVerifier { signature, signed, key throws(TicketVerifierError) in
            if signed == message { throw .unavailable("the engine broke") }
            return try engine.isValid(signature: signature, of: signed, by: key)
        }
        let gate = try await TicketGate(
            serving: [issuer.event], zone: "NORTH", verifier: verifier, store: InMemoryEventStore(),
            documents: InMemoryDocumentStore(), time: ManualTimeSource(now: Issuer.evening),
            random: SeededGenerator(seed: 1))
        try await gate.apply(issuer.configuration())
        let decision = await gate.validate(issuer.ticket("BROKEN"))
        #expect(!decision.isAdmitted)
        #expect(decision.reason != .badSignature)
        #expect(decision.ticket.verified == nil)
        #expect(decision.detail?.contains("the engine broke") == true)
        #expect(await gate.validate(issuer.ticket("WHOLE")).outcome == .admitted)
    }

    @Test("A used event comes back whole from its JSON, whatever was decided")
    func coding() async throws {
        let made = try await TestGate.configured(
            issuer, rules: [AdmissionRule { ticket, _ in ticket.ticketID == "H" ? "no" : nil }])
        for text in [
            issuer.ticket("A"), issuer.ticket("A"), "noise", issuer.ticket("H") { $0["category"] = "X" },
            issuer.ticket(by: Issuer.Key("k9", seed: 9)),
        ] {
            _ = await made.gate.validate(text, lane: "L")
        }
        try await made.gate.confirmClock(operator: "Ana \u{202E}")
        for event in try await made.events() {
            #expect(try ScanEvent(json: event.json) == event)
            #expect(try ScanEvent(decoding: event.encoded()) == event)
        }
    }
}
