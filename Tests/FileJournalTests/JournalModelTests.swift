import Portico
import PorticoInMemory
import Testing

@testable import PorticoFileJournal

@Suite("The journal answers as a store in memory does")
struct JournalModelTests {
    @Test("Random calls with reopenings at random have the same answers", arguments: UInt64(1)...12)
    func sameAnswers(seed: UInt64) async throws {
        let fileSystem = SimulatedFileSystem()
        var generator = Seeded(seed)
        var journal = try await openJournal(fileSystem, .small(.killed))
        let storage = try await model(of: journal)
        var memory = try InMemoryEventStore(storage)
        for (number, step) in Step.random(300, seed: seed).enumerated() {
            try await step.run(on: memory)
            try await step.run(on: journal)
            guard Int.random(in: 0..<25, using: &generator) == 0 else { continue }
            #expect(try await Snapshot(journal) == Snapshot(memory), "after step \(number) of seed \(seed)")
            await journal.close()
            await memory.close()
            journal = try await openJournal(fileSystem, .small(.killed))
            memory = try InMemoryEventStore(storage)
            #expect(try await Snapshot(journal) == Snapshot(memory), "reopened after step \(number) of seed \(seed)")
            #expect(try await journal.status().repairs == [])
        }
        #expect(try await Snapshot(journal) == Snapshot(memory))
        await journal.close()
    }

    @Test("Pages join up to the whole, with every filter")
    func pages() async throws {
        let journal = try await openJournal(SimulatedFileSystem())
        for step in Step.random(200, seed: 77) where !step.removesEverything { try await step.run(on: journal) }
        for (conflictsOnly, insideOnly) in [(false, false), (true, false), (false, true)] {
            let whole = try await journal.entries(
                EntryQuery(conflictsOnly: conflictsOnly, insideOnly: insideOnly, limit: .max))
            var joined: [StoredEntry] = []
            while true {
                let page = try await journal.entries(
                    EntryQuery(
                        after: joined.last?.ticket, conflictsOnly: conflictsOnly, insideOnly: insideOnly, limit: 3))
                if page.isEmpty { break }
                joined += page
            }
            #expect(joined == whole)
            #expect(!whole.isEmpty)
        }
        await journal.close()
    }
}

extension Step {
    var removesEverything: Bool {
        if case .remove(.everything) = self { true } else { false }
    }
}
