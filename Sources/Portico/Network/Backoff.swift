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

    /// The wait after one more failure, in milliseconds.
    ///
    /// - Parameter retryAfter: The server's own span, where it gave one: never less than it, capped.
    package mutating func failed(
        retryAfter: Int64?, random: inout any RandomNumberGenerator & Sendable
    ) -> Int64 {
        let doublings = min(failures, 30)
        failures += 1
        let (doubled, overflow) = firstDelay.multipliedReportingOverflow(by: 1 << doublings)
        let capped = min(overflow ? maximumDelay : doubled, maximumDelay)
        let jittered = capped / 2 + Int64.random(in: 0...max(1, capped / 2), using: &random)
        guard let retryAfter else { return jittered }
        return max(min(max(0, retryAfter), maximumRetryAfter), jittered)
    }
}
