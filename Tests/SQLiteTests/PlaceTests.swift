#if SQLite && os(Linux)
import Foundation
import Portico
import PorticoSQLite
import Testing

@Suite("A database whose files are taken away beneath it")
struct PlaceTests {
    @Test(
        "Nothing is acknowledged into a file that was removed, moved or replaced, and it goes on when it is back",
        arguments: ["events.sqlite", "events.sqlite-wal", "events.lock", ""])
    func movedAway(name: String) async throws {
        let folder = try TemporaryFolder()
        let home = folder.path + "/store"
        let store = try await SQLiteEventStore(folder: home)
        try await store.scan(try Sample.ticket(1))
        let files = FileManager.default
        let path = home + (name.isEmpty ? "" : "/\(name)")
        try files.moveItem(atPath: path, toPath: folder.path + "/aside")
        await #expect(throws: EventStoreError.self) { try await store.scan(try Sample.ticket(2)) }
        // A copy under the name is another file: a second gate may have begun with it.
        try files.copyItem(atPath: folder.path + "/aside", toPath: path)
        do {
            try await store.scan(try Sample.ticket(3))
            Issue.record("it was recorded into a file without a name")
        } catch let error as EventStoreError {
            #expect("\(error)".contains("while the store was open"))
        }
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: folder.path + "/aside", toPath: path)
        try await store.scan(try Sample.ticket(4))
        await store.close()
        let again = try await SQLiteEventStore(folder: home)
        #expect(try await again.everything().map(\.event.operatorName) == ["T-1", "T-4"])
        await again.close()
    }
}
#endif
