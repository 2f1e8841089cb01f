#if Sodium && os(Linux)
import Foundation
import Portico
import PorticoTickets
import Subjects
import Testing

@Suite("A gate with many lanes", .serialized)
struct LaneTests {
    @Test("Of two hundred scans of one code at once one is admitted", arguments: DurableStore.allCases)
    func oneAdmission(kind: DurableStore) async throws {
        let folder = try TemporaryFolder()
        let store = try await kind.open(folder.path)
        let busy = try await BusyGate(over: store)
        let text = try busy.ticket(1)
        let decisions = await withTaskGroup(of: ScanDecision.self) { group in
            for _ in 0..<200 { group.addTask { await busy.gate.validate(text) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(decisions.count(where: \.isAdmitted) == 1)
        #expect(decisions.count { $0.reason == .alreadyUsed } == 199)
        await busy.gate.close()
        await store.close()

        let again = try await kind.open(folder.path)
        let events = try await again.everything()
        #expect(events.map(\.sequence) == Array(1...200))
        #expect(events.count(where: \.isAdmission) == 1)
        #expect(Set(events.map(\.id)) == Set(decisions.compactMap(\.eventID)))
        await again.close()
    }

    /// How often each store's gate is killed; `make soak` asks for more.
    private static let kills = ProcessInfo.processInfo.environment["PORTICO_KILLS"].flatMap { Int($0) } ?? 2

    @Test(
        "Killed with eight lanes busy, nothing acknowledged is lost and nobody is admitted twice",
        arguments: DurableStore.allCases)
    func kills(kind: DurableStore) async throws {
        let folder = try TemporaryFolder()
        var acknowledged = 0
        for round in 0..<max(1, Self.kills) {
            let path = folder.path
            // By turns when a lane has seen so many decisions, and at any time, while the store is opened included.
            let fatal = round.isMultiple(of: 2) ? Int.random(in: 1...20) : Int.max
            let milliseconds = round.isMultiple(of: 2) ? 60_000 : Int.random(in: 1...300)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    kind = kind as DurableStore, path = path as String, fatal = fatal as Int,
                    milliseconds = milliseconds as Int
                ] in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                    kill(getpid(), SIGKILL)
                }
                try await scan(kind, path, until: fatal)
            }
            acknowledged = try await check(kind, path)
        }
        #expect(acknowledged > 0)
    }

    /// Opens the store again and compares it with what was acknowledged; how much that was.
    private func check(_ kind: DurableStore, _ path: String) async throws -> Int {
        let store = try await kind.open(path)
        let events = try await store.everything()
        #expect(events.map(\.sequence) == Array(1..<Int64(events.count + 1)))
        let admitted = events.filter(\.isAdmission).compactMap(\.ticket.claims?.ticketID)
        #expect(Set(admitted).count == admitted.count, "a ticket was admitted twice")

        let list = path + "/acknowledged"
        let lines =
            FileManager.default.fileExists(atPath: list)
            ? try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n") : []
        let stored = Dictionary(uniqueKeysWithValues: events.map { ($0.id.text, $0) })
        for line in lines {
            let words = line.split(separator: " ")
            try #require(words.count == 3)
            let event = try #require(stored[String(words[1])], "acknowledged and lost: \(line)")
            #expect(String(event.sequence) == words[0])
            #expect((event.reason?.rawValue ?? "admitted") == words[2])
        }

        // Whoever was in front of a lane when it was killed comes again, as does everybody else.
        let busy = try await BusyGate(over: store)
        for ticket in Set(admitted).prefix(5) {
            let number = try #require(Int(ticket.text.dropFirst(2)))
            #expect(await busy.gate.validate(try busy.ticket(number)).reason == .alreadyUsed)
        }
        await busy.gate.close()
        await store.close()
        return lines.count
    }
}

/// Scans on eight lanes, and writes down each decision when it was made, in one write each; the lane that first has so
/// many ends the process amid the others.
private func scan(_ kind: DurableStore, _ path: String, until fatal: Int) async throws {
    let store = try await kind.open(path)
    let busy = try await BusyGate(over: store)
    let list = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    try #require(list >= 0)
    try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
            group.addTask {
                var count = 0
                while true {
                    let decision = await busy.gate.validate(try busy.ticket(Int.random(in: 0..<2_000)))
                    guard let sequence = decision.sequence, let id = decision.eventID else { throw CancellationError() }
                    let verdict = decision.reason?.rawValue ?? "admitted"
                    let line = Array("\(sequence) \(id.text) \(verdict)\n".utf8)
                    guard write(list, line, line.count) == line.count else { throw CancellationError() }
                    count += 1
                    if count == fatal { kill(getpid(), SIGKILL) }
                }
            }
        }
        try await group.waitForAll()
    }
}
#endif
