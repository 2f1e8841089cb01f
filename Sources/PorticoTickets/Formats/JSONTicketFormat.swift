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
            return Base64URL.isInAlphabet(text[...])
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
            let members = Members(object)
            try judgeVersion(members)
            return .ticket(try read(members))
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
    private enum Defined: Int, CaseIterable {
        case version, critical, ticketID, eventID, zoneID, issuedAt, validFrom, validTo, signature, keyID, uses
        case category, holder, seat, note

        var name: String {
            switch self {
            case .version: "v"
            case .critical: "crit"
            case .ticketID: "ticketId"
            case .eventID: "eventId"
            case .zoneID: "zoneId"
            case .issuedAt: "issuedAt"
            case .validFrom: "validFrom"
            case .validTo: "validTo"
            case .signature: "signature"
            case .keyID: "keyId"
            case .uses: "uses"
            case .category: "category"
            case .holder: "holder"
            case .seat: "seat"
            case .note: "note"
            }
        }

        static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
    }

    /// A ticket's object, and the values of what is defined, found in one pass.
    private struct Members {
        let object: JSONObject
        private var values: [JSONValue?]

        init(_ object: JSONObject) {
            self.object = object
            values = Array(repeating: nil, count: Defined.allCases.count)
            for member in object {
                if let defined = Defined.byName[member.name] { values[defined.rawValue] = member.value }
            }
        }

        subscript(member: Defined) -> JSONValue? { values[member.rawValue] }

        /// The first of what is defined that is there and null.
        var firstNull: Defined? { Defined.allCases.first { self[$0]?.isNull ?? false } }
    }

    /// `v` and `crit` are judged before any other member: what they announce may change what the others mean.
    private func judgeVersion(_ members: Members) throws(Fault) {
        if let version = members[.version] {
            if version.isNull { throw .malformed("v is null") }
            guard version == .integer(1) else { throw .unsupported("another version") }
        }
        guard let critical = members[.critical] else { return }
        guard let names = critical.arrayValue, !names.isEmpty else { throw .malformed("crit is not a list of names") }
        for name in names {
            guard let name = name.stringValue else { throw .malformed("crit is not a list of names") }
            // RFC 7515 §4.1.11: names of what is defined, or absent, make the whole invalid.
            guard members.object[name] != nil, Defined.byName[name] == nil else {
                throw .malformed("crit names a member that is absent or defined")
            }
        }
        if let unknown = names.lazy.compactMap(\.stringValue).first(where: { !understood.contains($0) }) {
            throw .unsupported("the member \(unknown) is critical and not known here")
        }
    }

    private func read(_ members: Members) throws(Fault) -> Ticket {
        if let null = members.firstNull { throw .malformed("\(null.name) is null") }
        guard let text = members[.signature]?.stringValue, let signature = Base64URL.decode(text), signature.count == 64
        else { throw .malformed("signature is not canonical base64url of 64 bytes") }

        let signedBytes: [UInt8]
        if let signing {
            signedBytes = signing(members.object)
        } else {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(512)
            JSONValue.object(members.object).appendCanonical(to: &bytes, omitting: Defined.signature.name)
            signedBytes = bytes
        }
        let claims = TicketClaims(
            ticketID: try identifier(members, .ticketID), eventID: try identifier(members, .eventID),
            zoneID: try identifier(members, .zoneID), issuedAt: try time(members, .issuedAt),
            validFrom: try time(members, .validFrom), validTo: try time(members, .validTo), signature: signature,
            keyID: members[.keyID] == nil ? nil : try identifier(members, .keyID), uses: try uses(members),
            category: members[.category] == nil ? nil : try identifier(members, .category),
            contentHash: SHA256.hash(signedBytes))
        let display = TicketDisplay(
            holder: try optionalText(members, .holder), seat: try optionalText(members, .seat),
            note: try optionalText(members, .note))
        return Ticket(claims: claims, display: display, signedBytes: signedBytes)
    }

    private func identifier(_ members: Members, _ member: Defined) throws(Fault) -> Identifier {
        guard let text = members[member]?.stringValue, let identifier = Identifier(text) else {
            throw .malformed("\(member.name) is not an identifier")
        }
        return identifier
    }

    private func optionalText(_ members: Members, _ member: Defined) throws(Fault) -> String? {
        guard let value = members[member] else { return nil }
        guard let text = value.stringValue else { throw .malformed("\(member.name) is not text") }
        return text
    }

    private func uses(_ members: Members) throws(Fault) -> Int {
        guard let value = members[.uses] else { return 1 }
        guard let uses = value.integerValue, 1...1_000 ~= uses else { throw .malformed("uses is not 1 … 1000") }
        return Int(uses)
    }

    private func time(_ members: Members, _ member: Defined) throws(Fault) -> Instant {
        guard let value = members[member] else { throw .malformed("\(member.name) is missing") }
        switch TicketTime.read(value) {
        case .success(let instant): return instant
        case .failure(let fault): throw .malformed("\(member.name) \(fault.why)")
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
