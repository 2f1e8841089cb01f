import Foundation
import Portico
import PorticoFoundation
import PorticoInMemory
import PorticoSodium
import PorticoTickets

/// Tickets and a configuration, issued by this benchmark for itself: a text of some 330 characters.
struct Fixture {
    let signer: SodiumTicketSigner
    let now: Int64

    init() throws {
        signer = try SodiumTicketSigner(seed: [UInt8](repeating: 7, count: 32))
        now = Int64(Date().timeIntervalSince1970)
    }

    var configuration: [UInt8] {
        let value: JSONValue = [
            "schema": "portico.gate/1", "version": 1, "issuedAt": .integer(now - 1_000),
            "staleAfter": .integer(now + 86_400),
            "events": [
                [
                    "eventId": "SUMMER-2026", "timeZone": "Europe/Zurich", "ends": .integer(now + 86_400),
                    "keys": [["keyId": "k1", "publicKey": .string(base64URL(signer.publicKey)), "status": "active"]],
                    "zones": [["zoneId": "NORTH"]],
                ]
            ],
        ]
        return value.serialized()
    }

    struct Ticket {
        let text: [UInt8]
        let signedBytes: [UInt8]
        let signature: [UInt8]
    }

    func ticket(_ number: Int) throws -> Ticket {
        var object: JSONObject = [
            "eventId": "SUMMER-2026", "issuedAt": .integer(now - 500), "ticketId": .string("T-\(10_000_000 + number)"),
            "validFrom": .integer(now - 3_600), "validTo": .integer(now + 36_000), "zoneId": "NORTH",
        ]
        let signedBytes = JSONValue.object(object).canonical()
        let signature = try signer.sign(signedBytes)
        object.append("signature", .string(base64URL(signature)))
        return Ticket(
            text: Array(base64URL(JSONValue.object(object).serialized()).utf8), signedBytes: signedBytes,
            signature: signature)
    }

    func gate(_ store: any EventStore) async throws -> TicketGate {
        let gate = try await TicketGate(
            serving: ["SUMMER-2026"], zone: "NORTH", gateID: "G1", verifier: SodiumTicketVerifier(), store: store,
            documents: InMemoryDocumentStore(InMemoryDocumentStore.Storage()), time: SystemTime(),
            random: SystemRandomNumberGenerator())
        try await gate.apply(configuration)
        return gate
    }

    private func base64URL(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var pending = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | Int(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(digits[pending >> bits & 63])
            }
            pending &= 1 << bits - 1
        }
        if bits > 0 { text.append(digits[pending << (6 - bits) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }
}
