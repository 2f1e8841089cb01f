/// HTTP-date (RFC 9110 §5.6.7): read in its three forms, written in the preferred one.
package enum HTTPDate {
    /// Seconds since 1970-01-01T00:00:00Z of an IMF-fixdate, an RFC 850 date or an asctime date; nil for other text.
    ///
    /// The name of the day must be one but is not held against the date, as recipients should be lenient. A leap
    /// second counts as the second after it. The two digits of an RFC 850 year stand for 1970 to 2069: the window that
    /// RFC 9110 ties to today would need a clock.
    package static func seconds(_ text: String) -> Int64? {
        text.withUTF8Bytes { bytes in
            var scanner = Scanner(bytes: bytes)
            guard let seconds = scanner.date(), scanner.position == bytes.count else { return nil }
            return seconds
        }
    }

    /// The IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// An instant outside the years 0000 to 9999 is written as their nearest end.
    package static func string(seconds: Int64) -> String {
        let clamped = min(max(seconds, -62_167_219_200), RFC3339.lastSecond)
        let (days, inDay) = floored(clamped, by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        let time = Int(inDay)
        var text = [UInt8](shortDays[date.weekday].utf8)
        text.append(contentsOf: ", ".utf8)
        appendDigits(date.day, width: 2, to: &text)
        text.append(0x20)
        text.append(contentsOf: months[date.month - 1].utf8)
        text.append(0x20)
        appendDigits(date.year, width: 4, to: &text)
        text.append(0x20)
        appendDigits(time / 3_600, width: 2, to: &text)
        text.append(0x3A)
        appendDigits(time / 60 % 60, width: 2, to: &text)
        text.append(0x3A)
        appendDigits(time % 60, width: 2, to: &text)
        text.append(contentsOf: " GMT".utf8)
        return String(decoding: text, as: UTF8.self)
    }

    private static let shortDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads tokens from the front; every read is checked against the end.
    private struct Scanner {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        mutating func date() -> Int64? {
            if takeAny(of: longDays) != nil { return rfc850() }
            guard takeAny(of: shortDays) != nil else { return nil }
            return take(", ") ? fixdate() : asctime()
        }

        private mutating func fixdate() -> Int64? {
            guard let day = number(), take(" "), let month = takeAny(of: months), take(" "),
                let century = number(), let year = number(), take(" "), let time = time(), take(" GMT")
            else { return nil }
            return instant(century * 100 + year, month, day, time)
        }

        private mutating func rfc850() -> Int64? {
            guard take(", "), let day = number(), take("-"), let month = takeAny(of: months), take("-"),
                let year = number(), take(" "), let time = time(), take(" GMT")
            else { return nil }
            return instant(year < 70 ? 2000 + year : 1900 + year, month, day, time)
        }

        private mutating func asctime() -> Int64? {
            guard take(" "), let month = takeAny(of: months), take(" "), let day = dayPaddedWithSpace(), take(" "),
                let time = time(), take(" "), let century = number(), let year = number()
            else { return nil }
            return instant(century * 100 + year, month, day, time)
        }

        private func instant(_ year: Int, _ month: Int, _ day: Int, _ time: Int64) -> Int64? {
            guard let date = CivilDate(year: year, month: month + 1, day: day) else { return nil }
            return date.daysSinceEpoch * 86_400 + time
        }

        private mutating func time() -> Int64? {
            guard let hour = number(), hour <= 23, take(":"), let minute = number(), minute <= 59, take(":"),
                let second = number(), second <= 60
            else { return nil }
            return Int64(hour * 3_600 + minute * 60 + second)
        }

        private mutating func dayPaddedWithSpace() -> Int? {
            guard take(" ") else { return number() }
            guard position < bytes.count, case 0x31...0x39 = bytes[position] else { return nil }
            defer { position += 1 }
            return Int(bytes[position] - 0x30)
        }

        private mutating func number() -> Int? {
            guard let number = twoDigits(bytes, at: position) else { return nil }
            position += 2
            return number
        }

        private mutating func takeAny(of words: [String]) -> Int? {
            words.firstIndex { take($0) }
        }

        private mutating func take(_ text: String) -> Bool {
            guard bytes[position...].starts(with: text.utf8) else { return false }
            position += text.utf8.count
            return true
        }
    }
}
