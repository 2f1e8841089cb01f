import Portico
import PorticoInMemory

#if Sodium && os(Linux)
import PorticoSodium
#endif

/// Issues tickets and configurations for tests: real signatures where libsodium is built in, a double's elsewhere.
struct Issuer: Sendable {
    /// A key pair by its seed's first byte.
    struct Key: Sendable {
        let keyID: Identifier
        let publicKey: [UInt8]
        private let sign: @Sendable ([UInt8]) -> [UInt8]

        init(_ keyID: Identifier, seed: UInt8) {
            self.keyID = keyID
            #if Sodium && os(Linux)
            do {
                let signer = try SodiumTicketSigner(seed: [UInt8](repeating: seed, count: 32))
                publicKey = signer.publicKey
                sign = { message in
                    do { return try signer.sign(message) } catch { preconditionFailure("\(error)") }
                }
            } catch {
                preconditionFailure("\(error)")
            }
            #else
            let key = [UInt8](repeating: seed, count: 32)
            publicKey = key
            sign = { message in KeyedHash.signature(of: message, by: key) }
            #endif
        }

        /// The signature of a message by this key, 64 bytes.
        func signature(of message: [UInt8]) -> [UInt8] { sign(message) }
    }

    /// The engine that verifies what the keys sign.
    static func verifier() throws -> any TicketVerifier {
        #if Sodium && os(Linux)
        return try SodiumTicketVerifier()
        #else
        return KeyedHash.verifier
        #endif
    }

    /// 2026-07-04T18:00:00Z: an evening in the summer event.
    static let evening = Instant(seconds: 1_783_188_000)

    let event: Identifier
    let key: Key

    init(event: Identifier = "SUMMER-2026", key: Key = Key("k1", seed: 1)) {
        self.event = event
        self.key = key
    }

    /// The members of an ordinary ticket, valid two hours before and six after the evening.
    func members(_ ticketID: String = "T-0001", zone: String = "NORTH") -> JSONObject {
        let seconds = Self.evening.milliseconds / 1_000
        return [
            "ticketId": .string(ticketID), "eventId": .string(event.text), "zoneId": .string(zone),
            "issuedAt": .integer(seconds - 86_400), "validFrom": .integer(seconds - 7_200),
            "validTo": .integer(seconds + 21_600),
        ]
    }

    /// A ticket's text, after changes to its members, signed by a key (by default the issuer's).
    func ticket(
        _ ticketID: String = "T-0001", zone: String = "NORTH", by key: Key? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        var object = members(ticketID, zone: zone)
        change(&object)
        return signed(object, by: key)
    }

    /// A text of an object, signed as it stands.
    func signed(_ object: JSONObject, by key: Key? = nil) -> String {
        var object = object
        object["signature"] = nil
        object["signature"] = .string(
            Base64URL.encode((key ?? self.key).signature(of: JSONValue.object(object).canonical())))
        return Base64URL.encode(JSONValue.object(object).serialized())
    }

    /// An event of a configuration, after changes to its members.
    func event(keys: [JSONObject]? = nil, _ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
        var object: JSONObject = [
            "eventId": .string(event.text), "timeZone": "Europe/Zurich", "ends": .integer(1_783_296_000),
            "keys": .array((keys ?? [Self.key(key)]).map { .object($0) }),
            "zones": [["zoneId": "NORTH"], ["zoneId": "SOUTH"]],
        ]
        change(&object)
        return .object(object)
    }

    /// A key of a configuration.
    static func key(
        _ key: Key, status: String = "active", _ change: (inout JSONObject) -> Void = { _ in }
    ) -> JSONObject {
        var object: JSONObject = [
            "keyId": .string(key.keyID.text), "publicKey": .string(Base64URL.encode(key.publicKey)),
            "status": .string(status),
        ]
        change(&object)
        return object
    }

    /// A configuration's bytes; by default with the issuer's event alone.
    func configuration(
        version: Int64 = 1, events: [JSONValue]? = nil, _ change: (inout JSONObject) -> Void = { _ in }
    ) -> [UInt8] {
        var object: JSONObject = [
            "schema": "portico.gate/1", "version": .integer(version), "issuedAt": .integer(1_783_000_000 + version),
            "staleAfter": .integer(1_783_300_000), "events": .array(events ?? [event()]),
        ]
        change(&object)
        return JSONValue.object(object).serialized()
    }
}

/// A double of a signature engine for builds without one: a keyed hash in the shape of a signature.
enum KeyedHash {
    static func signature(of message: [UInt8], by key: [UInt8]) -> [UInt8] {
        let r = SHA256.hash(key + message)
        var signature = r + SHA256.hash(r + key)
        // Below the group's order, as the room demands of every S.
        signature[63] = 0
        return signature
    }

    static let verifier = StubTicketVerifier { signature, message, key in
        // The gate's self-test asks with a vector of RFC 8032, which no double can verify by itself.
        if message == [0x72], key.first == 0x3D { return signature.first == 0x92 }
        return signature == KeyedHash.signature(of: message, by: key)
    }
}
