import Portico

/// A configuration as it is applied: what its file says, and what earlier versions said that it may not take away.
///
/// A key or an event that a version omits is carried over, because an issuer's slip must not close a gate: active and
/// retired keys as retired with validity up to that version's issue, revoked ones as revoked, events with their rules
/// unchanged, each until the event's end and a day. Public keys that were once revoked are remembered by their bytes.
struct AppliedConfiguration: Sendable, Hashable {
    var stamp: ConfigurationStamp
    var issuedAt: Instant
    var staleAfter: Instant
    /// When this device applied it, by its wall clock.
    var appliedAt: Instant
    /// SHA-256 of the file's canonical bytes.
    var fileHash: [UInt8]
    var events: [GateConfiguration.Event]
    var revokedKeys: Set<[UInt8]>

    /// For how long after an event's end what belongs to it is carried and its times are plausible.
    static let afterEnd: Int64 = 24 * 3_600_000

    /// What follows an applied configuration when a file is applied; nil where the file is the applied one.
    static func successor(
        of previous: AppliedConfiguration?, file: ConfigurationReader.Result, appliedAt: Instant
    ) throws(ConfigurationError) -> AppliedConfiguration? {
        let configuration = file.configuration
        let hash = SHA256.hash(file.canonical)
        if let previous {
            if configuration.stamp < previous.stamp { throw .older(configuration.stamp, applied: previous.stamp) }
            if configuration.stamp == previous.stamp {
                if hash == previous.fileHash { return nil }
                throw .contradicts(configuration.stamp)
            }
        }
        var events = configuration.events
        let carrier = Carrier(issuedAt: configuration.issuedAt)
        for old in previous?.events ?? [] {
            if let index = events.firstIndex(where: { $0.eventID == old.eventID }) {
                events[index].keys += carrier.keys(of: old, missingIn: events[index])
            } else if let event = carrier.event(old) {
                events.append(event)
            }
        }
        for event in events where event.keys.count > GateConfiguration.maximumKeysWithCarried {
            throw .tooManyKeys(event: event.eventID, event.keys.count)
        }
        let own = configuration.events.flatMap(\.keys)
        let revoked = Set(own.filter { $0.status == .revoked }.map(\.publicKey))
        let reinstated = Set(own.filter { $0.isReinstated && $0.status != .revoked }.map(\.publicKey))
        return AppliedConfiguration(
            stamp: configuration.stamp, issuedAt: configuration.issuedAt, staleAfter: configuration.staleAfter,
            appliedAt: appliedAt, fileHash: hash, events: events,
            revokedKeys: (previous?.revokedKeys ?? []).subtracting(reinstated).union(revoked))
    }

    /// Everything that is only there because a later version omitted it.
    var carried: [CarriedItem] {
        events.flatMap { event -> [CarriedItem] in
            event.isCarried
                ? [.event(event.eventID)]
                : event.keys.filter(\.isCarried).map { .key(event: event.eventID, keyID: $0.keyID) }
        }
    }
}

/// What an applied configuration holds although its file omits it.
public enum CarriedItem: Sendable, Hashable {
    /// A whole event.
    case event(Identifier)
    /// A key of an event.
    case key(event: Identifier, keyID: Identifier)
}

extension CarriedItem: CustomStringConvertible {
    /// What it is, for people.
    public var description: String {
        switch self {
        case .event(let event): "event \(event)"
        case .key(let event, let keyID): "key \(keyID) of event \(event)"
        }
    }
}

/// Carries over what a version issued at a time omits.
private struct Carrier {
    let issuedAt: Instant

    func event(_ old: GateConfiguration.Event) -> GateConfiguration.Event? {
        guard !isOver(old) else { return nil }
        var event = old
        event.isCarried = true
        event.keys = old.keys.map(carried)
        return event
    }

    func keys(of old: GateConfiguration.Event, missingIn new: GateConfiguration.Event) -> [GateConfiguration.Key] {
        guard !isOver(old) else { return [] }
        return old.keys.filter { key in
            !new.keys.contains { $0.keyID == key.keyID && $0.publicKey == key.publicKey }
        }.map(carried)
    }

    private func carried(_ key: GateConfiguration.Key) -> GateConfiguration.Key {
        var key = key
        key.isCarried = true
        key.isReinstated = false
        if key.status != .revoked {
            key.status = .retired
            key.validTo = min(key.validTo ?? issuedAt, issuedAt)
        }
        return key
    }

    private func isOver(_ event: GateConfiguration.Event) -> Bool {
        issuedAt > event.ends.advanced(byMilliseconds: AppliedConfiguration.afterEnd)
    }
}
