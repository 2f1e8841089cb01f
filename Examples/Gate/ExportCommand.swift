import Foundation
import Portico
import PorticoTickets

/// `gate export`: every recorded event, oldest first; it reads beside a running scan.
enum ExportCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        guard arguments.has("csv") != arguments.has("json") else {
            throw UsageError("as what? Exactly one of --csv and --json")
        }
        let device = try await Device(arguments, making: false)
        let store = try await device.reader()
        let output = try Output(arguments.value("out"))
        let total = Int(try await store.status().head.nextSequence - 1)
        if arguments.has("csv") { try output.write(header) }
        var after: Int64 = 0
        var count = 0
        while true {
            let page = try await store.events(EventQuery(after: after))
            guard let last = page.last else { break }
            for stored in page { try output.write(arguments.has("csv") ? row(stored) : line(stored)) }
            after = last.event.sequence
            count += page.count
            if output.isFile { terminal.progress(count, of: total) }
        }
        terminal.endProgress()
        try output.close()
        await store.close()
        if output.isFile { terminal.say("\(count) events written") }
        return ExitCode.success
    }

    // MARK: JSON lines

    private static func line(_ stored: StoredEvent) -> String {
        guard case .object(var object) = stored.event.json else { return "" }
        object.append("state", .string(stored.state.kind.rawValue))
        if case .parked(let code, let message) = stored.state {
            object.append("parked", ["code": .string(code), "message": .string(message)])
        }
        return String(decoding: JSONValue.object(object).serialized(), as: UTF8.self)
    }

    // MARK: CSV

    private static let columns = [
        "sequence", "id", "scannedAt", "clock", "kind", "decision", "reason", "hostCode", "count", "repeats", "genuine",
        "ticketId", "eventId", "zoneId", "keyId", "gateId", "lane", "operator", "configurationVersion", "state",
        "parkedCode",
        "parkedMessage",
    ]

    private static var header: String { columns.joined(separator: ",") }

    private static func row(_ stored: StoredEvent) -> String {
        let event = stored.event
        let claims = event.ticket.claims
        var hostCode: String?
        if case .refused(_, let code) = event.verdict { hostCode = code }
        var parked: (String, String)?
        if case .parked(let code, let message) = stored.state { parked = (code, message) }
        let fields: [String?] = [
            "\(event.sequence)", event.id.text, RFC3339.string(milliseconds: event.scannedAt.milliseconds),
            event.clock.rawValue, event.kind.rawValue,
            event.verdict.map { $0 == .admitted ? "admitted" : "refused" }, event.reason?.rawValue, hostCode,
            "\(event.count)", "\(event.repeats)", claims == nil ? nil : "\(event.ticket.verified != nil)",
            claims?.ticketID.text, claims?.eventID.text, claims?.zoneID.text, claims?.keyID?.text, event.gateID?.text,
            event.lane?.text, event.operatorName, event.configuration.map { "\($0.version)" },
            stored.state.kind.rawValue,
            parked?.0, parked?.1,
        ]
        return fields.map { field($0 ?? "") }.joined(separator: ",")
    }

    /// RFC 4180 quoting; a field that a spreadsheet would take for a formula begins with an apostrophe.
    private static func field(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
        let safe = inert(isFormula ? "'" + text : text)
        let needsQuotes = safe.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
        return needsQuotes ? "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : safe
    }
}

/// Standard output, or a file that is whole or absent.
private final class Output {
    let isFile: Bool
    private let path: String?
    private let handle: FileHandle
    private var buffer = Data()

    init(_ path: String?) throws {
        self.path = path
        isFile = path != nil
        guard let path else {
            handle = .standardOutput
            return
        }
        let partial = path + ".partial"
        guard FileManager.default.createFile(atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: partial)
        else { throw Failure("\(path) cannot be written") }
        self.handle = handle
    }

    func write(_ line: String) throws {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count > 64 << 10 { try flush() }
    }

    func close() throws {
        try flush()
        guard let path else { return }
        do {
            try handle.synchronize()
            try handle.close()
            if rename(path + ".partial", path) != 0 { throw Failure("\(path) cannot be put in place") }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    private func flush() throws {
        do {
            try handle.write(contentsOf: buffer)
        } catch {
            throw Failure("\(path ?? "standard output") cannot be written: \(error.localizedDescription)")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
