#if SQLite && os(Linux)
import Foundation
import Portico
import PorticoSQLite
import Testing

@Suite("Damaged and foreign files")
struct DamageTests {
    @Test("Bytes overwritten anywhere in the file give an answer or a clear error, never a trap")
    func overwrittenBytes() async throws {
        let original = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: original.path, durability: .killed)
        for number in 0..<120 { try await store.scan(try Sample.ticket(number)) }
        await store.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.path + "/events.sqlite"))

        var generator = SeededGenerator(state: 11)
        var corrupt = 0
        for offset in stride(from: 0, to: bytes.count - 64, by: 1_536) {
            var damaged = bytes
            for index in offset..<offset + 64 { damaged[index] = .random(in: 0...255, using: &generator) }
            corrupt += try await errors(of: damaged).count { if case .corrupt = $0 { true } else { false } }
        }
        #expect(corrupt > 10)
    }

    @Test("A file cut short gives an answer or a clear error")
    func cutShort() async throws {
        let original = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: original.path, durability: .killed)
        for number in 0..<60 { try await store.scan(try Sample.ticket(number)) }
        await store.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.path + "/events.sqlite"))
        var failing = 0
        for size in stride(from: 600, to: bytes.count, by: 5_000) where try await errors(of: bytes.prefix(size)) != [] {
            failing += 1
        }
        // What is missing at the very end may be of a page that no call needs.
        #expect(failing >= bytes.count / 5_000 - 1)
    }

    @Test("What is no event store, or a later one, is refused and not touched")
    func foreignFiles() async throws {
        try await expectUntouched("is a database of something else") {
            try execute("CREATE TABLE notes(text TEXT); INSERT INTO notes VALUES('keep me')", $0)
        }
        try await expectUntouched("has schema 2, this version reads 1") { path in
            let folder = String(path.dropLast("/events.sqlite".count))
            await (try SQLiteEventStore(folder: folder)).close()
            try execute("PRAGMA user_version = 2", path)
        }
        try await expectUntouched("file is not a database") {
            try Data(repeating: 0x61, count: 5_000).write(to: URL(fileURLWithPath: $0))
        }
        try await expectUntouched("is a database of something else") { path in
            let folder = String(path.dropLast("/events.sqlite".count))
            await (try SQLiteDocumentStore(folder: folder)).close()
            try FileManager.default.moveItem(atPath: folder + "/documents.sqlite", toPath: path)
        }
    }

    @Test("Reading where there is no store fails and makes none")
    func noStore() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: EventStoreError.self) {
            try await SQLiteEventStore(readingAt: folder.path)
        }
        if case .failed = error {} else { Issue.record("another error: \(String(describing: error))") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        await #expect(throws: EventStoreError.self) {
            try await SQLiteEventStore(readingAt: folder.path + "/nowhere")
        }
    }

    @Test("A folder that cannot be made is a clear error")
    func noFolder() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let error = await #expect(throws: EventStoreError.self) {
            try await SQLiteEventStore(folder: folder.path + "/file/events")
        }
        #expect(error == .failed("create events: Not a directory, errno 20"))
    }

    /// What every call says of a store with these bytes.
    private func errors(of bytes: Data) async throws -> [EventStoreError] {
        let folder = try TemporaryFolder()
        try bytes.write(to: URL(fileURLWithPath: folder.path + "/events.sqlite"))
        var errors: [EventStoreError] = []
        do {
            let store = try await SQLiteEventStore(folder: folder.path, durability: .killed)
            for call in calls {
                do { try await call(store) } catch { errors.append(try #require(error as? EventStoreError)) }
            }
            await store.close()
        } catch {
            errors.append(try #require(error as? EventStoreError))
        }
        return errors
    }

    private let calls: [@Sendable (SQLiteEventStore) async throws -> Void] = [
        { _ = try await $0.everything() },
        { _ = try await $0.entries(EntryQuery(limit: 1_000)) },
        { _ = try await $0.status() },
        { _ = try await $0.scan(TicketKey(event: "FAIR-2026", ticket: "T-50")) },
        { _ = try await $0.remove(.everything) },
    ]

    private func expectUntouched(_ text: String, _ make: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/events.sqlite"
        try await make(path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for open in [
            { try await SQLiteEventStore(folder: folder.path) }, { try await SQLiteEventStore(readingAt: folder.path) },
        ] {
            let error = await #expect(throws: EventStoreError.self) { try await open() }
            if case .corrupt(let detail) = error {
                #expect(detail.contains(text))
            } else {
                Issue.record("another error: \(String(describing: error))")
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}
#endif
