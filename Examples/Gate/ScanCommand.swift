import Foundation
import Portico
import PorticoTickets
import Terminal

/// `gate scan`: reads codes, admits or refuses, and records every attempt.
enum ScanCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let verifier = try arguments.value("verifier").map { text in
            guard let kind = VerifierKind(rawValue: text) else {
                throw UsageError("--verifier is sodium or openssl, not \(text)")
            }
            return kind
        }
        let durability = arguments.value("durability") ?? "power-cut"
        guard ["power-cut", "killed"].contains(durability) else {
            throw UsageError("--durability is power-cut or killed, not \(durability)")
        }
        let lane = try arguments.value("lane").map { try identifier($0, option: "lane") }
        var device = try await Device(arguments)
        let scanner = try source(arguments, device)
        try device.setUp(arguments)

        let interrupts = await Interrupts()
        return try await device.withStore(survivesPowerCut: durability == "power-cut") { store in
            let uploader: ScanUploader? =
                if let url = arguments.value("sync") {
                    try await device.uploader(over: store, to: url, arguments)
                } else { nil }
            // The gate is closed before the last upload, which takes along what that closes.
            let tally = try await device.withGate(over: store, verifier: verifier) { gate in
                if let path = arguments.value("config") { try await gate.apply(readBytes(path, limit: 64 << 20)) }
                try await device.keepSettings()
                warn(of: try await gate.health(), terminal)
                let uploading = uploader.map { uploader in Task { try await uploader.run() } }
                defer { uploading?.cancel() }
                let tally = await interrupts.cancelling {
                    await scan(gate, scanner, lane: lane, asJSON: arguments.has("json"), terminal)
                }
                await scanner.close()
                return tally
            }
            let code = end(tally, arguments, terminal)
            guard let uploader else { return code }

            await uploader.cancel()
            let (report, health) = await SyncCommand.upload(
                uploader, total: try await store.status().pending, interrupts, arguments, terminal)
            let sentence = SyncCommand.sentence(report)
            // With --json the output is decisions and nothing else.
            if !arguments.has("json") {
                terminal.say(sentence)
            } else if report.ending != .drained {
                terminal.complain(sentence)
            }
            return max(code, SyncCommand.end(report, health, terminal))
        }
    }

    /// Says before the first code what staff would else find out by it.
    private static func warn(of health: GateHealth, _ terminal: Terminal) {
        if health.configuration == nil {
            terminal.complain("no configuration is applied, so every ticket is refused: gate config apply FILE")
        } else if !health.isConfigured {
            terminal.complain(
                "the configuration lacks this gate's event or zone, so every ticket is refused: check --event and --zone"
            )
        }
        for repair in health.repairs { terminal.complain("REPAIRED: \(repair)") }
    }

    private static func source(_ arguments: Arguments, _ device: Device) throws -> any CodeScanner {
        let sources = ["lines", "images", "video"].filter(arguments.has)
        guard sources.count == 1 else {
            throw UsageError("where do codes come from? Exactly one of --lines, --images DIR and --video FILE|-")
        }
        if let folder = arguments.value("images") { return try CompositionRoot.pictures(folder) }
        if let path = arguments.value("video") { return try CompositionRoot.video(path) }
        return device.root.lines()
    }

    /// Shows decisions until the source ends or breaks or the task is cancelled; in each case what was decided counts.
    private static func scan(
        _ gate: TicketGate, _ scanner: any CodeScanner, lane: Identifier?, asJSON: Bool, _ terminal: Terminal
    ) async -> Tally {
        let timed = TimedScanner(scanner)
        var tally = Tally()
        do {
            for try await decision in gate.decisions(from: timed, lane: lane) {
                tally.count(decision)
                if asJSON {
                    terminal.say(DecisionLine.json(decision, microseconds: await timed.microsecondsSinceLast()))
                } else if let line = DecisionLine.text(decision, terminal) {
                    terminal.say(line)
                }
            }
        } catch is CancellationError {
            tally.isInterrupted = true
        } catch {
            tally.failure = error
        }
        return tally
    }

    /// Says what came of the scan, and gives its exit code.
    private static func end(_ tally: Tally, _ arguments: Arguments, _ terminal: Terminal) -> Int32 {
        if tally.isInterrupted { terminal.clearLine() }
        if !arguments.has("json") { terminal.say(tally.sentence) }
        if tally.lost > 0 {
            terminal.complain("NOT RECORDED: \(counted(tally.lost, "scan")), refused for that; the lines above say why")
        } else if tally.isInterrupted {
            terminal.complain("interrupted; what was shown is recorded")
        }
        if let failure = tally.failure { terminal.complain("\(failure)") }
        switch tally.failure {
        case CodeScannerError.unavailable?: return ExitCode.unavailable
        case _?: return ExitCode.failure
        case nil: return tally.lost > 0 ? ExitCode.failure : ExitCode.success
        }
    }
}

/// What a scan decided, counted, and how it ended where that was not the end of its source.
private struct Tally {
    private(set) var lost = 0
    var isInterrupted = false
    var failure: (any Error)?
    private var admitted = 0
    private var refused: [Reason: Int] = [:]

    mutating func count(_ decision: ScanDecision) {
        switch decision.outcome {
        case .admitted: admitted += 1
        case .refused(let reason, _): refused[reason, default: 0] += 1
        case .repeated: break
        }
        if decision.storeError != nil { lost += 1 }
    }

    var sentence: String {
        let reasons = refused.sorted { ($0.key.rank, $0.key.rawValue) < ($1.key.rank, $1.key.rawValue) }
            .map { "\($0.value) \($0.key.rawValue)" }
        let refusals = refused.values.reduce(0, +)
        return "\(admitted) admitted, \(refusals) refused"
            + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))")
    }
}

/// A scanner that remembers when it gave its last code, so that a decision's time can be told.
private actor TimedScanner: CodeScanner {
    private let scanner: any CodeScanner
    private var last = DispatchTime.now()

    init(_ scanner: any CodeScanner) {
        self.scanner = scanner
    }

    func next() async throws(CodeScannerError) -> ScannedCode? {
        let code = try await scanner.next()
        last = .now()
        return code
    }

    func close() async {
        await scanner.close()
    }

    func microsecondsSinceLast() -> Int64 {
        Int64((DispatchTime.now().uptimeNanoseconds - last.uptimeNanoseconds) / 1_000)
    }
}
