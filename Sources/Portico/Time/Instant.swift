/// A point in time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Portico measures spans in milliseconds everywhere; a name says so where the type does not.
///
/// ```swift
/// let opening = Instant(seconds: 1_783_188_000)
/// let later = opening.advanced(byMilliseconds: 90_000)
/// print(later.milliseconds(since: opening))  // 90000
/// ```
public struct Instant: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let milliseconds: Int64

    /// An instant by its milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// An instant by its whole seconds since 1970-01-01T00:00:00Z; clamped where milliseconds would overflow.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// The instant that many milliseconds later, earlier where the number is negative; clamped at the ends of the range.
    public func advanced(byMilliseconds span: Int64) -> Instant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(span)
        return Instant(milliseconds: overflow ? (span < 0 ? .min : .max) : sum)
    }

    /// Milliseconds from `earlier` to this instant, negative where `earlier` is later; clamped at the ends of the range.
    public func milliseconds(since earlier: Instant) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return overflow ? (milliseconds < earlier.milliseconds ? .min : .max) : difference
    }

    /// Whether `lhs` is earlier than `rhs`.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
        lhs.milliseconds < rhs.milliseconds
    }
}

extension Instant: CustomStringConvertible {
    /// The time in UTC (RFC 3339), `2026-07-04T18:00:00.000Z`.
    public var description: String { RFC3339.string(milliseconds: milliseconds) }
}
