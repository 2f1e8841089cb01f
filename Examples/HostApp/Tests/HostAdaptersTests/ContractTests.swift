import Foundation
import HostAdapters
import Portico
import PorticoContracts
import Testing

@Suite("This host's adapters keep their ports' guarantees")
struct ContractTests {
    static let verifier = Subject<any TicketVerifier>(name: "HostVerifier") { { try HostVerifier() } }

    static let store = Subject<any EventStore>(name: "HostEventStore", capabilities: [.durable, .exclusive]) {
        let folder = TemporaryFolder()
        return { try HostEventStore(folder: folder.url) }
    }

    static let transport = Subject<SyncTransportContract.Exchange>(name: "HostSyncTransport") {
        let server = try HostServerDouble()
        let network = HostNetwork(base: server.address)
        return { .init(transport: HostSyncTransport(network: network, deviceID: "device"), server: server) }
    }

    @Test("The signature engine keeps every clause", arguments: TicketVerifierContract.clauses)
    func verifier(_ clause: Clause<any TicketVerifier>) async {
        let result = await clause.check(Self.verifier)
        #expect(result == .kept)
    }

    @Test(
        "The event store keeps every clause, those on durability and locking too", arguments: EventStoreContract.clauses
    )
    func store(_ clause: Clause<any EventStore>) async {
        let result = await clause.check(Self.store)
        #expect(result == .kept)
    }

    @Test("The network layer keeps every clause of a transport", arguments: SyncTransportContract.clauses)
    func transport(_ clause: Clause<SyncTransportContract.Exchange>) async {
        let result = await clause.check(Self.transport)
        #expect(result == .kept)
    }
}

extension Clause: @retroactive CustomTestStringConvertible {
    /// The number, in the reports of a parameterised test.
    public var testDescription: String { id }
}
