import Portico

/// A transport that passes everything on and keeps what went through, with its outcome.
///
/// ```swift
/// let transport = RecordingSyncTransport(hostTransport)
/// // … upload …
/// for call in transport.calls { print(call.batch.count, call.outcome) }
/// ```
public final class RecordingSyncTransport: SyncTransport {
    /// A call and what became of it.
    public struct Call: Sendable {
        /// The events.
        public var batch: [ScanEvent]
        /// The cursor.
        public var cursor: String?
        /// The receipt, or the error.
        public var outcome: Result<SyncReceipt, SyncTransportError>

        /// Puts a call together.
        public init(batch: [ScanEvent], cursor: String?, outcome: Result<SyncReceipt, SyncTransportError>) {
            self.batch = batch
            self.cursor = cursor
            self.outcome = outcome
        }
    }

    private let transport: any SyncTransport
    private let log = CallLog<Call>()

    /// A transport in front of another.
    public init(_ transport: any SyncTransport) {
        self.transport = transport
    }

    /// The calls that have ended, in the order of their ends.
    public var calls: [Call] { log.calls }

    /// Returns when that many calls have ended in all, or when its own task is cancelled.
    public func calls(atLeast count: Int) async {
        await log.wait(for: count)
    }

    /// Sends one batch and keeps what became of it.
    public func send(
        _ batch: [ScanEvent], after cursor: String?
    ) async throws(SyncTransportError) -> SyncReceipt {
        do {
            let receipt = try await transport.send(batch, after: cursor)
            log.append(Call(batch: batch, cursor: cursor, outcome: .success(receipt)))
            return receipt
        } catch {
            log.append(Call(batch: batch, cursor: cursor, outcome: .failure(error)))
            throw error
        }
    }
}
