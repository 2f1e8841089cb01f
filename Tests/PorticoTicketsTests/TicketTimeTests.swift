import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("The times of a ticket")
struct TicketTimeTests {
    private static let now = Issuer.evening.seconds

    @Test(
        "A time that is not whole seconds or a plain RFC 3339 text is malformed",
        arguments: [
            "2026-07-04T18:00:60Z", "2026-02-30T12:00:00Z", "2026-02-29T12:00:00Z", "2100-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z", "2026-01-00T12:00:00Z", "2026-04-31T12:00:00Z",
            "2026-07-04t18:00:00Z", "2026-07-04T18:00:00z", "2026-07-04 18:00:00Z", "2026-07-04T18:00:00.0Z",
            "2026-07-04T18:00:00.123Z", "2026-07-04T18:00:00", "2026-07-04T18:00Z", "2026-07-04",
            "2026-07-04T18:00:00+0200", "2026-07-04T18:00:00+02", "2026-07-04T18:00:00+24:00",
            "2026-07-04T18:00:00+02:60", "2026-07-04T18:00:00 +02:00", "2026-07-04T24:00:00Z", "2026-07-04T18:60:00Z",
            " 2026-07-04T18:00:00Z", "2026-07-04T18:00:00Z ", "20260704T180000Z", "2026-7-4T18:00:00Z",
            "12026-07-04T18:00:00Z", "-2026-07-04T18:00:00Z", "\u{0662}026-07-04T18:00:00Z", "1969-12-31T23:59:59Z",
            "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-W27-6T18:00:00Z", "2569-07-04", "",
            "1783188000", "2026-07-04T06:00:00 PM",
        ])
    func texts(text: String) async throws {
        for name in ["issuedAt", "validFrom", "validTo"] {
            #expect(
                try await outcome(of: Issuer().ticket { $0[name] = .string(text) }) == .refused(.malformed), "\(name)")
        }
    }

    @Test("Milliseconds are malformed, and the decision says that they are milliseconds")
    func milliseconds() async throws {
        let made = try await TestGate.configured()
        for name in ["issuedAt", "validFrom", "validTo"] {
            let decision = await made.gate.validate(Issuer().ticket { $0[name] = .integer(Self.now * 1_000) })
            #expect(decision.outcome == .refused(.malformed))
            #expect(decision.detail?.contains("millisecond") == true)
        }
    }

    @Test("Both spellings mean the same instant, at every offset")
    func spellings() async throws {
        // Each is 18:00:00Z, a second before it or a second after it.
        for text in [
            "2026-07-04T18:00:00Z", "2026-07-04T20:00:00+02:00", "2026-07-04T18:00:00-00:00",
            "2026-07-04T18:00:00+00:00",
            "2026-07-05T17:59:00+23:59", "2026-07-03T18:01:00-23:59", "2026-07-04T23:45:00+05:45",
        ] {
            let issuer = Issuer()
            let zero = issuer.configuration(events: [issuer.event { $0["tolerance"] = 0 }])
            for (name, early, late) in [
                ("validFrom", ScanDecision.Outcome.refused(.notYetValid), ScanDecision.Outcome.admitted),
                ("validTo", .admitted, .refused(.expired)),
            ] {
                let ticket = issuer.ticket { $0[name] = .string(text) }
                let sharp = try await outcome(of: ticket, configuration: zero)
                let before = try await outcome(
                    of: ticket, at: Issuer.evening.advanced(byMilliseconds: -1), configuration: zero)
                let after = try await outcome(
                    of: ticket, at: Issuer.evening.advanced(byMilliseconds: 1), configuration: zero)
                #expect(sharp == .admitted, "\(text)")
                #expect(before == early, "\(text)")
                #expect(after == late, "\(text)")
            }
        }
    }

    @Test("The first and the last second of the range are read; leap days are days")
    func range() async throws {
        let issuer = Issuer()
        let text = issuer.ticket {
            $0["issuedAt"] = 0
            $0["validFrom"] = "1970-01-01T00:00:00Z"
            $0["validTo"] = 253_402_300_799
        }
        #expect(try await outcome(of: text) == .admitted)
        #expect(try await outcome(of: issuer.ticket { $0["issuedAt"] = "2024-02-29T00:00:00Z" }) == .admitted)
        #expect(try await outcome(of: issuer.ticket { $0["issuedAt"] = "2000-02-29T00:00:00Z" }) == .admitted)
        #expect(try await outcome(of: issuer.ticket { $0["validTo"] = "9999-12-31T23:59:59Z" }) == .admitted)
    }

    @Test(
        "The window includes both ends and the tolerance, to the millisecond",
        arguments: [nil, 0, 1, 3_600] as [Int64?])
    func window(tolerance: Int64?) async throws {
        let issuer = Issuer()
        let configuration = issuer.configuration(
            events: [issuer.event { if let tolerance { $0["tolerance"] = .integer(tolerance) } }])
        let slack = (tolerance ?? 120) * 1_000
        let text = issuer.ticket {
            $0["validFrom"] = .integer(Self.now)
            $0["validTo"] = .integer(Self.now + 7_200)
        }
        let end = Issuer.evening.advanced(byMilliseconds: 7_200_000)
        let cases: [(Instant, ScanDecision.Outcome)] = [
            (Issuer.evening.advanced(byMilliseconds: -slack - 1), .refused(.notYetValid)),
            (Issuer.evening.advanced(byMilliseconds: -slack), .admitted),
            (Issuer.evening, .admitted), (end, .admitted),
            (end.advanced(byMilliseconds: slack), .admitted),
            (end.advanced(byMilliseconds: slack + 1), .refused(.expired)),
        ]
        for (instant, expected) in cases {
            #expect(try await outcome(of: text, at: instant, configuration: configuration) == expected, "\(instant)")
        }
    }

    @Test("A ticket issued later than now and the tolerance has a reason of its own")
    func issuedInFuture() async throws {
        let issuer = Issuer()
        let text = issuer.ticket {
            $0["issuedAt"] = .integer(Self.now + 120)
            $0["validFrom"] = .integer(Self.now)
        }
        #expect(try await outcome(of: text) == .admitted)
        let early = Issuer.evening.advanced(byMilliseconds: -1)
        #expect(try await outcome(of: text, at: early) == .refused(.issuedInFuture))
        // A clock two hours slow: the reason names the time, not the signature.
        let fresh = issuer.ticket { $0["issuedAt"] = .integer(Self.now - 60) }
        let slow = Issuer.evening.advanced(byMilliseconds: -7_200_000)
        #expect(try await outcome(of: fresh, at: slow) == .refused(.issuedInFuture))
    }

    @Test("A ticket whose own times contradict each other is inconsistent; equal ones do not")
    func inconsistent() async throws {
        let issuer = Issuer()
        func ticket(issued: Int64, from: Int64, to: Int64) -> String {
            issuer.ticket {
                $0["issuedAt"] = .integer(Self.now + issued)
                $0["validFrom"] = .integer(Self.now + from)
                $0["validTo"] = .integer(Self.now + to)
            }
        }
        #expect(try await outcome(of: ticket(issued: -10, from: 1, to: 0)) == .refused(.inconsistent))
        #expect(try await outcome(of: ticket(issued: 1, from: -10, to: 0)) == .refused(.inconsistent))
        #expect(try await outcome(of: ticket(issued: -10, from: 0, to: 0)) == .admitted)
        #expect(try await outcome(of: ticket(issued: 0, from: -10, to: 0)) == .admitted)
        #expect(try await outcome(of: ticket(issued: 5, from: -10, to: 10)) == .admitted)
    }

    @Test("Each event has its own tolerance")
    func toleranceOfEvents() async throws {
        let summer = Issuer()
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k2", seed: 2))
        let configuration = summer.configuration(events: [
            summer.event { $0["tolerance"] = 0 }, winter.event { $0["tolerance"] = 3_600 },
        ])
        let made = try await TestGate.configured(
            summer, configuration: configuration, serving: [summer.event, winter.event])
        let change: (inout JSONObject) -> Void = { $0["validTo"] = .integer(Self.now - 1) }
        #expect(await made.outcome(summer.ticket("A", change)) == .refused(.expired))
        #expect(await made.outcome(winter.ticket("A", change)) == .admitted)
    }
}
