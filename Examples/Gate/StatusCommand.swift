import Portico
import PorticoTickets
import Terminal

/// `gate status`: how the device is; it reads beside a running scan.
enum StatusCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let device = try await Device(arguments, making: false)
        let (status, health) = try await device.withReader { store in
            (try await store.status(), try await device.gate(over: store).health())
        }
        terminal.say(arguments.has("json") ? json(status, health) : text(status, health, terminal))
        return ExitCode.success
    }

    private static func text(_ status: EventStoreStatus, _ health: GateHealth, _ terminal: Terminal) -> String {
        var lines: [(String, String)] = [
            ("device", status.head.deviceID.text),
            (
                "recorded",
                "\(counted(Int(status.head.nextSequence - 1), "scan")), \(counted(status.tickets, "ticket")) used"
            ),
            (
                "to upload",
                "\(health.pending)" + (health.oldestPendingAge.map { ", the oldest \(span($0)) old" } ?? "")
                    + (status.counts[.open].map { $0 == 0 ? "" : ", \($0) still in front of a scanner" } ?? "")
            ),
        ]
        if health.parked > 0 {
            lines.append(
                (
                    "parked",
                    terminal.coloured(
                        "\(counted(health.parked, "scan")) refused by the server: gate export --csv says why", .yellow)
                ))
        }
        if health.conflicts > 0 {
            lines.append(
                (
                    "conflicts",
                    terminal.coloured(
                        "\(counted(health.conflicts, "ticket")) admitted more often than allowed, here and by other gates",
                        .yellow)
                ))
        }
        if let stamp = health.configuration {
            let age = health.configurationAge.map { ", issued \(span($0)) ago" } ?? ""
            lines.append(("configuration", "version \(stamp.version)\(age), unsigned"))
        } else {
            lines.append(("configuration", terminal.coloured("none: gate config apply FILE", .red)))
        }
        if health.isConfigurationStale {
            lines.append(("", terminal.coloured("stale: ask for a newer one; it still judges", .yellow)))
        }
        if !health.isConfigured, health.configuration != nil {
            lines.append(
                (
                    "",
                    terminal.coloured(
                        "it lacks this gate's event or zone, so every scan is refused: apply one that has them", .red)
                ))
        }
        if !health.carried.isEmpty {
            lines.append(("carried over", health.carried.map { inert("\($0)") }.joined(separator: ", ")))
        }
        if !health.missingEvents.isEmpty {
            lines.append(("missing events", health.missingEvents.map { inert($0.text) }.joined(separator: ", ")))
        }
        let clock = health.clock == .untrusted ? terminal.coloured(Self.untrusted, .yellow) : health.clock.rawValue
        lines.append(("clock", clock))
        for repair in health.repairs { lines.append(("repaired", inert(repair))) }
        return lines.map { name, value in
            terminal.coloured(name.isEmpty ? "" : name, .dim) + String(repeating: " ", count: 16 - name.count) + value
        }.joined(separator: "\n")
    }

    private static let untrusted = "not to be believed: set it, or gate clock confirm --operator NAME"

    static func span(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) days"
        }
    }

    private static func json(_ status: EventStoreStatus, _ health: GateHealth) -> String {
        var object: JSONObject = [
            "deviceId": .string(status.head.deviceID.text), "lastSequence": .integer(status.head.nextSequence - 1),
            "pending": .integer(Int64(health.pending)), "open": .integer(Int64(status.counts[.open, default: 0])),
            "delivered": .integer(Int64(status.counts[.delivered, default: 0])),
            "parked": .integer(Int64(health.parked)), "tickets": .integer(Int64(status.tickets)),
            "conflicts": .integer(Int64(health.conflicts)), "configured": .bool(health.isConfigured),
            "configurationStale": .bool(health.isConfigurationStale),
            "configurationUnsigned": .bool(health.isConfigurationUnsigned), "clock": .string(health.clock.rawValue),
            "carried": .array(health.carried.map { .string("\($0)") }),
            "missingEvents": .array(health.missingEvents.map { .string($0.text) }),
            "repairs": .array(health.repairs.map { .string($0) }),
        ]
        if let age = health.oldestPendingAge { object["oldestPendingMilliseconds"] = .integer(age) }
        if let stamp = health.configuration {
            object["configuration"] = ["epoch": .integer(stamp.epoch), "version": .integer(stamp.version)]
        }
        if let age = health.configurationAge { object["configurationAgeMilliseconds"] = .integer(age) }
        return jsonLine(.object(object))
    }
}
