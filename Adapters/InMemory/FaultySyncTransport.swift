import Portico

/// A transport that fails where it is told to; without a plan it passes everything on.
///
/// ```swift
/// let transport = FaultySyncTransport(StubSyncTransport())
/// transport.plan(.after(.unavailable("connection reset")), call: 1)  // the server has the batch, the answer is lost
/// transport.plan(.altering { SyncReceipt(items: Array($0.items.dropLast())) }, call: 2)
/// transport.plan(.hanging, call: 3)
/// ```
public final class FaultySyncTransport: SyncTransport {
    /// What happens to a call.
    public enum Fault: Sendable {
        /// It fails and nothing was sent.
        case before(SyncTransportError)
        /// The batch was sent; the answer is lost and it fails.
        case after(SyncTransportError)
        /// Nothing is sent and nothing comes back until the task is cancelled.
        case hanging
        /// The receipt is changed on its way: results dropped, made up, doubled.
        case altering(@Sendable (SyncReceipt) -> SyncReceipt)
        /// It waits for the closure, then goes on.
        case waiting(@Sendable () async -> Void)
    }

    private enum Operation: Hashable {
        case send
    }

    private let transport: any SyncTransport
    private let faults = FaultPlan<Operation, Fault>()

    /// A transport in front of another.
    public init(_ transport: any SyncTransport) {
        self.transport = transport
    }

    /// Plans a fault.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - call: To which call, counted from 1 since this transport was made; nil: to every call from now on.
    public func plan(_ fault: Fault, call: Int? = nil) {
        faults.add(fault, for: .send, call: call)
    }

    /// Forgets every plan.
    public func heal() {
        faults.clear()
    }

    /// How often `send` was called since this transport was made.
    public var calls: Int { faults.count(of: .send) }

    /// Sends one batch, unless a fault is planned.
    public func send(
        _ batch: [ScanEvent], after cursor: String?
    ) async throws(SyncTransportError) -> SyncReceipt {
        switch faults.begin(.send) {
        case nil:
            return try await transport.send(batch, after: cursor)
        case .before(let error):
            throw error
        case .after(let error):
            _ = try await transport.send(batch, after: cursor)
            throw error
        case .hanging:
            await waitForCancellation()
            throw .cancelled
        case .altering(let alter):
            return alter(try await transport.send(batch, after: cursor))
        case .waiting(let wait):
            await wait()
            return try await transport.send(batch, after: cursor)
        }
    }
}
