import Portico

/// One way in which a ticket is written: told apart from the others by its shape.
///
/// The gate asks each of its formats in turn whether a text has its shape, and the first that says so parses it.
/// A key of the configuration lists the formats that it signs (`formats`, `["json"]` unless it says otherwise); under
/// any other format it is not tried.
///
/// Formats are pure: the same text gives the same answer, for any bytes, without a trap.
///
/// ```swift
/// struct PrefixedFormat: TicketFormat {
///     let name = "prefixed"
///     let json = JSONTicketFormat()
///     func hasShape(_ text: [UInt8]) -> Bool { text.starts(with: "T1:".utf8) && json.hasShape(Array(text.dropFirst(3))) }
///     func parse(_ text: [UInt8]) -> TicketParsing { json.parse(Array(text.dropFirst(3))) }
/// }
/// ```
public protocol TicketFormat: Sendable {
    /// The name by which a configuration's keys list it.
    var name: String { get }

    /// Whether a cleaned text has this format's shape: cheap, without parsing.
    func hasShape(_ text: [UInt8]) -> Bool

    /// Parses a text that has the shape.
    func parse(_ text: [UInt8]) -> TicketParsing
}

/// What parsing gave.
public enum TicketParsing: Sendable, Hashable {
    /// A ticket, with nothing verified yet.
    case ticket(Ticket)
    /// Not a ticket; the text says why, for the issuer's tests.
    case malformed(String)
    /// A ticket of a version, or with demands, that this gate does not know; the text says which.
    case unsupported(String)
}

/// A parsed ticket: what it claims, what a person may be shown, and what its signature covers.
public struct Ticket: Sendable, Hashable {
    /// What it claims.
    public var claims: TicketClaims
    /// What a person may be shown.
    public var display: TicketDisplay
    /// The bytes that the signature covers.
    public var signedBytes: [UInt8]

    /// Puts a ticket together; the content hash of the claims must be SHA-256 of the signed bytes.
    public init(claims: TicketClaims, display: TicketDisplay = TicketDisplay(), signedBytes: [UInt8]) {
        self.claims = claims
        self.display = display
        self.signedBytes = signedBytes
    }
}

/// Members of a ticket that are there to be shown, and decide nothing.
///
/// They are the issuer's text: a terminal, a page or a table must make them inert before it shows them.
public struct TicketDisplay: Sendable, Hashable {
    /// Whose ticket it is.
    public var holder: String?
    /// The seat.
    public var seat: String?
    /// Anything else for the staff.
    public var note: String?

    /// Puts the members together.
    public init(holder: String? = nil, seat: String? = nil, note: String? = nil) {
        self.holder = holder
        self.seat = seat
        self.note = note
    }
}

/// Shapes of tickets that are not taken yet, known so that staff are told "unsupported" and not "no ticket".
enum ReservedShape {
    /// Whether a text is a JWS in compact form (RFC 7515 §7.1), a PASETO of version 4, or a ticket of `formats` followed
    /// by a proof of its holder (`~`).
    static func contains(_ text: [UInt8], formats: [any TicketFormat]) -> Bool {
        if let tilde = text.firstIndex(of: UInt8(ascii: "~")) {
            let ticket = Array(text[..<tilde])
            return formats.contains { $0.hasShape(ticket) }
        }
        if text.starts(with: "v4.public.".utf8) { return true }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && text.starts(with: "ey".utf8)
            && parts.allSatisfy { part in !part.isEmpty && Base64URL.isInAlphabet(part) }
    }
}
