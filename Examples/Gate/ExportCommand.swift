import Foundation
import Portico
import PorticoTickets
import Terminal

/// `gate export`: every recorded event, oldest first; it reads beside a running scan.
enum ExportCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        guard arguments.has("csv") != arguments.has("json") else {
            throw UsageError("as what? Exactly one of --csv and --json")
        }
        let device = try await Device(arguments, making: false)
        let output = try Output(arguments.value("out"))
        let count = try await device.withReader { store in
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
            terminal.clearLine()
            return count
        }
        try output.close()
        if output.isFile { terminal.say("\(counted(count, "event")) written") }
        return ExitCode.success
    }

    // MARK: JSON lines

    private static func line(_ stored: StoredEvent) -> String {
        guard case .object(var object) = stored.event.json else { return "" }
        object.append("state", .string(stored.state.kind.rawValue))
        if case .parked(let code, let message) = stored.state {
            object.append("parked", ["code": .string(code), "message": .string(message)])
        }
        return jsonLine(.object(object))
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

    /// RFC 4180 quoting; a field that a spreadsheet would take for a formula, by a sign of full width too, begins with an
    /// apostrophe.
    private static func field(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map { "=+-@＝＋－＠\t\r\n".unicodeScalars.contains($0) } ?? false
        let safe = inert(isFormula ? "'" + text : text)
        let needsQuotes = safe.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
        return needsQuotes ? "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : safe
    }
}

/// Standard output, a file that is whole or absent, or a device or pipe that is written to as it is.
private final class Output {
    let isFile: Bool
    private let path: String?
    /// What is written until the file is whole; nil where there is nothing to put in place.
    private var partial: String?
    private let handle: FileHandle
    private var buffer = Data()

    init(_ path: String?) throws {
        self.path = path
        isFile = path != nil
        guard let path else {
            handle = .standardOutput
            return
        }
        // A link is followed: what it leads to is written, and the link stays.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            handle = try Self.opened(path, flags: O_WRONLY)
            return
        }
        let partial = target + ".partial"
        handle = try Self.opened(partial, flags: O_WRONLY | O_CREAT | O_TRUNC)
        self.partial = partial
    }

    deinit {
        // What is not whole is nothing.
        if let partial { unlink(partial) }
    }

    private static func opened(_ path: String, flags: Int32) throws -> FileHandle {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path) cannot be written: \(String(cString: strerror(errno)))") }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ line: String) throws {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count > 64 << 10 { try flush() }
    }

    func close() throws {
        try flush()
        guard let path, let partial else { return }
        do {
            try handle.synchronize()
            try handle.close()
            if rename(partial, String(partial.dropLast(".partial".count))) != 0 {
                throw Failure("\(path) cannot be put in place: \(String(cString: strerror(errno)))")
            }
            self.partial = nil
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(path) cannot be written: \(cause(of: error))")
        }
    }

    private func flush() throws {
        do {
            try handle.write(contentsOf: buffer)
        } catch {
            throw Failure("\(path ?? "standard output") cannot be written: \(cause(of: error))")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
