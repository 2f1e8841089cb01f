/// One recorded attempt: what was presented, what was decided and on what ground.
///
/// Events are made by `TicketGate`, kept by an `EventStore` and sent by a `SyncTransport`. An event is fixed when it is
/// recorded, but for `repeats`, which grows until its presentation is closed.
public struct ScanEvent: Sendable, Hashable {
    /// What kind of attempt an event records.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Somebody presented a code at an entrance.
        case entry
        /// A supervisor confirmed the device's clock; nobody was admitted.
        case clockConfirmed
    }

    /// What was decided.
    public enum Verdict: Sendable, Hashable {
        /// Admitted, and durable.
        case admitted
        /// Refused; the code of a host's rule stands beside `hostRule`.
        case refused(Reason, hostCode: String? = nil)
    }

    /// How far the time of an event can be believed.
    public enum ClockTrust: String, Sendable, Hashable, CaseIterable {
        /// The clock agreed with what was known of the time.
        case trusted
        /// It did not.
        case untrusted
        /// It agreed with a time that a supervisor vouched for.
        case confirmed
    }

    /// Its identity everywhere: uploads are acknowledged by it.
    public var id: EventID
    /// The store that recorded it: random, made with the store.
    public var deviceID: Identifier
    /// Its place among the device's events: gapless, from 1.
    public var sequence: Int64
    /// The gate's name, where the host gave one.
    public var gateID: Identifier?
    /// The lane's name, where the gate has several.
    public var lane: Identifier?
    /// The events that the gate served.
    public var gateEvents: [Identifier]
    /// The wall clock when the code was seen.
    public var scannedAt: Instant
    /// How far `scannedAt` can be believed.
    public var clock: ClockTrust
    /// The configuration that decided, nil where none was applied.
    public var configuration: ConfigurationStamp?
    /// What kind of attempt it records.
    public var kind: Kind
    /// What was decided; nil where nothing was to decide (`clockConfirmed`).
    public var verdict: Verdict?
    /// How many admissions were asked for.
    public var count: Int
    /// Who acted, where a person did.
    public var operatorName: String?
    /// How often the same presentation was seen again.
    public var repeats: Int
    /// What is known of the ticket.
    public var ticket: TicketEvidence
    /// SHA-256 of the cleaned text, 32 bytes, where it parsed as a ticket: a short code would be found from its hash.
    public var codeHash: [UInt8]?
    /// Length of the cleaned text in bytes, nil where no code was presented.
    public var codeLength: Int?

    /// Puts an event together; nothing is checked.
    public init(
        id: EventID, deviceID: Identifier, sequence: Int64, gateID: Identifier? = nil, lane: Identifier? = nil,
        gateEvents: [Identifier] = [], scannedAt: Instant, clock: ClockTrust = .trusted,
        configuration: ConfigurationStamp? = nil, kind: Kind = .entry, verdict: Verdict? = nil, count: Int = 1,
        operatorName: String? = nil, repeats: Int = 0, ticket: TicketEvidence = .none, codeHash: [UInt8]? = nil,
        codeLength: Int? = nil
    ) {
        self.id = id
        self.deviceID = deviceID
        self.sequence = sequence
        self.gateID = gateID
        self.lane = lane
        self.gateEvents = gateEvents
        self.scannedAt = scannedAt
        self.clock = clock
        self.configuration = configuration
        self.kind = kind
        self.verdict = verdict
        self.count = count
        self.operatorName = operatorName
        self.repeats = repeats
        self.ticket = ticket
        self.codeHash = codeHash
        self.codeLength = codeLength
    }

    /// Whether it admitted somebody.
    public var isAdmission: Bool { verdict == .admitted }

    /// Why it refused, nil where it did not.
    public var reason: Reason? {
        if case .refused(let reason, _) = verdict { reason } else { nil }
    }
}

/// Which configuration decided: the order of configurations is (epoch, version).
public struct ConfigurationStamp: Sendable, Hashable, Comparable {
    /// The epoch, 1 unless a signed configuration raised it.
    public let epoch: Int64
    /// The version in the epoch.
    public let version: Int64

    /// A stamp from its parts.
    public init(epoch: Int64 = 1, version: Int64) {
        self.epoch = epoch
        self.version = version
    }

    /// Orders by epoch, then by version.
    public static func < (lhs: ConfigurationStamp, rhs: ConfigurationStamp) -> Bool {
        (lhs.epoch, lhs.version) < (rhs.epoch, rhs.version)
    }
}
