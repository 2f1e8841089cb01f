import Portico

extension AppliedConfiguration {
    static let schema = "portico.gate-applied/1"

    /// The document that is stored.
    func encoded() -> [UInt8] {
        let object: JSONObject = [
            "schema": .string(Self.schema),
            "epoch": .integer(stamp.epoch),
            "version": .integer(stamp.version),
            "issuedAt": seconds(issuedAt),
            "staleAfter": seconds(staleAfter),
            "appliedAt": .integer(appliedAt.milliseconds),
            "file": .string(Base64URL.encode(fileHash)),
            "events": .array(events.map(encoded)),
            "revokedKeys": .array(
                revokedKeys.sorted { $0.lexicographicallyPrecedes($1) }.map { .string(Base64URL.encode($0)) }),
        ]
        return JSONValue.object(object).serialized()
    }

    /// What `encoded` made.
    init(decoding bytes: [UInt8]) throws(ConfigurationError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .invalid(path: "", "not JSON: \(error)")
        }
        let members = try ObjectReader(
            value, path: "",
            known: [
                "schema", "epoch", "version", "issuedAt", "staleAfter", "appliedAt", "file", "events", "revokedKeys",
            ])
        guard try members.text("schema") == Self.schema else {
            throw members.fault("schema", "written by another version of this library")
        }
        let whole = Int64.min...Int64.max
        var events: [GateConfiguration.Event] = []
        for (index, item) in try members.list("events").enumerated() {
            events.append(try ConfigurationReader.event(item, path: "events[\(index)]", strict: false))
        }
        var revokedKeys: Set<[UInt8]> = []
        for text in try members.texts("revokedKeys") {
            guard let key = Base64URL.decode(Array(text.utf8)) else { throw members.fault("revokedKeys", "no key") }
            revokedKeys.insert(key)
        }
        guard let fileHash = Base64URL.decode(Array(try members.text("file").utf8)) else {
            throw members.fault("file", "no hash")
        }
        self.init(
            stamp: ConfigurationStamp(
                epoch: try members.integer("epoch", in: whole), version: try members.integer("version", in: whole)),
            issuedAt: try members.time("issuedAt"), staleAfter: try members.time("staleAfter"),
            appliedAt: Instant(milliseconds: try members.integer("appliedAt", in: whole)), fileHash: fileHash,
            events: events, revokedKeys: revokedKeys)
    }

    private func seconds(_ instant: Instant) -> JSONValue { .integer(instant.milliseconds / 1_000) }

    private func encoded(_ event: GateConfiguration.Event) -> JSONValue {
        var object: JSONObject = [
            "eventId": .string(event.eventID.text),
            "timeZone": .string(event.timeZone),
            "ends": seconds(event.ends),
            "tolerance": .integer(event.toleranceSeconds),
            "keys": .array(event.keys.map(encoded)),
            "zones": .array(event.zones.map(encoded)),
        ]
        if !event.revokedTickets.isEmpty {
            object["revokedTickets"] = .array(
                event.revokedTickets.map { revocation in
                    var object: JSONObject = ["ticketId": .string(revocation.ticketID.text)]
                    if let before = revocation.issuedBefore { object["issuedBefore"] = seconds(before) }
                    return .object(object)
                })
        }
        if event.isCarried { object["carried"] = true }
        return .object(object)
    }

    private func encoded(_ key: GateConfiguration.Key) -> JSONValue {
        var object: JSONObject = [
            "keyId": .string(key.keyID.text),
            "publicKey": .string(Base64URL.encode(key.publicKey)),
            "status": .string(key.status.rawValue),
            "formats": .array(key.formats.sorted().map { .string($0) }),
        ]
        if let from = key.validFrom { object["validFrom"] = seconds(from) }
        if let to = key.validTo { object["validTo"] = seconds(to) }
        if key.isReinstated { object["reinstated"] = true }
        if key.isCarried { object["carried"] = true }
        return .object(object)
    }

    private func encoded(_ zone: GateConfiguration.Zone) -> JSONValue {
        var object: JSONObject = [
            "zoneId": .string(zone.zoneID.text),
            "admits": .array(zone.admits.sorted().map { .string($0.text) }),
        ]
        if !zone.hours.isEmpty { object["hours"] = .array(zone.hours.map(encoded)) }
        return .object(object)
    }

    private func encoded(_ hours: OpeningHours) -> JSONValue {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var object: JSONObject = [
            "opens": .string("\(padded(hours.opensMinutes / 60)):\(padded(hours.opensMinutes % 60))"),
            "minutes": .integer(Int64(hours.minutes)),
        ]
        switch hours.days {
        case .all: break
        case .week(let days):
            let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
            object["days"] = .array(days.sorted().map { .string(names[$0]) })
        case .dates(let dates): object["dates"] = .array(dates.sorted().map { .string($0) })
        }
        return .object(object)
    }
}
