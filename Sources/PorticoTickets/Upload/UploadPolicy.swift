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

extension Backoff {
    /// The waits of a policy.
    init(_ policy: UploadPolicy) {
        self.init(
            firstDelay: policy.firstDelay, maximumDelay: policy.maximumDelay,
            maximumRetryAfter: policy.maximumRetryAfter)
    }
}
