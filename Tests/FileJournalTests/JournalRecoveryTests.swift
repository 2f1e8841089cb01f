import Portico
import PorticoInMemory
import Testing

@testable import PorticoFileJournal

@Suite("A damaged journal gives back what is still good")
struct JournalRecoveryTests {
    /// A journal of so many records in one segment, and what stands in it after each.
    struct Written {
        let path = "/journal/journal-00000001.pj"
        let image: SimulatedFileSystem
        let bytes: [UInt8]
        /// Where each record ends; the first is the end of the header.
        let ends: [Int]

        init(_ records: Int) async throws {
            let fileSystem = SimulatedFileSystem()
            let store = try await openJournal(fileSystem, JournalOptions())
            var ends = [SegmentHeader.length]
            for number in 1...records {
                try await Step.record(number, ticket: number, isOpen: false, closes: nil).run(on: store)
                ends.append(fileSystem.contents(path)?.count ?? 0)
            }
            image = fileSystem.killed()
            bytes = fileSystem.contents(path) ?? []
            self.ends = ends
            await store.close()
        }

        /// How many records still stand unchanged in these bytes. Zeros over a record that ended in zeros leave it whole.
        func whole(in bytes: [UInt8]) -> Int {
            ends.prefix { bytes.count >= $0 && bytes[..<$0] == self.bytes[..<$0] }.count - 1
        }

        /// Opens the folder with other bytes in the segment.
        func opened(with bytes: [UInt8]) async throws -> (FileJournalEventStore, SimulatedFileSystem) {
            let fileSystem = image.killed()
            fileSystem.replace(path, with: bytes)
            return (try await openJournal(fileSystem, JournalOptions()), fileSystem)
        }
    }

    private func first(_ count: Int) -> [Int64] {
        (0..<Int64(count)).map { $0 + 1 }
    }

    /// The sequences of the events, and whether the ledger has exactly their tickets.
    private func sequences(_ store: FileJournalEventStore) async throws -> [Int64] {
        let sequences = try await store.events(EventQuery(limit: .max)).map(\.event.sequence)
        let tickets = try await store.entries(EntryQuery(limit: .max)).map(\.ticket)
        #expect(tickets == sequences.map { Step.key(Int($0)) }.sorted())
        return sequences
    }

    @Test("Cut at every byte of the last two records, it opens with the whole ones and goes on")
    func cutAnywhere() async throws {
        let written = try await Written(6)
        for length in written.ends[4]..<written.bytes.count {
            let (store, fileSystem) = try await written.opened(with: Array(written.bytes.prefix(length)))
            let whole = written.whole(in: Array(written.bytes.prefix(length)))
            #expect(try await sequences(store) == first(whole), "cut at \(length)")
            let isTorn = !written.ends.contains(length)
            #expect(try await store.status().repairs.count == (isTorn ? 1 : 0), "cut at \(length)")
            try await Step.record(whole + 1, ticket: whole + 1, isOpen: false, closes: nil).run(on: store)
            await store.close()
            let again = try await openJournal(fileSystem.killed(), JournalOptions())
            #expect(try await sequences(again) == first(whole + 1), "cut at \(length), opened again")
            #expect(try await again.status().repairs == [], "cut at \(length), opened again")
            await again.close()
        }
    }

    @Test("Zeros at the end, one page or many, are cut off and told", arguments: [1, 2, 3, 8, 40])
    func zeroTail(pages: Int) async throws {
        let written = try await Written(20)
        let zeros = [UInt8](repeating: 0, count: pages * 4_096)
        for lost in [0, 1, 700] {
            let damaged = Array(written.bytes.dropLast(lost) + zeros)
            let (store, _) = try await written.opened(with: damaged)
            #expect(try await sequences(store) == first(written.whole(in: damaged)))
            #expect(try await store.status().repairs.count == 1)
            await store.close()
        }
    }

    @Test("Pages of the tail that turned to zeros lose those records alone", arguments: 1...4)
    func zeroedPages(pages: Int) async throws {
        let written = try await Written(60)
        var bytes = written.bytes
        let start = max(SegmentHeader.length, (bytes.count - pages * 4_096) & ~4_095)
        for index in start..<bytes.count { bytes[index] = 0 }
        let (store, _) = try await written.opened(with: bytes)
        #expect(try await sequences(store) == first(written.whole(in: bytes)))
        #expect(try await store.status().repairs.count == 1)
        await store.close()
    }

    @Test("A bit flipped anywhere in a middle record is set aside and told, and the later ones are there")
    func flippedBit() async throws {
        let written = try await Written(6)
        for offset in written.ends[2]..<written.ends[3] {
            var bytes = written.bytes
            bytes[offset] ^= 1 << (offset % 8)
            let (store, fileSystem) = try await written.opened(with: bytes)
            #expect(try await sequences(store) == [1, 2, 4, 5, 6], "flipped at \(offset)")
            #expect(try await store.status().head.nextSequence == 7)
            #expect(try await store.status().repairs.count == 1)
            let aside = fileSystem.contents("\(written.path).\(written.ends[2]).quarantine")
            #expect(aside == Array(bytes[written.ends[2]..<written.ends[3]]), "flipped at \(offset)")
            try await Step.record(7, ticket: 7, isOpen: false, closes: nil).run(on: store)
            await store.close()
            let again = try await openJournal(fileSystem.killed(), JournalOptions())
            #expect(try await sequences(again) == [1, 2, 4, 5, 6, 7], "flipped at \(offset), opened again")
            let repairs = try await again.status().repairs
            #expect(repairs.count == 1 && repairs[0].contains("set aside earlier"), "it is told until somebody acts")
            await again.close()
            let dealtWith = fileSystem.killed()
            try dealtWith.remove("\(written.path).\(written.ends[2]).quarantine")
            let clean = try await openJournal(dealtWith, JournalOptions())
            #expect(try await clean.status().repairs == [])
            await clean.close()
        }
    }

    @Test("A bit flipped in the header costs nothing, in both copies it is an error and nothing is touched")
    func flippedHeader() async throws {
        let written = try await Written(3)
        for offset in 0..<2 * SegmentHeader.copyLength {
            var bytes = written.bytes
            bytes[offset] ^= 4
            let (store, _) = try await written.opened(with: bytes)
            #expect(try await sequences(store) == [1, 2, 3])
            await store.close()
            bytes[(offset + SegmentHeader.copyLength) % (2 * SegmentHeader.copyLength)] ^= 4
            let fileSystem = written.image.killed()
            fileSystem.replace(written.path, with: bytes)
            await #expect(throws: EventStoreError.self, "flipped at \(offset)") {
                try await openJournal(fileSystem)
            }
            #expect(fileSystem.contents(written.path) == bytes)
        }
    }

    @Test("A later version and a foreign file are errors, and stay as they were")
    func foreign() async throws {
        let written = try await Written(3)
        var newer = written.bytes
        for start in [0, SegmentHeader.copyLength] {
            newer[start + 8] = 9
            let sum = CRC32C.checksum(Array(newer[start..<start + 60]))
            withUnsafeBytes(of: sum.littleEndian) { newer.replaceSubrange(start + 60..<start + 64, with: $0) }
        }
        let foreign = Array(
            "a shopping list, and no journal at all; it is long enough to be looked at in earnest, as ".utf8)
        for (bytes, expected) in [
            (
                newer,
                EventStoreError.failed("journal-00000001.pj has format version 9, and this version knows 1")
            ),
            (foreign + foreign, .corrupt("journal-00000001.pj is no journal")),
            ([UInt8](repeating: 0, count: 400), .corrupt("journal-00000001.pj: both copies of its header are damaged")),
            ([], .corrupt("journal-00000001.pj: both copies of its header are damaged")),
            (
                Array(written.bytes.prefix(SegmentHeader.length - 1)),
                .corrupt("journal-00000001.pj ends in its header")
            ),
        ] {
            let fileSystem = written.image.killed()
            fileSystem.replace(written.path, with: bytes)
            await #expect(throws: expected) { try await openJournal(fileSystem) }
            #expect(fileSystem.contents(written.path) == bytes)
            #expect(fileSystem.paths().filter { $0.contains(".pj") } == [written.path])
        }
    }

    @Test("A damaged checkpoint is read again from the segments, and without them it is an error")
    func damagedCheckpoint() async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem, .small())
        let storage = try await model(of: store)
        let memory = try InMemoryEventStore(storage)
        for step in Step.random(80, seed: 5) where !step.removes {
            try await step.run(on: store)
            try await step.run(on: memory)
        }
        await store.close()
        let expected = try await Snapshot(memory).reopened
        let path = "/journal/\(Checkpoint.name)"
        let good = try #require(fileSystem.contents(path))
        var generator = Seeded(9)
        for _ in 0..<40 {
            let image = fileSystem.killed()
            var bytes = good
            bytes[Int.random(in: (good.count - 200)..<good.count, using: &generator)] ^= 0x10
            image.replace(path, with: bytes)
            let again = try await openJournal(image, .small())
            #expect(try await Snapshot(again) == expected)
            #expect(try await again.status().repairs.count == 1)
            await again.close()

            let first = try #require(fileSystem.paths().first { $0.hasSuffix(".pj") })
            let poor = fileSystem.killed()
            poor.replace(path, with: bytes)
            try poor.remove(first)
            await #expect(
                throws: EventStoreError.corrupt("\(Checkpoint.name) is damaged, and earlier segments are gone")
            ) {
                try await openJournal(poor, .small())
            }
        }
    }

    @Test(
        "A damaged block of the ledger is read again from the segments; without them its tickets, and no others, are refused"
    )
    func damagedBlock() async throws {
        let fileSystem = SimulatedFileSystem()
        var options = JournalOptions.small()
        options.entriesInMemory = 400
        options.bytesToReplay = .max
        let store = try await openJournal(fileSystem, options)
        for number in 1...400 {
            try await Step.record(number, ticket: number, isOpen: false, closes: nil).run(on: store)
        }
        await store.close()
        let path = "/journal/\(Checkpoint.name)"
        var bytes = try #require(fileSystem.contents(path))
        bytes[Checkpoint.headerLength + 20] ^= 1
        fileSystem.replace(path, with: bytes)
        func refused(_ image: SimulatedFileSystem) async throws -> (count: Int, repairs: [String]) {
            let again = try await openJournal(image, options)
            var refused = 0
            for number in 1...400 {
                do throws(EventStoreError) {
                    let entry = try await again.entries(EntryQuery(ticket: Step.key(number)))
                    #expect(entry.count == 1)
                } catch {
                    refused += 1
                }
            }
            let repairs = try await again.status().repairs
            let reader = try await openJournal(image, options, access: .read)
            #expect(try await reader.status().repairs.isEmpty == (refused == 0))
            await reader.close()
            await again.close()
            return (refused, repairs)
        }
        let whole = try await refused(fileSystem.killed())
        #expect(whole.count == 0)
        #expect(whole.repairs == ["\(Checkpoint.name) was damaged; everything was read again from the segments"])

        let poor = fileSystem.killed()
        try poor.remove(try #require(fileSystem.paths().filter { $0.hasSuffix(".pj") }.min()))
        let rest = try await refused(poor)
        #expect(rest.count > 0 && rest.count < 100)
        #expect(rest.repairs.contains { $0.contains("1 blocks of the ledger are damaged") })
    }

    @Test("An event whose record is damaged while the store is open does not stop those behind it")
    func damagedLater() async throws {
        let written = try await Written(6)
        let (store, fileSystem) = try await written.opened(with: written.bytes)
        var bytes = written.bytes
        bytes[written.ends[2] + 60] ^= 1
        fileSystem.replace(written.path, with: bytes)
        #expect(try await store.events(EventQuery()).map(\.event.sequence) == [1, 2, 4, 5, 6])
        let status = try await store.status()
        #expect(status.repairs.count == 1 && status.pending == 5)
        await store.close()
    }

    @Test("A reader passes over an event whose record is damaged while it is open, and tells it")
    func damagedBesideReader() async throws {
        let written = try await Written(6)
        let (store, fileSystem) = try await written.opened(with: written.bytes)
        let reader = try await openJournal(fileSystem, JournalOptions(), access: .read)
        var bytes = written.bytes
        bytes[written.ends[2] + 60] ^= 1
        fileSystem.replace(written.path, with: bytes)
        for _ in 0..<2 {
            #expect(try await reader.events(EventQuery()).map(\.event.sequence) == [1, 2, 4, 5, 6])
            #expect(
                try await reader.status().repairs
                    == ["event 3 cannot be read: journal-00000001.pj is damaged at \(written.ends[2])"])
        }
        await reader.close()
        await store.close()
    }

    @Test("An event that does not read is named and holds up no other, beside a writer too", arguments: [1, 2, 500])
    func unreadableEvent(limit: Int) async throws {
        let fileSystem = SimulatedFileSystem()
        let store = try await openJournal(fileSystem)
        for number in 1...7 {
            _ = try await store.record(nil) { head, _ in
                ScanRecord(
                    event: ScanEvent(
                        id: Step.id(number), deviceID: head.deviceID, sequence: head.nextSequence,
                        scannedAt: Instant(milliseconds: 0),
                        // No hash has one byte: it is written, and does not read.
                        codeHash: [2, 3, 7].contains(number) ? [1] : nil))
            }
        }
        let reader = try await openJournal(fileSystem, access: .read)
        for opened in [store, reader] {
            var found: [Int64] = []
            while true {
                let page = try await opened.events(.pending(after: found.last ?? 0, limit: limit))
                if page.isEmpty { break }
                found += page.map(\.event.sequence)
            }
            #expect(found == [1, 4, 5, 6])
            let repairs = try await opened.status().repairs
            #expect(repairs.map { $0.prefix(23) } == [2, 3, 7].map { "event \($0) cannot be read:" })
        }
        await reader.close()
        await store.close()
    }

    @Test("Arbitrary bytes are read to the end without a trap")
    func arbitraryBytes() async throws {
        var generator = Seeded(2_026)
        let good = try await Written(4).bytes
        for round in 0..<3_000 {
            var bytes: [UInt8]
            switch round % 3 {
            case 0: bytes = (0..<Int.random(in: 0...900, using: &generator)).map { _ in generator.byte() }
            case 1: bytes = good
            default: bytes = Array(good.prefix(Int.random(in: 0...good.count, using: &generator)))
            }
            for _ in 0..<Int.random(in: 0...6, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = generator.byte()
            }
            #expect(JournalRecovery.exercise(bytes) >= 0)
        }
        #expect(JournalRecovery.exercise(good) > 0)
    }

    @Test("A frame that somebody had recorded as data is no frame")
    func embeddedFrame() async throws {
        var frame: [UInt8] = []
        Frame.append([1, 2, 3], number: 2, salt: 1, to: &frame)
        var bytes: [UInt8] = []
        Frame.append(frame, number: 1, salt: 7, to: &bytes)
        bytes[4] ^= 1
        let recovery = bytes.withUnsafeBytes { JournalRecovery($0, from: 0, salt: 7) }
        #expect(recovery.frames.isEmpty)
        #expect(recovery.tail == 0..<bytes.count)
    }
}

extension Seeded {
    mutating func byte() -> UInt8 {
        UInt8(truncatingIfNeeded: next())
    }
}

extension Step {
    var removes: Bool {
        if case .remove = self { true } else { false }
    }
}
