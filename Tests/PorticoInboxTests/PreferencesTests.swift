import Foundation
import Portico
import Testing

@testable import PorticoInbox

@Suite("Preferences")
struct PreferencesTests {
    /// Original, patch, result: the table of RFC 7396 appendix A, in its order.
    static let cases: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test("A merge patch is applied as RFC 7396 appendix A says", arguments: cases.indices)
    func mergePatch(index: Int) throws {
        let (original, patch, result) = Self.cases[index]
        func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }
        #expect(try json(original).merging(json(patch)) == json(result))
    }

    @Test("A change is sent as exactly these bytes: absent keeps, null clears")
    func bytes() throws {
        func text(_ patch: PreferencesPatch) -> String { String(decoding: patch.json.serialized(), as: UTF8.self) }
        #expect(text(PreferencesPatch()) == "{}")
        #expect(text(PreferencesPatch(quietHours: .clear)) == #"{"quietHours":null}"#)
        #expect(text(PreferencesPatch(marketingLimit: .clear)) == #"{"marketingLimit":null}"#)
        let hours = try #require(QuietHours(start: "22:00", end: "07:05", timeZone: "Europe/Zurich"))
        let limit = try #require(MarketingLimit(count: 3, per: .week))
        #expect(
            text(
                PreferencesPatch(
                    channels: ["push": true, "email": false], topics: ["news": true], quietHours: .set(hours),
                    marketingLimit: .set(limit)))
                == #"{"channels":{"email":false,"push":true},"topics":{"news":true},"#
                + #""quietHours":{"start":"22:00","end":"07:05","timeZone":"Europe/Zurich"},"#
                + #""marketingLimit":{"count":3,"period":"week"}}"#)
    }

    @Test("Preferences keep what this version does not know, values of known members too")
    func unknown() throws {
        let json: JSONValue = [
            "channels": ["push": true, "pigeon": false, "fax": "maybe"], "topics": [:],
            "quietHours": ["start": "25:00", "end": "07:00", "timeZone": "Europe/Zurich"],
            "marketingLimit": ["count": 2, "period": "fortnight"], "theme": "dark",
        ]
        let preferences = try #require(InboxMapping(linkSchemes: []).preferences(json))
        #expect(preferences.channels == ["push": true, "pigeon": false])
        #expect(preferences.quietHours == nil)
        #expect(preferences.unknown["quietHours"] == json["quietHours"])
        #expect(preferences.unknown["marketingLimit"] == json["marketingLimit"])
        #expect(preferences.unknown["theme"] == "dark")
        #expect(InboxMapping(linkSchemes: []).preferences([]) == nil)
    }

    @Test("Quiet hours are taken in one form alone")
    func forms() {
        for (start, end, zone) in [
            ("22:00", "22:00", "Europe/Zurich"), ("24:00", "07:00", "Europe/Zurich"), ("7:00", "08:00", "UTC"),
            ("22:60", "07:00", "UTC"), ("22.00", "07:00", "UTC"), ("", "07:00", "UTC"), ("22:00", "07:00", "Mars/Base"),
            ("22:00", "07:00", "CET"), ("22:00", "07:00", "GMT+2"), ("22:00", "07:00", ""), ("２２:00", "07:00", "UTC"),
        ] { #expect(QuietHours(start: start, end: end, timeZone: zone) == nil, "\(start) \(end) \(zone)") }
        #expect(QuietHours(start: "00:00", end: "23:59", timeZone: "UTC")?.end == "23:59")
        #expect(MarketingLimit(count: 0, per: .day) == nil)
        #expect(MarketingLimit(count: 1_001, per: .day) == nil)
    }

    @Test("Quiet hours cross midnight and both nights on which clocks change, by the clocks of the place")
    func nights() throws {
        let night = try #require(QuietHours(start: "22:00", end: "07:00", timeZone: "Europe/Zurich"))
        func isQuiet(_ text: String) throws -> Bool {
            night.contains(Instant(seconds: try #require(RFC3339.seconds(text))))
        }
        for (time, expected) in [
            ("2026-07-04T21:59:59+02:00", false), ("2026-07-04T22:00:00+02:00", true),
            ("2026-07-05T00:00:00+02:00", true), ("2026-07-05T06:59:59+02:00", true),
            ("2026-07-05T07:00:00+02:00", false), ("2026-07-05T12:00:00+02:00", false),
            // Spring: 02:00 becomes 03:00. Seven by the clocks comes an hour earlier.
            ("2026-03-29T01:59:59+01:00", true), ("2026-03-29T03:00:00+02:00", true),
            ("2026-03-29T06:59:59+02:00", true), ("2026-03-29T07:00:00+02:00", false),
            // Autumn: 03:00 becomes 02:00.
            ("2026-10-25T02:30:00+02:00", true), ("2026-10-25T02:30:00+01:00", true),
            ("2026-10-25T06:59:59+01:00", true), ("2026-10-25T07:00:00+01:00", false),
        ] { #expect(try isQuiet(time) == expected, "\(time)") }
        // A pause at the hour that comes twice is quiet twice; one at an hour that is skipped is not there.
        let doubled = try #require(QuietHours(start: "02:00", end: "03:00", timeZone: "Europe/Zurich"))
        for (time, expected) in [
            ("2026-10-25T02:30:00+02:00", true), ("2026-10-25T02:30:00+01:00", true),
            ("2026-10-25T03:00:00+01:00", false), ("2026-03-29T01:59:59+01:00", false),
            ("2026-03-29T03:00:00+02:00", false),
        ] {
            #expect(doubled.contains(Instant(seconds: try #require(RFC3339.seconds(time)))) == expected, "\(time)")
        }
    }

    @Test(
        "A registration with consent needs its evidence; APNs data is written in hexadecimal, other tokens as they are")
    func registrations() throws {
        var registration = MobileRegistration(
            connectionId: "c", installationId: "i", name: "Phone", token: "fcm:AbC_-", marketingConsent: true)
        #expect(registration.flaw?.code == .invalid)
        registration.consentEvidence = ""
        #expect(registration.flaw?.code == .invalid)
        registration.consentEvidence = "checkbox 2026-07-04"
        #expect(registration.flaw == nil)
        #expect(
            String(decoding: registration.json.serialized(), as: UTF8.self)
                == #"{"connectionId":"c","installationId":"i","platform":"ios","token":"fcm:AbC_-","marketingConsent":true,"#
                + #""name":"Phone","consentEvidence":"checkbox 2026-07-04"}"#)
        #expect(MobileRegistration.hexadecimal(Data([0x00, 0xAB, 0x0F, 0xFF])) == "00ab0fff")
        registration.token = ""
        #expect(registration.flaw != nil)
    }
}
