/// What a ticket says of itself: the seven members of every ticket and those that select rules.
///
/// Whether it may be believed is said beside it (`TicketEvidence`).
public struct TicketClaims: Sendable, Hashable {
    /// The ticket's number in its event.
    public var ticketID: Identifier
    /// The event that it is for.
    public var eventID: Identifier
    /// The zone that it admits to.
    public var zoneID: Identifier
    /// When it was issued; whole seconds.
    public var issuedAt: Instant
    /// When its window begins; whole seconds, inclusive.
    public var validFrom: Instant
    /// When its window ends; whole seconds, inclusive.
    public var validTo: Instant
    /// The Ed25519 signature, 64 bytes.
    public var signature: [UInt8]
    /// The key that it says it was signed by, where it says so; of a verified ticket the key that verified it.
    public var keyID: Identifier?
    /// How many admissions it is good for in all, 1 … 1000.
    public var uses: Int
    /// A class that rules may select, where it has one.
    public var category: Identifier?
    /// SHA-256 of the signed bytes, 32 bytes: the fingerprint of the content.
    public var contentHash: [UInt8]

    /// Puts claims together; nothing is checked.
    public init(
        ticketID: Identifier, eventID: Identifier, zoneID: Identifier, issuedAt: Instant, validFrom: Instant,
        validTo: Instant, signature: [UInt8], keyID: Identifier? = nil, uses: Int = 1, category: Identifier? = nil,
        contentHash: [UInt8]
    ) {
        self.ticketID = ticketID
        self.eventID = eventID
        self.zoneID = zoneID
        self.issuedAt = issuedAt
        self.validFrom = validFrom
        self.validTo = validTo
        self.signature = signature
        self.keyID = keyID
        self.uses = uses
        self.category = category
        self.contentHash = contentHash
    }

    /// What identifies the ticket, if the claims are true.
    public var key: TicketKey { TicketKey(event: eventID, ticket: ticketID) }
}

/// What a scan knows of a ticket, and how sure it is.
public indirect enum TicketEvidence: Sendable, Hashable {
    /// The code did not parse as a ticket.
    case none
    /// It parsed, but no signature vouches for it: never joined to a ticket's history.
    case claimed(TicketClaims)
    /// The signature verified: the content is the issuer's.
    case verified(TicketClaims)

    /// The claims, verified or not.
    public var claims: TicketClaims? {
        switch self {
        case .none: nil
        case .claimed(let claims), .verified(let claims): claims
        }
    }

    /// The claims where the signature verified, else nil.
    public var verified: TicketClaims? {
        if case .verified(let claims) = self { claims } else { nil }
    }
}
