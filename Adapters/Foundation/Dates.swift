import Foundation
import Portico

extension Date {
    /// The same point in time.
    ///
    /// ```swift
    /// let text = DateFormatter.localizedString(from: Date(now), dateStyle: .short, timeStyle: .short)
    /// ```
    public init(_ instant: Instant) {
        self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
    }
}

extension Instant {
    /// The same point in time, to the millisecond below; clamped at the ends of the range.
    public init(_ date: Date) {
        // A date has fractions of a microsecond that nobody meant: without rounding them away first, the millisecond
        // below would now and then be one too early.
        let milliseconds = ((date.timeIntervalSince1970 * 1_000_000).rounded() / 1_000).rounded(.down)
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }
}
