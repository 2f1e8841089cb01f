import Portico
import PorticoInMemory
import PorticoTickets
import Testing

/// Short and seeded, so that a failure comes back; the long runs are the fuzzer's.
@Suite("Hostile bytes")
struct FuzzTests {
    private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// One to four changes of a text: bytes flipped, put in, taken out, doubled and cut off.
    private static func mutated(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = original
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            guard !bytes.isEmpty else { return bytes }
            let position = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: position)
            case 2: bytes.remove(at: position)
            case 3: bytes[position] = Array("{}[]\",:\\0-.eE \u{0}".utf8).randomElement(using: &random) ?? 0
            case 4: bytes.insert(contentsOf: bytes[position...].prefix(16), at: position)
            default: bytes.removeSubrange(position...)
            }
        }
        return bytes
    }

    @Test("Any bytes have a reason")
    func randomCodes() async throws {
        let made = try await TestGate.configured()
        var random = SeededGenerator(seed: 71)
        for round in 0..<600 {
            let code = Self.bytes(Int.random(in: 0..<(round % 10 == 0 ? 4_000 : 100), using: &random), &random)
            #expect(await made.gate.validate(code).reason == .malformed)
        }
    }

    @Test("A mutated ticket has a reason, unless it is a respelling of the ticket that verifies")
    func mutatedTickets() async throws {
        let issuer = Issuer()
        let json = issuer.json { $0["x"] = ["deep": [1, "\u{1F600}", .null]] }
        var random = SeededGenerator(seed: 72)
        let made = try await TestGate.configured(issuer)
        var reasons: Set<Reason> = []
        var admissions = 0
        for _ in 0..<3_000 {
            let mutated = Self.mutated(json, &random)
            let decision = await made.gate.validate(Base64URL.encode(mutated))
            if let reason = decision.reason { reasons.insert(reason) } else { admissions += 1 }
            if let claims = decision.ticket.verified { #expect(claims.ticketID == "T-0001") }
        }
        #expect(admissions <= 1)
        #expect(reasons.isSuperset(of: [.malformed, .badSignature]))
    }

    @Test("A mutated configuration is refused with a cause, or read; it never stops the program")
    func mutatedConfigurations() throws {
        let issuer = Issuer()
        let bytes = issuer.configuration(events: [
            issuer.event {
                $0["zones"] = [
                    ["zoneId": "NORTH", "hours": [["days": ["mon"], "opens": "18:00", "minutes": 480]]],
                    ["zoneId": "SOUTH", "hours": [["dates": ["2026-07-04"], "opens": "18:00", "minutes": 480]]],
                ]
                $0["revokedTickets"] = [["ticketId": "A", "issuedBefore": "2026-07-04T18:00:00Z"]]
            }
        ])
        var random = SeededGenerator(seed: 73)
        var refused = 0
        for _ in 0..<3_000 {
            let mutated = Self.mutated(bytes, &random)
            do throws(ConfigurationError) {
                let configuration = try GateConfiguration(parsing: mutated)
                #expect(configuration.stamp.version >= 0)
            } catch {
                refused += 1
                #expect("\(error)".hasPrefix("configuration refused"))
            }
        }
        #expect(refused > 2_000)
        for _ in 0..<300 {
            let noise = Self.bytes(Int.random(in: 0..<200, using: &random), &random)
            #expect(throws: ConfigurationError.self) { _ = try GateConfiguration(parsing: noise) }
        }
    }

    @Test("A mutated configuration that is read can be applied and scanned under")
    func mutatedRules() async throws {
        let issuer = Issuer()
        let bytes = issuer.configuration()
        var random = SeededGenerator(seed: 74)
        var applied = 0
        for _ in 0..<400 {
            let made = try await TestGate.blank()
            do throws(ConfigurationError) {
                try await made.gate.apply(Self.mutated(bytes, &random))
            } catch {
                continue
            }
            applied += 1
            let decision = await made.gate.validate(issuer.ticket())
            #expect(decision.isRecorded)
            #expect(decision.configuration != nil)
        }
        #expect(applied > 0)
    }
}
