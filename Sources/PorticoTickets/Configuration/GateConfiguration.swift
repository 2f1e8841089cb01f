import Portico

/// What a gate must know to judge tickets: events with their keys, zones, hours and revocations, in a version.
///
/// It is read whole or refused with the cause by name: a member that is not implemented is refused too, because a rule
/// that a gate does not know is a rule that it breaks.
///
/// ```swift
/// let configuration = try GateConfiguration(parsing: bytes)
/// print(configuration.stamp.version, configuration.events.map(\.eventID))
/// ```
public struct GateConfiguration: Sendable, Hashable {
    /// The state of a key.
    public enum KeyStatus: String, Sendable, Hashable, CaseIterable {
        /// It signs tickets.
        case active
        /// It signed tickets; rotated without theft.
        case retired
        /// It was stolen or lost: nothing that it signed is admitted.
        case revoked
    }

    /// A public key of an event.
    public struct Key: Sendable, Hashable {
        /// Its name, unique in the event's keys of one version.
        public var keyID: Identifier
        /// The Ed25519 public key, 32 bytes.
        public var publicKey: [UInt8]
        /// Its state.
        public var status: KeyStatus
        /// Tickets issued before this are outside its validity.
        public var validFrom: Instant?
        /// Tickets issued after this are outside its validity.
        public var validTo: Instant?
        /// The formats that it signs.
        public var formats: Set<String>
        /// Whether bytes that were revoked before are to verify again.
        public var isReinstated: Bool
        /// Whether it is only there because a later version omitted it.
        public var isCarried: Bool
    }

    /// A zone of an event.
    public struct Zone: Sendable, Hashable {
        /// Its name.
        public var zoneID: Identifier
        /// The zones of tickets that it admits.
        public var admits: Set<Identifier>
        /// When it is open; empty: always.
        public var hours: [OpeningHours]
    }

    /// A ticket that is not to be admitted.
    public struct Revocation: Sendable, Hashable {
        /// Its number.
        public var ticketID: Identifier
        /// Only prints issued before this; nil: all.
        public var issuedBefore: Instant?
    }

    /// An event.
    public struct Event: Sendable, Hashable {
        /// Its name.
        public var eventID: Identifier
        /// The IANA name of the time zone of its place.
        public var timeZone: String
        /// When it ends.
        public var ends: Instant
        /// Its keys, those carried over included.
        public var keys: [Key]
        /// Its zones.
        public var zones: [Zone]
        /// How far clocks may differ, in seconds, 0 … 3600.
        public var toleranceSeconds: Int64
        /// Tickets that are not to be admitted.
        public var revokedTickets: [Revocation]
        /// Whether it is only there because a later version omitted it.
        public var isCarried: Bool
    }

    /// Its place in the order of configurations.
    public var stamp: ConfigurationStamp
    /// When it was issued.
    public var issuedAt: Instant
    /// From when on health says that it is stale; it still judges.
    public var staleAfter: Instant
    /// Its events.
    public var events: [Event]

    /// Reads a configuration as it was issued.
    ///
    /// - Throws: `ConfigurationError.invalid`, with the path of what is wrong.
    public init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        self = try ConfigurationReader.read(bytes).configuration
    }

    init(stamp: ConfigurationStamp, issuedAt: Instant, staleAfter: Instant, events: [Event]) {
        self.stamp = stamp
        self.issuedAt = issuedAt
        self.staleAfter = staleAfter
        self.events = events
    }

    /// How many keys a file may give an event.
    static let maximumKeys = 8
    /// How many keys an event may have, those carried over included.
    static let maximumKeysWithCarried = 64
}

/// Why a configuration was refused; the one before stays.
public enum ConfigurationError: Error, Sendable, Hashable {
    /// It breaks a rule; the path names where, the text why.
    case invalid(path: String, String)
    /// It is older than the one that is applied.
    case older(ConfigurationStamp, applied: ConfigurationStamp)
    /// It has the version of the one that is applied, and other content.
    case contradicts(ConfigurationStamp)
    /// An event that this gate serves lacks its zone.
    case zoneMissing(event: Identifier, zone: Identifier)
    /// None of the events that this gate serves is in it.
    case eventsMissing([Identifier])
    /// With the keys carried over an event has more than 64.
    case tooManyKeys(event: Identifier, Int)
    /// It could not be stored.
    case store(DocumentStoreError)
    /// The document that holds the applied one cannot be read: removing it sets the device up anew.
    case unreadable(document: String, String)
}

extension ConfigurationError: CustomStringConvertible {
    /// One line: what is wrong and where.
    public var description: String {
        switch self {
        case .invalid(let path, let why): "configuration refused: \(path.isEmpty ? "" : "\(path): ")\(why)"
        case .older(let stamp, let applied):
            "configuration refused: version \(stamp.version) (epoch \(stamp.epoch)) is older than \(applied.version) (epoch \(applied.epoch)), which is applied"
        case .contradicts(let stamp):
            "configuration refused: version \(stamp.version) is applied already with other content; raise the version"
        case .zoneMissing(let event, let zone):
            "configuration refused: event \(event) has no zone \(zone), which this gate serves"
        case .eventsMissing(let events):
            "configuration refused: it has none of this gate's events: \(events.map(\.text).joined(separator: ", "))"
        case .tooManyKeys(let event, let count):
            "configuration refused: event \(event) would have \(count) keys with those carried over; 64 is the most"
        case .store(let error): "configuration not stored: \(error)"
        case .unreadable(let document, let cause):
            "the stored configuration cannot be read (\(cause)): remove the document \(document), then apply it again"
        }
    }
}
