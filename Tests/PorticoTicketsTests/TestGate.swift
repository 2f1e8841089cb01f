import Portico
import PorticoInMemory
import PorticoTickets

/// A gate with everything behind it in memory, and clocks that a test moves.
struct TestGate {
    let gate: TicketGate
    let store: any EventStore
    let documents: any DocumentStore
    let time: ManualTimeSource

    /// A gate at NORTH of the summer event, on the evening, with the issuer's configuration applied.
    static func configured(
        _ issuer: Issuer = Issuer(), configuration: [UInt8]? = nil, serving: [Identifier]? = nil,
        zone: Identifier = "NORTH", store: (any EventStore)? = nil, documents: (any DocumentStore)? = nil,
        time: ManualTimeSource = ManualTimeSource(now: Issuer.evening), rules: [AdmissionRule] = [],
        formats: [any TicketFormat] = [JSONTicketFormat()]
    ) async throws -> TestGate {
        let made = try await blank(
            serving: serving ?? [issuer.event], zone: zone, store: store, documents: documents, time: time,
            rules: rules, formats: formats)
        try await made.gate.apply(configuration ?? issuer.configuration())
        return made
    }

    /// The same without any configuration.
    static func blank(
        serving: [Identifier] = ["SUMMER-2026"], zone: Identifier = "NORTH", store: (any EventStore)? = nil,
        documents: (any DocumentStore)? = nil, time: ManualTimeSource = ManualTimeSource(now: Issuer.evening),
        rules: [AdmissionRule] = [], formats: [any TicketFormat] = [JSONTicketFormat()], seed: UInt64 = 1
    ) async throws -> TestGate {
        let store = try store ?? InMemoryEventStore(InMemoryEventStore.Storage())
        let documents = documents ?? InMemoryDocumentStore(InMemoryDocumentStore.Storage())
        let gate = try await TicketGate(
            serving: serving, zone: zone, gateID: "G1", verifier: Issuer.verifier(), store: store,
            documents: documents, time: time, random: SeededGenerator(seed: seed), formats: formats, rules: rules)
        return TestGate(gate: gate, store: store, documents: documents, time: time)
    }

    /// What the gate decides of a text.
    func outcome(_ text: String, lane: Identifier? = nil) async -> ScanDecision.Outcome {
        await gate.validate(text, lane: lane).outcome
    }

    func events() async throws -> [ScanEvent] {
        try await store.events(EventQuery(limit: .max)).map(\.event)
    }
}
