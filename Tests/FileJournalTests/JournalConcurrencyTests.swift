import Foundation
import Portico
import PorticoPOSIX
import Testing

@testable import PorticoFileJournal

@Suite("Several callers, several openers")
struct JournalConcurrencyTests {
    private func sequences(_ store: any EventStore) async throws -> [Int64] {
        try await store.events(EventQuery(limit: .max)).map(\.event.sequence)
    }

    /// Records at once from so many callers, all but the first of which wait while the first one's sync runs.
    private func recordTogether(
        _ callers: Int, on store: FileJournalEventStore, in fileSystem: SimulatedFileSystem
    ) async throws -> Int {
        let writer = try #require(store.worker as? JournalWriter)
        let syncs = Counter()
        let (beginning, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .unbounded)
        fileSystem.observeSyncs {
            guard syncs.next() == 1 else { return }
            signal.finish()
            // It ends with the last caller's arrival, however busy the machine is; bounded, so that a caller that never
            // comes makes the count wrong and not the test endless.
            for _ in 0..<60_000 where writer.waitingCount < callers - 1 { usleep(1_000) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...callers {
                group.addTask {
                    // Also where no sync came, which the counts then tell.
                    defer { signal.finish() }
                    try await Step.record(number, ticket: number, isOpen: false, closes: nil).run(on: store)
                }
                // The first is alone; the others come while its sync runs.
                if number == 1 { for await _ in beginning {} }
            }
            try await group.waitForAll()
        }
        fileSystem.observeSyncs(nil)
        return syncs.value
    }

    @Test("Records that wait while a sync runs share the next one")
    func groupCommit() async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalOptions())
        #expect(try await recordTogether(64, on: store, in: fileSystem) == 2)
        #expect(try await sequences(store) == (1...64).map { $0 })
        await store.close()
    }

    @Test("If a shared commit fails each is tried once more alone")
    func sharedFailure() async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalOptions())
        let syncs = Counter()
        fileSystem.fail { _, kind in kind == .synchronize && syncs.next() == 2 ? .inputOutput : nil }
        #expect(try await recordTogether(8, on: store, in: fileSystem) > 8)
        #expect(try await sequences(store) == (1...8).map { $0 })
        let again = try await openJournal(fileSystem.killed(), JournalOptions())
        #expect(try await sequences(again) == (1...8).map { $0 })
        await again.close()
        await store.close()
    }

    @Test("One ticket presented two hundred times at once is admitted once")
    func oneAdmission() async throws {
        let folder = try TemporaryFolder()
        let store = try await FileJournalEventStore(folder: folder.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask { try await Step.record(number, ticket: 1, isOpen: false, closes: nil).run(on: store) }
            }
            try await group.waitForAll()
        }
        let events = try await store.events(EventQuery(limit: .max))
        #expect(events.count { $0.event.isAdmission } == 1)
        #expect(events.map(\.event.sequence) == (1...200).map { $0 })
        await store.close()
    }

    @Test("A record of the wrong sequence fails alone and uses none")
    func wrongSequence() async throws {
        let store = try await openJournal(SimulatedFileSystem(), JournalOptions())
        await #expect(throws: EventStoreError.failed("event with sequence 7 where 1 is next")) {
            _ = try await store.record(nil) { head, _ in
                ScanRecord(
                    event: ScanEvent(
                        id: Step.id(1), deviceID: head.deviceID, sequence: 7, scannedAt: Instant(milliseconds: 0)))
            }
        }
        try await Step.record(1, ticket: nil, isOpen: false, closes: nil).run(on: store)
        #expect(try await sequences(store) == [1])
        await store.close()
    }

    @Test("The second writer is told which process has the folder; readers are not kept out")
    func exclusive() async throws {
        let folder = try TemporaryFolder()
        let store = try await FileJournalEventStore(folder: folder.path)
        let pid = ProcessInfo.processInfo.processIdentifier
        await #expect(throws: EventStoreError.locked(by: "process \(pid)")) {
            try await FileJournalEventStore(folder: folder.path)
        }
        let reader = try await FileJournalEventStore(folder: folder.path, access: .read)
        #expect(try await reader.status() == store.status())
        await reader.close()
        await store.close()
        await (try FileJournalEventStore(folder: folder.path)).close()
    }

    @Test("Folder and files are for this user alone")
    func permissions() async throws {
        let parent = try TemporaryFolder()
        let folder = parent.path + "/journal"
        let store = try await FileJournalEventStore(folder: folder)
        func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try permissions(folder) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            #expect(try permissions("\(folder)/\(name)") == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test("A reader beside the writer sees whole records, and changes nothing")
    func reader() async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalFaultTests.options)
        let reader = try await openJournal(fileSystem, JournalFaultTests.options, access: .read)
        for step in Step.random(120, seed: 21, tickets: 12) {
            try await step.run(on: store)
            #expect(try await Snapshot(reader) == Snapshot(store))
        }
        let path = try #require(fileSystem.paths().last { $0.hasSuffix(".pj") })
        let whole = try #require(fileSystem.contents(path))
        fileSystem.replace(path, with: whole + Frame.magic + [9, 9, 9])
        #expect(try await Snapshot(reader) == Snapshot(store))
        #expect(try await reader.status().repairs == [])
        let before = fileSystem.paths()
        await #expect(throws: EventStoreError.readOnly) {
            try await Step.record(500, ticket: 1, isOpen: false, closes: nil).run(on: reader)
        }
        await #expect(throws: EventStoreError.readOnly) { try await Step.remove(.everything).run(on: reader) }
        await #expect(throws: EventStoreError.readOnly) {
            try await Step.settle(delivered: [], parked: [], redeemed: [], cursor: "x").run(on: reader)
        }
        await reader.close()
        await #expect(throws: EventStoreError.closed) { try await reader.status() }
        #expect(fileSystem.paths() == before)
        await store.close()
    }

    @Test("A reader that reads while the writer works never fails and never goes back")
    func readerBesideWork() async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, JournalFaultTests.options)
        let reader = try await openJournal(fileSystem, JournalFaultTests.options, access: .read)
        let writing = Task {
            for step in Step.random(250, seed: 8, tickets: 12) { try await step.run(on: store) }
        }
        var last: Int64 = 1
        while last < 150 {
            let next = try await reader.status().head.nextSequence
            #expect(next >= last)
            last = max(next, last)
            let sequences = try await sequences(reader)
            #expect(sequences == sequences.sorted())
        }
        try await writing.value
        await reader.close()
        await store.close()
    }

    @Test("Five hundred records, killed: all are there, in order and without a gap", arguments: [true, false])
    func killed(outlivesPowerCut: Bool) async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, outlivesPowerCut] in
            let store = try await FileJournalEventStore(
                folder: path, durability: outlivesPowerCut ? .powerCut : .killed)
            for number in 1...500 {
                try await Step.record(number, ticket: number, isOpen: number == 500, closes: nil).run(on: store)
            }
            kill(getpid(), SIGKILL)
        }
        let store = try await FileJournalEventStore(folder: folder.path)
        #expect(try await sequences(store) == (1...500).map { $0 })
        #expect(try await store.entries(EntryQuery(limit: .max)).count == 500)
        let status = try await store.status()
        #expect(status.pending == 500 && status.head.nextSequence == 501 && status.repairs == [])
        await store.close()
    }
}
