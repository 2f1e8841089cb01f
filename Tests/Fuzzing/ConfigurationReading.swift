import Portico

@testable import PorticoTickets

/// Configurations: read, applied after another one, stored and read back, and asked whether their zones are open.
enum ConfigurationReading: FuzzTarget {
    static let name = "configuration"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let file: ConfigurationReader.Result
        do throws(ConfigurationError) {
            file = try ConfigurationReader.read(bytes)
        } catch {
            return false
        }
        try applied(file, after: nil)
        return try applied(file, after: before)
    }

    /// Whether a file could be applied after another; what it becomes obeys the rules of carrying over.
    @discardableResult
    private static func applied(
        _ file: ConfigurationReader.Result, after previous: AppliedConfiguration?
    ) throws -> Bool {
        let now = Instant(seconds: 1_783_188_000)
        let successor: AppliedConfiguration?
        do throws(ConfigurationError) {
            successor = try AppliedConfiguration.successor(of: previous, file: file, appliedAt: now)
        } catch {
            return false
        }
        guard let successor else { return true }
        try hold(try AppliedConfiguration(decoding: successor.encoded()) == successor, "stored, it reads otherwise")
        try hold(
            try AppliedConfiguration.successor(of: successor, file: file, appliedAt: now) == nil,
            "applied twice, it changes")
        try hold(previous.map { $0.stamp < successor.stamp } ?? true, "it went back")
        for event in successor.events {
            try hold(event.keys.count <= GateConfiguration.maximumKeysWithCarried, "an event has too many keys")
        }
        let reinstated = file.configuration.events.flatMap(\.keys).filter(\.isReinstated).map(\.publicKey)
        for key in previous?.revokedKeys ?? [] where !reinstated.contains(key) {
            try hold(successor.revokedKeys.contains(key), "a revoked key is forgotten")
        }
        try judge(by: successor, at: now)
        return true
    }

    /// The rules compile, and every rule of hours answers at every time that the file names.
    private static func judge(by applied: AppliedConfiguration, at now: Instant) throws {
        for event in applied.events {
            for zone in event.zones {
                let rules = GateRules(applied: applied, serving: [event.eventID], zone: zone.zoneID)
                try hold(rules.isConfigured, "a zone of the file is not served")
                guard let compiled = rules.event(event.eventID, at: min(now, event.ends)) else {
                    throw Broken(description: "an event of the file is missing")
                }
                for hours in zone.hours {
                    for time in [now, event.ends, applied.issuedAt, applied.staleAfter] {
                        _ = hours.isOpen(at: time, in: compiled.timeZone, tolerance: compiled.tolerance)
                    }
                }
            }
        }
    }

    /// What is applied already: an event that files may omit or change, with a key in each state.
    private static let before: AppliedConfiguration = {
        let statuses = ["active", "retired", "revoked"]
        let keys = statuses.enumerated().map { index, status -> JSONValue in
            [
                "keyId": .string("k\(index + 1)"), "status": .string(status),
                "publicKey": .string(Base64URL.encode([UInt8](repeating: UInt8(index + 1), count: 32))),
            ]
        }
        let file: JSONValue = [
            "schema": "portico.gate/1", "version": 3, "issuedAt": 1_783_000_000, "staleAfter": 1_783_300_000,
            "events": [
                [
                    "eventId": "SUMMER-2026", "timeZone": "Europe/Zurich", "ends": 1_783_296_000, "keys": .array(keys),
                    "zones": [["zoneId": "NORTH", "hours": [["days": ["sat"], "opens": "18:00", "minutes": 480]]]],
                ]
            ],
        ]
        do {
            let result = try ConfigurationReader.read(file.serialized())
            let applied = try AppliedConfiguration.successor(
                of: nil, file: result, appliedAt: Instant(seconds: 1_783_000_100))
            guard let applied else { preconditionFailure("the fixture changes nothing") }
            return applied
        } catch {
            preconditionFailure("the fixture is refused: \(error)")
        }
    }()
}
