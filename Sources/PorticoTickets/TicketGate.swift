import Portico

/// A gate: judges codes offline by the applied configuration, and records every attempt before it answers.
///
/// It needs no network. An admission is returned only when it is durable; whether a ticket was used and the record of
/// its use are one step of the store, so of any number of scans of one code at once exactly one is admitted.
///
/// ```swift
/// let gate = try await TicketGate(
///     serving: ["SUMMER-2026"], zone: "NORTH", verifier: verifier, store: store, documents: documents, time: time,
///     random: SystemRandomNumberGenerator())
/// try await gate.apply(configurationBytes)
/// let decision = await gate.validate(text)
/// print(decision.isAdmitted, decision.reason as Any)
/// ```
///
/// ## Configuration
/// A scan copies the rules once, at its start: one that began before `apply` returned is judged by the old rules. What
/// another process applies to the same documents is taken up within a second.
///
/// ## Concurrency
/// `validate` may be called from any task, any number at a time; judging runs off the caller's actor. Store and documents
/// stay the host's to close, after the gate.
public actor TicketGate {
    /// The events that it admits to.
    public nonisolated let served: [Identifier]
    /// The zone that it stands at.
    public nonisolated let zone: Identifier
    /// Its name, where it has one.
    public nonisolated let gateID: Identifier?

    nonisolated let time: any TimeSource
    private nonisolated let store: any EventStore
    private let shelf: ConfigurationShelf

    private var random: any RandomNumberGenerator & Sendable
    private var idsMade: UInt64
    private var judge: Judge
    private var revision: UInt64?
    /// The last revision that was looked at; one that was refused is not read again at each look.
    private var lookedAt: UInt64?
    private var lastLook: Int64
    private var openEvents = OpenEvents()
    private var noise = NoiseMeter()
    private var housekeeping: Task<Void, Never>?
    private var lastError: GateHealth.Fault?
    private var isClosed = false

    /// How long after its last sighting a code is still the same presentation, in milliseconds.
    static let presentationGap: Int64 = 3_000
    /// How long a scanner must have seen nothing for a code to be a new presentation, in milliseconds.
    static let emptyGap: Int64 = 1_000
    /// How old what is known of the stored configuration may be, in milliseconds of uptime.
    private static let lookInterval: Int64 = 500

    /// A gate over a store and documents; the configuration that they hold is in force at once.
    ///
    /// - Parameters:
    ///   - served: The events that it admits to, one or more.
    ///   - zone: The zone that it stands at.
    ///   - gateID: Its name in events.
    ///   - verifier: The signature engine; it is put to a self-test.
    ///   - store: Where attempts and uses are kept.
    ///   - documents: Where the configuration is kept.
    ///   - time: The clocks.
    ///   - random: Randomness for the ids of events.
    ///   - formats: The formats of tickets that it takes.
    ///   - rules: The host's own rules, in the order in which they are asked.
    /// - Throws: `TicketGateError` where the engine does not work or the stored configuration cannot be read.
    public init(
        serving served: [Identifier], zone: Identifier, gateID: Identifier? = nil, verifier: any TicketVerifier,
        store: any EventStore, documents: any DocumentStore, time: any TimeSource,
        random: any RandomNumberGenerator & Sendable, formats: [any TicketFormat] = [JSONTicketFormat()],
        rules: [AdmissionRule] = []
    ) async throws(TicketGateError) {
        try VerifierSelfTest.run(verifier)
        shelf = ConfigurationShelf(documents: documents)
        let content: ConfigurationShelf.Content
        do throws(ConfigurationError) {
            content = try await shelf.load()
        } catch {
            throw .configurationUnreadable(error)
        }
        self.served = served
        self.zone = zone
        self.gateID = gateID
        self.store = store
        self.time = time
        self.random = random
        idsMade = self.random.next()
        revision = content.revision
        lastLook = time.uptime
        judge = Judge(
            rules: GateRules(applied: content.applied, serving: served, zone: zone), formats: formats,
            hostRules: rules, verifier: verifier, gateID: gateID)
    }

    // MARK: Scanning

    /// Judges a code and records the attempt.
    ///
    /// Every call is decided and recorded; of codes that are no ticket, those beyond ten a second and lane by the count of
    /// one event. What a camera sees again and again is for `decisions(from:lane:)`.
    ///
    /// - Parameters:
    ///   - code: The bytes as they were read; what readers prefix and append is removed.
    ///   - count: How many are to be admitted on the one ticket, all or none; at least 1.
    ///   - lane: The lane that it was presented at.
    /// - Returns: The decision; an admission in it is durable.
    public nonisolated func validate(
        _ code: [UInt8], count: Int = 1, lane: Identifier? = nil
    ) async -> ScanDecision {
        await decide(code, count: count, lane: lane, isOpen: false, ending: nil).decision
    }

    /// Judges a code given as text; see `validate(_:count:lane:)` for bytes.
    public nonisolated func validate(
        _ code: String, count: Int = 1, lane: Identifier? = nil
    ) async -> ScanDecision {
        await decide(Array(code.utf8), count: count, lane: lane, isOpen: false, ending: nil).decision
    }

    /// Judges what a scanner sees, as long as somebody asks for the next decision.
    ///
    /// A code seen again within 3 s of its last sighting, with no other code and no empty second between, is the same
    /// presentation: its decision is `.repeated(of:)`, no new event is recorded, and the repeats of its event grow.
    ///
    /// - Parameters:
    ///   - scanner: Where codes come from; it is read by this sequence alone and stays the caller's to close.
    ///   - lane: The lane that it stands at.
    public nonisolated func decisions(from scanner: any CodeScanner, lane: Identifier? = nil) -> ScanDecisions {
        ScanDecisions(gate: self, scanner: scanner, lane: lane)
    }

    /// What a scan takes with it when it begins.
    private struct Start {
        var judge: Judge
        var random: (UInt64, UInt64)
        var closures: [EventID: Int]
        var isClosed: Bool
    }

    private func start(ending: EventID?) async -> Start {
        let uptime = time.uptime
        if uptime - lastLook >= Self.lookInterval {
            lastLook = uptime
            await takeUpConfiguration()
        }
        return Start(
            judge: judge, random: nextRandom(),
            closures: isClosed ? [:] : openEvents.takeClosures(at: uptime, ending: ending), isClosed: isClosed)
    }

    /// What makes an event's id unlike every other: 12 bits that count from a random number on, so that the ids of one
    /// millisecond are in order but for where the count begins anew (RFC 9562 §6.2), and 62 random bits.
    private func nextRandom() -> (UInt64, UInt64) {
        idsMade &+= 1
        return (idsMade, random.next())
    }

    /// A decision, and whether its event stands for this presentation alone.
    struct Decided: Sendable {
        var decision: ScanDecision
        var hasOwnEvent: Bool
    }

    @concurrent
    nonisolated func decide(
        _ code: [UInt8], count: Int, lane: Identifier?, isOpen: Bool, ending: EventID?
    ) async -> Decided {
        precondition(count >= 1, "a presentation admits at least one")
        let start = await start(ending: ending)
        let reading = time.reading
        let judgement = start.judge.judge(code, now: reading.wall, count: count, lane: lane)
        let id = EventID(at: reading.wall, random: start.random)
        var decider = Decider(
            judgement: judgement, rules: start.judge.rules, reading: reading, eventID: id, gateID: gateID, lane: lane,
            count: count, isOpen: isOpen, closures: start.closures)
        if start.isClosed { return Decided(decision: failed(decider, .closed), hasOwnEvent: false) }
        guard let source = noiseSource(of: judgement, lane: lane) else {
            return Decided(decision: await record(decider), hasOwnEvent: true)
        }

        switch await judgeNoise(source, id: id, at: reading.uptime) {
        case .record:
            return Decided(decision: await record(decider), hasOwnEvent: true)
        case .summarise:
            decider.isOpen = true
            let decision = await record(decider)
            await summaryRecorded(id, of: source, success: decision.isRecorded)
            return Decided(decision: decision, hasOwnEvent: false)
        case .count(let summary):
            await putBack(start.closures, after: 0)
            let decision = ScanDecision(decider, verdict: decider.earlyVerdict, eventID: summary)
            return Decided(decision: decision, hasOwnEvent: false)
        }
    }

    private nonisolated func record(_ decider: Decider) async -> ScanDecision {
        do throws(EventStoreError) {
            let recorded = try await store.record(decider.judgement.key) { head, entry in decider.record(head, entry) }
            return ScanDecision(decider, recorded)
        } catch {
            await note(error, putBack: decider.closures)
            return failed(decider, error)
        }
    }

    private nonisolated func failed(_ decider: Decider, _ error: EventStoreError) -> ScanDecision {
        var decision = ScanDecision(decider, verdict: decider.earlyVerdict, eventID: nil)
        decision.storeError = error
        if decision.outcome == .refused(.notRecorded) { decision.detail = "\(error)" }
        return decision
    }

    // MARK: Presentations and noise

    /// A code that no ticket stands in is what a camera makes of a poster: many a second.
    private nonisolated func noiseSource(of judgement: Judgement, lane: Identifier?) -> NoiseMeter.Source? {
        guard judgement.evidence == .none, let reason = judgement.refusal?.reason else { return nil }
        return NoiseMeter.Source(lane: lane, reason: reason)
    }

    private func judgeNoise(_ source: NoiseMeter.Source, id: EventID, at uptime: Int64) -> NoiseMeter.Verdict {
        let verdict = noise.judge(source, id: id, at: uptime)
        switch verdict {
        case .record: break
        case .summarise(let closesAfter): openEvents.open(id, closesAfter: closesAfter, isRecorded: false)
        case .count(let summary):
            // Closed in this very moment: then the event's count is final, and this one is recorded by itself.
            if !openEvents.sightedAgain(summary, closesAfter: nil) { return .record }
        }
        return verdict
    }

    private func summaryRecorded(_ id: EventID, of source: NoiseMeter.Source, success: Bool) async {
        if success {
            openEvents.markRecorded(id)
            await keepHouseOrClose()
        } else {
            openEvents.forget(id)
            noise.forget(id, of: source)
        }
    }

    /// Marks a recorded presentation as one that may go on.
    func presentationOpened(_ id: EventID, at uptime: Int64) async {
        openEvents.open(id, closesAfter: uptime + Self.presentationGap, isRecorded: true)
        await keepHouseOrClose()
    }

    /// What a scan opens that was under way when the gate was closed is closed at once: nobody keeps house any more.
    private func keepHouseOrClose() async {
        if isClosed {
            await settle(openEvents.takeAll())
        } else {
            keepHouse()
        }
    }

    /// Counts a repeat; false where the presentation is over.
    func sightedAgain(_ id: EventID, at uptime: Int64) -> Bool {
        openEvents.sightedAgain(id, closesAfter: uptime + Self.presentationGap)
    }

    /// Ends a presentation: its event may be uploaded.
    func presentationEnded(_ id: EventID) async {
        await settle(openEvents.takeClosures(at: time.uptime, ending: id))
    }

    private func putBack(_ closures: [EventID: Int], after span: Int64) {
        guard !closures.isEmpty else { return }
        openEvents.putBack(closures, closesAfter: time.uptime + span)
        keepHouse()
    }

    private func note(_ error: EventStoreError, putBack closures: [EventID: Int]) {
        lastError = GateHealth.Fault(at: time.now, description: "\(error)")
        // A store that fails is not asked again at once.
        putBack(closures, after: 1_000)
    }

    private func settle(_ closures: [EventID: Int]) async {
        guard !closures.isEmpty else { return }
        do throws(EventStoreError) {
            try await store.settle(Settlement(closures: closures)) { entry, _ in entry ?? LedgerEntry(body: []) }
        } catch {
            note(error, putBack: closures)
        }
    }

    /// Closes what is over while nobody scans; it ends by itself when nothing is open.
    private func keepHouse() {
        guard housekeeping == nil, !isClosed else { return }
        housekeeping = Task { [weak self, time] in
            while let span = await self?.spanToNextClosing() {
                do throws(CancellationError) {
                    try await time.sleep(milliseconds: span)
                } catch {
                    return
                }
                await self?.closeWhatIsOver()
            }
        }
    }

    /// Milliseconds until the next event closes; nil ends the housekeeping.
    private func spanToNextClosing() -> Int64? {
        guard let next = openEvents.nextClosing, !isClosed else {
            housekeeping = nil
            return nil
        }
        return max(1, next + 1 - time.uptime)
    }

    private func closeWhatIsOver() async {
        await settle(openEvents.takeClosures(at: time.uptime))
    }

    // MARK: Configuration

    /// Applies a configuration; the next scan is judged by it, also after a restart.
    ///
    /// - Throws: `ConfigurationError`, with the cause by name; the one before stays in force.
    public func apply(_ bytes: [UInt8]) async throws(ConfigurationError) {
        let (served, zone) = (served, zone)
        let content = try await shelf.apply(bytes, at: time.now) { applied throws(ConfigurationError) in
            try GateRules.check(applied, serving: served, zone: zone)
        }
        adopt(content)
    }

    /// The configuration in force, those parts included that are carried over; nil where none is.
    public var configuration: GateConfiguration? {
        judge.rules.applied.map { applied in
            GateConfiguration(
                stamp: applied.stamp, issuedAt: applied.issuedAt, staleAfter: applied.staleAfter,
                events: applied.events)
        }
    }

    private func takeUpConfiguration() async {
        do throws(ConfigurationError) {
            guard let stored = try await shelf.revision(), stored > max(revision ?? 0, lookedAt ?? 0) else { return }
            let content = try await shelf.load()
            if let applied = content.applied {
                // A tool that does not know this gate may have applied it: then the one in force stays.
                lookedAt = content.revision
                try GateRules.check(applied, serving: served, zone: zone)
            }
            adopt(content)
        } catch {
            lastError = GateHealth.Fault(at: time.now, description: "\(error)")
        }
    }

    /// Only forward: of two applies that end in the other order than they were stored, the later revision stays.
    private func adopt(_ content: ConfigurationShelf.Content) {
        guard let applied = content.applied, let revision = content.revision, revision > self.revision ?? 0 else {
            return
        }
        self.revision = revision
        judge.rules = GateRules(applied: applied, serving: served, zone: zone)
    }

    // MARK: Clock

    /// Records that a supervisor vouches for this device's clock as it stands now; scans trust it from here on.
    ///
    /// - Parameter operatorName: Who vouches.
    /// - Throws: `TicketGateError.clockImplausible` where every event of the gate is over by that clock, and
    ///   `notRecorded` where it could not be made durable.
    public func confirmClock(operator operatorName: String) async throws(TicketGateError) {
        let reading = time.reading
        let rules = judge.rules
        guard rules.clock.mayAnchor(reading) else { throw .clockImplausible(reading.wall) }
        let id = EventID(at: reading.wall, random: nextRandom())
        let gateID = gateID
        do throws(EventStoreError) {
            _ = try await store.record(nil) { head, _ in
                ScanRecord(
                    event: ScanEvent(
                        id: id, deviceID: head.deviceID, sequence: head.nextSequence, gateID: gateID,
                        gateEvents: rules.served, scannedAt: reading.wall, clock: .confirmed,
                        configuration: rules.applied?.stamp, kind: .clockConfirmed, operatorName: operatorName),
                    clock: ClockAnchor(reading: reading, isConfirmed: true), mark: reading.wall)
            }
        } catch {
            note(error, putBack: [:])
            throw .notRecorded(error)
        }
    }

    // MARK: Health and end

    /// How the gate is, now.
    ///
    /// - Throws: `EventStoreError` where the store cannot be asked.
    public func health() async throws(EventStoreError) -> GateHealth {
        let status = try await store.status()
        return GateHealth(rules: judge.rules, status: status, reading: time.reading, lastError: lastError)
    }

    /// Ends open presentations and refuses later scans with `notRecorded`; twice is fine.
    public func close() async {
        isClosed = true
        housekeeping?.cancel()
        housekeeping = nil
        await settle(openEvents.takeAll())
    }
}

/// Why a gate could not be made, or could not do what it was asked.
public enum TicketGateError: Error, Sendable, Hashable {
    /// The signature engine does not work; the text says how it was found out.
    case verifier(String)
    /// The stored configuration cannot be read.
    case configurationUnreadable(ConfigurationError)
    /// By that clock every event of the gate is over: nobody can vouch for it.
    case clockImplausible(Instant)
    /// It could not be made durable.
    case notRecorded(EventStoreError)
}

extension TicketGateError: CustomStringConvertible {
    /// One line: what failed and what to do.
    public var description: String {
        switch self {
        case .verifier(let cause): "gate not started: \(cause)"
        case .configurationUnreadable(let error): "gate not started: \(error)"
        case .clockImplausible(let wall):
            "clock not confirmed: it shows \(RFC3339.string(milliseconds: wall.milliseconds)), when this gate's events are over; set it first"
        case .notRecorded(let error): "not recorded: \(error)"
        }
    }
}
