import Portico
import PorticoTickets
import Terminal

/// `gate config`: checks a configuration before it ships, and applies one to a device.
enum ConfigCommand {
    static func check(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let bytes = try readBytes(arguments.positional[0], limit: 64 << 20)
        let configuration = try GateConfiguration(parsing: bytes)
        if let previous = arguments.value("previous") {
            let carried = try GateConfiguration.carried(applying: bytes, after: readBytes(previous, limit: 64 << 20))
            guard carried.isEmpty else {
                throw Failure(
                    "the configuration omits what the version before has, so gates would carry it over; list it again: "
                        + carried.map { "\($0)" }.joined(separator: ", "))
            }
        }
        terminal.say(arguments.has("json") ? json(configuration) : text(configuration))
        return ExitCode.success
    }

    static func apply(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let bytes = try readBytes(arguments.positional[0], limit: 64 << 20)
        let device = try await Device(arguments)
        let settings = device.settings
        // What the gate itself would refuse is refused here too, once it is known which gate that is.
        let gate = settings.events.isEmpty ? nil : settings.zone.map { (served: settings.events, zone: $0) }
        let stamp = try await GateConfiguration.apply(
            bytes, to: device.documents, at: device.root.time.now, for: gate)
        terminal.say(
            arguments.has("json")
                ? jsonLine(["version": .integer(stamp.version), "epoch": .integer(stamp.epoch)])
                : "version \(stamp.version) is applied")
        return ExitCode.success
    }

    private static func text(_ configuration: GateConfiguration) -> String {
        var lines = ["version \(configuration.stamp.version), \(counted(configuration.events.count, "event"))"]
        for event in configuration.events {
            let ends = RFC3339.string(milliseconds: event.ends.milliseconds).prefix(16)
            lines.append("event \(inert(event.eventID.text)), \(inert(event.timeZone)), ends \(ends)Z")
            for key in event.keys { lines.append("  key \(inert(key.keyID.text)): \(key.status.rawValue)") }
            for zone in event.zones {
                let admits = zone.admits.sorted().map { inert($0.text) }.joined(separator: ", ")
                let hours = zone.hours.isEmpty ? "always open" : "\(counted(zone.hours.count, "rule")) of hours"
                lines.append("  zone \(inert(zone.zoneID.text)): admits \(admits); \(hours)")
            }
            if !event.revokedTickets.isEmpty {
                lines.append("  \(counted(event.revokedTickets.count, "ticket")) revoked")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func json(_ configuration: GateConfiguration) -> String {
        let value: JSONValue = [
            "version": .integer(configuration.stamp.version),
            "events": .array(
                configuration.events.map { event in
                    [
                        "eventId": .string(event.eventID.text), "keys": .integer(Int64(event.keys.count)),
                        "zones": .array(event.zones.map { .string($0.zoneID.text) }),
                        "revokedTickets": .integer(Int64(event.revokedTickets.count)),
                    ]
                }),
        ]
        return jsonLine(value)
    }
}

/// `gate clock confirm`: a supervisor's word for this device's clock.
enum ClockCommand {
    static func confirm(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        guard let name = arguments.value("operator"), !name.isEmpty else {
            throw UsageError("who vouches for the clock? Say so with --operator NAME")
        }
        let device = try await Device(arguments, making: false)
        try await device.withStore { store in
            try await device.withGate(over: store) { try await $0.confirmClock(operator: name) }
        }
        let now = RFC3339.string(milliseconds: device.root.time.now.milliseconds)
        terminal.say("\(inert(name)) vouches for \(now); recorded")
        return ExitCode.success
    }
}
