import Foundation
import Portico
import PorticoInMemory
import PorticoTickets
import Testing

/// Checks against an issuer that shares no code with this package: the reference backend's.
@Suite("The independent issuer", .serialized)
struct BackendTests {
    private static let python = ProcessInfo.processInfo.environment["PORTICO_BACKEND_PYTHON"]
    private static let isSkipped: Comment =
        "PORTICO_BACKEND_PYTHON names no interpreter with the backend's requirements"

    /// Runs the backend's command line.
    private static func run(_ arguments: [String]) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python ?? "")
        process.arguments = ["-m", "portico_backend"] + arguments
        process.currentDirectoryURL = root.appendingPathComponent("Examples/Backend")
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0, "\(arguments)")
    }

    /// A folder of its own for one test.
    private static func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body(folder)) } catch { result = .failure(error) }
        try FileManager.default.removeItem(at: folder)
        try result.get()
    }

    private static func lines(_ url: URL) throws -> [String] {
        try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n").filter { !$0.isEmpty }
    }

    @Test(
        "100,000 objects have the same canonical form in Python's rfc8785 and here",
        .enabled(if: python != nil, isSkipped))
    func canonicalForm() async throws {
        try await Self.inFolder { folder in
            let file = folder.appendingPathComponent("pairs.jsonl")
            try await Self.run(["canonical", "--generate", "100000", "--seed", "8785", "--out", file.path])
            var compared = 0
            for line in try Self.lines(file) {
                // {"input":"…","canonical":"…"}, both base64url: cut at the quotes.
                let parts = line.components(separatedBy: "\"")
                let input = try #require(parts.count == 9 ? Base64URL.decode(parts[3]) : nil)
                let expected = try #require(Base64URL.decode(parts[7]))
                let canonical = try JSONValue(parsing: input).canonical()
                if canonical != expected {
                    Issue.record("\(String(decoding: input, as: UTF8.self))")
                    return
                }
                compared += 1
            }
            #expect(compared == 100_000)
        }
    }

    #if (Sodium || OpenSSL) && os(Linux)
    @Test(
        "Tickets of the independent issuer are admitted, and its hostile codes get the reasons that it expects",
        .enabled(if: python != nil, isSkipped), arguments: Engine.all)
    func issuedSet(engine: Engine) async throws {
        try await Self.inFolder { folder in
            let issued = folder.appendingPathComponent("issued")
            let hostile = folder.appendingPathComponent("hostile")
            try await Self.run([
                "issue", "--out", issued.path, "--tickets", "50", "--seed", "5", "--now", "2026-07-04T18:00:00Z",
            ])
            try await Self.run(["hostile", "--issued", issued.path, "--out", hostile.path, "--seed", "6"])

            let plan = try JSONValue(parsing: Array(Data(contentsOf: issued.appendingPathComponent("keys.json"))))
            let now = try #require(plan["now"]?.integerValue)
            let events = try #require(plan["gate"]?["events"]?.arrayValue).map { event in
                try #require(event.stringValue.flatMap { Identifier($0) })
            }
            let zone = try #require(plan["gate"]?["zone"]?.stringValue.flatMap { Identifier($0) })
            let gate = try await TicketGate(
                serving: events, zone: zone, verifier: engine.make(), store: InMemoryEventStore(),
                documents: InMemoryDocumentStore(), time: ManualTimeSource(now: Instant(seconds: now)),
                random: SeededGenerator(seed: 7))
            try await gate.apply(Array(Data(contentsOf: issued.appendingPathComponent("configuration.json"))))

            let tickets = try Self.lines(issued.appendingPathComponent("tickets.jsonl"))
            #expect(tickets.count == 50)
            for line in tickets {
                let ticket = try JSONValue(parsing: Array(line.utf8))
                let decision = await gate.validate(try #require(ticket["text"]?.stringValue))
                #expect(decision.outcome == .admitted, "\(ticket["ticketId"]?.stringValue ?? "")")
                #expect(
                    decision.ticket.verified.map { Hexadecimal.encode($0.contentHash) }
                        == ticket["signedBytesSha256"]?.stringValue)
            }
            var expectations: Set<String> = []
            for line in try Self.lines(hostile.appendingPathComponent("hostile.jsonl")) {
                let code = try JSONValue(parsing: Array(line.utf8))
                let decision = await gate.validate(try #require(code["text"]?.stringValue))
                let expected = try #require(code["expect"]?.stringValue)
                #expect((decision.reason?.rawValue ?? "admitted") == expected, "\(code["why"]?.stringValue ?? "")")
                expectations.insert(expected)
            }
            #expect(expectations.count > 12)
        }
    }
    #endif
}
