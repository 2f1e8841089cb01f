import Portico

/// One rule of a zone's hours: on which days it opens, when, and for how long.
///
/// A local start and a length: so neither midnight nor a change of the clocks can turn it inside out.
public struct OpeningHours: Sendable, Hashable {
    /// On which days it holds.
    public enum Days: Sendable, Hashable {
        /// On every day.
        case all
        /// On these days of the week, 0 Monday … 6 Sunday.
        case week(Set<Int>)
        /// On these dates, written YYYY-MM-DD.
        case dates(Set<String>)
    }

    /// On which days it holds, by the date on which it opens.
    public let days: Days
    /// When it opens: minutes after midnight by the clocks of the event's place.
    public let opensMinutes: Int
    /// For how long: 1 … 1440 minutes.
    public let minutes: Int

    /// Whether a zone with these hours is open at an instant; both ends belong to it, with the tolerance.
    func isOpen(at now: Instant, in zone: EventTimeZone, tolerance: Int64) -> Bool {
        let today = zone.date(at: now).daysSinceEpoch
        // A day before for what began yesterday, and another for a tolerance around midnight; one after likewise.
        return (today - 2...today + 1).contains { day in
            let date = CivilDate(daysSinceEpoch: day)
            guard holds(on: date) else { return false }
            let opens = zone.instant(on: date, minutes: opensMinutes)
            let closes = opens.advanced(byMilliseconds: Int64(minutes) * 60_000)
            return now >= opens.advanced(byMilliseconds: -tolerance)
                && now <= closes.advanced(byMilliseconds: tolerance)
        }
    }

    private func holds(on date: CivilDate) -> Bool {
        switch days {
        case .all: true
        case .week(let weekdays): weekdays.contains(date.weekday)
        case .dates(let dates): dates.contains(date.text)
        }
    }
}

extension CivilDate {
    /// YYYY-MM-DD.
    var text: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(padded(Int(year), 4))-\(padded(Int(month), 2))-\(padded(Int(day), 2))"
    }
}
