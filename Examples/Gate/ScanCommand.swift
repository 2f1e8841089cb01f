import Foundation
import Portico
import PorticoTickets

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
        try await device.setUp(arguments)

        let store = try await device.store(survivesPowerCut: durability == "power-cut")
        let gate = try await device.gate(over: store, verifier: verifier)
        if let path = arguments.value("config") { try await gate.apply(readBytes(path, limit: 64 << 20)) }

        var uploading: Task<Void, any Error>?
        var uploader: ScanUploader?
        if let url = arguments.value("sync") {
            let made = try await device.uploader(over: store, to: url, arguments)
            uploader = made
            uploading = Task { try await made.run() }
        }
        let tally = try await scan(gate, scanner, lane: lane, arguments, terminal)
        await scanner.close()
        await gate.close()
        uploading?.cancel()
        var code = tally.hasLost ? ExitCode.failure : ExitCode.success
        if let uploader {
            await uploader.cancel()
            let report = await uploader.upload()
            if !arguments.has("json") { terminal.say(SyncCommand.sentence(report)) }
            if report.ending != .drained { code = max(code, SyncCommand.exitCode(report)) }
        }
        if !arguments.has("json") { terminal.say(tally.sentence) }
        await store.close()
        return code
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

    private static func scan(
        _ gate: TicketGate, _ scanner: any CodeScanner, lane: Identifier?, _ arguments: Arguments, _ terminal: Terminal
    ) async throws -> Tally {
        let timed = TimedScanner(scanner)
        let scanning = Task {
            var tally = Tally()
            for try await decision in gate.decisions(from: timed, lane: lane) {
                tally.count(decision)
                if arguments.has("json") {
                    terminal.say(DecisionLine.json(decision, microseconds: await timed.microsecondsSinceLast()))
                } else if let line = DecisionLine.text(decision, terminal) {
                    terminal.say(line)
                }
            }
            return tally
        }
        // Ctrl-C ends the scan as the end of the source does: open presentations are closed and the store with them.
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
        interrupt.setEventHandler { scanning.cancel() }
        interrupt.resume()
        defer { interrupt.cancel() }
        do {
            return try await scanning.value
        } catch is CancellationError {
            terminal.complain("interrupted; everything that was shown is recorded")
            return Tally()
        }
    }

    /// What was decided, counted.
    struct Tally {
        private var admitted = 0
        private var refused: [Reason: Int] = [:]
        private(set) var hasLost = false

        mutating func count(_ decision: ScanDecision) {
            switch decision.outcome {
            case .admitted: admitted += 1
            case .refused(let reason, _): refused[reason, default: 0] += 1
            case .repeated: break
            }
            if decision.storeError != nil { hasLost = true }
        }

        var sentence: String {
            let reasons = refused.sorted { ($0.key.rank, $0.key.rawValue) < ($1.key.rank, $1.key.rawValue) }
                .map { "\($0.value) \($0.key.rawValue)" }
            let refusals = refused.values.reduce(0, +)
            return "\(admitted) admitted, \(refusals) refused"
                + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))")
        }
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
