/// Timestamps of RFC 3339 §5.6, in the narrow forms that Portico reads and the one that it writes.
package enum RFC3339 {
    /// 9999-12-31T23:59:59Z, the last second that a timestamp of four-digit years can name.
    package static let lastSecond: Int64 = 253_402_300_799

    /// Seconds since 1970-01-01T00:00:00Z of `YYYY-MM-DDThh:mm:ss` followed by `Z` or `±hh:mm`.
    ///
    /// Nil for everything else that RFC 3339 allows (a fraction, a second 60, lower-case letters), for a day that the
    /// calendar lacks, and for a result outside 0 … `lastSecond`.
    package static func seconds(_ utf8: [UInt8]) -> Int64? {
        utf8.withUnsafeBufferPointer { seconds($0) }
    }

    /// As for an array of bytes, over the UTF-8 of `text`.
    package static func seconds(_ text: String) -> Int64? {
        text.withUTF8Bytes { seconds($0) }
    }

    /// As for an array of bytes.
    package static func seconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count == 20 || bytes.count == 25, let local = localSeconds(bytes) else { return nil }
        let result: Int64
        if bytes.count == 20 {
            guard bytes[19] == 0x5A else { return nil }
            result = local
        } else {
            guard bytes[19] == 0x2B || bytes[19] == 0x2D, bytes[22] == 0x3A,
                let hours = twoDigits(bytes, at: 20), hours <= 23, let minutes = twoDigits(bytes, at: 23), minutes <= 59
            else { return nil }
            let offset = Int64(hours * 3_600 + minutes * 60)
            result = bytes[19] == 0x2B ? local - offset : local + offset
        }
        return (0...lastSecond).contains(result) ? result : nil
    }

    /// `2026-07-04T18:00:00.123Z`: UTC, three digits of fraction.
    ///
    /// An instant outside the years 0000 to 9999 is written as the nearest end of them.
    package static func string(milliseconds: Int64) -> String {
        let clamped = min(max(milliseconds, firstMillisecond), lastSecond * 1_000 + 999)
        let (days, inDay) = floored(clamped, by: 86_400_000)
        let date = CivilDate(daysSinceEpoch: days)
        let time = Int(inDay)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        appendDigits(date.year, width: 4, to: &text)
        text.append(0x2D)
        appendDigits(date.month, width: 2, to: &text)
        text.append(0x2D)
        appendDigits(date.day, width: 2, to: &text)
        text.append(0x54)
        appendDigits(time / 3_600_000, width: 2, to: &text)
        text.append(0x3A)
        appendDigits(time / 60_000 % 60, width: 2, to: &text)
        text.append(0x3A)
        appendDigits(time / 1_000 % 60, width: 2, to: &text)
        text.append(0x2E)
        appendDigits(time % 1_000, width: 3, to: &text)
        text.append(0x5A)
        return String(decoding: text, as: UTF8.self)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z of what `string(milliseconds:)` writes; nil for any other text.
    package static func milliseconds(_ utf8: [UInt8]) -> Int64? {
        utf8.withUnsafeBufferPointer { milliseconds($0) }
    }

    /// As for an array of bytes, over the UTF-8 of `text`.
    package static func milliseconds(_ text: String) -> Int64? {
        text.withUTF8Bytes { milliseconds($0) }
    }

    private static let firstMillisecond: Int64 = -62_167_219_200_000

    private static func milliseconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count == 24, bytes[19] == 0x2E, bytes[23] == 0x5A, let seconds = localSeconds(bytes),
            let upper = twoDigits(bytes, at: 20), let lower = twoDigits(bytes, at: 21)
        else { return nil }
        return seconds * 1_000 + Int64(upper * 10 + lower % 10)
    }

    /// The first 19 bytes, `YYYY-MM-DDThh:mm:ss`, as seconds, no zone applied.
    private static func localSeconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count >= 19, bytes[10] == 0x54, bytes[13] == 0x3A, bytes[16] == 0x3A,
            let date = CivilDate(digits: bytes, count: 10),
            let hour = twoDigits(bytes, at: 11), hour <= 23,
            let minute = twoDigits(bytes, at: 14), minute <= 59,
            let second = twoDigits(bytes, at: 17), second <= 59
        else { return nil }
        return date.daysSinceEpoch * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }
}
