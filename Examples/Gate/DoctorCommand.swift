import Portico
import PorticoContracts
import Subjects
import Terminal

/// `gate doctor`: every adapter of this build against its port's contract, on this machine.
enum DoctorCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        var examination = Examination(terminal: terminal, asJSON: arguments.has("json"))
        await examination.check("TicketVerifier", Subjects.ticketVerifiers(), TicketVerifierContract.clauses)
        await examination.check("EventStore", Subjects.eventStores(), EventStoreContract.clauses)
        await examination.check("DocumentStore", Subjects.documentStores(), DocumentStoreContract.clauses)
        await examination.check("TimeSource", Subjects.timeSources(), TimeSourceContract.clauses)
        await examination.check("SyncTransport", Subjects.syncTransports(), SyncTransportContract.clauses)
        await examination.check("CodeScanner", Subjects.codeScanners(), CodeScannerContract.clauses)
        let tls = try LoopbackTLS()
        await examination.check(
            "HTTPTransport", Subjects.httpTransports(tls: tls),
            HTTPTransportContract.clauses(server: LoopbackServer(tls: tls)))
        for missing in Subjects.missing() { examination.report(missing) }
        for package in LoopbackTLS.missingPackages() + QRDrawing.missingPackages() {
            examination.report(missingTool: package)
        }
        return examination.isHealthy ? ExitCode.success : ExitCode.failure
    }
}

/// Runs contracts and shows what they find, adapter by adapter.
private struct Examination {
    let terminal: Terminal
    let asJSON: Bool
    private(set) var isHealthy = true

    init(terminal: Terminal, asJSON: Bool) {
        self.terminal = terminal
        self.asJSON = asJSON
    }

    mutating func check<Port>(_ port: String, _ subjects: [Subject<Port>], _ clauses: [Clause<Port>]) async {
        for subject in subjects {
            var kept = 0
            var skipped = 0
            var broken: [String] = []
            for (index, clause) in clauses.enumerated() {
                if !asJSON { terminal.progress(index, of: clauses.count, "\(subject.name): \(clause.id)") }
                switch await clause.check(subject) {
                case .kept: kept += 1
                case .skipped: skipped += 1
                case .broken(let why): broken.append(why)
                }
            }
            terminal.clearLine()
            if !broken.isEmpty { isHealthy = false }
            show(port, subject.name, kept: kept, skipped: skipped, broken: broken)
        }
    }

    func report(_ missing: MissingAdapter) {
        if asJSON {
            let value: JSONValue = [
                "adapter": .string(missing.adapter), "missing": true, "trait": .string(missing.trait),
                "packages": .array(missing.packages.map { .string($0) }),
            ]
            terminal.say(jsonLine(value))
        } else {
            terminal.say(terminal.coloured("–", .yellow) + " \(missing)")
        }
    }

    /// Says that a tool is missing which some subjects are made with.
    func report(missingTool package: String) {
        terminal.say(
            asJSON
                ? jsonLine(["tool": .string(package), "missing": true])
                : terminal.coloured("–", .yellow)
                    + " \(package) is not installed: without it not every guarantee can be examined")
    }

    private func show(_ port: String, _ name: String, kept: Int, skipped: Int, broken: [String]) {
        if asJSON {
            let value: JSONValue = [
                "port": .string(port), "adapter": .string(name), "kept": .integer(Int64(kept)),
                "skipped": .integer(Int64(skipped)), "broken": .array(broken.map { .string($0) }),
            ]
            terminal.say(jsonLine(value))
            return
        }
        let mark = broken.isEmpty ? terminal.coloured("✓", .green) : terminal.coloured("✗", .red)
        let padding = String(repeating: " ", count: max(1, 16 - port.count))
        let notAsked = skipped == 0 ? "" : ", \(skipped) that it does not promise"
        terminal.say("\(mark) \(port)\(padding)\(name): \(kept) guarantees kept\(notAsked)")
        for why in broken { terminal.say("    \(inert(why))") }
    }
}
