import Portico

/// A rule of the host's own: pure, asked after everything that a ticket says of itself and before its uses are counted.
///
/// It refuses with a code, which the decision carries beside `Reason.hostRule`; nil lets the ticket pass. The first rule
/// that refuses decides. It must give the same answer for the same input: it is asked once a scan, on any thread.
///
/// ```swift
/// let adultsOnly = AdmissionRule { ticket, context in
///     ticket.category == "CHILD" && context.zone == "BAR" ? "adults-only" : nil
/// }
/// ```
public struct AdmissionRule: Sendable {
    /// The judgement: nil admits, a code refuses; a host's tests call it too.
    public let judge: @Sendable (TicketClaims, AdmissionContext) -> HostCode?

    /// A rule by its judgement.
    public init(_ judge: @escaping @Sendable (TicketClaims, AdmissionContext) -> HostCode?) {
        self.judge = judge
    }
}

/// What a host's rule may look at besides the ticket.
public struct AdmissionContext: Sendable, Hashable {
    /// The wall clock of the scan.
    public var now: Instant
    /// The zone that the gate serves.
    public var zone: Identifier
    /// The gate's name, where it has one.
    public var gateID: Identifier?
    /// The lane's name, where it has one.
    public var lane: Identifier?
    /// How many are to be admitted.
    public var count: Int
    /// The members of the ticket that are only shown.
    public var display: TicketDisplay

    /// Puts a context together, as a host's tests of its rules do; a gate makes its own.
    public init(
        now: Instant, zone: Identifier, gateID: Identifier? = nil, lane: Identifier? = nil, count: Int = 1,
        display: TicketDisplay = TicketDisplay()
    ) {
        self.now = now
        self.zone = zone
        self.gateID = gateID
        self.lane = lane
        self.count = count
        self.display = display
    }
}

/// The code of a host's refusal: 1 to 32 of `[A-Za-z0-9._-]`.
public struct HostCode: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The code.
    public let text: String

    /// A code; nil where it breaks the rule.
    public init?(_ text: String) {
        guard (1...32).contains(text.utf8.count),
            Base64URL.isInAlphabet(text.utf8.filter { $0 != UInt8(ascii: ".") }[...])
        else { return nil }
        self.text = text
    }

    /// A code written in source; one that breaks the rule is a programming error and stops the program.
    public init(stringLiteral value: String) {
        guard let code = HostCode(value) else { preconditionFailure("not a host code: \(value)") }
        self = code
    }
}
