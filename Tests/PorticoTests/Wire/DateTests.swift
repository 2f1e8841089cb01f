import Portico
import Testing

@Suite("Dates")
struct DateTests {
    @Test("Every day of the years 1599 to 2401 follows the one before it")
    func days() throws {
        let first = try #require(CivilDate(year: 1599, month: 1, day: 1)).daysSinceEpoch
        var previous = CivilDate(daysSinceEpoch: first)
        for days in (first + 1)...(first + 803 * 366) {
            let date = CivilDate(daysSinceEpoch: days)
            let next =
                CivilDate(year: previous.year, month: previous.month, day: previous.day + 1)
                ?? CivilDate(year: previous.year, month: previous.month + 1, day: 1)
                ?? CivilDate(year: previous.year + 1, month: 1, day: 1)
            guard date == next, date.daysSinceEpoch == days, date.weekday == (previous.weekday + 1) % 7 else {
                Issue.record("\(date) after \(previous)")
                return
            }
            previous = date
        }
        #expect(previous.year > 2400)
    }

    @Test("Known days have their number and their weekday")
    func known() throws {
        let rows: [(Int, Int, Int, Int64, Int)] = [
            (1970, 1, 1, 0, 3), (1969, 12, 31, -1, 2), (2000, 2, 29, 11_016, 1), (2026, 7, 4, 20_638, 5),
            (9999, 12, 31, 2_932_896, 4), (0, 1, 1, -719_528, 5), (0, 3, 1, -719_468, 2), (-1, 12, 31, -719_529, 4),
        ]
        for (year, month, day, days, weekday) in rows {
            let date = try #require(CivilDate(year: year, month: month, day: day))
            #expect(date.daysSinceEpoch == days)
            #expect(date.weekday == weekday)
            #expect(CivilDate(daysSinceEpoch: days) == date)
        }
    }

    @Test("Days that the calendar lacks are nil")
    func unreal() {
        for (year, month, day) in [
            (2026, 2, 29), (1900, 2, 29), (2100, 2, 29), (2000, 2, 30), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1),
            (2026, 1, 0), (2026, 1, 32), (Int.max, 1, 1), (Int.min, 1, 1), (2026, Int.min, 1), (2026, 1, Int.min),
        ] {
            #expect(CivilDate(year: year, month: month, day: day) == nil, "\(year)-\(month)-\(day)")
        }
    }

    @Test("The ends of the range of days come back", arguments: [Int64.min, .min + 1, .max - 1, .max])
    func extremes(days: Int64) {
        #expect(CivilDate(daysSinceEpoch: days).daysSinceEpoch == days)
    }

    @Test("A date is read from exactly ten bytes")
    func readDate() {
        #expect(CivilDate(utf8: "2026-07-04") == CivilDate(year: 2026, month: 7, day: 4))
        #expect(CivilDate(utf8: [UInt8]("0000-02-29".utf8)) == CivilDate(year: 0, month: 2, day: 29))
        for text in [
            "", "2026-07-4", "2026-7-04", "2026-07-04 ", " 2026-07-04", "2026/07/04", "20260704", "2026-02-30",
            "2026-07-00", "+026-07-04", "-026-07-04", "2026-07-0x", "２026-07-04", "2026-07-04T00:00:00Z",
        ] {
            #expect(CivilDate(utf8: text) == nil, "\(text)")
        }
    }

    @Test(
        "A timestamp is read to the second",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-07-04T18:00:00Z", 1_783_188_000),
            ("2026-07-04T18:00:00+02:00", 1_783_180_800), ("2026-07-04T18:00:00-02:30", 1_783_197_000),
            ("2026-07-04T18:00:00+00:00", 1_783_188_000), ("2026-07-04T18:00:00-00:00", 1_783_188_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("1970-01-01T23:59:00+23:59", 0),
            ("1969-12-31T23:00:00-01:00", 0), ("2024-02-29T12:00:00Z", 1_709_208_000),
        ] as [(String, Int64)])
    func readTimestamp(text: String, seconds: Int64) {
        #expect(RFC3339.seconds(text) == seconds)
        #expect(RFC3339.seconds([UInt8](text.utf8)) == seconds)
    }

    @Test(
        "Every other timestamp is refused",
        arguments: [
            "", "2026-07-04", "2026-07-04T18:00:00", "2026-07-04t18:00:00Z", "2026-07-04T18:00:00z",
            "2026-07-04 18:00:00Z", "2026-07-04T18:00:60Z", "2026-07-04T18:60:00Z", "2026-07-04T24:00:00Z",
            "2026-02-30T18:00:00Z", "2026-07-04T18:00:00.0Z", "2026-07-04T18:00:00.000Z", "2026-07-04T18:00:00,5Z",
            "2026-07-04T18:00:00+24:00", "2026-07-04T18:00:00+02:60", "2026-07-04T18:00:00+0200",
            "2026-07-04T18:00:00+02", "2026-07-04T18:00:00+02-00", "2026-07-04T18:00:00Z+02:00",
            "2026-07-04T18:00:00ZZZZZZ", "2026-07-04T18:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00Z", " 2026-07-04T18:00:00Z", "2026-07-04T18:00:00Z ",
            "2026-07-04T18-00-00Z", "2026-07-04T1８:00:0Z", "2026-07-04T18:00:00−2:0", "1783188000",
        ])
    func refuseTimestamp(text: String) {
        #expect(RFC3339.seconds(text) == nil)
        #expect(RFC3339.seconds([UInt8](text.utf8)) == nil)
    }

    @Test("Milliseconds are written with three digits and read back")
    func milliseconds() {
        #expect(RFC3339.string(milliseconds: 1_783_188_000_123) == "2026-07-04T18:00:00.123Z")
        #expect(RFC3339.string(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
        #expect(RFC3339.string(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
        #expect(RFC3339.string(milliseconds: .min) == "0000-01-01T00:00:00.000Z")
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let instant = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            #expect(RFC3339.milliseconds(RFC3339.string(milliseconds: instant)) == instant)
        }
        for text in [
            "2026-07-04T18:00:00Z", "2026-07-04T18:00:00.12Z", "2026-07-04T18:00:00.1234Z", "2026-07-04T18:00:00.1 3Z",
            "2026-07-04T18:00:00.123z", "2026-07-04T18:00:00,123Z", "2026-02-30T18:00:00.123Z", "",
        ] {
            #expect(RFC3339.milliseconds(text) == nil, "\(text)")
        }
    }

    /// RFC 9110 §5.6.7 names the three spellings of one instant.
    @Test(
        "An HTTP date is read in its three forms",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
            ("Wednesday, 01-Jan-69 00:00:00 GMT", 3_124_224_000), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ] as [(String, Int64)])
    func readHTTPDate(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test(
        "Every other HTTP date is refused",
        arguments: [
            "", "Sun", "Sun,", "Sun, ", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ", "sun, 06 nov 1994 08:49:37 gmt",
            "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 06 08:49:37 94", "Sun Nov  0 08:49:37 1994",
            "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "784111777", "1994-11-06T08:49:37Z",
        ])
    func refuseHTTPDate(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }

    @Test("An HTTP date is written in the preferred form and read back")
    func writeHTTPDate() {
        #expect(HTTPDate.string(seconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.string(seconds: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.string(seconds: .min) == "Sat, 01 Jan 0000 00:00:00 GMT")
        var random = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            let instant = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
            #expect(HTTPDate.seconds(HTTPDate.string(seconds: instant)) == instant)
        }
    }
}
