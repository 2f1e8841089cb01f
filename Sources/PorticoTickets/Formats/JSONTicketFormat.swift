import Portico

/// Tickets as base64url of a JSON object, signed in RFC 8785 form.
///
/// The text is canonical base64url without padding (RFC 4648 §3.5, §5). The object obeys RFC 8259 and I-JSON (RFC 7493
/// §2) to the letter: duplicate members, numbers other than whole ones within ±(2^53−1), more than 64 members or four
/// levels are malformed, because two parsers that read them differently would admit differently. The signature covers the
/// object without its top-level `signature`, in RFC 8785 form.
///
/// ```swift
/// let format = JSONTicketFormat()
/// if case .ticket(let ticket) = format.parse(Array(text.utf8)) {
///     print(ticket.claims.ticketID)
/// }
/// ```
public struct JSONTicketFormat: TicketFormat {
    /// The name by which a configuration's keys list it.
    public let name = "json"

    private let understood: Set<String>
    private let signing: (@Sendable (JSONObject) -> [UInt8])?

    /// The format.
    ///
    /// - Parameters:
    ///   - understood: Names of a host's own members that it understands and that `crit` may therefore demand.
    ///   - signing: Pure: from the object as parsed, `signature` included, to the bytes that its signature covers, for
    ///     a backend that signs otherwise; nil: RFC 8785 without `signature`.
    public init(
        understanding understood: Set<String> = [], signing: (@Sendable (JSONObject) -> [UInt8])? = nil
    ) {
        self.understood = understood
        self.signing = signing
    }

    /// Whether the text is in the alphabet and its first byte decodes to `{`.
    public func hasShape(_ text: [UInt8]) -> Bool {
        // `{` is 0x7B: its six high bits are the digit `e`, its two low ones begin one of the sixteen from `w` on.
        guard text.count >= 2, text[0] == UInt8(ascii: "e") else { return false }
        switch text[1] {
        case UInt8(ascii: "w")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            return text.allSatisfy(Base64URL.isDigit)
        default:
            return false
        }
    }

    /// Parses a text: the JSON first, then `v` and `crit`, then every other member.
    public func parse(_ text: [UInt8]) -> TicketParsing {
        guard let bytes = Base64URL.decode(text) else { return .malformed("not canonical base64url") }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: .ticket)
        } catch {
            return .malformed("\(error)")
        }
        guard case .object(let object) = value else { return .malformed("not an object") }
        do throws(Fault) {
            try judgeVersion(object)
            return .ticket(try read(object))
        } catch {
            switch error {
            case .malformed(let why): return .malformed(why)
            case .unsupported(let what): return .unsupported(what)
            }
        }
    }

    private enum Fault: Error {
        case malformed(String)
        case unsupported(String)
    }

    /// The members that a ticket of this version has a meaning for.
    private static let defined: Set<String> = [
        "ticketId", "eventId", "zoneId", "issuedAt", "validFrom", "validTo", "signature", "v", "keyId", "uses",
        "category", "crit", "holder", "seat", "note",
    ]

    /// `v` and `crit` are judged before any other member: what they announce may change what the others mean.
    private func judgeVersion(_ object: JSONObject) throws(Fault) {
        if let version = object["v"] {
            if version.isNull { throw .malformed("v is null") }
            guard version == .integer(1) else { throw .unsupported("another version") }
        }
        guard let critical = object["crit"] else { return }
        guard let names = critical.arrayValue, !names.isEmpty else { throw .malformed("crit is not a list of names") }
        for name in names {
            guard let name = name.stringValue else { throw .malformed("crit is not a list of names") }
            // RFC 7515 §4.1.11: names of what is defined, or absent, make the whole invalid.
            guard object[name] != nil, !Self.defined.contains(name) else {
                throw .malformed("crit names a member that is absent or defined")
            }
        }
        if let unknown = names.lazy.compactMap(\.stringValue).first(where: { !understood.contains($0) }) {
            throw .unsupported("the member \(unknown) is critical and not known here")
        }
    }

    private func read(_ object: JSONObject) throws(Fault) -> Ticket {
        for member in object where member.value.isNull && Self.defined.contains(member.name) {
            throw .malformed("\(member.name) is null")
        }
        guard let text = object["signature"]?.stringValue, let signature = Base64URL.decode(Array(text.utf8)),
            signature.count == 64
        else { throw .malformed("signature is not canonical base64url of 64 bytes") }

        let signedBytes: [UInt8]
        if let signing {
            signedBytes = signing(object)
        } else {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(512)
            JSONValue.object(object).appendCanonical(to: &bytes, omitting: "signature")
            signedBytes = bytes
        }
        let claims = TicketClaims(
            ticketID: try identifier(object, "ticketId"), eventID: try identifier(object, "eventId"),
            zoneID: try identifier(object, "zoneId"), issuedAt: try time(object, "issuedAt"),
            validFrom: try time(object, "validFrom"), validTo: try time(object, "validTo"), signature: signature,
            keyID: object["keyId"] == nil ? nil : try identifier(object, "keyId"), uses: try uses(object),
            category: object["category"] == nil ? nil : try identifier(object, "category"),
            contentHash: SHA256.hash(signedBytes))
        let display = TicketDisplay(
            holder: try optionalText(object, "holder"), seat: try optionalText(object, "seat"),
            note: try optionalText(object, "note"))
        return Ticket(claims: claims, display: display, signedBytes: signedBytes)
    }

    private func identifier(_ object: JSONObject, _ name: String) throws(Fault) -> Identifier {
        guard let text = object[name]?.stringValue, let identifier = Identifier(text) else {
            throw .malformed("\(name) is not an identifier")
        }
        return identifier
    }

    private func optionalText(_ object: JSONObject, _ name: String) throws(Fault) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw .malformed("\(name) is not text") }
        return text
    }

    private func uses(_ object: JSONObject) throws(Fault) -> Int {
        guard let value = object["uses"] else { return 1 }
        guard let uses = value.integerValue, 1...1_000 ~= uses else { throw .malformed("uses is not 1 … 1000") }
        return Int(uses)
    }

    private func time(_ object: JSONObject, _ name: String) throws(Fault) -> Instant {
        guard let value = object[name] else { throw .malformed("\(name) is missing") }
        switch TicketTime.read(value) {
        case .success(let instant): return instant
        case .failure(let fault): throw .malformed("\(name) \(fault.why)")
        }
    }
}

/// Times as tickets and configurations write them.
enum TicketTime {
    /// The last second of the year 9999.
    static let maximumSeconds: Int64 = 253_402_300_799

    struct Fault: Error {
        let why: String
    }

    /// Integer seconds 0 … 253402300799, or RFC 3339 text without a fraction.
    static func read(_ value: JSONValue) -> Result<Instant, Fault> {
        switch value {
        case .integer(let seconds):
            if 0...maximumSeconds ~= seconds { return .success(Instant(seconds: seconds)) }
            return .failure(
                Fault(why: seconds > maximumSeconds ? "is out of range: are these milliseconds?" : "is before 1970"))
        case .string(let text):
            if let seconds = RFC3339.seconds(text) { return .success(Instant(seconds: seconds)) }
            return .failure(Fault(why: "is not YYYY-MM-DDThh:mm:ss with Z or ±hh:mm"))
        default:
            return .failure(Fault(why: "is neither whole seconds nor text"))
        }
    }
}
