import Portico

/// What a gate decided of one presentation, and everything that a person at the gate may ask about it.
///
/// ```swift
/// switch decision.outcome {
/// case .admitted: light.green()
/// case .refused(let reason, _): light.red(text: reason.rawValue)
/// case .repeated: break  // the same presentation, seen again: nothing new happened
/// }
/// ```
public struct ScanDecision: Sendable, Hashable {
    /// What was decided.
    public enum Outcome: Sendable, Hashable {
        /// Admitted, and durable.
        case admitted
        /// Refused; the code of a host's rule stands beside `hostRule`.
        case refused(Reason, hostCode: String? = nil)
        /// The same presentation seen again: never to be shown, sounded or wired as an admission.
        case repeated(of: EventID)
    }

    /// What was decided.
    public var outcome: Outcome
    /// What is known of the ticket: verified, only claimed, or none.
    public var ticket: TicketEvidence
    /// What may be shown of a genuine ticket.
    public var display: TicketDisplay?
    /// Why, in words for the staff and for logs, where there is more to say than the reason.
    public var detail: String?
    /// The wall clock when the code was seen.
    public var scannedAt: Instant
    /// How far `scannedAt` can be believed.
    public var clock: ScanEvent.ClockTrust
    /// The configuration that decided.
    public var configuration: ConfigurationStamp?
    /// The uses of a genuine ticket before this presentation.
    public var priorUses: [TicketUse]
    /// Whether a use of the ticket shows another content than was presented now: one of the two prints is not this one.
    public var hasOtherContent: Bool
    /// The recorded event: of a repeat the event of its presentation; nil where nothing could be recorded.
    public var eventID: EventID?
    /// Its sequence, where it was recorded.
    public var sequence: Int64?
    /// Why nothing could be recorded, where that is so.
    public var storeError: EventStoreError?
    /// Where a scanner saw the code, for people: a file, a frame.
    public var origin: String?

    /// Whether somebody may go in.
    public var isAdmitted: Bool { outcome == .admitted }

    /// Why it was refused, nil where it was not.
    public var reason: Reason? {
        if case .refused(let reason, _) = outcome { reason } else { nil }
    }

    /// Whether the attempt is durable.
    public var isRecorded: Bool { eventID != nil && storeError == nil }
}
