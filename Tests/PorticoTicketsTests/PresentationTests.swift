import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Presentations at a scanner", .timeLimit(.minutes(5)))
struct PresentationTests {
    /// One lane: a scanner that is shown codes while time goes on, and the decisions on them.
    private final class Lane {
        let time: ManualTimeSource
        private let scanner = StubCodeScanner([], isEnded: false)
        private var decisions: ScanDecisions.AsyncIterator

        init(_ made: TestGate, _ name: Identifier? = nil) {
            time = made.time
            decisions = made.gate.decisions(from: scanner, lane: name).makeAsyncIterator()
        }

        /// What is decided of a sighting that long after the last one.
        func see(_ text: String, after span: Int64 = 200, empty: Int64 = 0) async throws -> ScanDecision {
            time.advance(milliseconds: span)
            scanner.present(ScannedCode(bytes: Array(text.utf8), emptyMilliseconds: empty, origin: "frame"))
            return try #require(try await decisions.next())
        }

        /// The source ends.
        func end() async throws {
            scanner.end()
            #expect(try await decisions.next() == nil)
        }

        /// The source breaks.
        func fail(_ error: CodeScannerError) async throws {
            scanner.fail(error)
            _ = try await decisions.next()
        }
    }

    private let issuer = Issuer()

    /// Waits until a condition of the store holds; it is brought about by the gate's own housekeeping.
    private func waitUntil(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<10_000 {
            if try await condition() { return }
            await Task.yield()
        }
        Issue.record("it did not come about")
    }

    @Test("A code that is held for a minute is one presentation and one event")
    func held() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        let text = issuer.ticket()
        let first = try await lane.see(text)
        #expect(first.outcome == .admitted)
        for _ in 0..<300 {
            let again = try await lane.see(text)
            #expect(again.isRepeat(of: first))
            #expect(!again.isAdmitted)
            #expect(again.ticket == first.ticket)
        }
        try await lane.end()
        let events = try await made.events()
        #expect(events.map(\.repeats) == [300])
        #expect(try await made.store.status().pending == 1)
    }

    @Test("Repeats of a refusal are repeats too")
    func heldRefusal() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        for text in [issuer.ticket(zone: "SOUTH"), "a poster"] {
            let first = try await lane.see(text)
            #expect(first.reason != nil)
            for _ in 0..<20 {
                #expect(try await lane.see(text).isRepeat(of: first))
            }
        }
        try await lane.end()
        #expect(try await made.events().map(\.repeats) == [20, 20])
    }

    @Test("Three seconds without a sighting end a presentation, and so does one empty second")
    func gaps() async throws {
        for (span, empty, isRepeat) in [
            (3_000, 0, true), (3_001, 0, false), (1_500, 999, true), (1_500, 1_000, false), (10_000, 10_000, false),
        ] as [(Int64, Int64, Bool)] {
            let made = try await TestGate.configured(issuer)
            let lane = Lane(made)
            let text = issuer.ticket()
            let first = try await lane.see(text)
            let second = try await lane.see(text, after: span, empty: empty)
            if isRepeat {
                #expect(second.isRepeat(of: first), "\(span) \(empty)")
            } else {
                #expect(second.outcome == .refused(.alreadyUsed), "\(span) \(empty)")
                #expect(second.eventID != first.eventID)
            }
        }
    }

    @Test("The three seconds are measured by uptime: setting the wall clock ends no presentation")
    func wallClock() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        let text = issuer.ticket()
        let first = try await lane.see(text)
        made.time.setWall(made.time.now.advanced(byMilliseconds: 60_000))
        #expect(try await lane.see(text).isRepeat(of: first))
    }

    @Test("Another code between ends a presentation")
    func another() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        #expect(try await lane.see(issuer.ticket("A")).outcome == .admitted)
        #expect(try await lane.see(issuer.ticket("B")).outcome == .admitted)
        #expect(try await lane.see(issuer.ticket("A")).outcome == .refused(.alreadyUsed))
        #expect(try await lane.see("noise").outcome == .refused(.malformed))
        #expect(try await lane.see(issuer.ticket("A")).outcome == .refused(.alreadyUsed))
    }

    @Test("Marks of a reader do not make it another code; another spelling does")
    func spellings() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        let text = issuer.ticket()
        let first = try await lane.see(text)
        let marked = try await lane.see("]Q1" + text + "\r\n")
        #expect(marked.isRepeat(of: first))
        let respelt = Base64URL.encode(issuer.json() + [0x20])
        #expect(try await lane.see(respelt).outcome == .refused(.alreadyUsed))
    }

    @Test("A second lane, and a direct validate, are always decided")
    func elsewhere() async throws {
        let made = try await TestGate.configured(issuer)
        let one = Lane(made, "L1")
        let two = Lane(made, "L2")
        let text = issuer.ticket()
        #expect(try await one.see(text).outcome == .admitted)
        #expect(try await two.see(text, after: 10).outcome == .refused(.alreadyUsed))
        #expect(await made.outcome(text) == .refused(.alreadyUsed))
        #expect(await made.outcome(text) == .refused(.alreadyUsed))
        #expect(try await made.events().map(\.lane) == ["L1", "L2", nil, nil])
        try await one.end()
        try await two.end()
    }

    @Test("A ticket of four uses that is shown four times admits four")
    func fourTimes() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        let text = issuer.ticket { $0["uses"] = 4 }
        for _ in 0..<4 {
            let shown = try await lane.see(text, after: 2_000, empty: 1_500)
            #expect(shown.outcome == .admitted)
            #expect(try await lane.see(text).isRepeat(of: shown))
        }
        #expect(try await lane.see(text, after: 2_000, empty: 1_500).outcome == .refused(.alreadyUsed))
    }

    @Test("An event is uploaded once its presentation is closed, with all its repeats")
    func uploadedWhenClosed() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        let transport = StubSyncTransport()
        let uploader = ScanUploader(
            store: made.store, documents: made.documents, transport: transport, time: made.time,
            random: SeededGenerator(seed: 4), policy: UploadPolicy(sendTimeout: nil))
        let text = issuer.ticket()
        _ = try await lane.see(text)
        for _ in 0..<5 { _ = try await lane.see(text) }
        #expect(try await made.store.status().counts[.open] == 1)
        #expect(await uploader.upload().delivered == 0)
        #expect(transport.calls.allSatisfy { $0.batch.isEmpty })

        // Nobody scans any more: the gate closes it by itself.
        try await waitUntil {
            made.time.advance(milliseconds: 10)
            return try await made.store.status().pending == 1
        }
        #expect(await uploader.upload().delivered == 1)
        #expect(transport.calls.flatMap(\.batch).map(\.repeats) == [5])
    }

    @Test("The next code closes the presentation before it")
    func closedByTheNext() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        _ = try await lane.see(issuer.ticket("A"))
        _ = try await lane.see(issuer.ticket("A"))
        _ = try await lane.see(issuer.ticket("B"))
        let stored = try await made.store.events(EventQuery())
        #expect(stored.map(\.state) == [.pending, .open])
        #expect(stored.map(\.event.repeats) == [1, 0])
    }

    @Test("Closing the gate closes what is open, and later scans are not recorded")
    func closing() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        let text = issuer.ticket()
        _ = try await lane.see(text)
        _ = try await lane.see(text)
        await made.gate.close()
        await made.gate.close()
        let stored = try await made.store.events(EventQuery())
        #expect(stored.map(\.state) == [.pending])
        #expect(stored.map(\.event.repeats) == [1])
        let late = await made.gate.validate(issuer.ticket("B"))
        #expect(late.outcome == .refused(.notRecorded))
        #expect(late.storeError == .closed)
        #expect(try await made.events().count == 1)
    }

    @Test("What a scan opens that is under way when the gate is closed is closed with it")
    func closedUnderWay() async throws {
        let (latch, begun) = (Latch(), Latch())
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        store.plan(
            .waiting {
                await begun.open()
                await latch.wait()
            }, for: .record)
        let scanner = StubCodeScanner([])
        scanner.present(ScannedCode(bytes: Array(issuer.ticket().utf8)))
        let gate = made.gate
        let scan = Task {
            var decisions = gate.decisions(from: scanner).makeAsyncIterator()
            return try await decisions.next()
        }
        await begun.wait()
        await gate.close()
        await latch.open()
        #expect(try await scan.value?.outcome == .admitted)
        #expect(try await made.store.status().counts[.open, default: 0] == 0)
        #expect(try await made.store.status().pending == 1)
    }

    @Test("A presentation that was open when the device died is pending after the restart")
    func restart() async throws {
        let storage = InMemoryEventStore.Storage()
        let store = try InMemoryEventStore(storage)
        let made = try await TestGate.configured(issuer, store: store)
        let lane = Lane(made)
        _ = try await lane.see(issuer.ticket())
        await store.close()
        let again = try InMemoryEventStore(storage)
        #expect(try await again.status().pending == 1)
    }

    @Test("What the scanner throws is thrown, after the presentation was closed")
    func scannerErrors() async throws {
        let made = try await TestGate.configured(issuer)
        let lane = Lane(made)
        _ = try await lane.see(issuer.ticket())
        await #expect(throws: CodeScannerError.failed("unplugged")) { try await lane.fail(.failed("unplugged")) }
        #expect(try await made.store.status().pending == 1)

        let other = Lane(made)
        await #expect(throws: CancellationError.self) { try await other.fail(.cancelled) }
    }

    @Test("Cancelling the task ends the sequence with CancellationError and lets go of the scanner")
    func cancellation() async throws {
        let made = try await TestGate.configured(issuer)
        let scanner = StubCodeScanner([], isEnded: false)
        let task = Task {
            for try await _ in made.gate.decisions(from: scanner) {}
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(scanner.isReleased)
    }

    @Test("A sighting that could not be recorded is decided again at the next one, when the store works")
    func storeFailure() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        let lane = Lane(made)
        let text = issuer.ticket()
        store.plan(.before(.full), for: .record)
        for _ in 0..<3 {
            let decision = try await lane.see(text)
            #expect(decision.outcome == .refused(.notRecorded))
            #expect(decision.storeError == .full)
        }
        store.heal()
        let recorded = try await lane.see(text)
        #expect(recorded.outcome == .admitted)
        #expect(try await lane.see(text).isRepeat(of: recorded))
        try await lane.end()
        #expect(try await made.events().map(\.sequence) == [1])
    }

    @Test("A store that cannot be settled loses no repeats: they are written when it works again")
    func settleFailure() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        let lane = Lane(made)
        let text = issuer.ticket()
        for _ in 0..<4 { _ = try await lane.see(text) }
        store.plan(.before(.full), for: .settle)
        try await lane.end()
        #expect(try await made.store.status().counts[.open] == 1)
        store.heal()
        _ = await made.gate.validate(issuer.ticket("B"))
        await made.gate.close()
        #expect(try await made.events().map(\.repeats) == [3, 0])
        #expect(try await made.store.status().pending == 2)
    }

    @Test(
        "Noise is recorded ten times a second and lane, the rest as one event with a count; every sighting is decided")
    func noise() async throws {
        let made = try await TestGate.configured(issuer)
        for number in 0..<100 {
            let decision = await made.gate.validate("noise \(number)", lane: "L1")
            #expect(decision.outcome == .refused(.malformed))
        }
        #expect(await made.outcome(issuer.ticket("A"), lane: "L1") == .admitted)
        for number in 0..<30 { _ = await made.gate.validate("noise \(number)", lane: "L2") }
        await made.gate.close()
        let events = try await made.events()
        for (lane, count) in [("L1", 100), ("L2", 30)] as [(Identifier, Int)] {
            let noise = events.filter { $0.lane == lane && $0.reason == .malformed }
            #expect(noise.count == 11, "\(lane)")
            #expect(noise.reduce(0) { $0 + 1 + $1.repeats } == count, "\(lane)")
            #expect(noise.filter { $0.repeats > 0 }.count == 1, "\(lane)")
        }
        #expect(events.count == 23)
        #expect(events.map(\.sequence) == Array(1...23))
    }

    @Test("The next second has ten of its own, and the counts of the second before are kept")
    func noiseBySecond() async throws {
        let made = try await TestGate.configured(issuer)
        for _ in 0..<5 {
            for number in 0..<20 { _ = await made.gate.validate("noise \(number)", lane: "L1") }
            made.time.advance(milliseconds: 1_000)
        }
        await made.gate.close()
        let events = try await made.events()
        #expect(events.reduce(0) { $0 + 1 + $1.repeats } == 100)
        #expect(events.count >= 50)
        #expect(events.count <= 55)
        #expect(try await made.store.status().pending == events.count)
    }

    @Test("Noise that cannot be recorded is still judged, and recorded again when the store works")
    func noiseWithoutStore() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        store.plan(.before(.full), for: .record)
        for number in 0..<20 {
            let decision = await made.gate.validate("noise \(number)")
            #expect(decision.outcome == .refused(.malformed))
        }
        store.heal()
        made.time.advance(milliseconds: 1_000)
        #expect(await made.gate.validate("noise").isRecorded)
        #expect(await made.outcome(issuer.ticket()) == .admitted)
    }
}
