import Foundation
import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Opening hours")
struct OpeningHoursTests {
    /// What a gate whose zone has these hours decides at an instant.
    static func isOpen(
        _ instant: String, hours: JSONValue, in timeZone: String = "Europe/Zurich", tolerance: Int64 = 0
    ) async throws -> Bool {
        let issuer = Issuer()
        let configuration = issuer.configuration(events: [
            issuer.event {
                $0["timeZone"] = .string(timeZone)
                $0["tolerance"] = .integer(tolerance)
                $0["ends"] = 2_000_000_000
                $0["zones"] = [["zoneId": "NORTH", "hours": hours]]
            }
        ])
        let ticket = issuer.ticket {
            $0["issuedAt"] = 1_600_000_000
            $0["validFrom"] = 1_600_000_000
            $0["validTo"] = 2_000_000_000
        }
        switch try await outcome(of: ticket, issuer: issuer, at: Instant(instant), configuration: configuration) {
        case .admitted: return true
        case .refused(.zoneClosed, _): return false
        case let other:
            Issue.record("\(instant): \(other)")
            return false
        }
    }

    /// Instants, and whether the zone is open at them.
    private func check(
        _ table: [(String, Bool)], hours: JSONValue, in timeZone: String = "Europe/Zurich", tolerance: Int64 = 0
    ) async throws {
        for (instant, expected) in table {
            let isOpen = try await Self.isOpen(instant, hours: hours, in: timeZone, tolerance: tolerance)
            #expect(isOpen == expected, "\(instant)")
        }
    }

    @Test("Hours run from a local start for a length, both ends and the tolerance included")
    func ends() async throws {
        let hours: JSONValue = [["opens": "18:00", "minutes": 120]]
        try await check(
            [
                ("2026-07-04T15:59:59Z", false), ("2026-07-04T16:00:00Z", true), ("2026-07-04T18:00:00Z", true),
                ("2026-07-04T18:00:01Z", false), ("2026-01-10T16:59:59Z", false), ("2026-01-10T17:00:00Z", true),
            ], hours: hours)
        try await check(
            [
                ("2026-07-04T15:57:59Z", false), ("2026-07-04T15:58:00Z", true), ("2026-07-04T18:02:00Z", true),
                ("2026-07-04T18:02:01Z", false),
            ], hours: hours, tolerance: 120)
    }

    @Test("Hours across midnight belong to the day on which they begin")
    func midnight() async throws {
        // 4 July 2026 is a Saturday.
        let saturday: JSONValue = [["days": ["sat"], "opens": "22:00", "minutes": 480]]
        let date: JSONValue = [["dates": ["2026-07-04"], "opens": "22:00", "minutes": 480]]
        for hours in [saturday, date] {
            try await check(
                [
                    ("2026-07-03T22:30:00Z", false), ("2026-07-04T19:59:59Z", false), ("2026-07-04T20:00:00Z", true),
                    ("2026-07-04T22:00:00Z", true), ("2026-07-05T04:00:00Z", true), ("2026-07-05T04:00:01Z", false),
                    ("2026-07-05T20:30:00Z", false),
                ], hours: hours)
        }
    }

    @Test("A whole day is open from midnight to midnight, a tolerance reaches over it")
    func wholeDay() async throws {
        let hours: JSONValue = [["dates": ["2026-07-04"], "opens": "00:00", "minutes": 1_440]]
        try await check(
            [
                ("2026-07-03T21:59:59Z", false), ("2026-07-03T22:00:00Z", true), ("2026-07-04T22:00:00Z", true),
                ("2026-07-04T22:00:01Z", false),
            ], hours: hours)
        try await check(
            [
                ("2026-07-03T20:59:59Z", false), ("2026-07-03T21:00:00Z", true), ("2026-07-04T23:00:00Z", true),
                ("2026-07-04T23:00:01Z", false),
            ], hours: hours, tolerance: 3_600)
    }

    @Test("Several rules are open where any of them is; an empty list is never open")
    func several() async throws {
        let hours: JSONValue = [
            ["days": ["sat"], "opens": "10:00", "minutes": 60], ["days": ["sun"], "opens": "12:00", "minutes": 60],
        ]
        try await check(
            [
                ("2026-07-04T08:30:00Z", true), ("2026-07-04T10:30:00Z", false), ("2026-07-05T10:30:00Z", true),
                ("2026-07-05T08:30:00Z", false),
            ], hours: hours)
    }

    @Test("A start in the gap of spring is the instant after the gap")
    func gap() async throws {
        // Zurich, 29 March 2026: 02:00 is followed by 03:00 at 01:00Z.
        try await check(
            [
                ("2026-03-29T00:30:00Z", false), ("2026-03-29T00:59:59Z", false), ("2026-03-29T01:00:00Z", true),
                ("2026-03-29T02:00:00Z", true), ("2026-03-29T02:00:01Z", false),
            ], hours: [["dates": ["2026-03-29"], "opens": "02:30", "minutes": 60]])
        // Santiago, 6 September 2026: midnight itself is in the gap, until 04:00Z.
        try await check(
            [
                ("2026-09-06T03:59:59Z", false), ("2026-09-06T04:00:00Z", true), ("2026-09-06T04:30:00Z", true),
                ("2026-09-06T04:30:01Z", false),
            ], hours: [["dates": ["2026-09-06"], "opens": "00:15", "minutes": 30]], in: "America/Santiago")
        // Lord Howe, 4 October 2026: a gap of half an hour, from 02:00 to 02:30 at 15:30Z.
        try await check(
            [
                ("2026-10-03T15:29:59Z", false), ("2026-10-03T15:30:00Z", true), ("2026-10-03T15:40:00Z", true),
                ("2026-10-03T15:40:01Z", false),
            ], hours: [["dates": ["2026-10-04"], "opens": "02:20", "minutes": 10]], in: "Australia/Lord_Howe")
    }

    @Test("A doubled start of autumn is the first of the two")
    func doubled() async throws {
        // Zurich, 25 October 2026: 03:00 is followed by 02:00 at 01:00Z.
        try await check(
            [
                ("2026-10-25T00:29:59Z", false), ("2026-10-25T00:30:00Z", true), ("2026-10-25T01:30:00Z", true),
                ("2026-10-25T01:30:01Z", false),
            ], hours: [["dates": ["2026-10-25"], "opens": "02:30", "minutes": 60]])
        // New York, 1 November 2026: 02:00 is followed by 01:00 at 06:00Z.
        try await check(
            [
                ("2026-11-01T05:14:59Z", false), ("2026-11-01T05:15:00Z", true), ("2026-11-01T05:25:00Z", true),
                ("2026-11-01T05:25:01Z", false), ("2026-11-01T06:15:00Z", false),
            ], hours: [["dates": ["2026-11-01"], "opens": "01:15", "minutes": 10]], in: "America/New_York")
    }

    @Test("A night over a change of the clocks keeps its length: 480 minutes are eight hours that pass")
    func nights() async throws {
        try await check(
            [
                ("2026-03-28T20:59:59Z", false), ("2026-03-28T21:00:00Z", true), ("2026-03-29T05:00:00Z", true),
                ("2026-03-29T05:00:01Z", false),
            ], hours: [["dates": ["2026-03-28"], "opens": "22:00", "minutes": 480]])
        try await check(
            [
                ("2026-10-24T19:59:59Z", false), ("2026-10-24T20:00:00Z", true), ("2026-10-25T04:00:00Z", true),
                ("2026-10-25T04:00:01Z", false),
            ], hours: [["dates": ["2026-10-24"], "opens": "22:00", "minutes": 480]])
    }

    @Test("Every day of a year opens once, at its local hour, in zones far east and west")
    func everyDay() async throws {
        for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "Europe/Zurich"] {
            let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
            for (index, name) in days.enumerated() {
                // 6 July 2026 is a Monday.
                let day = try #require(CivilDate(utf8: "2026-07-\(index < 4 ? "0" : "")\(6 + index)"))
                #expect(day.weekday == index)
                let offset = try #require(TimeZone(identifier: zone)).secondsFromGMT(
                    for: Date(timeIntervalSince1970: Double(day.daysSinceEpoch * 86_400)))
                let noon = day.daysSinceEpoch * 86_400 + 43_200 - Int64(offset)
                for other in days {
                    let isOpen = try await Self.isOpen(
                        RFC3339.string(milliseconds: noon * 1_000).replacing(".000", with: ""),
                        hours: [["days": [.string(other)], "opens": "11:30", "minutes": 60]], in: zone)
                    #expect(isOpen == (other == name), "\(name) for \(other) in \(zone)")
                }
            }
        }
    }

    /// Verdicts on both sides of midnight, of both changes of the clocks and of a window, whatever the device is set to.
    static func holdTable() async throws {
        let gap: JSONValue = [["dates": ["2026-03-29"], "opens": "02:30", "minutes": 60]]
        let doubled: JSONValue = [["dates": ["2026-10-25"], "opens": "02:30", "minutes": 60]]
        let night: JSONValue = [["days": ["sat"], "opens": "18:00", "minutes": 480]]
        for (instant, hours, expected) in [
            ("2026-03-29T00:59:59Z", gap, false), ("2026-03-29T01:00:00Z", gap, true),
            ("2026-03-29T02:00:01Z", gap, false),
            ("2026-10-25T00:29:59Z", doubled, false), ("2026-10-25T00:30:00Z", doubled, true),
            ("2026-10-25T01:30:01Z", doubled, false), ("2026-07-04T15:59:59Z", night, false),
            ("2026-07-04T16:00:00Z", night, true), ("2026-07-05T00:00:00Z", night, true),
            ("2026-07-05T00:00:01Z", night, false), ("2026-07-05T16:30:00Z", night, false),
        ] {
            #expect(try await isOpen(instant, hours: hours) == expected, "\(instant)")
        }
        let issuer = Issuer()
        let text = issuer.ticket {
            $0["issuedAt"] = "2026-02-28T12:00:00+05:45"
            $0["validFrom"] = "2026-07-04T23:30:00+02:00"
            $0["validTo"] = "2026-07-05T00:30:00+02:00"
        }
        for (instant, expected) in [
            ("2026-07-04T21:27:59Z", .refused(.notYetValid)), ("2026-07-04T21:28:00Z", .admitted),
            ("2026-07-04T22:32:00Z", .admitted), ("2026-07-04T22:32:01Z", .refused(.expired)),
        ] as [(String, ScanDecision.Outcome)] {
            #expect(try await outcome(of: text, at: Instant(instant)) == expected, "\(instant)")
        }
        let configuration = issuer.configuration { $0["staleAfter"] = "2026-07-05T00:00:00+02:00" }
        #expect(try GateConfiguration(parsing: configuration).staleAfter == Instant("2026-07-04T22:00:00Z"))
    }

    /// Makes this process a device in another place, before anything asked where it is.
    static func pretend(timeZone: String, locale: String) {
        setenv("TZ", timeZone, 1)
        setenv("LANG", locale, 1)
        setenv("LC_ALL", locale, 1)
        tzset()
        NSTimeZone.resetSystemTimeZone()
        precondition(TimeZone.current.identifier == timeZone, "the device did not move to \(timeZone)")
    }

    // Each runs in a process of its own: where a device is can be said to Foundation once, at its start.

    @Test("A device in Bangkok with the Buddhist calendar judges as one at the event's place")
    func bangkok() async {
        await #expect(processExitsWith: .success) {
            OpeningHoursTests.pretend(timeZone: "Asia/Bangkok", locale: "th_TH.UTF-8@calendar=buddhist")
            try await OpeningHoursTests.holdTable()
        }
    }

    @Test("A device in Los Angeles with a 12-hour clock judges as one at the event's place")
    func losAngeles() async {
        await #expect(processExitsWith: .success) {
            OpeningHoursTests.pretend(timeZone: "America/Los_Angeles", locale: "en_US.UTF-8")
            try await OpeningHoursTests.holdTable()
        }
    }

    @Test("A device on Kiritimati with Persian digits judges as one at the event's place")
    func kiritimati() async {
        await #expect(processExitsWith: .success) {
            OpeningHoursTests.pretend(timeZone: "Pacific/Kiritimati", locale: "fa_IR.UTF-8")
            try await OpeningHoursTests.holdTable()
        }
    }

    @Test("A device at the event's place keeps the same table")
    func zurich() async throws {
        try await Self.holdTable()
    }
}
