import Portico

/// Reads a configuration from its JSON, strictly: every member is known, every value is checked, every fault has a path.
struct ConfigurationReader {
    /// A configuration and the canonical bytes of its file, by which two of the same version are compared.
    struct Result {
        let configuration: GateConfiguration
        let canonical: [UInt8]
    }

    static let schema = "portico.gate/1"

    static func read(_ bytes: [UInt8]) throws(ConfigurationError) -> Result {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: .configuration)
        } catch {
            throw .invalid(path: "", "\(error)")
        }
        return Result(configuration: try configuration(value), canonical: value.canonical())
    }

    private static func configuration(_ value: JSONValue) throws(ConfigurationError) -> GateConfiguration {
        let top = try ObjectReader(
            value, path: "", known: ["schema", "epoch", "version", "issuedAt", "staleAfter", "events"])
        guard try top.text("schema") == schema else { throw top.fault("schema", "is not \(schema)") }
        if top.has("epoch"), try top.integer("epoch", in: 1...9_007_199_254_740_991) != 1 {
            throw top.fault("epoch", "rises only in a signed configuration")
        }
        let stamp = ConfigurationStamp(version: try top.integer("version", in: 1...9_007_199_254_740_991))
        var events: [GateConfiguration.Event] = []
        for (index, item) in try top.list("events").enumerated() {
            events.append(try event(item, path: "events[\(index)]", strict: true))
        }
        guard !events.isEmpty else { throw top.fault("events", "is empty") }
        try refuseDuplicates(events.map(\.eventID), path: "events")
        return GateConfiguration(
            stamp: stamp, issuedAt: try top.time("issuedAt"), staleAfter: try top.time("staleAfter"), events: events)
    }

    /// One event.
    ///
    /// - Parameter strict: As issued; otherwise as stored, where keys and events may be marked as carried.
    static func event(
        _ value: JSONValue, path: String, strict: Bool
    ) throws(ConfigurationError) -> GateConfiguration.Event {
        let members = try ObjectReader(
            value, path: path,
            known: ["eventId", "timeZone", "ends", "keys", "zones", "tolerance", "revokedTickets"]
                + (strict ? [] : ["carried"]))
        let timeZone = try members.text("timeZone")
        guard EventTimeZone(timeZone) != nil else {
            // Repeated only where it cannot act on whoever reads the message.
            throw members.fault("timeZone", "unknown time zone \(Identifier(timeZone)?.text ?? "")")
        }
        var keys: [GateConfiguration.Key] = []
        for (index, item) in try members.list("keys").enumerated() {
            keys.append(try key(item, path: "\(path).keys[\(index)]", strict: strict))
        }
        if strict {
            guard keys.count <= GateConfiguration.maximumKeys else {
                throw members.fault("keys", "has \(keys.count) keys; \(GateConfiguration.maximumKeys) is the most")
            }
            try refuseDuplicates(keys.map(\.keyID), path: "\(path).keys")
        }
        var zones: [GateConfiguration.Zone] = []
        for (index, item) in try members.list("zones").enumerated() {
            zones.append(try zone(item, path: "\(path).zones[\(index)]"))
        }
        try refuseDuplicates(zones.map(\.zoneID), path: "\(path).zones")
        var revocations: [GateConfiguration.Revocation] = []
        if members.has("revokedTickets") {
            for (index, item) in try members.list("revokedTickets").enumerated() {
                let revocation = try ObjectReader(
                    item, path: "\(path).revokedTickets[\(index)]", known: ["ticketId", "issuedBefore"])
                revocations.append(
                    .init(
                        ticketID: try revocation.identifier("ticketId"),
                        issuedBefore: try revocation.optionalTime("issuedBefore")))
            }
        }
        return GateConfiguration.Event(
            eventID: try members.identifier("eventId"), timeZone: timeZone, ends: try members.time("ends"), keys: keys,
            zones: zones,
            toleranceSeconds: members.has("tolerance") ? try members.integer("tolerance", in: 0...3_600) : 120,
            revokedTickets: revocations, isCarried: try members.flag("carried"))
    }

    private static func key(
        _ value: JSONValue, path: String, strict: Bool
    ) throws(ConfigurationError) -> GateConfiguration.Key {
        let members = try ObjectReader(
            value, path: path,
            known: ["keyId", "publicKey", "status", "validFrom", "validTo", "formats", "reinstated"]
                + (strict ? [] : ["carried"]))
        guard let publicKey = Base64URL.decode(Array(try members.text("publicKey").utf8)), publicKey.count == 32 else {
            throw members.fault("publicKey", "is not canonical base64url of 32 bytes")
        }
        guard Ed25519PreCheck.isUsable(publicKey: publicKey) else {
            throw members.fault("publicKey", "is of small order or not canonical: no signature under it means anything")
        }
        guard let status = GateConfiguration.KeyStatus(rawValue: try members.text("status")) else {
            throw members.fault("status", "is not active, retired or revoked")
        }
        var formats: Set<String> = ["json"]
        if members.has("formats") {
            formats = Set(try members.texts("formats"))
            guard !formats.isEmpty else { throw members.fault("formats", "is empty") }
        }
        let validFrom = try members.optionalTime("validFrom")
        let validTo = try members.optionalTime("validTo")
        if strict, let validFrom, let validTo, validFrom > validTo {
            throw members.fault("validFrom", "is later than validTo")
        }
        return GateConfiguration.Key(
            keyID: try members.identifier("keyId"), publicKey: publicKey, status: status, validFrom: validFrom,
            validTo: validTo, formats: formats, isReinstated: try members.flag("reinstated"),
            isCarried: try members.flag("carried"))
    }

    private static func zone(_ value: JSONValue, path: String) throws(ConfigurationError) -> GateConfiguration.Zone {
        let members = try ObjectReader(value, path: path, known: ["zoneId", "admits", "hours"])
        let zoneID = try members.identifier("zoneId")
        var admits: Set<Identifier> = [zoneID]
        if members.has("admits") {
            admits = []
            for text in try members.texts("admits") {
                guard let identifier = Identifier(text) else { throw members.fault("admits", "has no identifier") }
                admits.insert(identifier)
            }
        }
        var hours: [OpeningHours] = []
        if members.has("hours") {
            for (index, item) in try members.list("hours").enumerated() {
                hours.append(try openingHours(item, path: "\(path).hours[\(index)]"))
            }
            guard !hours.isEmpty else { throw members.fault("hours", "is empty: leave it out for always open") }
        }
        return GateConfiguration.Zone(zoneID: zoneID, admits: admits, hours: hours)
    }

    private static func openingHours(_ value: JSONValue, path: String) throws(ConfigurationError) -> OpeningHours {
        let members = try ObjectReader(value, path: path, known: ["days", "dates", "opens", "minutes"])
        let days: OpeningHours.Days
        switch (members.has("days"), members.has("dates")) {
        case (true, true): throw members.fault("days", "and dates exclude each other")
        case (true, false):
            var weekdays: Set<Int> = []
            for text in try members.texts("days") {
                guard let day = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].firstIndex(of: text) else {
                    throw members.fault("days", "has a day that is not mon … sun")
                }
                weekdays.insert(day)
            }
            guard !weekdays.isEmpty else { throw members.fault("days", "is empty") }
            days = .week(weekdays)
        case (false, true):
            var dates: Set<String> = []
            for text in try members.texts("dates") {
                guard let date = CivilDate(utf8: Array(text.utf8)) else {
                    throw members.fault("dates", "has no date YYYY-MM-DD")
                }
                dates.insert(date.text)
            }
            guard !dates.isEmpty else { throw members.fault("dates", "is empty") }
            days = .dates(dates)
        case (false, false): days = .all
        }
        guard let opens = minutesOfDay(try members.text("opens")) else { throw members.fault("opens", "is not hh:mm") }
        return OpeningHours(
            days: days, opensMinutes: opens, minutes: Int(try members.integer("minutes", in: 1...1_440)))
    }

    private static func minutesOfDay(_ text: String) -> Int? {
        let utf8 = Array(text.utf8)
        guard utf8.count == 5, utf8[2] == UInt8(ascii: ":") else { return nil }
        var digits: [Int] = []
        for index in [0, 1, 3, 4] {
            guard utf8[index] >= UInt8(ascii: "0"), utf8[index] <= UInt8(ascii: "9") else { return nil }
            digits.append(Int(utf8[index] - UInt8(ascii: "0")))
        }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }

    private static func refuseDuplicates(_ names: [Identifier], path: String) throws(ConfigurationError) {
        var seen: Set<Identifier> = []
        for name in names where !seen.insert(name).inserted {
            throw .invalid(path: path, "\(name) stands there twice")
        }
    }
}

/// Reads the members of one object of a configuration, and names the path of what is wrong.
struct ObjectReader {
    private let object: JSONObject
    private let path: String

    init(_ value: JSONValue, path: String, known: [String]) throws(ConfigurationError) {
        guard case .object(let object) = value else { throw .invalid(path: path, "is not an object") }
        self.object = object
        self.path = path
        for member in object where !known.contains(member.name) {
            throw fault(member.name, "is not a member that this version implements")
        }
        for member in object where member.value.isNull {
            throw fault(member.name, "is null; leave it out")
        }
    }

    func fault(_ name: String, _ why: String) -> ConfigurationError {
        .invalid(path: path.isEmpty ? name : "\(path).\(name)", why)
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    func text(_ name: String) throws(ConfigurationError) -> String {
        guard let value = object[name] else { throw fault(name, "is missing") }
        guard let text = value.stringValue else { throw fault(name, "is not text") }
        return text
    }

    func texts(_ name: String) throws(ConfigurationError) -> [String] {
        var texts: [String] = []
        for item in try list(name) {
            guard let text = item.stringValue else { throw fault(name, "is not a list of texts") }
            texts.append(text)
        }
        return texts
    }

    func list(_ name: String) throws(ConfigurationError) -> [JSONValue] {
        guard let value = object[name] else { throw fault(name, "is missing") }
        guard let list = value.arrayValue else { throw fault(name, "is not a list") }
        return list
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(ConfigurationError) -> Int64 {
        guard let value = object[name] else { throw fault(name, "is missing") }
        guard let number = value.integerValue, range.contains(number) else {
            throw fault(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws(ConfigurationError) -> Bool {
        guard let value = object[name] else { return false }
        guard let flag = value.boolValue else { throw fault(name, "is neither true nor false") }
        return flag
    }

    func identifier(_ name: String) throws(ConfigurationError) -> Identifier {
        guard let identifier = Identifier(try text(name)) else {
            throw fault(name, "is not an identifier of 1 to 128 bytes without invisible characters")
        }
        return identifier
    }

    func time(_ name: String) throws(ConfigurationError) -> Instant {
        guard let value = object[name] else { throw fault(name, "is missing") }
        switch TicketTime.read(value) {
        case .success(let instant): return instant
        case .failure(let fault): throw self.fault(name, fault.why)
        }
    }

    func optionalTime(_ name: String) throws(ConfigurationError) -> Instant? {
        object[name] == nil ? nil : try time(name)
    }
}
