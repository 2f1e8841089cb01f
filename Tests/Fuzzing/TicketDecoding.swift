import Portico

@testable import PorticoTickets

/// The whole judgement of a code, with an engine that takes every signature.
///
/// The first byte says what follows: the text of a code (even), or the JSON that is to stand in it (odd), because few
/// changes of a base64url text leave one.
enum TicketDecoding: FuzzTarget {
    static let name = "tickets"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        guard let mode = bytes.first else { return false }
        let rest = Array(bytes.dropFirst())
        let code = mode.isMultiple(of: 2) ? rest : Array(Base64URL.encode(rest).utf8)
        let judgement = judge.judge(code, now: JudgeFixture.evening, count: 1, lane: nil)
        try hold(0...code.count ~= judgement.codeLength, "a code is longer than what was read")
        switch judgement.evidence {
        case .none:
            try hold(judgement.refusal != nil && judgement.codeHash == nil, "no ticket, and no refusal")
            return false
        case .claimed, .verified:
            try respelt(code, judgement)
            return judgement.evidence.verified != nil
        }
    }

    private static let judge = JudgeFixture.judge()

    /// What was admitted or refused once is judged alike as the issuer would write it, and as readers wrap it.
    private static func respelt(_ code: [UInt8], _ judgement: Judgement) throws {
        let format = JSONTicketFormat()
        guard let text = CodeText.cleaned(code), case .ticket(let ticket) = format.parse(text) else {
            throw Broken(description: "a judged ticket does not parse")
        }
        try hold(ticket.claims.contentHash == SHA256.hash(ticket.signedBytes), "the hash is another content's")
        guard case .object(var object) = try JSONValue(parsing: ticket.signedBytes, limits: .ticket) else {
            throw Broken(description: "the signed bytes are no object")
        }
        object["signature"] = .string(Base64URL.encode(ticket.claims.signature))
        let issued = Base64URL.encode(JSONValue.object(object).serialized())
        try hold(format.parse(Array(issued.utf8)) == .ticket(ticket), "written canonically it is another ticket")

        let wrapped = [0xEF, 0xBB, 0xBF, 0x20] + Array("]Q1\\000026".utf8) + text + [0x0D, 0x0A]
        let again = judge.judge(wrapped, now: JudgeFixture.evening, count: 1, lane: nil)
        try hold(again.evidence == judgement.evidence, "wrapped by a reader it is another ticket")
        try hold(again.refusal == judgement.refusal, "wrapped by a reader it is judged otherwise")
        try hold(again.codeHash == judgement.codeHash, "wrapped by a reader it has another hash")
    }
}

/// A judge with two events, three keys, hours and a revocation.
private enum JudgeFixture {
    /// 2026-07-04T18:00:00Z.
    static let evening = Instant(seconds: 1_783_188_000)

    static func judge() -> Judge {
        do {
            let file = try ConfigurationReader.read(JSONValue.object(configuration).serialized())
            let applied = try AppliedConfiguration.successor(of: nil, file: file, appliedAt: evening)
            return Judge(
                rules: GateRules(applied: applied, serving: ["SUMMER-2026"], zone: "NORTH"),
                formats: [JSONTicketFormat()], hostRules: [], verifier: EveryEngine(), gateID: "G1")
        } catch {
            preconditionFailure("the fixture is refused: \(error)")
        }
    }

    private static let configuration: JSONObject = [
        "schema": "portico.gate/1", "version": 1, "issuedAt": 1_783_000_000, "staleAfter": 1_783_300_000,
        "events": [
            event(
                "SUMMER-2026", keys: [key("k1", 1, "active"), key("k2", 2, "retired"), key("k3", 3, "revoked")],
                zones: [
                    ["zoneId": "NORTH", "admits": ["NORTH", "ALL"], "hours": [["opens": "18:00", "minutes": 480]]]
                ]
            ),
            event("WINTER-2026", keys: [key("k1", 4, "active")], zones: [["zoneId": "NORTH"]]),
        ],
    ]

    private static func event(_ name: String, keys: [JSONValue], zones: [JSONValue]) -> JSONValue {
        [
            "eventId": .string(name), "timeZone": "Europe/Zurich", "ends": 1_783_296_000, "keys": .array(keys),
            "zones": .array(zones), "revokedTickets": [["ticketId": "T-REVOKED"]],
        ]
    }

    private static func key(_ name: String, _ byte: UInt8, _ status: String) -> JSONValue {
        var members: JSONObject = [
            "keyId": .string(name), "publicKey": .string(Base64URL.encode([UInt8](repeating: byte, count: 32))),
            "status": .string(status),
        ]
        if status == "retired" { members["validTo"] = 1_783_100_000 }
        return .object(members)
    }
}

/// An engine that takes every signature that reaches it.
private struct EveryEngine: TicketVerifier {
    func isValid(
        signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(TicketVerifierError) -> Bool {
        true
    }
}
