#if SQLite && os(Linux)
import CSQLite
import Foundation
import Portico
import PorticoPOSIX
import PorticoSQLite
import Testing

@Suite("The document store")
struct DocumentStoreTests {
    @Test("Many that open a new folder at once and count in one document lose no count")
    func manyOpeners() async throws {
        let folder = try TemporaryFolder()
        try await withThrowingTaskGroup { group in
            for _ in 0..<6 {
                group.addTask {
                    let store = try await SQLiteDocumentStore(folder: folder.path + "/documents", durability: .killed)
                    for _ in 0..<20 { try await count(in: store) }
                    await store.close()
                }
            }
            try await group.waitForAll()
        }
        let store = try await SQLiteDocumentStore(folder: folder.path + "/documents")
        #expect(try await store.read("count") == Document(bytes: Array("120".utf8), revision: 120))
        await store.close()
    }

    @Test("A revision goes on rising after removal, in another opening too")
    func revisions() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteDocumentStore(folder: folder.path)
        let first = try await store.replace("theme", with: [1], if: nil)
        try await store.remove("theme")
        #expect(try await store.read("theme") == nil)
        #expect(try await store.revision("theme") == nil)
        await store.close()
        let again = try await SQLiteDocumentStore(folder: folder.path)
        #expect(try await again.replace("theme", with: [], if: nil) > first)
        #expect(try await again.read("theme")?.bytes == [])
        await again.close()
    }

    @Test("A replacement whose sync fails is an error, leaves the old document, and passes")
    func failedSync() async throws {
        let files = FaultyFiles()
        let folder = try TemporaryFolder()
        let store = try await SQLiteDocumentStore(
            folder: folder.path, durability: .powerCut, tuning: SQLiteTuning(vfs: files.name))
        let first = try await store.replace("configuration", with: [1], if: nil)
        files.arm(FaultyFiles.Fault(operation: .sync, code: SQLITE_IOERR | 4 << 8))
        await #expect(throws: DocumentStoreError.self) {
            try await store.replace("configuration", with: [2], if: first)
        }
        #expect(try await store.read("configuration") == Document(bytes: [1], revision: first))
        let second = try await store.replace("configuration", with: [3], if: first)
        await store.close()
        let again = try await SQLiteDocumentStore(folder: folder.path)
        #expect(try await again.read("configuration") == Document(bytes: [3], revision: second))
        await again.close()
    }

    @Test("Opening waits for another process that opens, so long and no longer, and tells which one it is")
    func lockedOpening() async throws {
        let folder = try TemporaryFolder()
        let lock = try FileLock(folder.path + "/documents.lock", in: POSIXFileSystem())
        await #expect(throws: DocumentStoreError.failed("lock documents.lock: held by process \(getpid())")) {
            try await SQLiteDocumentStore(folder: folder.path, durability: .killed, tuning: SQLiteTuning(patience: 20))
        }
        lock.release()
        await (try SQLiteDocumentStore(folder: folder.path)).close()
    }

    @Test("Documents and events may share a folder")
    func sharedFolder() async throws {
        let folder = try TemporaryFolder()
        let documents = try await SQLiteDocumentStore(folder: folder.path)
        let events = try await SQLiteEventStore(folder: folder.path)
        _ = try await documents.replace("theme", with: [1], if: nil)
        try await events.scan(try Sample.ticket(1))
        #expect(try await documents.names() == ["theme"])
        await events.close()
        await documents.close()
    }
}

/// Adds one to the number in a document, however often somebody else comes first.
private func count(in store: SQLiteDocumentStore) async throws {
    while true {
        let before = try await store.read("count")
        let number = before.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
        do throws(DocumentStoreError) {
            _ = try await store.replace("count", with: Array("\(number + 1)".utf8), if: before?.revision)
            return
        } catch {
            guard case .changed = error else { throw error }
        }
    }
}
#endif
