#if SQLite && os(Linux)
import CSQLite
import Foundation
import Portico
import PorticoSQLite
import Testing

@Suite("What is acknowledged is durable, by what was written and synced in which order")
struct DurabilityTests {
    @Test("No record returns before the log is synced, where a power cut is to be survived")
    func order() async throws {
        let surviving = try await recordings(.powerCut)
        #expect(unsyncedAtAcknowledgement(surviving.log) == [])
        #expect(surviving.log.count { if case .acknowledged = $0 { true } else { false } } == 40)

        // Where only a kill is to be survived nothing is synced: the check sees the difference.
        let quick = try await recordings(.killed)
        #expect(unsyncedAtAcknowledgement(quick.log).count > 20)
    }

    @Test("An image of the files cut at any sync opens and has every acknowledged event")
    func crashImages() async throws {
        let files = try await recordings(.powerCut)
        var generator = SeededGenerator(state: 7)
        let images = CrashImage.all(of: files.log, &generator)
        #expect(images.count > 200)
        for (index, image) in images.enumerated() where image.acknowledged > 0 {
            try await check(image, index)
        }
    }

    @Test("Those who wait share a commit")
    func groupCommit() async throws {
        let files = FaultyFiles()
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(
            folder: folder.path, durability: .powerCut, tuning: SQLiteTuning(vfs: files.name))
        let before = syncs(files.log)
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                let ticket = try Sample.ticket(number)
                group.addTask { _ = try await store.scan(ticket) }
            }
            try await group.waitForAll()
        }
        #expect(syncs(files.log) - before < 100)
        #expect(try await store.everything().map(\.event.sequence) == Array(1...200))
        await store.close()
    }

    /// A store that records 40 events and settles once, with a checkpoint every few of them.
    private func recordings(_ durability: SQLiteDurability) async throws -> FaultyFiles {
        let files = FaultyFiles()
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(
            folder: folder.path, durability: durability, tuning: SQLiteTuning(vfs: files.name, checkpointFrames: 40))
        for number in 0..<40 {
            let event = try await store.scan(try Sample.ticket(number), bodySize: 1_500)
            files.note(.acknowledged(event.sequence))
            if number == 20 {
                let deliveries = try await store.events(.pending(limit: 5)).map { ($0.event.id, Delivery.delivered) }
                try await store.settle(Settlement(deliveries: Dictionary(uniqueKeysWithValues: deliveries))) { _, _ in
                    LedgerEntry(body: [])
                }
            }
        }
        await store.close()
        return files
    }

    /// The sequences that were acknowledged while something of the log was written and not synced.
    private func unsyncedAtAcknowledgement(_ log: [FaultyFiles.Operation]) -> [Int64] {
        var isSynced = true
        var found: [Int64] = []
        for operation in log {
            switch operation {
            case .write(.log, _, _): isSynced = false
            case .sync(.log), .delete(.log): isSynced = true
            case .acknowledged(let sequence): if !isSynced { found.append(sequence) }
            default: break
            }
        }
        return found
    }

    private func syncs(_ log: [FaultyFiles.Operation]) -> Int {
        log.count { if case .sync(.log) = $0 { true } else { false } }
    }

    private func check(_ image: CrashImage, _ index: Int) async throws {
        let folder = try TemporaryFolder()
        for (file, name) in [(FaultyFiles.File.database, "events.sqlite"), (.log, "events.sqlite-wal")] {
            guard let bytes = image.files[file] else { continue }
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        let store = try await SQLiteEventStore(folder: folder.path, durability: .killed)
        let sequences = try await store.everything().map(\.event.sequence)
        let status = try await store.status()
        #expect(sequences == Array(1..<status.head.nextSequence), "image \(index)")
        #expect(sequences.count >= image.acknowledged, "image \(index)")
        #expect(status.tickets == sequences.count, "image \(index)")
        #expect(try await store.entries(EntryQuery()).count == sequences.count, "image \(index)")
        await store.close()
    }
}
#endif
