import Portico

extension SyncReceipt {
    private static let limits = JSONLimits(
        maximumDepth: 16, maximumMembers: .max, maximumBytes: HTTPSyncTransport.maximumReceipt, numbers: .any,
        names: .any, allowsNoncharacters: true)

    /// Reads the body of a 200.
    ///
    /// - Throws: `unavailable` where it is no receipt as a whole; parts that cannot be read are left out or counted.
    init(parsing response: HTTPResponse) throws(SyncTransportError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: response.body, limits: Self.limits)
        } catch {
            let type = (response.field("Content-Type") ?? "no type").utf8.prefix(60).filter { $0 >= 0x20 && $0 < 0x7F }
            throw .unavailable(
                "the answer is no receipt but \(String(decoding: type, as: UTF8.self)): a captive portal?")
        }
        guard let results = value["results"]?.arrayValue else {
            throw .unavailable("the answer is no receipt: it has no list of results")
        }
        var rows: [JSONValue] = []
        if let member = value["redemptions"], !member.isNull {
            guard let list = member.arrayValue else {
                throw .unavailable("the answer is no receipt: its redemptions are no list")
            }
            rows = list
        }
        let redemptions = rows.compactMap(Redemption.init(row:))
        self.init(
            items: results.compactMap(Item.init(result:)),
            serverTime: value["serverTime"]?.stringValue.flatMap(Instant.init(timestamp:)),
            highestSequence: value["highestSequence"]?.integerValue,
            redemptions: redemptions, unreadableRedemptions: rows.count - redemptions.count,
            cursor: value["cursor"]?.stringValue, hasMore: value["more"]?.boolValue ?? false)
    }
}

extension SyncReceipt.Item {
    /// Nil for a result that cannot be read: the event counts as not named.
    fileprivate init?(result: JSONValue) {
        guard let id = result["id"]?.stringValue.flatMap({ EventID($0) }) else { return nil }
        switch result["result"]?.stringValue {
        case "accepted": self.init(id: id, result: .accepted)
        case "duplicate": self.init(id: id, result: .duplicate)
        case "refused":
            let code = result["code"]?.stringValue ?? "unspecified"
            self.init(id: id, result: .refused(code: code, message: result["message"]?.stringValue ?? ""))
        default: return nil
        }
    }
}

extension Redemption {
    /// Nil for a row that cannot be read. Whether it may be believed is the uploader's to judge.
    fileprivate init?(row: JSONValue) {
        guard let id = row["id"]?.stringValue.flatMap({ EventID($0) }),
            let event = row["eventId"]?.stringValue.flatMap({ Identifier($0) }),
            let ticket = row["ticketId"]?.stringValue.flatMap({ Identifier($0) }),
            let device = row["deviceId"]?.stringValue.flatMap({ Identifier($0) }),
            let count = row["count"]?.integerValue.flatMap({ Int(exactly: $0) }),
            let at = row["at"]?.stringValue.flatMap(Instant.init(timestamp:)),
            let gate = optional(row, "gateId", { Identifier($0) }),
            let zone = optional(row, "zoneId", { Identifier($0) }),
            let hash = optional(row, "contentHash", { Hexadecimal.decode($0) })
        else { return nil }
        self.init(
            id: id, ticket: TicketKey(event: event, ticket: ticket), deviceID: device, gateID: gate, zoneID: zone,
            count: count, at: at, contentHash: hash)
    }
}

/// A member that may be missing: `.some(nil)` where it is, nil where it is there and cannot be read.
private func optional<Value>(_ row: JSONValue, _ name: String, _ read: (String) -> Value?) -> Value?? {
    guard let member = row[name], !member.isNull else { return .some(nil) }
    return member.stringValue.flatMap(read).map { .some($0) }
}

extension Instant {
    /// RFC 3339 with milliseconds and `Z`, or with whole seconds and any offset.
    fileprivate init?(timestamp: String) {
        if let milliseconds = RFC3339.milliseconds(timestamp) {
            self.init(milliseconds: milliseconds)
        } else if let seconds = RFC3339.seconds(timestamp) {
            self.init(seconds: seconds)
        } else {
            return nil
        }
    }
}
