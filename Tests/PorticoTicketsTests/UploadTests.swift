import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Uploading", .timeLimit(.minutes(5)))
struct UploadTests {
    @Test("A batch has at most 500 events, in ascending sequence, and everything is delivered once")
    func batches() async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(1_201)
        let server = TestServer()
        let report = await bench.uploader(server).upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 1_201)
        let batches = await server.batches.filter { !$0.isEmpty }
        #expect(batches.map(\.count) == [500, 500, 201])
        #expect(batches.joined().map(\.sequence) == Array(1...1_201))
        #expect(await Set(server.records.keys) == Set(ids))
        #expect(try await bench.count(.delivered) == 1_201)
        #expect(report.requests == (await server.batches.count))
    }

    @Test("A batch has at most 512 KiB of events' JSON")
    func batchBytes() async throws {
        let bench = UploadBench()
        try await bench.fill(300, padding: 8_000)
        let server = TestServer()
        #expect(await bench.uploader(server).upload().delivered == 300)
        for batch in await server.batches {
            #expect(batch.reduce(0) { $0 + $1.json.serialized().count } <= 512 << 10)
        }
        // Nor are they needlessly small.
        #expect(await server.batches.count <= 6)
    }

    @Test("One event that is larger than a batch does not hold up the rest")
    func oversize() async throws {
        let bench = UploadBench()
        try await bench.fill(2)
        try await bench.fill(1, padding: 600 << 10)
        try await bench.fill(2)
        let report = await bench.uploader(TestServer()).upload()
        #expect(report.ending == .drained)
        #expect(try await bench.count(.pending) == 0)
        #expect(report.delivered + report.parked == 5)
    }

    @Test("Each event has a result of its own: accepted and duplicate are delivered, refused is parked and kept")
    func results() async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(3)
        let transport = StubSyncTransport([
            .receipt(
                SyncReceipt(items: [
                    .init(id: ids[2], result: .refused(code: "sequenceReused", message: "seen before")),
                    .init(id: ids[0], result: .accepted), .init(id: ids[1], result: .duplicate),
                ]))
        ])
        let report = await bench.uploader(transport).upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 2)
        #expect(report.parked == 1)
        let states = try await bench.store.events(EventQuery()).map(\.state)
        #expect(states == [.delivered, .delivered, .parked(code: "sequenceReused", message: "seen before")])
        // What is parked is not sent again.
        #expect(await bench.uploader(transport).upload().delivered == 0)
        #expect(transport.calls.dropFirst().allSatisfy { $0.batch.isEmpty })
    }

    @Test("An event that is absent from the receipt is sent again")
    func absent() async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(3)
        let transport = StubSyncTransport([
            .receipt(SyncReceipt(items: [.init(id: ids[1], result: .accepted)])), .accepting,
        ])
        let report = await bench.uploader(transport).upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 3)
        #expect(transport.calls.map { $0.batch.map(\.id) } == [ids, [ids[0], ids[2]]])
    }

    @Test("A server that never mentions an event is not asked for ever, and nothing is lost")
    func neverMentioned() async throws {
        let bench = UploadBench()
        try await bench.fill(2)
        let transport = StubSyncTransport([.receipt(SyncReceipt())])
        let report = await bench.uploader(transport).upload()
        guard case .gaveUp = report.ending else {
            Issue.record("\(report.ending)")
            return
        }
        #expect(try await bench.count(.pending) == 2)
        #expect(transport.calls.count <= 20)
    }

    @Test(
        "One poisoned event among 500: 499 are delivered and one is parked in at most 20 requests",
        arguments: [0, 1, 249, 250, 377, 498, 499])
    func poisoned(position: Int) async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(500)
        let poison = ids[position]
        let server = TestServer { batch in
            batch.contains { $0.id == poison } ? .batchRejected("event \(position) breaks a rule") : nil
        }
        let report = await bench.uploader(server).upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 499)
        #expect(report.parked == 1)
        #expect(report.requests <= 20)
        #expect(await server.batches.count <= 20)
        #expect(await server.records[poison] == nil)
        let parked = try await bench.store.events(EventQuery(states: [.parked]))
        #expect(parked.map(\.event.id) == [poison])
        guard case .parked(_, let message)? = parked.first?.state else { return }
        #expect(message.contains("breaks a rule"))
    }

    @Test("Several poisoned events are each parked alone")
    func severalPoisoned() async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(120)
        let poison: Set<EventID> = [ids[3], ids[4], ids[77]]
        let server = TestServer { batch in batch.contains { poison.contains($0.id) } ? .batchRejected("no") : nil }
        let report = await bench.uploader(server).upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 117)
        #expect(Set(try await bench.store.events(EventQuery(states: [.parked])).map(\.event.id)) == poison)
    }

    @Test("A batch that is too large is halved until it fits; an event that is too large alone is parked")
    func tooLarge() async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(300)
        let giant = ids[200]
        let server = TestServer { batch in
            batch.count > 60 || batch.contains { $0.id == giant } ? .batchTooLarge : nil
        }
        let report = await bench.uploader(server).upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 299)
        #expect(report.parked == 1)
        #expect(report.requests <= 40)
        #expect(try await bench.store.events(EventQuery(states: [.parked])).map(\.event.id) == [giant])
    }

    @Test("A server that stops the upload parks nothing, and says why")
    func stopped() async throws {
        let bench = UploadBench()
        try await bench.fill(3)
        let transport = StubSyncTransport([.failure(.stopped("401: token expired")), .accepting])
        let uploader = bench.uploader(transport)
        let report = await uploader.upload()
        guard case .stopped(let why) = report.ending else {
            Issue.record("\(report.ending)")
            return
        }
        #expect(why.contains("token expired"))
        #expect(transport.calls.count == 1)
        #expect(report.parked == 0)
        #expect(try await bench.count(.pending) == 3)
        #expect(await uploader.health().lastError?.description.contains("token expired") == true)
        #expect(await uploader.upload().delivered == 3)
    }

    @Test("The server's own span is capped at 15 minutes; an upload by hand does not wait for it")
    func retryAfter() async throws {
        let bench = UploadBench(time: ManualTimeSource())
        try await bench.fill(1)
        let transport = StubSyncTransport([.failure(.retry(afterMilliseconds: 3_600_000)), .accepting])
        let uploader = bench.uploader(transport)
        #expect(await uploader.upload().ending == .postponed(milliseconds: 900_000))
        let report = await uploader.upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 1)
    }

    @Test("A run waits as long as the server asks, up to 15 minutes, and not less")
    func runWaits() async throws {
        let time = ManualTimeSource()
        let bench = UploadBench(time: time)
        try await bench.fill(1)
        let transport = StubSyncTransport([.failure(.retry(afterMilliseconds: 3_600_000)), .accepting])
        let uploader = bench.uploader(transport, policy: UploadPolicy(sendTimeout: nil, idleInterval: 30_000))
        let run = Task { try await uploader.run() }
        await transport.calls(atLeast: 1)
        let start = time.uptime
        while transport.calls.count == 1 {
            await time.sleepers(1)
            time.advance(milliseconds: 15_000)
        }
        await transport.calls(atLeast: 2)
        let waited = time.uptime - start
        #expect(waited >= 900_000)
        #expect(waited <= 960_000)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(try await bench.count(.delivered) == 1)
    }

    @Test(
        "Failures are retried with pauses that grow, are capped and only then jittered; then it gives up and loses nothing"
    )
    func backoff() async throws {
        let policy = UploadPolicy(firstDelay: 500, maximumDelay: 8_000, maximumFailures: 30, sendTimeout: nil)
        var all: [[Int64]] = []
        for seed: UInt64 in 1...3 {
            let time = RecordingTime()
            let bench = UploadBench(time: time)
            try await bench.fill(1)
            let uploader = bench.uploader(
                StubSyncTransport([.failure(.unavailable("no network"))]), seed: seed, policy: policy)
            let report = await uploader.upload()
            #expect(report.ending == .gaveUp("\(SyncTransportError.unavailable("no network"))"))
            #expect(report.requests == 30)
            #expect(try await bench.count(.pending) == 1)
            let spans = await time.spans()
            #expect(spans.count == 29)
            #expect(spans.allSatisfy { $0 > 0 && $0 <= 8_000 })
            #expect(spans[0] <= 500)
            #expect(spans[1] <= 1_000)
            #expect(spans[5...].allSatisfy { $0 >= 2_000 })
            // At the cap they still differ: a thousand gates do not come back in one second.
            #expect(Set(spans[6...]).count > 15)
            all.append(spans)
        }
        #expect(Set(all).count == 3)
    }

    @Test("A success starts the pauses over")
    func backoffStartsOver() async throws {
        let time = RecordingTime()
        let bench = UploadBench(time: time)
        try await bench.fill(2)
        let failures = Array(repeating: StubSyncTransport.Answer.failure(.unavailable("no network")), count: 6)
        let one = StubSyncTransport.Answer.computed { batch, _ in .accepting([batch[0]]) }
        let transport = StubSyncTransport(failures + [one] + failures + [.accepting])
        let report = await bench.uploader(transport).upload()
        #expect(report.ending == .drained)
        #expect(report.requests == 14)
    }

    @Test("An answer that is lost makes no second record: the event is sent again and known")
    func lostAnswer() async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(3)
        let server = TestServer()
        let transport = FaultySyncTransport(server)
        transport.plan(.after(.unavailable("connection reset")), call: 1)
        let report = await bench.uploader(transport).upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 3)
        #expect(await server.records == Dictionary(uniqueKeysWithValues: ids.map { ($0, 1) }))
    }

    @Test("Two uploads at once on one uploader are one: no two requests are under way")
    func singleFlight() async throws {
        let bench = UploadBench()
        try await bench.fill(1_100)
        let server = TestServer()
        let uploader = bench.uploader(server)
        let reports = await withTaskGroup(of: UploadReport.self) { group in
            for _ in 0..<8 { group.addTask { await uploader.upload() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(await server.mostAtOnce == 1)
        #expect(await server.records.count == 1_100)
        #expect(await server.batches.joined().count == 1_100)
        #expect(reports.allSatisfy { $0.ending == .drained })
    }

    @Test("An upload that is run twice, or by two uploaders at once, makes one record of each event")
    func twoUploaders() async throws {
        let bench = UploadBench()
        try await bench.fill(700)
        let server = TestServer()
        async let first = bench.uploader(server, seed: 1).upload()
        async let second = bench.uploader(server, seed: 2).upload()
        let reports = await [first, second]
        #expect(reports.allSatisfy { $0.ending == .drained })
        #expect(await server.records.count == 700)
        #expect(await server.records.values.allSatisfy { $0 == 1 })
        #expect(try await bench.count(.delivered) == 700)
        let again = await bench.uploader(server).upload()
        #expect(again.delivered == 0)
        #expect(await server.records.count == 700)
    }

    @Test("Cancelling ends an upload that hangs; nothing is lost and the next one delivers")
    func cancel() async throws {
        let bench = UploadBench()
        try await bench.fill(2)
        let transport = StubSyncTransport([.silence, .silence, .accepting])
        let uploader = bench.uploader(transport)
        let first = Task { await uploader.upload() }
        await transport.calls(atLeast: 1)
        await uploader.cancel()
        #expect(await first.value.ending == .cancelled)

        let second = Task { await uploader.upload() }
        await transport.calls(atLeast: 2)
        second.cancel()
        #expect(await second.value.ending == .cancelled)

        #expect(try await bench.count(.pending) == 2)
        #expect(await uploader.upload().delivered == 2)
    }

    @Test("Cancelling one that waits for another's upload ends its wait and leaves that one to go on")
    func cancelTheJoiner() async throws {
        let bench = UploadBench()
        try await bench.fill(2)
        let latch = Latch()
        let transport = FaultySyncTransport(StubSyncTransport())
        transport.plan(.waiting { await latch.wait() }, call: 1)
        let uploader = bench.uploader(transport)
        let first = Task { await uploader.upload() }
        while transport.calls < 1 { await Task.yield() }
        let joiner = Task { await uploader.upload() }
        for _ in 0..<50 { await Task.yield() }
        joiner.cancel()
        // The other upload still hangs.
        #expect(await joiner.value.ending == .cancelled)
        await latch.open()
        #expect(await first.value.ending == .drained)
        #expect(try await bench.count(.delivered) == 2)
    }

    @Test("An upload by hand beside a run does not wait for the run's pause, nor for the server's, and gives up")
    func handBesideRun() async throws {
        for failure in [SyncTransportError.unavailable("no network"), .retry(afterMilliseconds: 40_000)] {
            let time = ManualTimeSource()
            let bench = UploadBench(time: time)
            try await bench.fill(1)
            let transport = StubSyncTransport([.failure(failure)])
            let uploader = bench.uploader(transport, policy: UploadPolicy(maximumFailures: 1, sendTimeout: nil))
            let run = Task { try await uploader.run() }
            await transport.calls(atLeast: 1)
            // The run waits now, and the clock stands: only who cuts the pause short gets another attempt.
            await time.sleepers(1)
            let report = await uploader.upload()
            #expect(report.ending == .gaveUp("\(failure)"))
            #expect(transport.calls.count == 2)
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.value }
        }
    }

    @Test("Failures of a run are not counted against an upload by hand that joins it")
    func handStartsOver() async throws {
        let time = ManualTimeSource()
        let bench = UploadBench(time: time)
        try await bench.fill(1)
        let failure = StubSyncTransport.Answer.failure(.unavailable("no network"))
        let transport = StubSyncTransport(Array(repeating: failure, count: 6), then: .accepting)
        let uploader = bench.uploader(transport, policy: UploadPolicy(maximumFailures: 3, sendTimeout: nil))
        let run = Task { try await uploader.run() }
        for call in 1...5 {
            await transport.calls(atLeast: call)
            await time.sleepers(1)
            if call < 5 { time.advance(milliseconds: 60_000) }
        }
        let hand = Task { await uploader.upload() }
        await transport.calls(atLeast: 6)
        await time.sleepers(1)
        time.advance(milliseconds: 60_000)
        #expect(await hand.value.ending == .drained)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("An upload after one that was cancelled is one of its own")
    func afterACancelledOne() async throws {
        let bench = UploadBench()
        try await bench.fill(2)
        let transport = StubSyncTransport([.silence, .accepting])
        let uploader = bench.uploader(transport)
        let first = Task { await uploader.upload() }
        await transport.calls(atLeast: 1)
        first.cancel()
        #expect(await uploader.upload().ending == .drained)
        #expect(await first.value.ending == .cancelled)
    }

    @Test("The progress of an uploader that is gone ends")
    func progressEnds() async throws {
        let bench = UploadBench()
        let progress = await bench.uploader(StubSyncTransport()).progress()
        for await _ in progress {}
    }

    @Test("A policy that would send nothing, or without a pause, is taken as the nearest that works")
    func policies() async throws {
        let time = RecordingTime()
        let bench = UploadBench(time: time)
        try await bench.fill(2)
        let policy = UploadPolicy(
            maximumBatch: 0, maximumBatchBytes: 0, firstDelay: -1, maximumDelay: -1, maximumFailures: 0,
            sendTimeout: nil, idleInterval: 0)
        let uploader = bench.uploader(StubSyncTransport([.failure(.unavailable("x")), .accepting]), policy: policy)
        #expect(await uploader.upload().ending == .gaveUp("\(SyncTransportError.unavailable("x"))"))
        #expect(await uploader.upload().delivered == 2)
        let run = Task { try await uploader.run() }
        while await uploader.health().lastReceipt == nil { await Task.yield() }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(await time.spans().allSatisfy { $0 >= 100 })
    }

    @Test("A transport that never answers is given up on, and tried again")
    func hang() async throws {
        let time = ManualTimeSource()
        let bench = UploadBench(time: time)
        try await bench.fill(2)
        let transport = StubSyncTransport([.silence, .accepting])
        let uploader = bench.uploader(transport, policy: UploadPolicy(sendTimeout: 90_000))
        let upload = Task { await uploader.upload() }
        await transport.calls(atLeast: 1)
        await time.sleepers(1)
        time.advance(milliseconds: 89_999)
        for _ in 0..<50 { await Task.yield() }
        #expect(transport.calls.count == 1)
        time.advance(milliseconds: 1)
        while transport.calls.count < 2 {
            time.advance(milliseconds: 10)
            await Task.yield()
        }
        let report = await upload.value
        #expect(report.ending == .drained)
        #expect(report.delivered == 2)
        #expect(report.requests == 2)
        #expect(await uploader.health().lastError != nil)
    }

    @Test("Whatever a closure throws is no answer: it is tried again, and nothing is lost")
    func closure() async throws {
        struct Nonsense: Error {}
        let bench = UploadBench()
        try await bench.fill(2)
        let server = TestServer()
        let calls = StubSyncTransport([.failure(.unavailable("first")), .failure(.unavailable("second")), .accepting])
        let uploader = ScanUploader(
            store: bench.store, documents: bench.documents, time: bench.time, random: SeededGenerator(seed: 1),
            policy: UploadPolicy(sendTimeout: nil)
        ) { batch, cursor in
            do { _ = try await calls.send(batch, after: cursor) } catch { throw Nonsense() }
            return try await server.send(batch, after: cursor)
        }
        let report = await uploader.upload()
        #expect(report.ending == .drained)
        #expect(report.delivered == 2)
        #expect(report.requests == 3)
    }

    @Test("A closure's own SyncTransportError keeps its meaning")
    func closureErrors() async throws {
        let bench = UploadBench()
        try await bench.fill(1)
        let uploader = ScanUploader(
            store: bench.store, documents: bench.documents, time: bench.time, random: SeededGenerator(seed: 1),
            policy: UploadPolicy(sendTimeout: nil)
        ) { _, _ in throw SyncTransportError.stopped("403") }
        guard case .stopped = await uploader.upload().ending else {
            Issue.record("not stopped")
            return
        }
        #expect(try await bench.count(.pending) == 1)
    }

    @Test(
        "A store that fails ends the upload with its error; later everything is delivered, and known at the server once"
    )
    func storeFailure() async throws {
        for operation: FaultyEventStore.Operation in [.events, .settle, .status] {
            let store = FaultyEventStore(InMemoryEventStore())
            let bench = UploadBench(store: store)
            try await bench.fill(3)
            let server = TestServer()
            let uploader = bench.uploader(server)
            store.plan(.before(.full), for: operation)
            #expect(await uploader.upload().ending == .store(.full), "\(operation)")
            #expect(await uploader.health().lastError != nil, "\(operation)")
            store.heal()
            #expect(try await bench.count(.pending) == 3)
            #expect(await uploader.upload().delivered == 3)
            #expect(await server.records.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("Progress says how far an upload is, and what it waits for")
    func progress() async throws {
        let bench = UploadBench()
        try await bench.fill(1_200)
        let latch = Latch()
        let transport = FaultySyncTransport(TestServer())
        transport.plan(.waiting { await latch.wait() }, call: 2)
        transport.plan(.before(.unavailable("no network")), call: 3)
        let uploader = bench.uploader(transport)
        var progress = await uploader.progress().makeAsyncIterator()
        let upload = Task { await uploader.upload() }
        var first: UploadProgress?
        repeat { first = await progress.next() } while first?.delivered == 0
        #expect(first?.delivered == 500)
        #expect(first?.remaining == 700)
        await latch.open()
        #expect(await upload.value.ending == .drained)
        let last = await progress.next()
        #expect(last?.delivered == 1_200)
        #expect(last?.remaining == 0)
        #expect(last?.parked == 0)
        #expect(last?.waiting == nil)
        #expect(last?.lastError?.contains("no network") == true)
    }

    @Test("A run uploads what comes, until it is cancelled")
    func run() async throws {
        let time = ManualTimeSource()
        let bench = UploadBench(time: time)
        let server = TestServer()
        let uploader = bench.uploader(server)
        let run = Task { try await uploader.run() }
        await time.sleepers(1)
        try await bench.fill(2)
        while try await bench.count(.delivered) < 2 {
            await time.sleepers(1)
            time.advance(milliseconds: 5_000)
        }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(await server.records.count == 2)
    }

    @Test("A run keeps trying through every failure")
    func runGoesOn() async throws {
        let bench = UploadBench()
        try await bench.fill(1)
        let failures: [SyncTransportError] = [
            .unavailable("a"), .stopped("b"), .retry(afterMilliseconds: nil), .retry(afterMilliseconds: 1_000),
            .unavailable("c"), .stopped("d"),
        ]
        let transport = StubSyncTransport(failures.map { .failure($0) } + [.accepting])
        let uploader = bench.uploader(transport)
        let run = Task { try await uploader.run() }
        await transport.calls(atLeast: 7)
        while try await bench.count(.delivered) < 1 { await Task.yield() }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }
}
