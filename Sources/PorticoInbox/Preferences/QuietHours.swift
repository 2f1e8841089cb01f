import Foundation
import Portico

/// A part of every day in which nothing may make a sound, by the clocks of a place.
///
/// It may cross midnight. On the days on which clocks change it is what the clocks of the place show that counts: an
/// hour that is skipped is not there to be quiet in, one that comes twice is quiet twice.
///
/// ```swift
/// let night = QuietHours(start: "22:00", end: "07:00", timeZone: "Europe/Zurich")
/// print(night?.contains(time.now) ?? false)
/// ```
public struct QuietHours: Sendable, Hashable {
    /// When it begins, in minutes after midnight.
    public let startMinute: Int
    /// When it ends, in minutes after midnight; the minute itself is not quiet.
    public let endMinute: Int
    /// The place, by its name in the IANA database.
    public let timeZone: String

    private let zone: TimeZone

    /// Quiet hours by what a service writes; nil where a time is not `hh:mm`, the two are the same, or there is no such
    /// place.
    ///
    /// - Parameters:
    ///   - start: `00:00` to `23:59`.
    ///   - end: `00:00` to `23:59`; earlier than `start` means the next day.
    ///   - timeZone: `Area/Location` or `UTC`.
    public init?(start: String, end: String, timeZone: String) {
        guard let startMinute = Self.minute(start), let endMinute = Self.minute(end), startMinute != endMinute,
            // Foundation takes abbreviations and offsets too: those are no places, and have no rules.
            timeZone == "UTC" || timeZone.utf8.contains(UInt8(ascii: "/")), let zone = TimeZone(identifier: timeZone)
        else { return nil }
        self.startMinute = startMinute
        self.endMinute = endMinute
        self.timeZone = timeZone
        self.zone = zone
    }

    /// When it begins, `hh:mm`.
    public var start: String { Self.text(startMinute) }
    /// When it ends, `hh:mm`.
    public var end: String { Self.text(endMinute) }

    /// Whether it is quiet at an instant.
    public func contains(_ instant: Instant) -> Bool {
        let seconds = floored(instant.milliseconds, by: 1_000).quotient
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        let minute = Int(floored(seconds + Int64(offset), by: 86_400).remainder / 60)
        return startMinute < endMinute
            ? startMinute <= minute && minute < endMinute : startMinute <= minute || minute < endMinute
    }

    /// Equal times at the place of the same name.
    public static func == (left: QuietHours, right: QuietHours) -> Bool {
        left.startMinute == right.startMinute && left.endMinute == right.endMinute
            && left.timeZone.utf8.elementsEqual(right.timeZone.utf8)
    }

    /// Feeds what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(startMinute)
        hasher.combine(endMinute)
        hasher.combine(Array(timeZone.utf8))
    }

    var json: JSONValue { ["start": .string(start), "end": .string(end), "timeZone": .string(timeZone)] }

    private static func minute(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 0x30 }
        guard digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }

    private static func text(_ minute: Int) -> String {
        let (hours, minutes) = minute.quotientAndRemainder(dividingBy: 60)
        return "\(hours / 10)\(hours % 10):\(minutes / 10)\(minutes % 10)"
    }
}
