import Portico
import PorticoInMemory
import PorticoPOSIX
import Testing

@testable import PorticoFileJournal

@Suite("After a power cut everything acknowledged is there")
struct JournalCrashTests {
    /// What the disk might hold, and how many steps were acknowledged before and after it was looked at.
    private struct Image: Sendable {
        var fileSystem: SimulatedFileSystem
        var acknowledged: ClosedRange<Int>
    }

    @Test("The disk cut off at every sync point opens with what was acknowledged", arguments: UInt64(1)...4)
    func everySyncPoint(seed: UInt64) async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalFaultTests.options)
        let storage = try await model(of: store)
        let memory = try InMemoryEventStore(storage)
        let acknowledged = Counter()
        let images = Collected<Image>()
        let seeds = Counter()
        fileSystem.observeSyncs {
            for _ in 0..<3 {
                var generator = Seeded(seed &* 10_000 &+ UInt64(seeds.next()))
                let before = acknowledged.value
                let image = fileSystem.afterPowerCut(using: &generator)
                images.append(Image(fileSystem: image, acknowledged: before...acknowledged.value))
            }
        }
        var states = [try await Snapshot(memory).reopened]
        for step in Step.random(40, seed: seed, tickets: 12) {
            try await step.run(on: memory)
            states.append(try await Snapshot(memory).reopened)
            try await step.run(on: store)
            _ = acknowledged.next()
        }
        await store.close()
        fileSystem.observeSyncs(nil)
        #expect(images.values.count > 120)
        for (number, image) in images.values.enumerated() {
            let again = try await openJournal(image.fileSystem, JournalFaultTests.options)
            let found = try await Snapshot(again)
            // What was under way may be there too.
            let possible = states[image.acknowledged.lowerBound...min(image.acknowledged.upperBound + 1, 40)]
            #expect(possible.contains(found), "image \(number) of seed \(seed), \(image.acknowledged)")
            await again.close()
        }
    }

    @Test("No record returns before its own segment was written and synced, in that order")
    func order() async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalOptions())
        fileSystem.note("acknowledged 0")
        for number in 1...20 {
            try await Step.record(number, ticket: number, isOpen: false, closes: nil).run(on: store)
            fileSystem.note("acknowledged \(number)")
        }
        let log = fileSystem.log
        for number in 1...20 {
            let start = try #require(log.firstIndex { $0.name == "acknowledged \(number - 1)" })
            let end = try #require(log.firstIndex { $0.name == "acknowledged \(number)" })
            let segment = log[start..<end].filter { $0.name.hasPrefix("journal-") }.map(\.kind)
            #expect(segment == [.write, .synchronize])
        }
        await store.close()
    }

    @Test("A segment and a checkpoint are synced before they are named, and their names before they count")
    func names() async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalFaultTests.options)
        for step in JournalFaultTests.steps { try await step.run(on: store) }
        await store.close()
        let log = fileSystem.log
        var renames = 0
        for (index, entry) in log.enumerated() where entry.kind == .rename {
            renames += 1
            let lastWrite = try #require(log[..<index].lastIndex { $0.kind == .write && $0.name == entry.name })
            #expect(log[lastWrite..<index].contains { $0.kind == .synchronize && $0.name == entry.name })
            #expect(log[index...].contains { $0.kind == .synchronizeFolder })
        }
        #expect(renames > 4)
        for (index, entry) in log.enumerated() where entry.kind == .remove && entry.name.hasSuffix(".pj") {
            let rename = try #require(
                log[..<index].lastIndex { $0.kind == .rename && $0.name == Checkpoint.temporaryName })
            #expect(log[rename..<index].contains { $0.kind == .synchronizeFolder })
        }
    }

    @Test("A checkpoint that stops at any step leaves the old or the new")
    func checkpointStops() async throws {
        for number in 1...40 {
            let fileSystem = SimulatedFileSystem()
            let store = try await openJournal(fileSystem, .small())
            let storage = try await model(of: store)
            let memory = try InMemoryEventStore(storage)
            for step in Step.random(30, seed: 11) where !step.removesEverything {
                try await step.run(on: store)
                try await step.run(on: memory)
            }
            let expected = try await Snapshot(memory).reopened
            fileSystem.fail { count, _ in count >= number ? .inputOutput : nil }
            await store.close()
            fileSystem.fail(nil)
            var generator = Seeded(UInt64(number))
            for image in [fileSystem.killed(), fileSystem.afterPowerCut(using: &generator)] {
                let again = try await openJournal(image, .small())
                #expect(try await Snapshot(again) == expected, "stopped at \(number)")
                await again.close()
                // Not before: a look at the store may begin a checkpoint, which is written beside it.
                #expect(!image.paths().contains { $0.hasSuffix(".new") })
            }
        }
    }
}

/// Values from several threads.
///
/// `@unchecked Sendable`: its variable is touched only inside its lock.
final class Collected<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var collected: [Value] = []

    func append(_ value: Value) {
        lock.withLock { collected.append(value) }
    }

    var values: [Value] { lock.withLock { collected } }
}
