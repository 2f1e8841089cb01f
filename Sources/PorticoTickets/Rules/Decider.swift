import Portico

/// Decides what needs the store: the clock against its anchor, the ticket against its history. Pure; runs inside the
/// store's transaction.
struct Decider: Sendable {
    let judgement: Judgement
    let rules: GateRules
    let reading: ClockReading
    let eventID: EventID
    let gateID: Identifier?
    let lane: Identifier?
    let count: Int
    /// Whether the presentation may still go on.
    var isOpen: Bool
    let closures: [EventID: Int]

    func record(_ head: StoreHead, _ entry: LedgerEntry?) -> ScanRecord {
        let clock = rules.clock.judge(reading, head: head)
        let refusal = refusal(with: clock.trust)
        var verdict: ScanEvent.Verdict = refusal.map { .refused($0.reason, hostCode: $0.hostCode?.text) } ?? .admitted
        var newEntry: LedgerEntry?
        if refusal == nil, let claims = judgement.evidence.verified {
            (verdict, newEntry) = use(of: claims, entry: entry, head: head)
        }
        let event = ScanEvent(
            id: eventID, deviceID: head.deviceID, sequence: head.nextSequence, gateID: gateID, lane: lane,
            gateEvents: rules.served, scannedAt: reading.wall, clock: clock.trust, configuration: rules.applied?.stamp,
            kind: .entry, verdict: verdict, count: count, ticket: judgement.evidence, codeHash: judgement.codeHash,
            codeLength: judgement.codeLength)
        return ScanRecord(
            event: event, isOpen: isOpen, entry: newEntry, clock: clock.anchor, mark: clock.mark, closures: closures)
    }

    /// Of the refusal that needed no store and that of the clock, the one that is judged first.
    private func refusal(with trust: ScanEvent.ClockTrust) -> Judgement.Refusal? {
        guard trust == .untrusted else { return judgement.refusal }
        if let refusal = judgement.refusal, refusal.reason.rank < Reason.clockUntrusted.rank { return refusal }
        return .init(.clockUntrusted, detail: Self.clockDetail)
    }

    static let clockDetail = "this device's clock contradicts what is known of the time; set it, or have it confirmed"

    /// The atomic step: whether the ticket has admissions left, and its history with this one.
    private func use(
        of claims: TicketClaims, entry: LedgerEntry?, head: StoreHead
    ) -> (ScanEvent.Verdict, LedgerEntry?) {
        var history = TicketHistory()
        if let entry {
            // A history that cannot be read is one of uses: nobody goes in on it.
            guard let known = TicketHistory(decoding: entry.body) else { return (.refused(.alreadyUsed), nil) }
            history = known
        }
        let before = history
        history.limit = claims.uses
        // Not a sum: a count of any size is asked for.
        guard count <= claims.uses - history.admitted else {
            let isNews = history != before
            return (.refused(.alreadyUsed), isNews ? LedgerEntry(history, isInside: entry?.isInside ?? false) : nil)
        }
        history.add(
            TicketUse(
                eventID: eventID, at: reading.wall, deviceID: head.deviceID, gateID: gateID, zoneID: claims.zoneID,
                count: count, isElsewhere: false, isImplausible: false, contentHash: claims.contentHash))
        return (.admitted, LedgerEntry(history, isInside: true))
    }
}

extension Decider {
    /// What is decided where the store could not be asked: a refusal stays one, an admission becomes `notRecorded`.
    var earlyVerdict: ScanEvent.Verdict {
        judgement.refusal.map { .refused($0.reason, hostCode: $0.hostCode?.text) } ?? .refused(.notRecorded)
    }
}

extension ScanDecision {
    /// A decision as it was recorded.
    init(_ decider: Decider, _ recorded: Recorded) {
        self.init(decider, verdict: recorded.event.verdict ?? decider.earlyVerdict, eventID: recorded.event.id)
        clock = recorded.event.clock
        sequence = recorded.event.sequence
        if reason == .clockUntrusted { detail = Decider.clockDetail }
        let history = recorded.before.flatMap { TicketHistory(decoding: $0.body) }
        priorUses = history?.uses ?? []
        if let hash = ticket.verified?.contentHash {
            hasOtherContent = priorUses.contains { $0.contentHash.map { $0 != hash } ?? false }
        }
    }

    /// A decision that the store has no part in.
    init(_ decider: Decider, verdict: ScanEvent.Verdict, eventID: EventID?) {
        let judgement = decider.judgement
        let outcome: Outcome =
            switch verdict {
            case .admitted: .admitted
            case .refused(let reason, let hostCode): .refused(reason, hostCode: hostCode)
            }
        self.init(
            outcome: outcome, ticket: judgement.evidence, display: judgement.display,
            detail: judgement.refusal?.detail, scannedAt: decider.reading.wall, clock: .trusted,
            configuration: decider.rules.applied?.stamp, priorUses: [], hasOtherContent: false, eventID: eventID)
    }
}
