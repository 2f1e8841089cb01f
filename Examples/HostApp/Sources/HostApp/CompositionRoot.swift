import Foundation
import HostAdapters
import Portico
import PorticoFoundation
import PorticoInMemory
import PorticoLines
import PorticoTickets

/// Where this host says what stands behind each port: the one place that names adapters, its own and Portico's.
struct CompositionRoot {
    let event: Identifier = "summer-night"
    let zone: Identifier = "main"
    let gateName: Identifier = "north"

    private let server: String
    private let folder: URL
    private let time = SystemTime()
    // This host fetches its configuration at every start, so that memory is good enough.
    private let documents = InMemoryDocumentStore(InMemoryDocumentStore.Storage())

    /// A host whose server is at that address, and whose events are kept in that folder.
    init(server: String, folder: String) {
        self.server = server
        self.folder = URL(fileURLWithPath: folder)
    }

    func store() throws(EventStoreError) -> any EventStore {
        try HostEventStore(folder: folder)
    }

    func gate(over store: any EventStore) async throws -> TicketGate {
        try await TicketGate(
            serving: [event], zone: zone, gateID: gateName, verifier: HostVerifier(), store: store,
            documents: documents, time: time, random: SystemRandomNumberGenerator())
    }

    func scanner(reading descriptor: Int32) -> any CodeScanner {
        LineScanner(descriptor: descriptor, time: time)
    }

    func uploader(over store: any EventStore) async throws -> ScanUploader {
        let deviceID = try await store.status().head.deviceID
        return ScanUploader(
            store: store, documents: documents,
            transport: HostSyncTransport(network: HostNetwork(base: server), deviceID: deviceID), time: time,
            random: SystemRandomNumberGenerator(), serving: [event])
    }
}
