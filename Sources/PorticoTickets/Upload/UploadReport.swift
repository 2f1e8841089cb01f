import Portico

/// What an upload did.
public struct UploadReport: Sendable, Hashable {
    /// How it ended.
    public enum Ending: Sendable, Hashable {
        /// Nothing waits any more.
        case drained
        /// The server takes nothing until somebody acts; the text says what.
        case stopped(String)
        /// The server asks to come again later than a caller waits, after that many milliseconds.
        case postponed(milliseconds: Int64)
        /// It failed too often in a row; the text is the last cause.
        case gaveUp(String)
        /// The store failed.
        case store(EventStoreError)
        /// The task was cancelled.
        case cancelled
    }

    /// How it ended.
    public var ending: Ending = .drained
    /// Events that the server has now.
    public var delivered = 0
    /// Events that the server refused for good.
    public var parked = 0
    /// Requests that were made.
    public var requests = 0
    /// Uses by other devices that were taken in.
    public var redemptions = 0
    /// Parts of receipts that were ignored.
    public var ignored = 0
}

/// How far an upload is.
public struct UploadProgress: Sendable, Hashable {
    /// Events that the server has, of this upload.
    public var delivered: Int
    /// Events that the server refused for good, of this upload.
    public var parked: Int
    /// Events that wait.
    public var remaining: Int
    /// How long it waits before it tries again, in milliseconds; nil while it works.
    public var waiting: Int64?
    /// The last failure of this upload.
    public var lastError: String?
}

/// How an uploader is: what the last receipts said beside their results.
public struct UploadHealth: Sendable, Hashable {
    /// When a receipt last arrived, by the wall clock.
    public var lastReceipt: Instant?
    /// The last failure since the uploader was made.
    public var lastError: GateHealth.Fault?
    /// The server's clock less this device's at the last receipt, in milliseconds.
    public var clockDifference: Int64?
    /// The server's highest sequence of this device, where it is above our own: the store was rolled back or copied, and
    /// somebody must look.
    public var rolledBackBelow: Int64?
    /// Parts of receipts that were ignored since the uploader was made.
    public var ignored = 0
}
