import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("A host's own rules")
struct HostRuleTests {
    private let issuer = Issuer()

    @Test("A rule refuses with its code, in the decision and in the event; nil lets pass")
    func code() async throws {
        let made = try await TestGate.configured(
            issuer, rules: [AdmissionRule { ticket, _ in ticket.category == "CHILD" ? "adults-only" : nil }])
        let refused = await made.gate.validate(issuer.ticket("A") { $0["category"] = "CHILD" })
        #expect(refused.outcome == .refused(.hostRule, hostCode: "adults-only"))
        #expect(try await made.events().last?.verdict == .refused(.hostRule, hostCode: "adults-only"))
        #expect(await made.outcome(issuer.ticket("B")) == .admitted)
        #expect(try await made.events().last?.json["hostCode"] == nil)
    }

    @Test("The first rule that refuses decides")
    func order() async throws {
        let made = try await TestGate.configured(
            issuer,
            rules: [
                AdmissionRule { _, _ in nil }, AdmissionRule { _, _ in "first" }, AdmissionRule { _, _ in "second" },
            ])
        #expect(await made.outcome(issuer.ticket()) == .refused(.hostRule, hostCode: "first"))
    }

    @Test("A refusal by a rule uses nothing up, and a used ticket is first refused by the rule")
    func beforeReuse() async throws {
        let made = try await TestGate.configured(
            issuer, rules: [AdmissionRule { _, context in context.lane == "SHUT" ? "shut" : nil }])
        let text = issuer.ticket()
        #expect(await made.outcome(text, lane: "SHUT") == .refused(.hostRule, hostCode: "shut"))
        #expect(await made.outcome(text, lane: "OPEN") == .admitted)
        #expect(await made.outcome(text, lane: "SHUT") == .refused(.hostRule, hostCode: "shut"))
        #expect(await made.outcome(text, lane: "OPEN") == .refused(.alreadyUsed))
    }

    @Test("A rule is asked with everything it may know, and only about genuine tickets that passed what comes before")
    func questions() async throws {
        let (questions, continuation) = AsyncStream.makeStream(
            of: (TicketClaims, AdmissionContext).self, bufferingPolicy: .unbounded)
        let made = try await TestGate.configured(
            issuer,
            rules: [
                AdmissionRule { ticket, context in
                    continuation.yield((ticket, context))
                    return nil
                }
            ])
        _ = await made.outcome("noise")
        _ = await made.outcome(issuer.ticket("F", by: Issuer.Key("k9", seed: 9)))
        _ = await made.outcome(issuer.ticket("Z", zone: "SOUTH"))
        _ = await made.outcome(issuer.ticket("E") { $0["validTo"] = .integer(Issuer.evening.seconds - 600) })
        let three = issuer.ticket("A") {
            $0["uses"] = 3
            $0["seat"] = "A1"
        }
        _ = await made.gate.validate(three, count: 2, lane: "L1")
        continuation.finish()
        let asked = await questions.reduce(into: []) { $0.append($1) }
        #expect(asked.map(\.0.ticketID) == ["A"])
        let context = try #require(asked.first?.1)
        #expect(context.now == Issuer.evening)
        #expect(context.zone == "NORTH")
        #expect(context.gateID == "G1")
        #expect(context.lane == "L1")
        #expect(context.count == 2)
        #expect(context.display == TicketDisplay(seat: "A1"))
    }

    @Test("A code is 1 to 32 of letters, digits, `.`, `_` and `-`")
    func codes() {
        for text in ["a", "A.b_c-9", String(repeating: "x", count: 32)] { #expect(HostCode(text)?.text == text) }
        for text in ["", String(repeating: "x", count: 33), "a b", "\u{E9}", "a/b", "a\n", "a:b"] {
            #expect(HostCode(text) == nil)
        }
    }
}
