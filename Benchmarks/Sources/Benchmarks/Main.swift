import Foundation
import Portico
import PorticoInMemory
import PorticoSodium
import PorticoTickets

@main
struct Main {
    static func main() async throws {
        var report = Report()
        try await { @concurrent () async throws in
            try await memory(&report)
        }()
        try report.write(to: "results.jsonl")
    }

    @concurrent static func memory(_ report: inout Report) async throws {
        let fixture = try Fixture()
        let verifier = try SodiumTicketVerifier()
        let store = try InMemoryEventStore(InMemoryEventStore.Storage())
        let gate = try await fixture.gate(store)
        let perRound = 300
        var ratios = Samples(), verifies = Samples(), validates = Samples()
        var number = 0
        for _ in 0..<15 {
            var verify = Samples(), validate = Samples()
            let tickets = try (0..<perRound).map { try fixture.ticket(number + $0) }
            number += perRound
            for ticket in tickets {
                var ok = false
                verify.add(
                    try await microseconds {
                        ok = try verifier.isValid(
                            signature: ticket.signature, of: ticket.signedBytes, by: fixture.signer.publicKey)
                    })
                precondition(ok)
                var decision: ScanDecision?
                validate.add(await microseconds { decision = await gate.validate(ticket.text) })
                precondition(decision?.isAdmitted == true, "\(decision as Any)")
            }
            ratios.add(validate.median / verify.median)
            verifies.add(verify.median)
            validates.add(validate.median)
        }
        report.add(
            "validate-memory-over-verify", ratios.median, "x", goal: .atMost(1.25),
            note: "verify \(verifies.median.short) µs, validate \(validates.median.short) µs; rounds \(ratios.spread)")
    }
}
