import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("The order of reasons")
struct ReasonOrderTests {
    /// One thing that is wrong with a scan, and the reason that stands for it.
    enum Fault: String, CaseIterable, Sendable {
        case notConfigured, malformed, unsupportedFormat, unknownEvent, unknownKey, badSignature, keyRevoked
        case outsideKeyValidity, inconsistent, wrongEvent, revoked, clockUntrusted, issuedInFuture, notYetValid, expired
        case wrongZone, zoneClosed, hostRule, alreadyUsed, notRecorded

        var reason: Reason {
            guard let reason = Reason.allCases.first(where: { $0.rawValue == rawValue }) else {
                preconditionFailure("no reason is called \(rawValue)")
            }
            return reason
        }

        /// What cannot be wrong at once, or not without a third thing.
        func excludes(_ other: Fault) -> Bool {
            let pair: Set<Fault> = [self, other]
            let impossible: [Set<Fault>] = [
                // One eventId.
                [.unknownEvent, .wrongEvent],
                // A window that has not begun and is over is inconsistent, and so is one that ends before the issue.
                [.notYetValid, .expired], [.issuedInFuture, .expired],
                // What only the store knows cannot be known where it fails.
                [.alreadyUsed, .notRecorded], [.clockUntrusted, .notRecorded],
            ]
            return impossible.contains(pair)
        }
    }

    /// Two faults at once.
    struct Pair: Sendable, CustomTestStringConvertible {
        let first, second: Fault
        var testDescription: String { "\(first) before \(second)" }
    }

    static let pairs: [Pair] = Fault.allCases.flatMap { first in
        Fault.allCases.compactMap { second in
            first.reason.rank < second.reason.rank && !first.excludes(second) ? Pair(first: first, second: second) : nil
        }
    }

    /// Shows a ticket with these faults to a gate with these faults.
    private func scan(_ faults: Set<Fault>) async throws -> ScanDecision {
        let owner = Issuer(event: faults.contains(.wrongEvent) ? "OTHER" : "SUMMER-2026")
        let store = FaultyEventStore(InMemoryEventStore())
        let time = ManualTimeSource(now: Issuer.evening)

        // What went before: a scan that trusted the clock, and where it matters the ticket's own admission.
        let earlier = try await TestGate.configured(owner, store: store, time: time)
        let before = faults.contains(.alreadyUsed) ? "T" : "ANOTHER"
        #expect(await earlier.outcome(owner.ticket(before)) == .admitted)
        time.advance(milliseconds: 60_000)
        if faults.contains(.clockUntrusted) { time.setWall(time.now.advanced(byMilliseconds: 10_800_000)) }

        let rules = faults.contains(.hostRule) ? [AdmissionRule { _, _ in "no" }] : []
        let made =
            faults.contains(.notConfigured)
            ? try await TestGate.blank(store: store, time: time, rules: rules, seed: 2)
            : try await TestGate.configured(
                Issuer(), configuration: configuration(faults, of: owner, at: time.now), store: store, time: time,
                rules: rules)
        let text = ticket(faults, of: owner, at: time.now)
        if faults.contains(.notRecorded) { store.plan(.before(.full), for: .record) }
        return await made.gate.validate(text)
    }

    private func ticket(_ faults: Set<Fault>, of owner: Issuer, at now: Instant) -> String {
        let key = faults.contains(.badSignature) ? Issuer.Key("k9", seed: 9) : owner.key
        let text = owner.ticket("T", by: key) { members in
            if faults.contains(.unsupportedFormat) { members["v"] = 2 }
            if faults.contains(.unknownEvent) { members["eventId"] = "NOWHERE" }
            if faults.contains(.unknownKey) { members["keyId"] = "k7" }
            if faults.contains(.issuedInFuture) { members["issuedAt"] = .integer(now.seconds + 600) }
            if faults.contains(.notYetValid) { members["validFrom"] = .integer(now.seconds + 600) }
            if faults.contains(.expired) { members["validTo"] = .integer(now.seconds - 600) }
            if faults.contains(.inconsistent), let end = members["validTo"]?.integerValue {
                members["validFrom"] = .integer(end + 1)
                if faults.isDisjoint(with: [.notYetValid, .expired]) {
                    members["validFrom"] = .integer(now.seconds - 600)
                    members["validTo"] = .integer(now.seconds - 601)
                }
            }
            if faults.contains(.wrongZone) { members["zoneId"] = "SOUTH" }
        }
        return faults.contains(.malformed) ? text + "!" : text
    }

    private func configuration(_ faults: Set<Fault>, of owner: Issuer, at now: Instant) -> [UInt8] {
        let key = Issuer.key(owner.key, status: faults.contains(.keyRevoked) ? "revoked" : "active") { key in
            if faults.contains(.outsideKeyValidity) { key["validTo"] = .integer(now.seconds - 200_000) }
        }
        let event = owner.event(keys: [key]) { event in
            if faults.contains(.revoked) { event["revokedTickets"] = [["ticketId": "T"]] }
            if faults.contains(.zoneClosed) {
                let closed: JSONValue = [["dates": ["2020-01-01"], "opens": "00:00", "minutes": 1]]
                event["zones"] = [["zoneId": "NORTH", "hours": closed], ["zoneId": "SOUTH"]]
            }
        }
        if owner.event == "SUMMER-2026" { return owner.configuration(events: [event]) }
        return Issuer().configuration(events: [Issuer().event(keys: [Issuer.key(Issuer.Key("s1", seed: 5))]), event])
    }

    @Test("A scan in which nothing is wrong is admitted")
    func nothing() async throws {
        #expect(try await scan([]).outcome == .admitted)
    }

    @Test("Each fault alone has its own reason", arguments: Fault.allCases)
    func alone(fault: Fault) async throws {
        #expect(try await scan([fault]).reason == fault.reason)
    }

    @Test("Of two faults at once the one that is judged first is the reason", arguments: pairs)
    func together(pair: Pair) async throws {
        // An inconsistent window that does not say otherwise is over as well.
        #expect(try await scan([pair.first, pair.second]).reason == pair.first.reason)
    }

    @Test("Nearly every pair can be built")
    func coverage() {
        #expect(Self.pairs.count == 20 * 19 / 2 - 5)
    }

    @Test("Every reason has a stable code and its place in the order")
    func codes() {
        let order = [
            "notConfigured", "malformed", "unsupportedFormat", "unknownEvent", "unknownKey", "badSignature",
            "keyRevoked",
            "outsideKeyValidity", "inconsistent", "wrongEvent", "revoked", "clockUntrusted", "issuedInFuture",
            "notYetValid", "expired", "wrongZone", "zoneClosed", "passBack", "notInside", "dayLimit", "hostRule",
            "alreadyUsed", "notRecorded",
        ]
        #expect(Reason.allCases.map(\.rawValue) == order)
        #expect(Reason.allCases.map(\.rank) == Reason.allCases.map(\.rank).sorted())
        for code in order { #expect(Reason(rawValue: code) == Reason.allCases.first { $0.rawValue == code }) }
        #expect(Reason.zoneClosed.rank == 17 && Reason.dayLimit.rank == 18 && Reason.notRecorded.rank == 21)
    }

    @Test("A code that is not known is a reason too: another than all others, behind them, with its text")
    func laterCodes() {
        // The second has a kelvin sign, which `String` takes for a K.
        for code in ["tooWarm", "unknown\u{212A}ey", ""] {
            let reason = Reason(rawValue: code)
            #expect(Array(reason.rawValue.utf8) == Array(code.utf8))
            #expect(!Reason.allCases.contains(reason))
            #expect(reason.rank > Reason.notRecorded.rank)
        }
    }
}
