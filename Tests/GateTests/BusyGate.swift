#if Sodium && os(Linux)
import Portico
import PorticoFoundation
import PorticoInMemory
import PorticoSodium
import PorticoTickets

/// A gate over a store on the disk, with the system's clocks, and an issuer that signs for it.
struct BusyGate: Sendable {
    let gate: TicketGate
    private let issuer: GateIssuer

    init(over store: any EventStore) async throws {
        issuer = try GateIssuer()
        gate = try await TicketGate(
            serving: [GateIssuer.event], zone: GateIssuer.zone, verifier: SodiumTicketVerifier(), store: store,
            documents: InMemoryDocumentStore(InMemoryDocumentStore.Storage()), time: SystemTime(),
            random: SystemRandomNumberGenerator())
        try await gate.apply(issuer.configuration())
    }

    /// The text of a ticket by its number.
    func ticket(_ number: Int) throws -> String { try issuer.ticket("T-\(number)") }
}
#endif
