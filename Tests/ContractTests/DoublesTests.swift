import Portico
import PorticoInMemory
import Testing

@Suite("The doubles do what they are told")
struct DoublesTests {
    private func record(_ store: any EventStore, _ number: UInt64) async throws(EventStoreError) -> Recorded {
        try await store.record(nil) { head, _ in
            ScanRecord(
                event: ScanEvent(
                    id: EventID(at: Instant(seconds: 0), random: (number, number)), deviceID: head.deviceID,
                    sequence: head.nextSequence, scannedAt: Instant(seconds: 0)))
        }
    }

    @Test("A fault before a record writes nothing, one after it writes all, and healing ends both")
    func faultyEventStore() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        store.plan(.before(.full), for: .record, call: 2)
        store.plan(.after(.failed("lost")), for: .record, call: 3)
        store.plan(.before(.readOnly), for: .settle)
        _ = try await record(store, 1)
        await #expect(throws: EventStoreError.full) { _ = try await record(store, 2) }
        #expect(try await store.status().pending == 1)
        await #expect(throws: EventStoreError.failed("lost")) { _ = try await record(store, 3) }
        #expect(try await store.status().pending == 2)
        for _ in 0..<2 {
            await #expect(throws: EventStoreError.readOnly) {
                try await store.settle(Settlement()) { entry, _ in entry ?? LedgerEntry(body: []) }
            }
        }
        store.heal()
        try await store.settle(Settlement()) { entry, _ in entry ?? LedgerEntry(body: []) }
        #expect(store.calls(of: .settle) == 3)
        #expect(store.calls(of: .record) == 3)
    }

    @Test("A fault that waits holds a call back until its closure returns")
    func waitingFault() async throws {
        let time = ManualTimeSource()
        let store = FaultyEventStore(InMemoryEventStore())
        store.plan(.waiting { await Self.pause(time) }, for: .record, call: 1)
        let waiting = Task { await time.sleepers(1) }
        let held = Task {
            let recorded = try await record(store, 1)
            // A call that was not held back ends the wait for it.
            waiting.cancel()
            return recorded
        }
        await waiting.value
        #expect(try await store.status().pending == 0)
        time.advance(milliseconds: 10)
        #expect(try await held.value.event.sequence == 1)
    }

    private static func pause(_ time: ManualTimeSource) async {
        do {
            try await time.sleep(milliseconds: 10)
        } catch {
            Issue.record("a pause was cut short")
        }
    }

    @Test("A faulty document store fails at the call that was planned")
    func faultyDocumentStore() async throws {
        let store = FaultyDocumentStore(InMemoryDocumentStore())
        store.plan(.before(.full), for: .replace, call: 1)
        store.plan(.after(.failed("lost")), for: .replace, call: 2)
        await #expect(throws: DocumentStoreError.full) { _ = try await store.replace("a", with: [1], if: nil) }
        #expect(try await store.read("a") == nil)
        await #expect(throws: DocumentStoreError.failed("lost")) {
            _ = try await store.replace("a", with: [1], if: nil)
        }
        #expect(try await store.read("a") == Document(bytes: [1], revision: 1))
    }

    @Test("A storage that is abandoned closes its store and opens for the next, its open events pending")
    func abandonment() async throws {
        let storage = InMemoryEventStore.Storage()
        let killed = try InMemoryEventStore(storage)
        _ = try await killed.record(nil) { head, _ in
            ScanRecord(
                event: ScanEvent(
                    id: EventID(at: Instant(seconds: 0), random: (1, 1)), deviceID: head.deviceID,
                    sequence: head.nextSequence, scannedAt: Instant(seconds: 0)), isOpen: true)
        }
        storage.abandon()
        let next = try InMemoryEventStore(storage)
        await #expect(throws: EventStoreError.closed) { _ = try await record(killed, 2) }
        await killed.close()
        #expect(try await next.status().counts == [.pending: 1])
    }

    @Test("A recording store keeps changes with their outcomes, and passes on the rest")
    func recordingEventStore() async throws {
        let faulty = FaultyEventStore(InMemoryEventStore())
        faulty.plan(.before(.full), for: .record, call: 2)
        let store = RecordingEventStore(faulty)
        let recorded = try await record(store, 1)
        await #expect(throws: EventStoreError.full) { _ = try await record(store, 2) }
        _ = try await store.events(EventQuery())
        await store.close()
        await store.changes(atLeast: 3)
        #expect(store.changes.count == 3)
        guard case .record(nil, .success(recorded)) = store.changes[0],
            case .record(nil, .failure(.full)) = store.changes[1],
            case .close = store.changes[2]
        else {
            Issue.record("\(store.changes)")
            return
        }
    }

    @Test("A faulty transport loses answers, hangs and alters receipts as planned")
    func faultySyncTransport() async throws {
        let stub = StubSyncTransport()
        let recording = RecordingSyncTransport(stub)
        let transport = FaultySyncTransport(recording)
        transport.plan(.before(.unavailable("down")), call: 1)
        transport.plan(.after(.unavailable("reset")), call: 2)
        transport.plan(.altering { _ in SyncReceipt(cursor: "altered") }, call: 3)
        transport.plan(.hanging, call: 4)
        await #expect(throws: SyncTransportError.unavailable("down")) { _ = try await transport.send([], after: "1") }
        #expect(stub.calls.isEmpty)
        await #expect(throws: SyncTransportError.unavailable("reset")) { _ = try await transport.send([], after: "2") }
        #expect(try await transport.send([], after: "3") == SyncReceipt(cursor: "altered"))
        let hanging = Task { try await transport.send([], after: "4") }
        hanging.cancel()
        await #expect(throws: SyncTransportError.cancelled) { _ = try await hanging.value }
        #expect(try await transport.send([], after: "5") == SyncReceipt())
        #expect(stub.calls.map(\.cursor) == ["2", "3", "5"])
        #expect(recording.calls.map(\.cursor) == ["2", "3", "5"])
        #expect(transport.calls == 5)
    }

    @Test("A stub transport gives its answers in order, then the last one for ever")
    func stubSyncTransport() async throws {
        let transport = StubSyncTransport([
            .failure(.batchTooLarge), .computed { _, cursor in SyncReceipt(cursor: cursor) },
        ])
        await #expect(throws: SyncTransportError.batchTooLarge) { _ = try await transport.send([], after: nil) }
        #expect(try await transport.send([], after: "a").cursor == "a")
        #expect(try await transport.send([], after: "b").cursor == "b")
    }

    @Test("A stub HTTP transport answers by its rule and keeps what it was asked")
    func stubHTTPTransport() async throws {
        let http = StubHTTPTransport(responses: [HTTPResponse(status: 503), HTTPResponse(status: 200)])
        let request = HTTPRequest(url: "https://example.org/")
        for status in [503, 200, 200] { #expect(try await http.send(request).status == status) }
        #expect(http.requests == [request, request, request])
        let silent = StubHTTPTransport.silent()
        let call = Task { try await silent.send(request) }
        await silent.requests(atLeast: 1)
        call.cancel()
        await #expect(throws: NetworkError.cancelled) { _ = try await call.value }
    }
}

@Suite("The clocks of a test move by hand")
struct ManualTimeSourceTests {
    @Test("Sleepers wake at their deadlines, in their order, and not before")
    func order() async throws {
        let time = ManualTimeSource()
        let woken = Counter()
        try await withThrowingTaskGroup(of: (Int64, Int).self) { group in
            for span in [Int64(30), 10, 20] {
                group.addTask {
                    try await time.sleep(milliseconds: span)
                    return (span, woken.add(1))
                }
            }
            await time.sleepers(3)
            time.advance(milliseconds: 9)
            #expect(woken.value == 0)
            for (turn, span) in [Int64(10), 20, 30].enumerated() {
                time.advance(milliseconds: turn == 0 ? 1 : 10)
                let next = try #require(try await group.next())
                #expect(next == (span, turn + 1))
            }
        }
    }

    @Test("Setting the wall clock moves neither uptime nor sleepers")
    func wall() async throws {
        let time = ManualTimeSource(now: Instant(seconds: 100), uptime: 7)
        let sleeper = Task { try await time.sleep(milliseconds: 1_000) }
        await time.sleepers(1)
        time.setWall(Instant(seconds: 4_070_908_800))
        #expect(time.reading == ClockReading(wall: Instant(seconds: 4_070_908_800), uptime: 7, bootID: "boot-1"))
        await time.sleepers(1)
        time.advance(milliseconds: 1_000)
        try await sleeper.value
        #expect(time.uptime == 1_007)
        #expect(time.now == Instant(seconds: 4_070_908_801))
    }

    @Test("A reboot is another boot from 0, later by the time that the device was off, and ends who slept")
    func reboot() async throws {
        let time = ManualTimeSource(now: Instant(seconds: 100), uptime: 7, bootID: "b")
        let sleeper = Task { try await time.sleep(milliseconds: 1_000) }
        await time.sleepers(1)
        time.reboot(offMilliseconds: 5_000)
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(time.reading == ClockReading(wall: Instant(seconds: 105), uptime: 0, bootID: "b.2"))
        time.reboot(offMilliseconds: 0)
        #expect(time.bootID == "b.3")
    }

    @Test("A cancelled sleeper is no sleeper any more")
    func cancellation() async throws {
        let time = ManualTimeSource()
        let sleeper = Task { try await time.sleep(milliseconds: .max) }
        await time.sleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        let waiting = Task { await time.sleepers(1) }
        waiting.cancel()
        await waiting.value
    }

    @Test("Spans and instants at the ends of their ranges stop there")
    func ranges() async throws {
        let time = ManualTimeSource(now: Instant(milliseconds: .max), uptime: .max, advancesOnSleep: true)
        try await time.sleep(milliseconds: .max)
        #expect(time.uptime == .max)
        #expect(time.now == Instant(milliseconds: .max))
        time.advance(milliseconds: .min)
        #expect(time.uptime == .max)
    }
}

@Suite("The scanner of a test sees what it is shown")
struct StubCodeScannerTests {
    @Test("Codes come in order, then nil for ever")
    func order() async throws {
        let codes = [ScannedCode(bytes: [1]), ScannedCode(bytes: []), ScannedCode(bytes: [1], emptyMilliseconds: 5)]
        let scanner = StubCodeScanner(codes)
        for code in codes { #expect(try await scanner.next() == code) }
        for _ in 0..<2 { #expect(try await scanner.next() == nil) }
    }

    @Test("A live scanner waits for what is presented, and ends or fails after it")
    func live() async throws {
        let scanner = StubCodeScanner(isEnded: false)
        async let first = scanner.next()
        scanner.present(ScannedCode(bytes: [1]))
        scanner.present(ScannedCode(bytes: [2]))
        #expect(try await first?.bytes == [1])
        scanner.fail(.failed("unplugged"))
        #expect(try await scanner.next()?.bytes == [2])
        await #expect(throws: CodeScannerError.failed("unplugged")) { _ = try await scanner.next() }
    }

    @Test("Cancelling the consumer ends its wait and lets go of the device; closing gives nil")
    func endings() async throws {
        let scanner = StubCodeScanner(isEnded: false)
        let consumer = Task { try await scanner.next() }
        consumer.cancel()
        await #expect(throws: CodeScannerError.cancelled) { _ = try await consumer.value }
        #expect(scanner.isReleased)

        let other = StubCodeScanner(isEnded: false)
        async let waiting = other.next()
        await other.close()
        await other.close()
        #expect(try await waiting == nil)
        #expect(other.isReleased)
    }
}

@Suite("The random numbers of a test repeat")
struct SeededGeneratorTests {
    @Test("They are SplitMix64's")
    func values() {
        var zero = SeededGenerator(seed: 0)
        #expect((zero.next(), zero.next()) == (0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4))
        var other = SeededGenerator(seed: 1_234_567)
        #expect((other.next(), other.next()) == (6_457_827_717_110_365_317, 3_203_168_211_198_807_973))
    }

    @Test("A copy gives the same numbers as its original")
    func copies() {
        var one = SeededGenerator(seed: 9)
        _ = one.next()
        var other = one
        #expect((0..<5).map { _ in one.next() } == (0..<5).map { _ in other.next() })
    }
}
