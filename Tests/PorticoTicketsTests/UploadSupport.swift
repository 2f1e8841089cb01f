import Portico
import PorticoInMemory
import PorticoTickets

/// A server that takes every event once, and remembers what it was sent.
actor TestServer: SyncTransport {
    /// How often each event was taken as new: once, if all is well.
    private(set) var records: [EventID: Int] = [:]
    /// The events of each request.
    private(set) var batches: [[ScanEvent]] = []
    /// The most requests that were under way at once.
    private(set) var mostAtOnce = 0
    private var underWay = 0
    private let refuse: @Sendable ([ScanEvent]) -> SyncTransportError?

    /// A server that refuses some batches whole.
    init(refusing refuse: @escaping @Sendable ([ScanEvent]) -> SyncTransportError? = { _ in nil }) {
        self.refuse = refuse
    }

    func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt {
        underWay += 1
        mostAtOnce = max(mostAtOnce, underWay)
        defer { underWay -= 1 }
        batches.append(batch)
        for _ in 0..<3 { await Task.yield() }
        if let error = refuse(batch) { throw error }
        var receipt = SyncReceipt()
        for event in batch {
            let isKnown = records[event.id] != nil
            if !isKnown { records[event.id] = 1 }
            receipt.items.append(.init(id: event.id, result: isKnown ? .duplicate : .accepted))
        }
        return receipt
    }
}

/// Clocks that pass as soon as somebody waits, and the spans that were waited for.
final class RecordingTime: TimeSource {
    private let time = ManualTimeSource(advancesOnSleep: true)
    private let stream: AsyncStream<Int64>
    private let continuation: AsyncStream<Int64>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded) }

    var now: Instant { time.now }
    var uptime: Int64 { time.uptime }
    var bootID: String { time.bootID }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        continuation.yield(milliseconds)
        try await time.sleep(milliseconds: milliseconds)
    }

    /// Every span so far, once nobody sleeps any more.
    func spans() async -> [Int64] {
        continuation.finish()
        return await stream.reduce(into: []) { $0.append($1) }
    }
}

/// A store with events to upload, and an uploader in front of it.
struct UploadBench {
    let store: any EventStore
    let documents: any DocumentStore
    let time: any TimeSource

    init(
        store: any EventStore = InMemoryEventStore(), documents: any DocumentStore = InMemoryDocumentStore(),
        time: any TimeSource = ManualTimeSource(advancesOnSleep: true)
    ) {
        self.store = store
        self.documents = documents
        self.time = time
    }

    /// What stands behind a gate.
    init(_ made: TestGate) {
        self.init(store: made.store, documents: made.documents, time: made.time)
    }

    func uploader(
        _ transport: any SyncTransport, seed: UInt64 = 1, policy: UploadPolicy = UploadPolicy(sendTimeout: nil)
    ) -> ScanUploader {
        ScanUploader(
            store: store, documents: documents, transport: transport, time: time, random: SeededGenerator(seed: seed),
            policy: policy)
    }

    /// Records events that nobody scanned, each with a text of that many bytes in it.
    @discardableResult
    func fill(_ count: Int, padding: Int = 0) async throws -> [EventID] {
        let pad = padding > 0 ? String(repeating: "p", count: padding) : nil
        let first = try await store.status().head.nextSequence
        var ids: [EventID] = []
        for number in 0..<count {
            let id = EventID(at: Issuer.evening, random: (7, UInt64(first) + UInt64(number)))
            _ = try await store.record(nil) { head, _ in
                ScanRecord(
                    event: ScanEvent(
                        id: id, deviceID: head.deviceID, sequence: head.nextSequence, scannedAt: Issuer.evening,
                        verdict: .refused(.malformed), operatorName: pad, codeLength: number))
            }
            ids.append(id)
        }
        return ids
    }

    /// How many events stand in a state.
    func count(_ kind: EventState.Kind) async throws -> Int {
        try await store.status().counts[kind, default: 0]
    }
}

extension SyncReceipt {
    /// Every event of a batch accepted, with changes.
    static func accepting(_ batch: [ScanEvent], _ change: (inout SyncReceipt) -> Void = { _ in }) -> SyncReceipt {
        var receipt = SyncReceipt(items: batch.map { .init(id: $0.id, result: .accepted) })
        change(&receipt)
        return receipt
    }
}
