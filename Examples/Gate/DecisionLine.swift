import Portico
import PorticoTickets
import Terminal

/// A decision as a line: for a person at the gate, and for a script.
enum DecisionLine {
    /// Nil for a repeat, which is nothing new.
    static func text(_ decision: ScanDecision, _ terminal: Terminal) -> String? {
        var parts: [String]
        switch decision.outcome {
        case .repeated: return nil
        case .admitted: parts = [terminal.coloured("ADMIT ", .green)]
        case .refused(let reason, let hostCode):
            parts = [terminal.coloured("REFUSE", .red), reason.rawValue + (hostCode.map { "(\(inert($0)))" } ?? "")]
        }
        if let claims = decision.ticket.claims {
            let isClaimed = decision.ticket.verified == nil
            parts.append(inert(claims.ticketID.text) + (isClaimed ? " (claimed)" : ""))
            parts.append("zone \(inert(claims.zoneID.text))")
        }
        if let holder = decision.display?.holder { parts.append(inert(holder)) }
        if let seat = decision.display?.seat { parts.append("seat \(inert(seat))") }
        if let note = decision.display?.note { parts.append(inert(note)) }
        if decision.reason == .alreadyUsed, let use = decision.priorUses.last { parts.append(sentence(use)) }
        if let detail = decision.detail { parts.append(terminal.coloured("– \(inert(detail))", .dim)) }
        if decision.clock == .untrusted { parts.append(terminal.coloured("clock?", .yellow)) }
        if let error = decision.storeError {
            parts.append(terminal.coloured("NOT RECORDED: \(inert("\(error)"))", .yellow))
        }
        if let origin = decision.origin { parts.append(terminal.coloured("[\(inert(origin))]", .dim)) }
        return parts.joined(separator: "  ")
    }

    private static func sentence(_ use: TicketUse) -> String {
        let time = String(RFC3339.string(milliseconds: use.at.milliseconds).dropFirst(11).prefix(8))
        let place = use.gateID.map { " at \(inert($0.text))" } ?? ""
        return "used \(time)Z\(place)\(use.isElsewhere ? " by another device" : "")"
    }

    static func json(_ decision: ScanDecision, microseconds: Int64) -> String {
        var object = JSONObject()
        switch decision.outcome {
        case .admitted: object.append("outcome", "admitted")
        case .refused(let reason, let hostCode):
            object.append("outcome", "refused")
            object.append("reason", .string(reason.rawValue))
            if let hostCode { object.append("hostCode", .string(hostCode)) }
        case .repeated(let id):
            object.append("outcome", "repeated")
            object.append("of", .string(id.text))
        }
        if let eventID = decision.eventID { object.append("id", .string(eventID.text)) }
        if let sequence = decision.sequence { object.append("sequence", .integer(sequence)) }
        object.append("recorded", .bool(decision.isRecorded))
        if let error = decision.storeError { object.append("storeError", .string("\(error)")) }
        if let claims = decision.ticket.claims {
            object.append(decision.ticket.verified == nil ? "claimed" : "ticket", json(claims))
        }
        object.append("scannedAt", .string(RFC3339.string(milliseconds: decision.scannedAt.milliseconds)))
        object.append("clock", .string(decision.clock.rawValue))
        if let stamp = decision.configuration { object.append("configurationVersion", .integer(stamp.version)) }
        if !decision.priorUses.isEmpty {
            object.append("priorUses", .array(decision.priorUses.map(json)))
        }
        if let detail = decision.detail { object.append("detail", .string(detail)) }
        if let origin = decision.origin { object.append("origin", .string(origin)) }
        object.append("microseconds", .integer(microseconds))
        return jsonLine(.object(object))
    }

    private static func json(_ claims: TicketClaims) -> JSONValue {
        [
            "ticketId": .string(claims.ticketID.text), "eventId": .string(claims.eventID.text),
            "zoneId": .string(claims.zoneID.text),
            "issuedAt": .integer(claims.issuedAt.milliseconds / 1_000),
            "validFrom": .integer(claims.validFrom.milliseconds / 1_000),
            "validTo": .integer(claims.validTo.milliseconds / 1_000),
            "signature": .string(Base64URL.encode(claims.signature)),
        ]
    }

    private static func json(_ use: TicketUse) -> JSONValue {
        var object: JSONObject = [
            "id": .string(use.eventID.text), "at": .string(RFC3339.string(milliseconds: use.at.milliseconds)),
            "deviceId": .string(use.deviceID.text), "count": .integer(Int64(use.count)),
            "elsewhere": .bool(use.isElsewhere),
        ]
        if let gateID = use.gateID { object["gateId"] = .string(gateID.text) }
        if let zoneID = use.zoneID { object["zoneId"] = .string(zoneID.text) }
        return .object(object)
    }
}
