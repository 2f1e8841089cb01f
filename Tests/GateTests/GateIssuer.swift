#if Sodium && os(Linux)
import Portico
import PorticoSodium

/// Signs tickets of one event, and describes it to gates; what it signs is never over.
struct GateIssuer: Sendable {
    static let event: Identifier = "BUSY"
    static let zone: Identifier = "NORTH"

    private let signer: SodiumTicketSigner

    /// The last second that a ticket can name: whatever the clock of this machine says, nothing is over.
    private static let end: Int64 = 253_402_300_799

    init() throws {
        signer = try SodiumTicketSigner(seed: [UInt8](repeating: 7, count: 32))
    }

    /// The configuration, as a gate applies it.
    func configuration(timeZone: String = "Europe/Zurich") -> [UInt8] {
        let value: JSONValue = [
            "schema": "portico.gate/1", "version": 1, "issuedAt": 0, "staleAfter": .integer(Self.end),
            "events": [
                [
                    "eventId": .string(Self.event.text), "timeZone": .string(timeZone), "ends": .integer(Self.end),
                    "keys": [
                        [
                            "keyId": "k1", "status": "active",
                            "publicKey": .string(Base64URL.encode(signer.publicKey)),
                        ]
                    ],
                    "zones": [["zoneId": .string(Self.zone.text)]],
                ]
            ],
        ]
        return value.serialized()
    }

    /// The text of a ticket, with members of its own beside those that all have.
    func ticket(_ id: String, _ members: JSONObject = [:]) throws -> String {
        var object: JSONObject = [
            "ticketId": .string(id), "eventId": .string(Self.event.text), "zoneId": .string(Self.zone.text),
            "issuedAt": 0, "validFrom": 0, "validTo": .integer(Self.end),
        ]
        for member in members { object[member.name] = member.value }
        object["signature"] = .string(Base64URL.encode(try signer.sign(JSONValue.object(object).canonical())))
        return Base64URL.encode(JSONValue.object(object).serialized())
    }
}
#endif
