import Portico

/// What is judged of a code before the ledger is asked: pure, from the code, the rules and one reading of the clocks.
struct Judgement: Sendable {
    /// A refusal and what explains it.
    struct Refusal: Sendable, Hashable {
        var reason: Reason
        var hostCode: HostCode?
        var detail: String?

        init(_ reason: Reason, hostCode: HostCode? = nil, detail: String? = nil) {
            self.reason = reason
            self.hostCode = hostCode
            self.detail = detail
        }
    }

    var evidence: TicketEvidence = .none
    /// What may be shown of a genuine ticket.
    var display: TicketDisplay?
    /// The first refusal that does not need the ledger; nil: so far it would be admitted.
    var refusal: Refusal?
    var codeHash: [UInt8]?
    var codeLength: Int

    /// The ticket whose history the decision needs; only a genuine one has a history.
    var key: TicketKey? { evidence.verified?.key }
}

/// Judges codes.
struct Judge: Sendable {
    var rules: GateRules
    let formats: [any TicketFormat]
    let hostRules: [AdmissionRule]
    let verifier: any TicketVerifier
    let gateID: Identifier?

    func judge(_ code: [UInt8], now: Instant, count: Int, lane: Identifier?) -> Judgement {
        guard let text = CodeText.cleaned(code) else {
            return refused(codeLength: code.count, .init(.malformed, detail: "too long for a ticket"))
        }
        guard let format = formats.first(where: { $0.hasShape(text) }) else {
            let isReserved = ReservedShape.contains(text, formats: formats)
            return refused(
                codeLength: text.count,
                isReserved
                    ? .init(.unsupportedFormat, detail: "a form of ticket that this gate does not take")
                    : .init(.malformed, detail: "no ticket"))
        }
        switch format.parse(text) {
        case .malformed(let why): return refused(codeLength: text.count, .init(.malformed, detail: why))
        case .unsupported(let what): return refused(codeLength: text.count, .init(.unsupportedFormat, detail: what))
        case .ticket(let ticket):
            // A format may be the host's. What it gives is written into histories, which hold no more than this.
            guard 1...1_000 ~= ticket.claims.uses, ticket.claims.contentHash.count == 32 else {
                let why = "the format \(format.name) gives uses outside 1 to 1000, or a content hash that is no SHA-256"
                return refused(codeLength: text.count, .init(.malformed, detail: why))
            }
            var judgement = Judgement(
                evidence: .claimed(ticket.claims), codeHash: SHA256.hash(text), codeLength: text.count)
            judge(ticket, format: format, now: now, count: count, lane: lane, into: &judgement)
            if !rules.isConfigured { judgement.refusal = Judgement.Refusal(.notConfigured, detail: notConfigured) }
            return judgement
        }
    }

    /// A code that no ticket stands in; a gate that is not configured says so first.
    private func refused(codeLength: Int, _ refusal: Judgement.Refusal) -> Judgement {
        Judgement(
            refusal: rules.isConfigured ? refusal : .init(.notConfigured, detail: notConfigured),
            codeLength: codeLength)
    }

    private var notConfigured: String {
        rules.applied == nil
            ? "no configuration is applied" : "the configuration lacks this gate's event or its zone"
    }

    private func judge(
        _ ticket: Ticket, format: any TicketFormat, now: Instant, count: Int, lane: Identifier?,
        into judgement: inout Judgement
    ) {
        guard let event = rules.event(ticket.claims.eventID, at: now) else {
            judgement.refusal = .init(.unknownEvent)
            return
        }
        let keys = candidates(ticket.claims, event: event, format: format.name, now: now)
        guard !keys.isEmpty else {
            judgement.refusal = .init(.unknownKey)
            return
        }
        let verifying: [GateConfiguration.Key]
        do throws(TicketVerifierError) {
            verifying = try self.verifying(keys, ticket)
        } catch {
            // The engine answered its self-test when the gate was made; nothing that it is asked now may pass or be
            // called a forgery.
            judgement.refusal = .init(.notConfigured, detail: "\(error)")
            return
        }
        guard let first = verifying.first else {
            judgement.refusal = .init(.badSignature)
            return
        }
        var claims = ticket.claims
        let key = verifying.first { isValid($0, issuedAt: claims.issuedAt) }
        claims.keyID = (key ?? first).keyID
        judgement.evidence = .verified(claims)
        judgement.display = ticket.display
        if rules.isRevoked(key: first.publicKey) {
            judgement.refusal = .init(.keyRevoked)
        } else if key == nil {
            judgement.refusal = .init(.outsideKeyValidity)
        } else {
            let context = AdmissionContext(
                now: now, zone: rules.zone, gateID: gateID, lane: lane, count: count, display: ticket.display)
            judgement.refusal = refusal(of: claims, event: event, context: context)
        }
    }

    /// The keys that may be tried: with a keyId exactly that one, without it all of the event's; a key under whose
    /// formats this one is not is never tried.
    private func candidates(
        _ claims: TicketClaims, event: GateRules.Event, format: String, now: Instant
    ) -> [GateConfiguration.Key] {
        event.event.keys.filter { key in
            key.formats.contains(format) && (claims.keyID == nil || claims.keyID == key.keyID)
                && (!key.isCarried || now <= event.carriedUntil)
        }
    }

    /// The keys with the first public key that verifies; empty where none does.
    ///
    /// Revoked keys are tried too, so that the reason is true: a key's state is judged after its signature.
    private func verifying(
        _ keys: [GateConfiguration.Key], _ ticket: Ticket
    ) throws(TicketVerifierError) -> [GateConfiguration.Key] {
        var tried: Set<[UInt8]> = []
        for key in keys {
            if keys.count > 1, !tried.insert(key.publicKey).inserted { continue }
            guard Ed25519PreCheck.admits(signature: ticket.claims.signature, publicKey: key.publicKey) else { continue }
            if try verifier.isValid(signature: ticket.claims.signature, of: ticket.signedBytes, by: key.publicKey) {
                return keys.filter { $0.publicKey == key.publicKey }
            }
        }
        return []
    }

    private func isValid(_ key: GateConfiguration.Key, issuedAt: Instant) -> Bool {
        (key.validFrom.map { issuedAt >= $0 } ?? true) && (key.validTo.map { issuedAt <= $0 } ?? true)
    }

    /// The first reason against a genuine ticket, in the order of `Reason.rank`, that needs no ledger.
    private func refusal(
        of claims: TicketClaims, event: GateRules.Event, context: AdmissionContext
    ) -> Judgement.Refusal? {
        let now = context.now
        if claims.validFrom > claims.validTo || claims.issuedAt > claims.validTo { return .init(.inconsistent) }
        guard rules.isServed(claims.eventID) else { return .init(.wrongEvent) }
        guard let zone = event.zone else {
            // Served, but without this gate's zone: a configuration that another tool applied.
            return .init(.notConfigured, detail: "event \(claims.eventID) has no zone \(rules.zone)")
        }
        let isRevoked = (event.revocations[claims.ticketID] ?? []).contains { revocation in
            revocation.issuedBefore.map { claims.issuedAt < $0 } ?? true
        }
        if isRevoked { return .init(.revoked) }
        if claims.issuedAt > now.advanced(byMilliseconds: event.tolerance) { return .init(.issuedInFuture) }
        if now < claims.validFrom.advanced(byMilliseconds: -event.tolerance) { return .init(.notYetValid) }
        if now > claims.validTo.advanced(byMilliseconds: event.tolerance) { return .init(.expired) }
        guard zone.admits.contains(claims.zoneID) else { return .init(.wrongZone) }
        let isOpen =
            zone.hours.isEmpty
            || zone.hours.contains { hours in
                hours.isOpen(at: now, in: event.timeZone, tolerance: event.tolerance)
            }
        guard isOpen else { return .init(.zoneClosed) }
        for rule in hostRules {
            if let code = rule.judge(claims, context) { return .init(.hostRule, hostCode: code) }
        }
        return nil
    }
}
