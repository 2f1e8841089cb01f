import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Reuse")
struct ReuseTests {
    private let issuer = Issuer()

    @Test("Of 200 scans of one ticket at once exactly one is admitted")
    func concurrent() async throws {
        let made = try await TestGate.configured(issuer)
        let text = issuer.ticket()
        let decisions = await withTaskGroup(of: ScanDecision.self) { group in
            for _ in 0..<200 { group.addTask { await made.gate.validate(text) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(decisions.count { $0.isAdmitted } == 1)
        #expect(decisions.count { $0.reason == .alreadyUsed } == 199)
        #expect(Set(decisions.compactMap(\.sequence)) == Set(1...200))
        #expect(try await made.events().map(\.sequence) == Array(1...200))
        #expect(Set(decisions.compactMap(\.eventID)).count == 200)
    }

    @Test("Of two gates over one store exactly one admits")
    func twoGates() async throws {
        let one = try await TestGate.configured(issuer)
        let two = try await TestGate.blank(
            store: one.store, documents: one.documents, time: one.time, seed: 2)
        for number in 0..<20 {
            let text = issuer.ticket("T-\(number)")
            async let first = one.gate.validate(text)
            async let second = two.gate.validate(text)
            let decisions = await [first, second]
            #expect(decisions.count { $0.isAdmitted } == 1)
            #expect(decisions.count { $0.reason == .alreadyUsed } == 1)
        }
    }

    @Test("400 respellings of one ticket are one admission in all")
    func respellings() async throws {
        let made = try await TestGate.configured(issuer)
        let value = try JSONValue(parsing: issuer.json { $0["note"] = "a/b" })
        var random = SeededGenerator(seed: 400)
        var texts: Set<String> = []
        while texts.count < 400 {
            texts.insert(Base64URL.encode(Array(Respelling.text(of: value, random: &random).utf8)))
        }
        let decisions = await withTaskGroup(of: ScanDecision.self) { group in
            for text in texts { group.addTask { await made.gate.validate(text) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(decisions.count { $0.isAdmitted } == 1)
        #expect(decisions.count { $0.reason == .alreadyUsed } == 399)
        #expect(try await made.store.status().tickets == 1)
        #expect(Set(decisions.compactMap(\.ticket.verified?.contentHash)).count == 1)
        #expect(Set(try await made.events().map(\.codeHash)).count == 400)
    }

    @Test("A ticket with four uses is admitted four times")
    func fourUses() async throws {
        let made = try await TestGate.configured(issuer)
        let text = issuer.ticket { $0["uses"] = 4 }
        var outcomes: [ScanDecision.Outcome] = []
        for _ in 0..<6 { outcomes.append(await made.outcome(text)) }
        #expect(outcomes == Array(repeating: .admitted, count: 4) + Array(repeating: .refused(.alreadyUsed), count: 2))
    }

    @Test("A count is admitted on one ticket as a whole, or not at all")
    func count() async throws {
        let made = try await TestGate.configured(issuer)
        let text = issuer.ticket { $0["uses"] = 4 }
        func validate(_ count: Int) async -> ScanDecision { await made.gate.validate(text, count: count) }
        #expect(await validate(5).outcome == .refused(.alreadyUsed))
        #expect(await validate(3).outcome == .admitted)
        #expect(await validate(2).outcome == .refused(.alreadyUsed))
        #expect(await validate(1).outcome == .admitted)
        #expect(await validate(1).outcome == .refused(.alreadyUsed))
        #expect(await validate(.max).outcome == .refused(.alreadyUsed))
        #expect(try await made.events().map(\.count) == [5, 3, 2, 1, 1, .max])

        let single = try await TestGate.configured(issuer)
        #expect(await single.gate.validate(issuer.ticket(), count: 2).outcome == .refused(.alreadyUsed))
        #expect(await single.outcome(issuer.ticket()) == .admitted)
        #expect(
            await single.gate.validate(issuer.ticket("B") { $0["uses"] = 1_000 }, count: .max).reason == .alreadyUsed)
    }

    @Test("The memory of a use survives upload, pruning, a restart and a change of keys")
    func survival() async throws {
        let storage = InMemoryEventStore.Storage()
        let store = try InMemoryEventStore(storage)
        let made = try await TestGate.configured(issuer, store: store)
        let text = issuer.ticket()
        let first = await made.gate.validate(text)
        #expect(first.outcome == .admitted)

        let uploader = ScanUploader(
            store: store, documents: made.documents, transport: StubSyncTransport(), time: made.time,
            random: SeededGenerator(seed: 3), policy: UploadPolicy(sendTimeout: nil))
        #expect(await uploader.upload().delivered == 1)
        #expect(await made.outcome(text) == .refused(.alreadyUsed))

        #expect(try await store.remove(.delivered) == 1)
        let pruned = await made.gate.validate(text)
        #expect(pruned.outcome == .refused(.alreadyUsed))
        #expect(pruned.priorUses.map(\.eventID) == [first.eventID])

        await made.gate.close()
        await store.close()
        let reopened = try InMemoryEventStore(storage)
        let again = try await TestGate.blank(store: reopened, documents: made.documents, time: made.time, seed: 9)
        #expect(await again.outcome(text) == .refused(.alreadyUsed))

        let newKey = Issuer.Key("k2", seed: 2)
        try await again.gate.apply(
            issuer.configuration(version: 2, events: [issuer.event(keys: [Issuer.key(newKey)])]))
        let reissued = await again.gate.validate(issuer.ticket(by: newKey))
        #expect(reissued.outcome == .refused(.alreadyUsed))
        #expect(reissued.ticket.verified?.keyID == "k2")
        #expect(try await reopened.status().head.nextSequence == 6)
    }

    @Test("A used ticket says when, where and by which device it was used")
    func priorUses() async throws {
        let made = try await TestGate.configured(issuer)
        let text = issuer.ticket { $0["uses"] = 2 }
        let first = await made.gate.validate(text, lane: "L1")
        made.time.advance(milliseconds: 60_000)
        let second = await made.gate.validate(text)
        made.time.advance(milliseconds: 60_000)
        let third = await made.gate.validate(text)
        #expect(first.priorUses.isEmpty)
        #expect(second.priorUses.map(\.eventID) == [first.eventID])
        #expect(third.outcome == .refused(.alreadyUsed))
        #expect(third.priorUses.map(\.eventID) == [first.eventID, second.eventID])
        #expect(third.priorUses.map(\.at) == [first.scannedAt, second.scannedAt])
        #expect(Set(third.priorUses.map(\.deviceID)) == [try await made.store.status().head.deviceID])
        #expect(third.priorUses.map(\.gateID) == ["G1", "G1"])
        #expect(third.priorUses.map(\.count) == [1, 1])
        #expect(third.priorUses.allSatisfy { !$0.isElsewhere && !$0.isImplausible })
    }

    @Test("The same number in two events is two tickets")
    func twoEvents() async throws {
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k2", seed: 2))
        let made = try await TestGate.configured(
            issuer, configuration: issuer.configuration(events: [issuer.event(), winter.event()]),
            serving: [issuer.event, winter.event])
        #expect(await made.outcome(issuer.ticket("A")) == .admitted)
        #expect(await made.outcome(winter.ticket("A")) == .admitted)
        #expect(await made.outcome(issuer.ticket("A")) == .refused(.alreadyUsed))
    }

    @Test("All contents under one number share its count, and another content is shown as such")
    func contents() async throws {
        let made = try await TestGate.configured(issuer)
        let print = issuer.ticket("A")
        let reprint = issuer.ticket("A") { $0["issuedAt"] = .integer(Issuer.evening.seconds - 3_600) }
        let first = await made.gate.validate(print)
        #expect(!first.hasOtherContent)
        let same = await made.gate.validate(print)
        #expect(same.reason == .alreadyUsed && !same.hasOtherContent)
        let other = await made.gate.validate(reprint)
        #expect(other.outcome == .refused(.alreadyUsed))
        #expect(other.hasOtherContent)
        #expect(other.priorUses.first?.contentHash == first.ticket.verified?.contentHash)
        #expect(other.ticket.verified?.contentHash != first.ticket.verified?.contentHash)
    }

    @Test("The limit is the uses of the ticket that is presented")
    func limitOfThePresented() async throws {
        let made = try await TestGate.configured(issuer)
        let two = issuer.ticket("A") { $0["uses"] = 2 }
        let one = issuer.ticket("A") { $0["uses"] = 1 }
        #expect(await made.outcome(two) == .admitted)
        #expect(await made.outcome(one) == .refused(.alreadyUsed))
        #expect(await made.outcome(two) == .admitted)
        #expect(await made.outcome(two) == .refused(.alreadyUsed))
    }

    @Test("A refused presentation uses nothing up")
    func refusalsUseNothing() async throws {
        let made = try await TestGate.configured(issuer)
        let early = issuer.ticket { $0["validFrom"] = .integer(Issuer.evening.seconds + 3_600) }
        #expect(await made.outcome(early) == .refused(.notYetValid))
        #expect(try await made.store.status().tickets == 0)
        made.time.advance(milliseconds: 3_600_000)
        #expect(await made.outcome(early) == .admitted)
    }

    @Test("A forged code with a real number leaves that ticket's history and count as they were")
    func forgery() async throws {
        let made = try await TestGate.configured(issuer)
        let real = issuer.ticket { $0["uses"] = 2 }
        let first = await made.gate.validate(real)
        let entries = try await made.store.entries(EntryQuery())
        let forged = issuer.ticket(by: Issuer.Key("k9", seed: 9)) { $0["uses"] = 1_000 }
        for _ in 0..<3 {
            let decision = await made.gate.validate(forged)
            #expect(decision.outcome == .refused(.badSignature))
            #expect(decision.priorUses.isEmpty)
            #expect(decision.ticket.verified == nil)
        }
        #expect(try await made.store.entries(EntryQuery()) == entries)
        let second = await made.gate.validate(real)
        #expect(second.outcome == .admitted)
        #expect(second.priorUses.map(\.eventID) == [first.eventID])
        #expect(await made.outcome(real) == .refused(.alreadyUsed))
    }
}

/// Other spellings of a JSON value: order, white space and escapes.
enum Respelling {
    static func text(of value: JSONValue, random: inout SeededGenerator) -> String {
        switch value {
        case .object(let object):
            let members = object.members.shuffled(using: &random).map { member in
                space(&random) + quoted(member.name, &random) + space(&random) + ":"
                    + text(of: member.value, random: &random)
            }
            return "{" + members.joined(separator: ",") + space(&random) + "}" + space(&random)
        case .array(let elements):
            return "[" + elements.map { text(of: $0, random: &random) }.joined(separator: ",") + "]"
        case .string(let string): return space(&random) + quoted(string, &random) + space(&random)
        default: return space(&random) + String(decoding: value.serialized(), as: UTF8.self) + space(&random)
        }
    }

    private static func space(_ random: inout SeededGenerator) -> String {
        Bool.random(using: &random) ? "" : [" ", "\n", "\t", "\r\n"].randomElement(using: &random) ?? ""
    }

    private static func quoted(_ string: String, _ random: inout SeededGenerator) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            if scalar == "/", Bool.random(using: &random) {
                result += "\\/"
            } else if scalar.isASCII, Int.random(in: 0..<16, using: &random) == 0 {
                let hex = String(scalar.value, radix: 16, uppercase: Bool.random(using: &random))
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
