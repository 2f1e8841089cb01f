import Portico

/// How an uploader sends and how it waits.
public struct UploadPolicy: Sendable, Hashable {
    /// At most that many events a batch.
    public var maximumBatch: Int
    /// At most that many bytes of events' JSON a batch.
    public var maximumBatchBytes: Int
    /// Milliseconds before the first retry; each further one waits twice as long.
    public var firstDelay: Int64
    /// The longest wait of our own before a retry, in milliseconds.
    public var maximumDelay: Int64
    /// The longest wait that a server may ask for, in milliseconds.
    public var maximumRetryAfter: Int64
    /// Failures in a row after which `upload` gives up; `run` never does.
    public var maximumFailures: Int
    /// Milliseconds after which a transport that does not answer is given up on; nil: it is waited for.
    public var sendTimeout: Int64?
    /// How long `run` waits between two looks when nothing waits for upload, in milliseconds.
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
}

extension Backoff {
    /// The waits of a policy.
    init(_ policy: UploadPolicy) {
        self.init(
            firstDelay: policy.firstDelay, maximumDelay: policy.maximumDelay,
            maximumRetryAfter: policy.maximumRetryAfter)
    }
}
