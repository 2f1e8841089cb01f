import Foundation
import Portico

/// The time zone of an event, by its IANA name: what a date and a time of day of its rules mean.
///
/// The device's zone, calendar, language and 12-hour clock play no part: only the offsets of the named zone are asked
/// for, and the calendar is the Gregorian one of ISO 8601.
struct EventTimeZone: Sendable, Hashable {
    let name: String
    private let zone: TimeZone

    /// A zone by its name in the IANA database, `Area/Location` or `UTC`; nil where there is none.
    init?(_ name: String) {
        // Foundation takes abbreviations ("PST") and offsets ("GMT+2") too: those are no places, and have no rules.
        guard name == "UTC" || name.utf8.contains(UInt8(ascii: "/")), let zone = TimeZone(identifier: name),
            zone.identifier == name || TimeZone.knownTimeZoneIdentifiers.contains(zone.identifier) || name == "UTC"
        else { return nil }
        self.name = name
        self.zone = zone
    }

    /// The date that the place has at an instant.
    func date(at instant: Instant) -> CivilDate {
        let seconds = floored(instant.milliseconds, by: 1_000).quotient
        return CivilDate(daysSinceEpoch: floored(seconds + offset(atSeconds: seconds), by: 86_400).quotient)
    }

    /// The instant at which the place's clocks show that time on that date.
    ///
    /// A time that a change of the clocks skips is the instant after the gap; one that comes twice is the first.
    func instant(on date: CivilDate, minutes: Int) -> Instant {
        let local = date.daysSinceEpoch * 86_400 + Int64(minutes) * 60
        // No zone is more than a day from UTC, so the offsets a day before and after bracket every change nearby.
        let offsets = Set([
            offset(atSeconds: local - 86_400), offset(atSeconds: local), offset(atSeconds: local + 86_400),
        ])
        let fitting = offsets.map { local - $0 }.filter { offset(atSeconds: $0) == local - $0 }
        if let first = fitting.min() { return Instant(seconds: first) }
        return Instant(seconds: firstChange(after: local - 86_400, to: local))
    }

    /// The instant of the change that skips a local time: before it clocks show less, from it on more.
    private func firstChange(after start: Int64, to local: Int64) -> Int64 {
        var low = start
        var high = local + 86_400
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if middle + offset(atSeconds: middle) < local { low = middle } else { high = middle }
        }
        return high
    }

    private func offset(atSeconds seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}
