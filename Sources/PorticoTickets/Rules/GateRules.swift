import Portico

/// The rules of a gate at one moment, compiled for scanning: immutable, copied by reference at the start of a scan.
final class GateRules: Sendable {
    /// An event as the gate judges by it.
    struct Event: Sendable {
        let event: GateConfiguration.Event
        let timeZone: EventTimeZone
        let tolerance: Int64
        /// The zone that this gate serves in it; nil where the gate does not serve it.
        let zone: GateConfiguration.Zone?
        let revocations: [Identifier: [GateConfiguration.Revocation]]

        /// When what is only carried over is dropped.
        var carriedUntil: Instant { event.ends.advanced(byMilliseconds: AppliedConfiguration.afterEnd) }
    }

    let applied: AppliedConfiguration?
    let served: [Identifier]
    let zone: Identifier
    let clock: ClockGuard
    /// Whether any event that the gate serves is there with the gate's zone.
    let isConfigured: Bool
    private let events: [Identifier: Event]

    /// Milliseconds by which clocks may differ where no configuration says otherwise.
    private static let defaultTolerance: Int64 = 120_000

    init(applied: AppliedConfiguration?, serving served: [Identifier], zone: Identifier) {
        self.applied = applied
        self.served = served
        self.zone = zone
        var events: [Identifier: Event] = [:]
        for event in applied?.events ?? [] {
            // The reader refused names that are no time zones, so this one is.
            guard let timeZone = EventTimeZone(event.timeZone) else { continue }
            events[event.eventID] = Event(
                event: event, timeZone: timeZone, tolerance: event.toleranceSeconds * 1_000,
                zone: served.contains(event.eventID) ? event.zones.first { $0.zoneID == zone } : nil,
                revocations: Dictionary(grouping: event.revokedTickets, by: \.ticketID))
        }
        self.events = events
        isConfigured = served.contains { events[$0]?.zone != nil }
        let own = served.compactMap { events[$0] }
        clock = ClockGuard(
            tolerance: own.map(\.tolerance).max() ?? Self.defaultTolerance, ceiling: own.map(\.carriedUntil).max())
    }

    /// Events that the gate serves and that the configuration does not have.
    var missingEvents: [Identifier] { served.filter { events[$0] == nil } }

    /// An event by its name, as of a time: one that is only carried over is dropped a day after its end.
    func event(_ id: Identifier, at now: Instant) -> Event? {
        guard let event = events[id], !event.event.isCarried || now <= event.carriedUntil else { return nil }
        return event
    }

    func isServed(_ event: Identifier) -> Bool { served.contains(event) }

    func isRevoked(key: [UInt8]) -> Bool { applied?.revokedKeys.contains(key) ?? false }

    /// What `apply` asks before a configuration is stored for this gate.
    static func check(
        _ applied: AppliedConfiguration, serving served: [Identifier], zone: Identifier
    ) throws(ConfigurationError) {
        let own = applied.events.filter { served.contains($0.eventID) }
        guard !own.isEmpty else { throw .eventsMissing(served) }
        for event in own where !event.zones.contains(where: { $0.zoneID == zone }) {
            throw .zoneMissing(event: event.eventID, zone: zone)
        }
    }
}
