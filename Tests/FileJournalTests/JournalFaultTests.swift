import Portico
import PorticoInMemory
import PorticoPOSIX
import Testing

@testable import PorticoFileJournal

@Suite("When the disk fails, nothing acknowledged is lost and it works again")
struct JournalFaultTests {
    /// Few steps, and all that can happen happens in them: records, settlements, removals, segments, checkpoints.
    static let steps: [Step] = {
        var steps = Step.random(9, seed: 3).filter { !$0.removes }
        steps.append(.settle(delivered: [1, 2, 3], parked: [4], redeemed: [1, 50], cursor: "c"))
        steps.append(.remove(.delivered))
        steps += (20...24).map { .record($0, ticket: $0 % 4, isOpen: $0 % 2 == 0, closes: $0 - 1) }
        return steps
    }()

    static let options = JournalOptions(
        durability: .powerCut, segmentLength: 5_600, entriesInMemory: 4, bytesToReplay: 4_000,
        bytesToReplayAfterClosing: 500)

    /// Runs the steps on a journal and, each that succeeded, on the model; how many failed.
    private func run(
        _ steps: [Step], on store: any EventStore, and memory: InMemoryEventStore
    ) async throws -> Int {
        var failures = 0
        for step in steps {
            do throws(EventStoreError) {
                try await step.run(on: store)
            } catch {
                failures += 1
                continue
            }
            try await step.run(on: memory)
        }
        return failures
    }

    /// Faults in the steps, then: the same as the model now, after a kill and after a power cut, and it goes on.
    private func check(
        _ name: String, _ fault: @escaping @Sendable (Int, SimulatedFileSystem.Kind) -> SimulatedFileSystem.Fault?
    ) async throws -> (failures: Int, operations: Int) {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, Self.options)
        let storage = try await model(of: store)
        let memory = try InMemoryEventStore(storage)
        fileSystem.fail(fault)
        let failures = try await run(Self.steps, on: store, and: memory)
        let operations = fileSystem.count
        fileSystem.fail(nil)
        let expected = try await Snapshot(memory)
        #expect(try await Snapshot(store) == expected, "\(name): now")
        var generator = Seeded(UInt64(operations))
        for (image, how) in [
            (fileSystem.killed(), "killed"), (fileSystem.afterPowerCut(using: &generator), "power cut"),
        ] {
            let again = try await openJournal(image, Self.options)
            let found = try await Snapshot(again)
            let repairs = try await again.status().repairs
            #expect(
                found == expected.reopened, "\(name): \(how): \(found.difference(from: expected.reopened)) \(repairs)")
            await again.close()
        }
        let more = (100...103).map { Step.record($0, ticket: $0, isOpen: false, closes: nil) }
        #expect(try await run(more, on: store, and: memory) == 0, "\(name): works again")
        await store.close()
        let again = try await openJournal(fileSystem, Self.options)
        #expect(try await Snapshot(again) == Snapshot(memory).reopened, "\(name): closed and opened")
        await again.close()
        return (failures, operations)
    }

    @Test("One fault at any operation", arguments: SimulatedFileSystem.Fault.allCases)
    func oneFault(fault: SimulatedFileSystem.Fault) async throws {
        let whole = try await check("no fault") { _, _ in nil }
        #expect(whole.failures == 0 && whole.operations > 40)
        var failures = 0
        for number in 1...whole.operations {
            failures += try await check("\(fault) at \(number)") { count, _ in count == number ? fault : nil }.failures
        }
        // Of a short write a caller notices nothing; the others must have been noticed.
        #expect(failures > 10)
    }

    @Test("A sync that fails is not trusted", arguments: 1...20)
    func failedSync(number: Int) async throws {
        let syncs = Counter()
        let outcome = try await check("sync \(number)") { _, kind in
            kind == .synchronize && syncs.next() == number ? .inputOutput : nil
        }
        #expect(outcome.failures <= 1)
    }

    @Test("A volume that stays full for a while is told as full, and reads go on")
    func fullForAWhile() async throws {
        for number in stride(from: 1, to: 60, by: 4) {
            let outcome = try await check("full from \(number)") { count, kind in
                count >= number && (kind == .write || kind == .open) ? .noSpace : nil
            }
            #expect(outcome.failures > 0 || number > 20)
        }
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalOptions())
        try await Step.record(1, ticket: 1, isOpen: false, closes: nil).run(on: store)
        fileSystem.fail { _, kind in kind == .write ? .noSpace : nil }
        for number in 2...4 {
            await #expect(throws: EventStoreError.full) {
                try await Step.record(number, ticket: number, isOpen: false, closes: nil).run(on: store)
            }
        }
        #expect(try await store.events(EventQuery()).count == 1)
        fileSystem.fail(nil)
        try await Step.record(5, ticket: 5, isOpen: false, closes: nil).run(on: store)
        #expect(try await store.status().head.nextSequence == 3)
        await store.close()
    }

    @Test("A fault while opening is told or without consequence, and the next opening has everything")
    func opening() async throws {
        let written = SimulatedFileSystem()
        let store = try await openJournal(written, Self.options)
        let storage = try await model(of: store)
        let memory = try InMemoryEventStore(storage)
        _ = try await run(Self.steps, on: store, and: memory)
        let expected = try await Snapshot(memory).reopened
        await store.close()
        let torn = try #require(written.paths().last { $0.hasSuffix(".pj") })
        let bytes = try #require(written.contents(torn))
        written.replace(torn, with: bytes + [0xF5, 0x50, 1, 2, 3])
        for fault in SimulatedFileSystem.Fault.allCases {
            for number in 1...60 {
                let fileSystem = written.killed()
                fileSystem.fail { count, _ in count == number ? fault : nil }
                do throws(EventStoreError) {
                    await (try openJournal(fileSystem, Self.options)).close()
                } catch {
                    #expect(error != .closed)
                }
                fileSystem.fail(nil)
                let again = try await openJournal(fileSystem, Self.options)
                #expect(try await Snapshot(again) == expected, "\(fault) at \(number)")
                await again.close()
            }
        }
    }

    @Test("A folder that cannot be written is read-only to a writer")
    func readOnlyFolder() async throws {
        #expect(EventStoreError(.init("open", "/x/LOCK", code: 30)) == .readOnly)
        #expect(EventStoreError(.init("open", "/x/LOCK", code: 13)) == .readOnly)
        #expect(EventStoreError(.init("write", "/x/j", code: 28)) == .full)
        #expect(
            EventStoreError(.init("write", "/home/someone/journal-00000001.pj", code: 5))
                == .failed("write journal-00000001.pj: Input/output error (5)"))
    }
}

/// Counts from 1.
///
/// `@unchecked Sendable`: its variable is touched only inside its lock.
final class Counter: @unchecked Sendable {
    private let lock = Lock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }

    var value: Int { lock.withLock { count } }
}
