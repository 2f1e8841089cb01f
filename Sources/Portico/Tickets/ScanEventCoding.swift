extension ScanEvent {
    /// The event as JSON: what stores keep and what the reference service is sent.
    ///
    /// Members that have no value are absent. Times of the scan are RFC 3339 text with milliseconds, times of the ticket
    /// whole seconds since 1970, hashes lower-case hexadecimal, the signature base64url.
    public var json: JSONValue {
        var object = JSONObject()
        object.append("id", .string(id.text))
        object.append("deviceId", .string(deviceID.text))
        if let gateID { object.append("gateId", .string(gateID.text)) }
        if let lane { object.append("lane", .string(lane.text)) }
        object.append("gateEvents", .array(gateEvents.map { .string($0.text) }))
        object.append("sequence", .integer(sequence))
        object.append("scannedAt", .string(RFC3339.string(milliseconds: scannedAt.milliseconds)))
        object.append("clock", .string(clock.rawValue))
        if let configuration {
            object.append(
                "configuration",
                .object([
                    "epoch": .integer(configuration.epoch), "version": .integer(configuration.version),
                ]))
        }
        object.append("kind", .string(kind.rawValue))
        switch verdict {
        case nil: break
        case .admitted: object.append("decision", "admitted")
        case .refused(let reason, let hostCode):
            object.append("decision", "refused")
            object.append("reason", .string(reason.rawValue))
            if let hostCode { object.append("hostCode", .string(hostCode)) }
        }
        object.append("count", .integer(Int64(count)))
        if let operatorName { object.append("operator", .string(operatorName)) }
        object.append("repeats", .integer(Int64(repeats)))
        switch ticket {
        case .none: break
        case .claimed(let claims): object.append("claimed", .object(claims.json))
        case .verified(let claims): object.append("ticket", .object(claims.json))
        }
        if let codeHash { object.append("codeHash", .string(Hexadecimal.encode(codeHash))) }
        if let codeLength { object.append("codeLength", .integer(Int64(codeLength))) }
        return .object(object)
    }

    /// An event from its JSON.
    ///
    /// Members that are not known are ignored, and a reason that is not known is a refusal. An event of a kind that is not
    /// known does not read: it is no attempt that this version could stand for, and waits for one that can.
    ///
    /// - Throws: `ScanEventCodingError`, which names the member, where one is missing or is not what it should be.
    public init(json: JSONValue) throws(ScanEventCodingError) {
        let members = try MemberReader(json, "event")
        guard let id = EventID(try members.string("id")) else { throw members.fault("id") }
        guard let clock = ClockTrust(rawValue: try members.string("clock")) else { throw members.fault("clock") }
        guard let kind = Kind(rawValue: try members.string("kind")) else { throw members.fault("kind") }
        guard let milliseconds = RFC3339.milliseconds(try members.string("scannedAt")) else {
            throw members.fault("scannedAt")
        }
        var gateEvents: [Identifier] = []
        for item in try members.array("gateEvents") {
            guard let text = item.stringValue, let event = Identifier(text) else { throw members.fault("gateEvents") }
            gateEvents.append(event)
        }
        var stamp: ConfigurationStamp?
        if let value = members.value("configuration") {
            let parts = try MemberReader(value, "configuration")
            stamp = ConfigurationStamp(epoch: try parts.integer("epoch"), version: try parts.integer("version"))
        }
        self.init(
            id: id, deviceID: try members.identifier("deviceId"), sequence: try members.integer("sequence"),
            gateID: try members.optionalIdentifier("gateId"), lane: try members.optionalIdentifier("lane"),
            gateEvents: gateEvents, scannedAt: Instant(milliseconds: milliseconds), clock: clock, configuration: stamp,
            kind: kind, verdict: try Self.verdict(members), count: try members.count("count"),
            operatorName: try members.optionalString("operator"), repeats: try members.count("repeats"),
            ticket: try Self.evidence(members), codeHash: try members.optionalHash("codeHash"),
            codeLength: try members.value("codeLength").map { _ throws(ScanEventCodingError) in
                try members.count("codeLength")
            })
    }

    /// The JSON as compact UTF-8: what a store keeps.
    package func encoded() -> [UInt8] { json.serialized() }

    /// An event from what `encoded` made.
    package init(decoding bytes: [UInt8]) throws(ScanEventCodingError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw ScanEventCodingError(description: "event is not JSON: \(error)")
        }
        try self.init(json: value)
    }

    /// An event from what `encoded` made, as a store kept it under its sequence.
    package init(decoding bytes: [UInt8], sequence: Int64) throws(ScanEventCodingError) {
        try self.init(decoding: bytes)
        guard self.sequence == sequence else {
            throw ScanEventCodingError(description: "it says that it is event \(self.sequence)")
        }
    }

    private static func verdict(_ members: MemberReader) throws(ScanEventCodingError) -> Verdict? {
        switch try members.optionalString("decision") {
        case nil: return nil
        case "admitted": return .admitted
        case "refused":
            return .refused(
                Reason(rawValue: try members.string("reason")), hostCode: try members.optionalString("hostCode"))
        default: throw members.fault("decision")
        }
    }

    private static func evidence(_ members: MemberReader) throws(ScanEventCodingError) -> TicketEvidence {
        if let value = members.value("ticket") { return .verified(try TicketClaims(MemberReader(value, "ticket"))) }
        if let value = members.value("claimed") { return .claimed(try TicketClaims(MemberReader(value, "claimed"))) }
        return .none
    }
}

extension TicketClaims {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.append("ticketId", .string(ticketID.text))
        object.append("eventId", .string(eventID.text))
        object.append("zoneId", .string(zoneID.text))
        object.append("issuedAt", .integer(issuedAt.milliseconds / 1_000))
        object.append("validFrom", .integer(validFrom.milliseconds / 1_000))
        object.append("validTo", .integer(validTo.milliseconds / 1_000))
        object.append("signature", .string(Base64URL.encode(signature)))
        if let keyID { object.append("keyId", .string(keyID.text)) }
        object.append("uses", .integer(Int64(uses)))
        if let category { object.append("category", .string(category.text)) }
        object.append("contentHash", .string(Hexadecimal.encode(contentHash)))
        return object
    }

    fileprivate init(_ members: MemberReader) throws(ScanEventCodingError) {
        guard let signature = Base64URL.decode(Array(try members.string("signature").utf8)) else {
            throw members.fault("signature")
        }
        guard let contentHash = try members.optionalHash("contentHash") else { throw members.fault("contentHash") }
        self.init(
            ticketID: try members.identifier("ticketId"), eventID: try members.identifier("eventId"),
            zoneID: try members.identifier("zoneId"), issuedAt: Instant(seconds: try members.integer("issuedAt")),
            validFrom: Instant(seconds: try members.integer("validFrom")),
            validTo: Instant(seconds: try members.integer("validTo")), signature: signature,
            keyID: try members.optionalIdentifier("keyId"), uses: try members.count("uses"),
            category: try members.optionalIdentifier("category"), contentHash: contentHash)
    }
}

/// What is wrong with the JSON of an event.
public struct ScanEventCodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line: which member is missing or is not what it should be.
    public let description: String
}

/// Reads the members of one object and names the one that is wrong.
private struct MemberReader {
    let object: JSONObject
    let path: String

    init(_ value: JSONValue, _ path: String) throws(ScanEventCodingError) {
        guard let object = value.objectValue else {
            throw ScanEventCodingError(description: "\(path) is not an object")
        }
        self.object = object
        self.path = path
    }

    func fault(_ name: String) -> ScanEventCodingError {
        ScanEventCodingError(description: "\(path).\(name) is missing or is not what it should be")
    }

    func value(_ name: String) -> JSONValue? { object[name] }

    func string(_ name: String) throws(ScanEventCodingError) -> String {
        guard let text = object[name]?.stringValue else { throw fault(name) }
        return text
    }

    func optionalString(_ name: String) throws(ScanEventCodingError) -> String? {
        object[name] == nil ? nil : try string(name)
    }

    func integer(_ name: String) throws(ScanEventCodingError) -> Int64 {
        guard let number = object[name]?.integerValue else { throw fault(name) }
        return number
    }

    func count(_ name: String) throws(ScanEventCodingError) -> Int {
        guard let number = Int(exactly: try integer(name)), number >= 0 else { throw fault(name) }
        return number
    }

    func array(_ name: String) throws(ScanEventCodingError) -> [JSONValue] {
        guard let items = object[name]?.arrayValue else { throw fault(name) }
        return items
    }

    func identifier(_ name: String) throws(ScanEventCodingError) -> Identifier {
        guard let identifier = Identifier(try string(name)) else { throw fault(name) }
        return identifier
    }

    func optionalIdentifier(_ name: String) throws(ScanEventCodingError) -> Identifier? {
        object[name] == nil ? nil : try identifier(name)
    }

    func optionalHash(_ name: String) throws(ScanEventCodingError) -> [UInt8]? {
        guard object[name] != nil else { return nil }
        guard let bytes = Hexadecimal.decode(try string(name)), bytes.count == 32 else { throw fault(name) }
        return bytes
    }
}
