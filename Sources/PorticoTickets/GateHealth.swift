import Portico

/// How a gate is, at one moment: what waits, what is old, what went wrong.
public struct GateHealth: Sendable, Hashable {
    /// Something that went wrong, and when.
    public struct Fault: Sendable, Hashable {
        /// The wall clock when it went wrong.
        public var at: Instant
        /// One line.
        public var description: String
    }

    /// How many events wait for upload.
    public var pending: Int
    /// How old the oldest of them is, in milliseconds by the wall clock; nil where none waits.
    public var oldestPendingAge: Int64?
    /// How many events the server refused for good.
    public var parked: Int
    /// How many tickets were admitted more often than they are good for, here and elsewhere.
    public var conflicts: Int
    /// The last thing that went wrong since the gate was made.
    public var lastError: Fault?
    /// Whether the gate can admit at all: its event and zone are in an applied configuration.
    public var isConfigured: Bool
    /// The configuration in force.
    public var configuration: ConfigurationStamp?
    /// How long ago it was issued, in milliseconds by the wall clock.
    public var configurationAge: Int64?
    /// Whether it should have been replaced by now. It still judges: a gate does not close because a network is away.
    public var isConfigurationStale: Bool
    /// Whether nobody vouches for it with a signature: whoever could call `apply` could set it.
    public var isConfigurationUnsigned: Bool
    /// What is only in force because a later version omitted it.
    public var carried: [CarriedItem]
    /// Events that the gate serves and the configuration does not have.
    public var missingEvents: [Identifier]
    /// Whether the clock can be believed.
    public var clock: ScanEvent.ClockTrust
    /// What opening the store had to repair, one line each.
    public var repairs: [String]

    init(rules: GateRules, status: EventStoreStatus, reading: ClockReading, lastError: Fault?) {
        let applied = rules.applied
        pending = status.pending
        oldestPendingAge = status.oldestPending.map { max(0, reading.wall.milliseconds(since: $0)) }
        parked = status.counts[.parked, default: 0]
        conflicts = status.conflicts
        self.lastError = lastError
        isConfigured = rules.isConfigured
        configuration = applied?.stamp
        configurationAge = applied.map { max(0, reading.wall.milliseconds(since: $0.issuedAt)) }
        isConfigurationStale = applied.map { reading.wall > $0.staleAfter } ?? false
        isConfigurationUnsigned = applied != nil
        carried = applied?.carried ?? []
        missingEvents = rules.missingEvents
        clock = rules.clock.judge(reading, head: status.head).trust
        repairs = status.repairs
    }
}
