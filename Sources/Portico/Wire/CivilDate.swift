/// A day of the proleptic Gregorian calendar, without a time and without a zone.
package struct CivilDate: Sendable, Hashable {
    /// The year, 0 for the one before year 1.
    package let year: Int
    /// 1 for January to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    /// Nil unless the calendar has this day.
    package init?(year: Int, month: Int, day: Int) {
        // Beyond these years the count of days leaves Int64.
        guard (-25_000_000_000_000_000...25_000_000_000_000_000).contains(year), (1...12).contains(month), day >= 1
        else { return nil }
        guard day <= Self.length(ofMonth: month, year: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is `daysSinceEpoch` days after 1970-01-01.
    package init(daysSinceEpoch: Int64) {
        // Cycles of 400 years that begin on 1 March, so that the leap day is the last of each span. 1970-01-01 is day
        // 135,080 of cycle 4; reduced to its cycle first, no day can overflow.
        var (cycle, day) = floored(daysSinceEpoch, by: Self.daysInCycle)
        day += 135_080
        cycle += 4
        if day >= Self.daysInCycle {
            day -= Self.daysInCycle
            cycle += 1
        }
        let century = min(day / 36_524, 3)
        day -= century * 36_524
        let leap = day / 1_461
        day -= leap * 1_461
        let single = min(day / 365, 3)
        day -= single * 365
        var months = 0
        while months < 11, day >= Int64(Self.daysBeforeMonth[months + 1]) { months += 1 }
        let yearFromMarch = Int(cycle * 400 + century * 100 + leap * 4 + single)
        self.year = months < 10 ? yearFromMarch : yearFromMarch + 1
        self.month = months < 10 ? months + 3 : months - 9
        self.day = Int(day) - Self.daysBeforeMonth[months] + 1
    }

    /// `YYYY-MM-DD`, exactly ten bytes, and a real day; nil otherwise.
    package init?(utf8 text: [UInt8]) {
        guard let date = text.withUnsafeBufferPointer({ bytes in CivilDate(digits: bytes, count: bytes.count) }) else {
            return nil
        }
        self = date
    }

    /// As for an array of bytes, over the UTF-8 of `text`.
    package init?(utf8 text: String) {
        guard let date = text.withUTF8Bytes({ bytes in CivilDate(digits: bytes, count: bytes.count) }) else {
            return nil
        }
        self = date
    }

    /// The first ten of `bytes` as `YYYY-MM-DD`; nil unless `count` is ten.
    init?(digits bytes: UnsafeBufferPointer<UInt8>, count: Int) {
        guard count == 10, bytes.count >= 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
            let century = twoDigits(bytes, at: 0), let year = twoDigits(bytes, at: 2),
            let month = twoDigits(bytes, at: 5), let day = twoDigits(bytes, at: 8)
        else { return nil }
        self.init(year: century * 100 + year, month: month, day: day)
    }

    /// Days from 1970-01-01 to this day, negative before it.
    package var daysSinceEpoch: Int64 {
        let fromMarch = month >= 3
        let (cycle, single) = floored(Int64(fromMarch ? year : year - 1), by: 400)
        let days = Self.daysBeforeMonth[fromMarch ? month - 3 : month + 9] + day - 1
        let inCycle = single * 365 + single / 4 - single / 100 + Int64(days)
        // Wrapping: at the ends of the range an intermediate sum leaves Int64 and the result comes back into it.
        return (cycle &- 4) &* Self.daysInCycle &+ inCycle &- 135_080
    }

    /// 0 for Monday to 6 for Sunday.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        Int((floored(daysSinceEpoch, by: 7).remainder + 3) % 7)
    }

    private static let daysInCycle: Int64 = 146_097

    /// From March on, as the cycles are counted.
    private static let daysBeforeMonth = [0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337]

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Division that rounds down, with a remainder that is never negative.
package func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

/// The value of two ASCII digits; nil where they are not two digits inside `bytes`.
@inline(__always)
func twoDigits(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
    guard index + 2 <= bytes.count else { return nil }
    let tens = bytes[index] &- 0x30
    let ones = bytes[index + 1] &- 0x30
    guard tens <= 9, ones <= 9 else { return nil }
    return Int(tens) * 10 + Int(ones)
}

/// Appends `value` in decimal with leading zeros to at least `width` digits; `value` is not negative.
func appendDigits(_ value: Int, width: Int, to text: inout [UInt8]) {
    let digits = [UInt8](String(value).utf8)
    for _ in 0..<max(0, width - digits.count) { text.append(0x30) }
    text.append(contentsOf: digits)
}
