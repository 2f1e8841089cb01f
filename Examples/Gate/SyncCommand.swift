import Portico
import PorticoTickets
import Terminal

/// `gate sync`: uploads what was recorded.
enum SyncCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        guard let url = arguments.value("url") else {
            throw UsageError("where to? Name the server with --url https://host/v1/scans")
        }
        let device = try await Device(arguments, making: false)
        let interrupts = await Interrupts()
        return try await device.withStore { store in
            let uploader = try await device.uploader(over: store, to: url, arguments)
            let total = try await store.status().pending
            let (report, health) = await upload(uploader, total: total, interrupts, arguments, terminal)
            terminal.say(arguments.has("json") ? json(report, health) : sentence(report))
            return end(report, health, terminal)
        }
    }

    /// Uploads until nothing waits or a signal comes; on a terminal it shows how far it is.
    static func upload(
        _ uploader: ScanUploader, total: Int, _ interrupts: Interrupts, _ arguments: Arguments, _ terminal: Terminal
    ) async -> (report: UploadReport, health: UploadHealth) {
        let showing = Task { [progress = await uploader.progress()] in
            for await step in progress where !arguments.has("json") {
                let note = step.waiting.map { "waits \(($0 + 999) / 1_000) s: \(inert(step.lastError ?? ""))" } ?? ""
                terminal.progress(total - step.remaining, of: total, note)
            }
        }
        let report = await interrupts.cancelling { await uploader.upload() }
        showing.cancel()
        await showing.value
        terminal.clearLine()
        return (report, await uploader.health())
    }

    /// Says aloud what somebody must look at, and gives the exit code: a store that was rolled back is wrong also where
    /// its upload went well.
    static func end(_ report: UploadReport, _ health: UploadHealth, _ terminal: Terminal) -> Int32 {
        if let difference = health.clockDifference, difference.magnitude > 120_000 {
            terminal.complain(
                "the server's clock differs from this device's by \(difference / 1_000) s: set the one that is wrong")
        }
        if let highest = health.rolledBackBelow {
            terminal.complain(
                """
                THE STORE WAS ROLLED BACK OR COPIED: the server has scans of this device up to number \(highest), which \
                this store never made. Tickets that it forgot are admitted again: scan no more with this data before \
                you know which copy is the right one.
                """)
            return ExitCode.failure
        }
        if report.parked > 0 {
            terminal.complain(
                "the server refused \(counted(report.parked, "scan")) for good; gate export says why, and keeps them")
        }
        return switch report.ending {
        case .drained: report.parked > 0 ? ExitCode.failure : ExitCode.success
        case .postponed, .gaveUp: ExitCode.later
        case .stopped, .store, .cancelled: ExitCode.failure
        }
    }

    static func sentence(_ report: UploadReport) -> String {
        let parked = report.parked == 0 ? "" : ", \(report.parked) refused by the server and kept"
        let ending =
            switch report.ending {
            case .drained: "nothing waits"
            case .stopped(let cause): "stopped: \(inert(cause))"
            case .postponed(let span): "the server asks to come again in \((span + 999) / 1_000) s"
            case .gaveUp(let cause): "gave up for now: \(inert(cause))"
            case .store(let error): inert("\(error)")
            case .cancelled: "interrupted; what was not uploaded waits"
            }
        let uses = report.redemptions == 0 ? "" : ", \(counted(report.redemptions, "use")) by other devices taken in"
        return "\(report.delivered) uploaded\(parked)\(uses); \(ending)"
    }

    private static func json(_ report: UploadReport, _ health: UploadHealth) -> String {
        let (ending, detail): (String, String?) =
            switch report.ending {
            case .drained: ("drained", nil)
            case .stopped(let cause): ("stopped", cause)
            case .postponed(let span): ("postponed", "\(span) ms")
            case .gaveUp(let cause): ("gaveUp", cause)
            case .store(let error): ("store", "\(error)")
            case .cancelled: ("cancelled", nil)
            }
        var object: JSONObject = [
            "ending": .string(ending), "delivered": .integer(Int64(report.delivered)),
            "parked": .integer(Int64(report.parked)), "requests": .integer(Int64(report.requests)),
            "redemptions": .integer(Int64(report.redemptions)), "ignored": .integer(Int64(report.ignored)),
        ]
        if let detail { object["detail"] = .string(detail) }
        if let highest = health.rolledBackBelow { object["rolledBackBelow"] = .integer(highest) }
        if let difference = health.clockDifference { object["clockDifferenceMilliseconds"] = .integer(difference) }
        return jsonLine(.object(object))
    }
}
