import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Events that a server never mentions")
struct UploadSweepTests {
    /// A store with so many events, and their ids in order.
    private func store(_ count: Int) async throws -> (any EventStore, [EventID]) {
        let store = InMemoryEventStore()
        var random = SeededGenerator(seed: 3)
        var ids: [EventID] = []
        for _ in 0..<count {
            let id = EventID(at: Issuer.evening, random: (random.next(), random.next()))
            ids.append(id)
            _ = try await store.record(nil) { head, _ in
                ScanRecord(
                    event: ScanEvent(
                        id: id, deviceID: head.deviceID, sequence: head.nextSequence, scannedAt: Issuer.evening,
                        verdict: .refused(.malformed)))
            }
        }
        return (store, ids)
    }

    @Test("A whole batch of them holds up none of those behind it")
    func wholeBatch() async throws {
        let (store, ids) = try await store(620)
        let silent = Set(ids.prefix(500))
        let transport = StubSyncTransport([
            .computed { batch, _ in
                SyncReceipt(
                    items: batch.filter { !silent.contains($0.id) }.map { .init(id: $0.id, result: .accepted) })
            }
        ])
        let uploader = ScanUploader(
            store: store, documents: InMemoryDocumentStore(), transport: transport,
            time: ManualTimeSource(advancesOnSleep: true), random: SeededGenerator(seed: 4),
            policy: UploadPolicy(maximumFailures: 3, sendTimeout: nil))
        let report = await uploader.upload()
        #expect(report.delivered == 120)
        #expect(report.ending == .gaveUp("the server acknowledged nothing"))
        #expect(try await store.events(.pending(limit: .max)).map(\.event.id) == Array(ids.prefix(500)))
    }
}
