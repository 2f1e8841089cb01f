/// Waits between failures: doubled, capped, and only then jittered, so that a thousand clients do not come back in the
/// same second when the cap is reached.
package struct Backoff: Sendable, Hashable {
    /// The wait after the first failure, in milliseconds.
    package var firstDelay: Int64
    /// The longest wait of our own, in milliseconds.
    package var maximumDelay: Int64
    /// The longest wait that a server may ask for, in milliseconds.
    package var maximumRetryAfter: Int64
    /// Failures since something succeeded.
    package private(set) var failures = 0

    /// No failure so far.
    package init(firstDelay: Int64, maximumDelay: Int64, maximumRetryAfter: Int64) {
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// The next failure is a first one again.
    package mutating func succeeded() { failures = 0 }

    /// The wait after one more failure, in milliseconds: half of it certain and half of it chance.
    ///
    /// - Parameters:
    ///   - retryAfter: The span that the server asked for with this failure (RFC 9110 §10.2.3), if it did: never less
    ///     than it, capped.
    ///   - reconnectionTime: The first span that the server asked for once and for all (`retry` of WHATWG HTML §9.2.6),
    ///     if it did: never less than it, and doubled from it; zero is no wish.
    package mutating func failed(
        retryAfter: Int64?, reconnectionTime: Int64? = nil, random: inout any RandomNumberGenerator & Sendable
    ) -> Int64 {
        let wish = reconnectionTime.map { min($0, maximumRetryAfter) }.flatMap { $0 > 0 ? $0 : nil }
        let first = max(1, wish ?? firstDelay)
        let doublings = min(failures, 30)
        failures += 1
        let (doubled, overflow) = first.multipliedReportingOverflow(by: 1 << doublings)
        let half = min(overflow ? .max : doubled, max(maximumDelay, first)) / 2
        let least = max(half, wish ?? 0, min(max(0, retryAfter ?? 0), maximumRetryAfter))
        // Chance adds to what was asked for, but not beyond what may be asked for.
        let most = max(half * 2, maximumRetryAfter)
        return min(least + Int64.random(in: 0...max(1, half), using: &random), most)
    }
}
