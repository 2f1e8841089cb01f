import Portico
import PorticoTickets

/// `gate sync`: uploads what was recorded.
enum SyncCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        guard let url = arguments.value("url") else { throw UsageError("where to? --url https://host/v1/scans") }
        let device = try await Device(arguments, making: false)
        let store = try await device.store()
        let uploader = try await device.uploader(over: store, to: url, arguments)
        let total = try await store.status().pending
        let showing = Task { [progress = await uploader.progress()] in
            for await step in progress where !arguments.has("json") {
                let note = step.waiting.map { "waits \(($0 + 999) / 1_000) s: \(inert(step.lastError ?? ""))" } ?? ""
                terminal.progress(total - step.remaining, of: total, note)
            }
        }
        let report = await uploader.upload()
        showing.cancel()
        terminal.endProgress()
        if arguments.has("json") {
            terminal.say(json(report))
        } else {
            terminal.say(sentence(report))
            let health = await uploader.health()
            if let highest = health.rolledBackBelow {
                terminal.complain(
                    "the server knows scans of this device up to \(highest), more than this store: it was restored or copied"
                )
            }
            if let difference = health.clockDifference, difference.magnitude > 120_000 {
                terminal.complain("the server's clock differs from this device's by \(difference / 1_000) s")
            }
        }
        await store.close()
        return exitCode(report)
    }

    static func exitCode(_ report: UploadReport) -> Int32 {
        switch report.ending {
        case .drained: ExitCode.success
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
            case .store(let error): "\(error)"
            case .cancelled: "cancelled"
            }
        return "\(report.delivered) uploaded\(parked), \(report.redemptions) uses by other devices taken in; \(ending)"
    }

    private static func json(_ report: UploadReport) -> String {
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
        return String(decoding: JSONValue.object(object).serialized(), as: UTF8.self)
    }
}
