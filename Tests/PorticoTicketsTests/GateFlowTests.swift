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

    @Test("A scan that is recorded after a later one is judged by the clock as it was, and moves the anchor no way")
    func outOfOrder() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let later = ClockAnchor(
            reading: ClockReading(
                wall: made.time.now.advanced(byMilliseconds: 40), uptime: made.time.uptime + 40,
                bootID: made.time.bootID))
        try await made.store.settle(Settlement(clock: later, mark: later.reading.wall)) { entry, _ in
            entry ?? LedgerEntry(body: [])
        }
        let decision = await made.gate.validate(issuer.ticket())
        #expect(decision.outcome == .admitted)
        #expect(try await made.store.status().head.clock == later)
    }
}
