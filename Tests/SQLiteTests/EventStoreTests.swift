#if SQLite && os(Linux)
import CSQLite
import Foundation
import Portico
import PorticoSQLite
import Testing

@Suite("The event store")
struct EventStoreTests {
    @Test("Two hundred scans of one ticket at once admit one")
    func oneAdmission() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: folder.path)
        let ticket = try Sample.ticket(1)
        let admissions = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { try await store.scan(ticket).isAdmission ? 1 : 0 } }
            return try await group.reduce(0, +)
        }
        #expect(admissions == 1)
        #expect(try await store.everything().map(\.event.sequence) == Array(1...200))
        await store.close()
    }

    @Test("A reader sees what is recorded, needs no lock and writes nothing")
    func readerBeside() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: folder.path)
        let reader = try await SQLiteEventStore(readingAt: folder.path)
        for number in 0..<3 {
            try await store.scan(try Sample.ticket(number))
            #expect(try await reader.status().pending == number + 1)
        }
        #expect(try await reader.events(.pending()) == store.events(.pending()))
        #expect(try await reader.entries(EntryQuery()).count == 3)
        await #expect(throws: EventStoreError.readOnly) { try await reader.scan(try Sample.ticket(1)) }
        await #expect(throws: EventStoreError.readOnly) { try await reader.remove(.everything) }
        await #expect(throws: EventStoreError.readOnly) {
            try await reader.settle(Settlement(cursor: "7")) { _, _ in LedgerEntry(body: []) }
        }
        await store.close()
        #expect(try await reader.status().pending == 3)
        await reader.close()
        await #expect(throws: EventStoreError.closed) { try await reader.status() }
    }

    @Test("A reader shows an open presentation, which a writer that opens ends")
    func readerOfOpenEvents() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: folder.path)
        _ = try await store.record(nil) { head, _ in ScanRecord(event: Sample.event(head), isOpen: true) }
        await store.close()
        let reader = try await SQLiteEventStore(readingAt: folder.path)
        #expect(try await reader.status().counts[.open] == 1)
        let again = try await SQLiteEventStore(folder: folder.path)
        #expect(try await reader.status().counts[.open] == 0)
        #expect(try await reader.status().pending == 1)
        await reader.close()
        await again.close()
    }

    @Test("A second writer is told who holds the store")
    func secondWriter() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: folder.path)
        await #expect(throws: EventStoreError.locked(by: "process \(getpid())")) {
            try await SQLiteEventStore(folder: folder.path)
        }
        await store.close()
        await (try SQLiteEventStore(folder: folder.path)).close()
    }

    @Test("A store that is let go without being closed lets go of its lock")
    func letGo() async throws {
        let folder = try TemporaryFolder()
        do {
            let store = try await SQLiteEventStore(folder: folder.path)
            try await store.scan(try Sample.ticket(1))
        }
        // The store is gone; what it had begun on its queue may still be at its end.
        let again = try await unlocked { try await SQLiteEventStore(folder: folder.path) }
        #expect(try await again.status().pending == 1)
        await again.close()
    }

    /// What `open` gives as soon as the store is not locked any more, within ten seconds.
    private func unlocked(_ open: () async throws -> SQLiteEventStore) async throws -> SQLiteEventStore {
        for _ in 0..<1_000 {
            do {
                return try await open()
            } catch EventStoreError.locked {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        return try await open()
    }

    @Test("Folders are made for their owner alone, files too")
    func modes() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a/b/events"
        let store = try await SQLiteEventStore(folder: path)
        try await store.scan(try Sample.ticket(1))
        #expect(try mode(folder.path + "/a") == 0o700)
        #expect(try mode(path) == 0o700)
        for name in ["events.sqlite", "events.sqlite-wal", "events.sqlite-shm", "events.lock"] {
            #expect(try mode(path + "/" + name) == 0o600, "\(name)")
        }
        await store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["events.lock", "events.sqlite"])
    }

    @Test("Delivered events are removed in parts, all of them")
    func removalInParts() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: folder.path, durability: .killed)
        try await withThrowingTaskGroup { group in
            for number in 0..<2_300 {
                let ticket = try Sample.ticket(number)
                group.addTask { _ = try await store.scan(ticket) }
            }
            try await group.waitForAll()
        }
        // Every hundredth stays pending: what is removed does not lie together.
        let events = try await store.everything().map(\.event)
        let delivered = events.filter { !$0.sequence.isMultiple(of: 100) }
        try await store.settle(
            Settlement(deliveries: Dictionary(uniqueKeysWithValues: delivered.map { ($0.id, .delivered) }))
        ) { _, _ in LedgerEntry(body: []) }
        async let removed = store.remove(.delivered)
        let meanwhile = try await store.scan(try Sample.ticket(9_000))
        #expect(try await removed == 2_277)
        let left = try await store.everything().map(\.event.sequence)
        #expect(left == Array(stride(from: 100, through: 2_300, by: 100)) + [meanwhile.sequence])
        let status = try await store.status()
        #expect(status.counts[.delivered] == 0)
        #expect(status.pending == 24)
        #expect(status.tickets == 2_301)
        await store.close()
    }

    @Test("Every set of states is found from any sequence on, however deliveries went")
    func states() async throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(state: 3)
        for round in 0..<6 {
            // A round is an opening: what was open is pending in the next.
            let store = try await SQLiteEventStore(folder: folder.path, durability: .killed)
            for _ in 0..<12 {
                let isOpen = Bool.random(using: &generator)
                _ = try await store.record(nil) { head, _ in ScanRecord(event: Sample.event(head), isOpen: isOpen) }
            }
            // The first stays behind until the last round.
            let all = try await store.everything().dropFirst(round == 5 ? 0 : 1)
            var deliveries: [EventID: Delivery] = [:]
            for event in all where round == 5 || Int.random(in: 0..<3, using: &generator) > 0 {
                deliveries[event.event.id] =
                    Int.random(in: 0..<8, using: &generator) == 0 ? .parked(code: "no", message: "") : .delivered
            }
            try await store.settle(Settlement(deliveries: deliveries)) { _, _ in LedgerEntry(body: []) }
            try await checkStates(store)
            await store.close()
        }
    }

    private func checkStates(_ store: SQLiteEventStore) async throws {
        let all = try await store.everything()
        let kinds = EventState.Kind.allCases
        for set in 0..<(1 << kinds.count) {
            let states = Set(kinds.indices.filter { set >> $0 & 1 == 1 }.map { kinds[$0] })
            for after in stride(from: Int64(0), through: 80, by: 7) {
                let found = try await store.events(EventQuery(states: states, after: after, limit: 20))
                let expected = all.filter { states.contains($0.state.kind) && $0.event.sequence > after }.prefix(20)
                #expect(found == Array(expected), "\(states) after \(after)")
            }
        }
        let status = try await store.status()
        for kind in kinds { #expect(status.counts[kind, default: 0] == all.count { $0.state.kind == kind }) }
        #expect(status.oldestPending == all.first { $0.state == .pending }?.event.scannedAt)
    }

    @Test("An event that cannot be read is named and holds up no other")
    func unreadableEvent() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEventStore(folder: folder.path)
        for number in 0..<5 { try await store.scan(try Sample.ticket(number)) }
        await store.close()
        try execute("UPDATE events SET body = x'7b7d' WHERE sequence = 2", folder.path + "/events.sqlite")
        try execute("UPDATE events SET state = 77 WHERE sequence = 3", folder.path + "/events.sqlite")

        let again = try await SQLiteEventStore(folder: folder.path)
        #expect(try await again.events(.pending(limit: 2)).map(\.event.sequence) == [1, 4])
        #expect(try await again.events(EventQuery()).map(\.event.sequence) == [1, 4, 5])
        let repairs = try await again.status().repairs
        #expect(repairs.count == 1)
        #expect(repairs.first?.hasPrefix("event 2 cannot be read: ") == true)
        await again.close()
    }

    @Test("In a folder that cannot be written a store is read where it was closed, and otherwise it is told what to do")
    func readOnlyFolder() async throws {
        let folder = try TemporaryFolder()
        // Characters that mean something in a URI.
        let (closed, copied) = (folder.path + "/100% closed?#1", folder.path + "/copied")
        let store = try await SQLiteEventStore(folder: closed, durability: .killed)
        for number in 0..<3 { try await store.scan(try Sample.ticket(number)) }
        try FileManager.default.createDirectory(atPath: copied, withIntermediateDirectories: false)
        for name in ["events.sqlite", "events.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: "\(closed)/\(name)", toPath: "\(copied)/\(name)")
        }
        await store.close()
        for path in [closed, copied] {
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                try #require(chmod("\(path)/\(name)", 0o444) == 0)
            }
            try #require(chmod(path, 0o555) == 0)
        }
        defer { for path in [closed, copied] { chmod(path, 0o755) } }
        // In a process of its own, which may give up the rights of an administrator.
        await #expect(processExitsWith: .success) { [closed = closed as String, copied = copied as String] in
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let reader = try await SQLiteEventStore(readingAt: closed)
            for _ in 0..<2 {
                #expect(try await reader.everything().map(\.event.sequence) == [1, 2, 3])
                #expect(try await reader.status().pending == 3)
            }
            await reader.close()
            await #expect(throws: EventStoreError.closed) { try await reader.status() }
            let error = await #expect(throws: EventStoreError.self) { try await SQLiteEventStore(readingAt: copied) }
            #expect("\(try #require(error))".contains("events.sqlite-wal has what is not in events.sqlite yet"))
        }
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}

/// Runs a statement on a database file through SQLite alone.
func execute(_ sql: String, _ path: String) throws {
    var handle: OpaquePointer?
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
}
#endif
