#if SQLite && os(Linux)
import CSQLite
import Foundation
import Portico
import PorticoSQLite
import Testing

@Suite("A fault of the files costs nothing that was acknowledged, and passes")
struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: FaultyFiles.Fault
        let error: EventStoreError?
    }

    static let cases = [
        Case(
            testDescription: "a write fails",
            fault: FaultyFiles.Fault(operation: .write, code: SQLITE_IOERR | 3 << 8), error: nil),
        Case(
            testDescription: "a write finds no room",
            fault: FaultyFiles.Fault(operation: .write, code: SQLITE_FULL, systemError: ENOSPC), error: .full),
        Case(
            testDescription: "a write fails for want of room",
            fault: FaultyFiles.Fault(operation: .write, code: SQLITE_IOERR | 3 << 8, systemError: ENOSPC), error: .full
        ),
        Case(
            testDescription: "half of a write is written",
            fault: FaultyFiles.Fault(
                operation: .write, skipping: 1, code: SQLITE_FULL, systemError: ENOSPC, isShort: true), error: .full),
        Case(
            testDescription: "a sync fails",
            fault: FaultyFiles.Fault(operation: .sync, code: SQLITE_IOERR | 4 << 8), error: nil),
    ]

    @Test("The record fails, the next one that the files let through succeeds, and nothing is lost", arguments: cases)
    func passingFault(_ fault: Case) async throws {
        for skipping in 0..<4 {
            try await check(fault, skipping: skipping)
        }
    }

    @Test("While the fault lasts every record fails; when it is gone the store works", arguments: cases)
    func lastingFault(_ fault: Case) async throws {
        let bench = try await FaultBench()
        try await bench.fill(5)
        var lasting = fault.fault
        lasting.isLasting = true
        bench.files.arm(lasting)
        for number in 5..<8 { await bench.expectFailure(number, fault.error) }
        #expect(try await bench.store.status().head.nextSequence == 6)
        bench.files.disarm()
        for number in 5..<8 { try await bench.store.scan(try Sample.ticket(number)) }
        try await bench.expectAll(8)
    }

    @Test("A store whose file is taken away while it fails begins no other in its place")
    func takenAwayMeanwhile() async throws {
        let bench = try await FaultBench()
        try await bench.fill(2)
        var lasting = FaultyFiles.Fault(operation: .write, code: SQLITE_IOERR | 3 << 8)
        lasting.isLasting = true
        bench.files.arm(lasting)
        await bench.expectFailure(2, nil)
        let path = bench.folder.path + "/events.sqlite"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        bench.files.disarm()
        for number in 2..<4 { await bench.expectFailure(number, nil) }
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        try await bench.store.scan(try Sample.ticket(2))
        try await bench.expectAll(3)
    }

    @Test("A record whose sync failed is not found after a kill", arguments: [false, true])
    func failedSyncIsBuried(_ goesOn: Bool) async throws {
        let bench = try await FaultBench()
        try await bench.fill(5)
        bench.files.arm(FaultyFiles.Fault(operation: .sync, code: SQLITE_IOERR | 4 << 8))
        await bench.expectFailure(99, nil)
        if goesOn { try await bench.store.scan(try Sample.ticket(5)) }
        let count = goesOn ? 6 : 5
        let image = try bench.copy()
        let afterKill = try await SQLiteEventStore(folder: image.path, durability: .killed)
        #expect(try await afterKill.everything().compactMap(\.event.operatorName) == (0..<count).map { "T-\($0)" })
        await afterKill.close()
        try await bench.expectAll(count)
    }

    @Test("A record whose sync failed is not found when the store was closed after it")
    func failedSyncIsBuriedByClosing() async throws {
        let bench = try await FaultBench()
        try await bench.fill(5)
        bench.files.arm(FaultyFiles.Fault(operation: .sync, code: SQLITE_IOERR | 4 << 8))
        await bench.expectFailure(99, nil)
        try await bench.expectAll(5)
    }

    @Test("Where a shared commit fails each record is tried once more alone", arguments: cases)
    func sharedCommit(_ fault: Case) async throws {
        let bench = try await FaultBench()
        try await bench.fill(1)
        bench.files.arm(fault.fault)
        let failures = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...100 {
                let ticket = try Sample.ticket(number)
                group.addTask {
                    do {
                        try await bench.store.scan(ticket)
                        return 0
                    } catch {
                        return 1
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        // One record may have been alone when the fault came; those that shared lose nothing.
        #expect(bench.files.failureCount == 1)
        #expect(failures <= 1)
        let sequences = try await bench.store.everything().map(\.event.sequence)
        #expect(sequences == Array(1...Int64(101 - failures)))
        await bench.store.close()
    }

    @Test("A checkpoint that fails loses nothing and is tried again")
    func failedCheckpoint() async throws {
        let bench = try await FaultBench(checkpointFrames: 20)
        bench.files.arm(
            FaultyFiles.Fault(operation: .sync, file: .database, code: SQLITE_IOERR | 4 << 8, isLasting: true))
        try await bench.fill(40)
        #expect(bench.files.failureCount > 0)
        bench.files.disarm()
        try await bench.expectAll(40)
    }

    private func check(_ fault: Case, skipping: Int) async throws {
        let bench = try await FaultBench()
        try await bench.fill(5)
        var armed = fault.fault
        armed.skipping += skipping
        bench.files.arm(armed)
        var recorded = 5
        while bench.files.failureCount == 0 {
            let ticket = try Sample.ticket(recorded)
            do throws(EventStoreError) {
                try await bench.store.scan(ticket)
                recorded += 1
            } catch {
                if let expected = fault.error { #expect(error == expected) }
                #expect(error.description.contains("event store"))
            }
            try #require(recorded < 100, "the fault did not come")
        }
        #expect(try await bench.store.status().head.nextSequence == Int64(recorded + 1))
        try await bench.store.scan(try Sample.ticket(recorded))
        try await bench.expectAll(recorded + 1)
    }
}

/// A store over files that can fail.
private struct FaultBench {
    let files = FaultyFiles()
    let folder: TemporaryFolder
    let store: SQLiteEventStore

    init(checkpointFrames: Int32 = 1_000) async throws {
        folder = try TemporaryFolder()
        store = try await SQLiteEventStore(
            folder: folder.path, durability: .powerCut,
            tuning: SQLiteTuning(vfs: files.name, checkpointFrames: checkpointFrames))
    }

    func fill(_ count: Int) async throws {
        for number in 0..<count { try await store.scan(try Sample.ticket(number)) }
    }

    func expectFailure(_ number: Int, _ expected: EventStoreError?) async {
        let error = await #expect(throws: EventStoreError.self) { try await store.scan(try Sample.ticket(number)) }
        if let expected { #expect(error == expected) }
    }

    /// Closes the store and opens it again: tickets from 0 on, one event each, all admitted, nothing else.
    func expectAll(_ count: Int) async throws {
        await store.close()
        let again = try await SQLiteEventStore(folder: folder.path)
        let events = try await again.everything().map(\.event)
        #expect(events.map(\.sequence) == Array(1..<Int64(count + 1)))
        #expect(events.compactMap(\.operatorName) == (0..<count).map { "T-\($0)" })
        #expect(events.allSatisfy { $0.verdict == .admitted })
        #expect(try await again.status().tickets == count)
        await again.close()
    }

    /// The files as they are now: what a kill would leave.
    func copy() throws -> TemporaryFolder {
        let image = try TemporaryFolder()
        for name in ["events.sqlite", "events.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: folder.path + "/" + name, toPath: image.path + "/" + name)
        }
        return image
    }
}
#endif
