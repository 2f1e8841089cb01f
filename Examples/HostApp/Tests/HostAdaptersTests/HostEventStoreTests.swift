import Foundation
import HostAdapters
import Portico
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("The host's event store and its file")
struct HostEventStoreTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url.appendingPathComponent("changes.jsonl") }

    private func open() throws -> HostEventStore { try HostEventStore(folder: folder.url) }

    /// Records three attempts and closes; the bytes of the file after each.
    private func recordThree() async throws -> [Data] {
        let store = try open()
        var files: [Data] = []
        for number in 1...3 {
            try await store.admit(number)
            files.append(try Data(contentsOf: file))
        }
        await store.close()
        return files
    }

    @Test("A tail that is cut, or filled with zeros, costs the last line alone and is told")
    func tornTail() async throws {
        let files = try await recordThree()
        let (before, whole) = (files[1], files[2])
        for cut in [1, 2, (whole.count - before.count) / 2, whole.count - before.count - 1] {
            for tail in [Data(), Data(repeating: 0, count: cut), Data(repeating: 0, count: 4_096) + Data("\n".utf8)] {
                try (whole.dropLast(cut) + tail).write(to: file)
                let store = try open()
                let status = try await store.status()
                #expect(status.head.nextSequence == 3)
                #expect(status.repairs.count == 1)
                try await store.admit(4)
                await store.close()
                let again = try open()
                #expect(try await again.events(EventQuery()).map(\.event.sequence) == [1, 2, 3])
                #expect(try await again.status().repairs.isEmpty)
                await again.close()
            }
        }
    }

    @Test("A line in the middle that does not read is an error, and nothing is written over it")
    func damagedMiddle() async throws {
        var bytes = try #require(try await recordThree().last)
        let middle = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 10
        bytes[middle] = 0
        try bytes.write(to: file)
        #expect(throws: EventStoreError.corrupt("line 2 does not read")) { try open() }
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("A file without a whole line is not taken for a new store, and is left as it is", arguments: [0, 1, 20])
    func noLine(_ length: Int) async throws {
        let bytes = try #require(try await recordThree().last).prefix(length)
        try bytes.write(to: file)
        #expect { try open() } throws: { if case .corrupt = $0 as? EventStoreError { true } else { false } }
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("Removing gives room back and keeps what must survive a restart")
    func removal() async throws {
        let store = try open()
        var ids: [EventID] = []
        for number in 1...20 { ids.append(try await store.admit(number)) }
        try await store.settle(Settlement(deliveries: [ids[4]: .delivered, ids[19]: .delivered])) { entry, _ in
            entry ?? LedgerEntry(body: [])
        }
        let before = try Data(contentsOf: file).count
        #expect(try await store.remove(.delivered) == 2)
        #expect(try Data(contentsOf: file).count < before)
        try await store.admit(21)
        let (events, status) = (try await store.events(EventQuery()), try await store.status())
        await store.close()

        let again = try open()
        #expect(try await again.events(EventQuery()) == events)
        #expect(try await again.status() == status)
        #expect(status.head.nextSequence == 22)
        #expect(status.tickets == 21)
        await again.close()
    }

    #if os(Linux)
    @Test("Where it is not known which file a power cut would leave, nothing more is written until it is opened again")
    func unsyncedName() async throws {
        // In a process of its own, which may give up the rights of an administrator: those could sync any folder.
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let folder = TemporaryFolder()
            let store = try HostEventStore(folder: folder.url)
            let id = try await store.admit(1)
            try await store.settle(Settlement(deliveries: [id: .delivered])) { entry, _ in
                entry ?? LedgerEntry(body: [])
            }
            // A file may be put in another's place there, and the folder not be opened.
            try #require(chmod(folder.url.path, 0o300) == 0)
            await #expect(throws: EventStoreError.readOnly) { try await store.remove(.delivered) }
            let error = await #expect(throws: EventStoreError.self) { try await store.admit(2) }
            #expect("\(try #require(error))".contains("open the store again"))
            try #require(chmod(folder.url.path, 0o700) == 0)
            await store.close()
            let again = try HostEventStore(folder: folder.url)
            #expect(try await again.status().head.nextSequence == 2)
            try await again.admit(2)
            await again.close()
        }
    }

    @Test("Where there is no room an attempt fails whole, and the next one succeeds when there is")
    func noRoom() async throws {
        // In a process of its own: the limit on the size of files is the process's.
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let store = try HostEventStore(folder: folder.url)
            try await store.admit(1)
            let file = folder.url.appendingPathComponent("changes.jsonl")
            let before = try Data(contentsOf: file)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let whole = limit.rlim_cur
            limit.rlim_cur = rlim_t(before.count + 100)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            await #expect(throws: EventStoreError.full) { try await store.admit(2) }
            #expect(try Data(contentsOf: file) == before)
            #expect(try await store.status().head.nextSequence == 2)
            limit.rlim_cur = whole
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try await store.admit(3)
            await store.close()
            let again = try HostEventStore(folder: folder.url)
            #expect(try await again.events(EventQuery()).map(\.event.sequence) == [1, 2])
            await again.close()
        }
    }
    #endif
}

extension HostEventStore {
    /// Records an admission of the ticket with that number.
    @discardableResult
    func admit(_ number: Int) async throws -> EventID {
        let ticket = try #require(Identifier("T-\(number)"))
        return try await record(TicketKey(event: "FAIR", ticket: ticket)) { head, _ in
            let now = Instant(seconds: 1_783_188_000 + Int64(number))
            return ScanRecord(
                event: ScanEvent(
                    id: EventID(at: now, random: (1, UInt64(number))), deviceID: head.deviceID,
                    sequence: head.nextSequence, scannedAt: now, verdict: .admitted),
                entry: LedgerEntry(body: [UInt8(number)], isInside: true))
        }.event.id
    }
}
