/// Carries recorded events to the host's server and brings back its receipt.
///
/// ## Why it exists
/// How a host talks to its server (its network layer, its credentials, its paths) is the host's. What must never go
/// wrong is not: batches, retries, halving, parking and waiting belong to `ScanUploader`. A transport only carries one
/// batch and reports what happened.
///
/// ## Guarantees
/// - ST-1: `send` sends the batch at most once: it does not retry, split or reorder.
/// - ST-2: the receipt is the server's own: a result for an event that the server did not name is never made up.
/// - ST-3: an answer that cannot be read is `unavailable`, never an empty receipt.
/// - ST-4: an empty batch is sent too: it fetches redemptions.
/// - ST-5: cancelling the task ends the call soon with `cancelled`, and at once where it was already.
/// - ST-6: a server that refuses the batch as a whole is reported by the error that says why: `batchTooLarge`,
///   `batchRejected`, `stopped` for credentials, `retry` with the server's own span where it gave one.
///
/// ## Errors
/// `batchTooLarge` and `batchRejected`: nothing of the batch was taken; a smaller one may be. `stopped`: no batch will
/// be taken until somebody acts (credentials, address). `retry`: later, after the server's own span where it gave one.
/// `unavailable`: no usable answer; the server may or may not have the batch, and sending it again is safe because
/// events are acknowledged by id.
///
/// ## Concurrency
/// `ScanUploader` has one call under way at a time.
///
/// ## Write your own
/// ```swift
/// struct HostTransport: SyncTransport {
///     let post: @Sendable ([ScanEvent], String?) async throws -> SyncReceipt
///     func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt {
///         do {
///             return try await post(batch, cursor)
///         } catch let error as SyncTransportError {
///             throw error
///         } catch is CancellationError {
///             throw .cancelled
///         } catch {
///             throw .unavailable("\(error)")
///         }
///     }
/// }
/// ```
/// `SyncTransportContract.clauses` of PorticoContracts checks it, against a double of the host's server.
public protocol SyncTransport: Sendable {
    /// Sends one batch (at most 500 events, 512 KiB of JSON) and returns the server's receipt.
    ///
    /// - Parameters:
    ///   - batch: Events in ascending sequence; may be empty.
    ///   - cursor: Where redemptions were read up to, nil at the first time.
    func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt
}

/// What a server said of a batch. A receipt is not trusted: the uploader checks every part of it.
public struct SyncReceipt: Sendable, Hashable {
    /// What the server says of one event.
    public struct Item: Sendable, Hashable {
        /// The event.
        public var id: EventID
        /// What became of it.
        public var result: ItemResult

        /// Puts the two together.
        public init(id: EventID, result: ItemResult) {
            self.id = id
            self.result = result
        }
    }

    /// What became of one event.
    public enum ItemResult: Sendable, Hashable {
        /// Taken now.
        case accepted
        /// The server had it already.
        case duplicate
        /// Refused for good; code and message are the server's.
        case refused(code: String, message: String)
    }

    /// One result an event; an event that is absent is sent again.
    public var items: [Item]
    /// The server's clock.
    public var serverTime: Instant?
    /// The highest sequence that the server has of this device.
    public var highestSequence: Int64?
    /// Uses by other devices since the cursor, in the server's order.
    public var redemptions: [Redemption]
    /// How many rows of redemptions could not be read.
    public var unreadableRedemptions: Int
    /// Where redemptions are read up to with this receipt.
    public var cursor: String?
    /// Whether more redemptions wait after the cursor.
    public var hasMore: Bool

    /// Puts a receipt together.
    public init(
        items: [Item] = [], serverTime: Instant? = nil, highestSequence: Int64? = nil,
        redemptions: [Redemption] = [], unreadableRedemptions: Int = 0, cursor: String? = nil, hasMore: Bool = false
    ) {
        self.items = items
        self.serverTime = serverTime
        self.highestSequence = highestSequence
        self.redemptions = redemptions
        self.unreadableRedemptions = unreadableRedemptions
        self.cursor = cursor
        self.hasMore = hasMore
    }
}

/// Why a batch was not acknowledged.
public enum SyncTransportError: Error, Sendable, Hashable {
    /// The server says that the batch is too large.
    case batchTooLarge
    /// The server refuses the batch as a whole; the text is its own.
    case batchRejected(String)
    /// No batch will be taken until somebody acts: credentials, address.
    case stopped(String)
    /// The server asks to come again, after that many milliseconds where it says so.
    case retry(afterMilliseconds: Int64?)
    /// No usable answer: no network, no server, or nonsense.
    case unavailable(String)
    /// The task was cancelled.
    case cancelled
}

extension SyncTransportError: CustomStringConvertible {
    /// One line: what failed and what to do.
    public var description: String {
        switch self {
        case .batchTooLarge: "upload refused: the batch is too large for the server"
        case .batchRejected(let cause): "upload refused: the server rejects the batch: \(cause)"
        case .stopped(let cause): "upload stopped: \(cause)"
        case .retry(let span):
            "upload postponed by the server\(span.map { " for \(($0 + 999) / 1_000) s" } ?? "")"
        case .unavailable(let cause): "upload failed: \(cause)"
        case .cancelled: "upload cancelled"
        }
    }
}
