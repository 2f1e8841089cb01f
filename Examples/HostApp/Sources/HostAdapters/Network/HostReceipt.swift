import Foundation
import Portico

extension SyncReceipt {
    /// Reads a receipt of this host's server; nil where it is none.
    ///
    /// An item that cannot be read is left out, so that its event is sent again; a redemption that cannot be read is
    /// counted. Whether what is left can be believed is the uploader's to judge.
    init?(json bytes: [UInt8]) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            // Not JSON: no receipt, whatever else it is.
            return nil
        }
        guard let results = json["results"]?.arrayValue, let rows = (json["redemptions"] ?? []).arrayValue else {
            return nil
        }
        let redemptions = rows.compactMap(Redemption.init)
        self.init(
            items: results.compactMap(Item.init), serverTime: json.moment("serverTime"),
            highestSequence: json["highestSequence"]?.integerValue, redemptions: redemptions,
            unreadableRedemptions: rows.count - redemptions.count, cursor: json["cursor"]?.stringValue,
            hasMore: json["more"]?.boolValue ?? false)
    }
}

extension SyncReceipt.Item {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue.flatMap({ EventID($0) }) else { return nil }
        switch json["result"]?.stringValue {
        case "accepted": self.init(id: id, result: .accepted)
        case "duplicate": self.init(id: id, result: .duplicate)
        case "refused":
            let (code, message) = (json["code"]?.stringValue, json["message"]?.stringValue)
            self.init(id: id, result: .refused(code: code ?? "unspecified", message: message ?? ""))
        default: return nil
        }
    }
}

extension Redemption {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue.flatMap({ EventID($0) }), let event = json.identifier("eventId"),
            let ticket = json.identifier("ticketId"), let device = json.identifier("deviceId"),
            let count = json["count"]?.integerValue.flatMap({ Int(exactly: $0) }), let at = json.moment("at")
        else { return nil }
        self.init(
            id: id, ticket: TicketKey(event: event, ticket: ticket), deviceID: device,
            gateID: json.identifier("gateId"), zoneID: json.identifier("zoneId"), count: count, at: at,
            contentHash: json["contentHash"]?.stringValue.flatMap(Self.bytes))
    }

    /// The bytes of hexadecimal digits; nil for anything else.
    private static func bytes(_ digits: String) -> [UInt8]? {
        let nibbles = digits.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard nibbles.count == digits.utf8.count, nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }
}

extension JSONValue {
    fileprivate func identifier(_ name: String) -> Identifier? {
        self[name]?.stringValue.flatMap { Identifier($0) }
    }

    /// A time (RFC 3339), to the millisecond; nil where it is none.
    fileprivate func moment(_ name: String) -> Instant? {
        guard let text = self[name]?.stringValue else { return nil }
        do {
            let date = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
            return Instant(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
        } catch {
            return nil
        }
    }
}
