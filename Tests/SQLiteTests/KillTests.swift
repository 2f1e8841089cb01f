#if SQLite && os(Linux)
import Foundation
import Portico
import PorticoSQLite
import Testing

@Suite("A kill at any moment", .serialized)
struct KillTests {
    @Test("Nothing acknowledged is lost and no ticket is admitted twice, over ten kills of one store")
    func kills() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try Data().write(to: URL(fileURLWithPath: path + "/acknowledged"))
        var acknowledged = 0
        for round in 0..<10 {
            let milliseconds = Int.random(in: 5...150)
            let durability = round.isMultiple(of: 2) ? SQLiteDurability.killed : .powerCut
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, milliseconds = milliseconds as Int, round = round as Int] in
                let end = { @Sendable in
                    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                        kill(getpid(), SIGKILL)
                    }
                }
                // Now and then the moment may lie in the opening, which then has to repair what the last kill left.
                if round % 5 == 4 { end() }
                let store = try await SQLiteEventStore(
                    folder: path + "/events", durability: round.isMultiple(of: 2) ? .killed : .powerCut)
                end()
                try await scanForEver(store, path)
            }
            let store = try await SQLiteEventStore(folder: path + "/events", durability: durability)
            acknowledged = try await check(store, path)
            await store.close()
        }
        #expect(acknowledged > 0)
    }

    /// Compares what is stored with what was acknowledged; returns how much that was.
    private func check(_ store: SQLiteEventStore, _ path: String) async throws -> Int {
        let events = try await store.everything().map(\.event)
        #expect(events.map(\.sequence) == Array(1..<Int64(events.count + 1)))
        let admitted = events.filter(\.isAdmission).compactMap(\.operatorName)
        #expect(Set(admitted).count == admitted.count)

        let lines = try String(contentsOfFile: path + "/acknowledged", encoding: .utf8).split(separator: "\n")
        let ids = Dictionary(uniqueKeysWithValues: events.map { ($0.sequence, $0.id.text) })
        for line in lines {
            let words = line.split(separator: " ")
            try #require(words.count == 2)
            let sequence = try #require(Int64(words[0]))
            #expect(ids[sequence] == String(words[1]), "acknowledged and lost: \(line)")
        }
        return lines.count
    }
}

/// Scans from four lanes, and writes down each event that was recorded, in one write each.
private func scanForEver(_ store: SQLiteEventStore, _ path: String) async throws {
    let list = open(path + "/acknowledged", O_WRONLY | O_APPEND)
    try #require(list >= 0)
    try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
            group.addTask {
                while true {
                    let event = try await store.scan(try Sample.ticket(Int.random(in: 0..<5_000)))
                    let line = Array("\(event.sequence) \(event.id.text)\n".utf8)
                    guard write(list, line, line.count) == line.count else { throw CancellationError() }
                }
            }
        }
        try await group.waitForAll()
    }
}
#endif
