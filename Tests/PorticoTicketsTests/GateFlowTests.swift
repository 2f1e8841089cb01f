import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("From text to receipt")
struct GateFlowTests {
    @Test("A ticket is admitted once, recorded, uploaded, and still refused afterwards")
    func wholePath() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let text = issuer.ticket("T-1")

        let first = await made.gate.validate(text)
        #expect(first.outcome == .admitted)
        #expect(first.sequence == 1)
        #expect(first.ticket.verified?.ticketID == "T-1")

        let second = await made.gate.validate(text)
        #expect(second.reason == .alreadyUsed)
        #expect(second.priorUses.map(\.eventID) == [first.eventID])

        let transport = StubSyncTransport([.accepting])
        let uploader = ScanUploader(
            store: made.store, documents: made.documents, transport: transport, time: made.time,
            random: SeededGenerator(seed: 2))
        let report = await uploader.upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 2)

        let third = await made.gate.validate(text)
        #expect(third.reason == .alreadyUsed)
    }
}
