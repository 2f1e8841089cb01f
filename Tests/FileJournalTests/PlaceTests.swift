import Foundation
import Portico
import PorticoFileJournal
import PorticoPOSIX
import Testing

@testable import PorticoFileJournal

@Suite("A journal whose files are taken away beneath it")
struct PlaceTests {
    /// A store in a folder of its own, with one event.
    private func opened(in folder: TemporaryFolder) async throws -> FileJournalEventStore {
        let store = try await FileJournalEventStore(folder: folder.path + "/journal")
        try await add(store, 1)
        return store
    }

    private func add(_ store: FileJournalEventStore, _ number: UInt64) async throws {
        _ = try await store.record(nil) { head, _ in
            ScanRecord(
                event: ScanEvent(
                    id: EventID(at: Instant(seconds: 1), random: (1, number)), deviceID: head.deviceID,
                    sequence: head.nextSequence, scannedAt: Instant(seconds: 1), verdict: .refused(.malformed)))
        }
    }

    @Test(
        "Nothing is acknowledged into a file that was removed, moved or replaced, and it goes on when it is back",
        arguments: ["journal-00000001.pj", "LOCK", ""])
    func movedAway(name: String) async throws {
        let folder = try TemporaryFolder()
        let store = try await opened(in: folder)
        let files = FileManager.default
        let path = folder.path + "/journal" + (name.isEmpty ? "" : "/\(name)")
        try files.moveItem(atPath: path, toPath: folder.path + "/aside")
        await #expect(throws: EventStoreError.self) { try await add(store, 2) }
        // A copy under the name is another file: a second gate may have begun with it.
        try files.copyItem(atPath: folder.path + "/aside", toPath: path)
        do {
            try await add(store, 3)
            Issue.record("it was recorded into a file without a name")
        } catch let error as EventStoreError {
            #expect("\(error)".contains("while the store was open"))
        }
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: folder.path + "/aside", toPath: path)
        try await add(store, 4)
        await store.close()
        let again = try await FileJournalEventStore(folder: folder.path + "/journal")
        #expect(try await again.events(EventQuery()).map(\.event.sequence) == [1, 2])
        await again.close()
    }
}
