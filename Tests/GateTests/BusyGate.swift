#if Sodium && os(Linux)
import Foundation
import Portico
import PorticoFoundation
import PorticoInMemory
import PorticoSodium
import PorticoTickets

/// A gate over a store on the disk, with the system's clocks, and an issuer that signs for it.
struct BusyGate: Sendable {
    let gate: TicketGate
    private let signer: SodiumTicketSigner

    /// The last second that a ticket can name: whatever the clock of this machine says, nothing is over.
    private static let end: Int64 = 253_402_300_799

    init(over store: any EventStore) async throws {
        signer = try SodiumTicketSigner(seed: [UInt8](repeating: 7, count: 32))
        gate = try await TicketGate(
            serving: ["BUSY"], zone: "NORTH", verifier: SodiumTicketVerifier(), store: store,
            documents: InMemoryDocumentStore(InMemoryDocumentStore.Storage()), time: SystemTime(),
            random: SystemRandomNumberGenerator())
        let configuration: JSONValue = [
            "schema": "portico.gate/1", "version": 1, "issuedAt": 0, "staleAfter": .integer(Self.end),
            "events": [
                [
                    "eventId": "BUSY", "timeZone": "Europe/Zurich", "ends": .integer(Self.end),
                    "keys": [
                        [
                            "keyId": "k1", "status": "active",
                            "publicKey": .string(Base64URL.encode(signer.publicKey)),
                        ]
                    ],
                    "zones": [["zoneId": "NORTH"]],
                ]
            ],
        ]
        try await gate.apply(configuration.serialized())
    }

    /// The text of a ticket by its number.
    func ticket(_ number: Int) throws -> String {
        var object: JSONObject = [
            "ticketId": .string("T-\(number)"), "eventId": "BUSY", "zoneId": "NORTH", "issuedAt": 0, "validFrom": 0,
            "validTo": .integer(Self.end),
        ]
        object["signature"] = .string(Base64URL.encode(try signer.sign(JSONValue.object(object).canonical())))
        return Base64URL.encode(JSONValue.object(object).serialized())
    }
}

/// A folder that is removed at the end.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "portico-gate-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // What is left in the system's temporary folder is the system's to clean; there is nobody here to tell.
        }
    }
}
#endif
