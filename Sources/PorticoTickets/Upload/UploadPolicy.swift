import Portico

/// How an uploader sends and how it waits.
///
/// A value outside its range is taken as the nearest one inside.
public struct UploadPolicy: Sendable, Hashable {
    /// At most that many events a batch, 1 to 500.
    public var maximumBatch: Int
    /// At most that many bytes of events' JSON a batch; an event that is longer goes alone.
    public var maximumBatchBytes: Int
    /// Milliseconds before the first retry, 1 or more; each further one waits twice as long.
    public var firstDelay: Int64
    /// The longest wait of our own before a retry, in milliseconds; no less than the first.
    public var maximumDelay: Int64
    /// The longest wait that a server may ask for, in milliseconds.
    public var maximumRetryAfter: Int64
    /// Failures in a row after which `upload` gives up, 1 or more; `run` never does.
    public var maximumFailures: Int
    /// Milliseconds after which a transport that does not answer is given up on; nil: it is waited for.
    public var sendTimeout: Int64?
    /// How long `run` waits between two looks when nothing waits for upload, in milliseconds; 100 or more.
    public var idleInterval: Int64

    /// A policy; by default 500 events and 512 KiB a batch, retries after 0.5 s up to a minute apart.
    public init(
        maximumBatch: Int = 500, maximumBatchBytes: Int = 512 << 10, firstDelay: Int64 = 500,
        maximumDelay: Int64 = 60_000, maximumRetryAfter: Int64 = 15 * 60_000, maximumFailures: Int = 8,
        sendTimeout: Int64? = 90_000, idleInterval: Int64 = 5_000
    ) {
        self.maximumBatch = maximumBatch
        self.maximumBatchBytes = maximumBatchBytes
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
        self.maximumFailures = maximumFailures
        self.sendTimeout = sendTimeout
        self.idleInterval = idleInterval
    }

    /// The policy with every value inside its range.
    var checked: UploadPolicy {
        var policy = self
        policy.maximumBatch = min(max(maximumBatch, 1), 500)
        policy.firstDelay = max(firstDelay, 1)
        policy.maximumDelay = max(maximumDelay, policy.firstDelay)
        policy.maximumRetryAfter = max(maximumRetryAfter, 0)
        policy.maximumFailures = max(maximumFailures, 1)
        policy.idleInterval = max(idleInterval, 100)
        return policy
    }
}

/// Waits between failures: doubled, capped, and only then jittered, so that a thousand gates do not come back in the
/// same second when the cap is reached.
struct Backoff: Sendable {
    private(set) var failures = 0

    mutating func succeeded() { failures = 0 }

    /// The wait after one more failure, in milliseconds.
    ///
    /// - Parameter retryAfter: The server's own span, where it gave one: never less than it, capped by the policy.
    mutating func failed(
        retryAfter: Int64?, policy: UploadPolicy, random: inout any RandomNumberGenerator & Sendable
    ) -> Int64 {
        let doublings = min(failures, 30)
        failures += 1
        let (doubled, overflow) = policy.firstDelay.multipliedReportingOverflow(by: 1 << doublings)
        let capped = min(overflow ? policy.maximumDelay : doubled, policy.maximumDelay)
        let jittered = capped / 2 + Int64.random(in: 0...max(1, capped / 2), using: &random)
        guard let retryAfter else { return jittered }
        return max(min(max(0, retryAfter), policy.maximumRetryAfter), jittered)
    }
}
