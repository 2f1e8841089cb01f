import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("The clock guard")
struct ClockGuardTests {
    private static let hour: Int64 = 3_600_000
    private static let year2099 = Instant("2099-06-01T12:00:00Z")

    /// A device whose gate scans one new ticket after the other.
    private final class Device {
        let made: TestGate
        let issuer: Issuer
        private var number = 0

        init(at now: Instant = Issuer.evening, configuration: [UInt8]? = nil, issuer: Issuer = Issuer()) async throws {
            self.issuer = issuer
            made = try await TestGate.configured(
                issuer, configuration: configuration, time: ManualTimeSource(now: now))
        }

        var time: ManualTimeSource { made.time }

        /// What the next ticket is met with; every one is valid from the morning before the evening to the next noon.
        func scan() async -> ScanDecision {
            number += 1
            return await made.gate.validate(
                issuer.ticket("T-\(number)") {
                    $0["validFrom"] = .integer(Issuer.evening.seconds - 43_200)
                    $0["validTo"] = .integer(Issuer.evening.seconds + 64_800)
                })
        }

        /// Time goes on by itself, and then somebody sets the clock so far from what it shows.
        func pass(_ span: Int64 = 60_000, setting shift: Int64 = 0) {
            time.advance(milliseconds: span)
            time.setWall(time.now.advanced(byMilliseconds: shift))
        }

        /// What a server that knows this time says in a receipt.
        @discardableResult
        func receive(serverTime: Instant) async -> UploadReport {
            let uploader = ScanUploader(
                store: made.store, documents: made.documents,
                transport: StubSyncTransport([
                    .computed { batch, _ in
                        SyncReceipt(
                            items: batch.map { .init(id: $0.id, result: .accepted) }, serverTime: serverTime)
                    }
                ]),
                time: time, random: SeededGenerator(seed: 1), policy: UploadPolicy(sendTimeout: nil))
            return await uploader.upload()
        }

        func head() async throws -> StoreHead { try await made.store.status().head }
    }

    @Test("A clock that is set to 2099 in one boot is refused, and recovers by itself when it is right again")
    func setTo2099() async throws {
        let device = try await Device()
        #expect(await device.scan().outcome == .admitted)
        let right = device.time.now
        device.time.setWall(Self.year2099)
        let wrong = await device.scan()
        #expect(wrong.outcome == .refused(.clockUntrusted))
        #expect(wrong.clock == .untrusted)
        device.time.setWall(right)
        let again = await device.scan()
        #expect(again.outcome == .admitted)
        #expect(again.clock == .trusted)
        #expect(try await device.made.events().map(\.clock) == [.trusted, .untrusted, .trusted])
    }

    @Test("Two hours ahead in one boot are refused, and recover by themselves")
    func twoHoursAhead() async throws {
        let device = try await Device()
        _ = await device.scan()
        device.pass(setting: 2 * Self.hour)
        #expect(await device.scan().outcome == .refused(.clockUntrusted))
        #expect(await device.scan().outcome == .refused(.clockUntrusted))
        device.pass(setting: -2 * Self.hour)
        #expect(await device.scan().outcome == .admitted)
    }

    @Test("A clock that is set back is refused, in the same boot and after a reboot")
    func setBack() async throws {
        let device = try await Device(at: Issuer.evening.advanced(byMilliseconds: 7 * Self.hour / 2))
        #expect(await device.scan().outcome == .admitted)
        device.pass(setting: -3 * Self.hour / 2)
        #expect(await device.scan().outcome == .refused(.clockUntrusted))
        device.time.reboot()
        #expect(await device.scan().outcome == .refused(.clockUntrusted))
    }

    @Test("An expired ticket does not pass by a clock that is set back")
    func expiredBySettingBack() async throws {
        let device = try await Device()
        _ = await device.scan()
        let text = device.issuer.ticket("OLD") { $0["validTo"] = .integer(Issuer.evening.seconds - 600) }
        #expect(await device.made.outcome(text) == .refused(.expired))
        device.pass(setting: -Self.hour)
        #expect(await device.made.outcome(text) == .refused(.clockUntrusted))
        device.time.reboot()
        #expect(await device.made.outcome(text) == .refused(.clockUntrusted))
    }

    @Test("A reboot into 2099 finds tickets expired and does not brick the gate: the right time is trusted again")
    func rebootInto2099() async throws {
        let device = try await Device()
        #expect(await device.scan().outcome == .admitted)
        let before = try await device.head()
        device.time.reboot()
        let right = device.time.now
        device.time.setWall(Self.year2099)
        #expect(await device.scan().outcome == .refused(.expired))
        #expect(try await device.head().mark == before.mark)
        #expect(try await device.head().clock == before.clock)
        device.time.setWall(right)
        #expect(await device.scan().outcome == .admitted)
    }

    @Test(
        "A reboot into a plausible later time cannot be noticed; the right time then waits for a supervisor or a server"
    )
    func rebootTwoHoursAhead() async throws {
        for hasSupervisor in [true, false] {
            let device = try await Device()
            _ = await device.scan()
            device.time.reboot()
            device.pass(setting: 2 * Self.hour)
            #expect(await device.scan().outcome == .admitted)
            device.pass(setting: -2 * Self.hour)
            #expect(await device.scan().outcome == .refused(.clockUntrusted))
            if hasSupervisor {
                try await device.made.gate.confirmClock(operator: "Ana")
            } else {
                await device.receive(serverTime: device.time.now)
            }
            let decision = await device.scan()
            #expect(decision.outcome == .admitted)
            #expect(decision.clock == (hasSupervisor ? .confirmed : .trusted))
        }
    }

    @Test("After a reboot the clock may have gone on, and may not have gone back")
    func reboot() async throws {
        let device = try await Device()
        _ = await device.scan()
        device.time.reboot(offMilliseconds: 4 * Self.hour)
        #expect(await device.scan().outcome == .admitted)
        device.time.reboot()
        device.time.setWall(Issuer.evening)
        #expect(await device.scan().outcome == .refused(.clockUntrusted))
    }

    @Test(
        "A first boot in 1970 finds tickets issued in the future; the right time then waits for a supervisor or a server"
    )
    func firstBootIn1970() async throws {
        for hasSupervisor in [true, false] {
            let device = try await Device(at: Instant(seconds: 3_600))
            #expect(await device.scan().outcome == .refused(.issuedInFuture))
            device.time.setWall(Issuer.evening)
            if hasSupervisor {
                try await device.made.gate.confirmClock(operator: "Ana")
            } else {
                await device.receive(serverTime: Issuer.evening)
            }
            #expect(await device.scan().outcome == .admitted)
        }
    }

    @Test("In one boot the clock may depart from what passed by the tolerance, and by no more")
    func drift() async throws {
        for (shift, isTrusted) in [
            (120_000, true), (-120_000, true), (120_001, false), (-120_001, false),
        ] as [(Int64, Bool)] {
            let device = try await Device()
            _ = await device.scan()
            device.pass(600_000, setting: shift)
            #expect(await device.scan().outcome == (isTrusted ? .admitted : .refused(.clockUntrusted)), "\(shift)")
        }
    }

    @Test("A reading that is not trusted does not move the anchor: wrong in small steps stays wrong")
    func untrustedDoesNotMove() async throws {
        let device = try await Device()
        _ = await device.scan()
        let head = try await device.head()
        device.pass(setting: 10 * 60_000)
        for _ in 0..<5 {
            device.pass(1_000, setting: 60_000)
            #expect(await device.scan().outcome == .refused(.clockUntrusted))
        }
        #expect(try await device.head().clock == head.clock)
        #expect(try await device.head().mark == head.mark)
    }

    @Test("The largest tolerance among the gate's events is the clock's")
    func largestTolerance() async throws {
        let summer = Issuer()
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k2", seed: 2))
        let configuration = summer.configuration(events: [
            summer.event { $0["tolerance"] = 10 }, winter.event { $0["tolerance"] = 1_800 },
        ])
        let made = try await TestGate.configured(
            summer, configuration: configuration, serving: [summer.event, winter.event])
        _ = await made.outcome(summer.ticket("A"))
        made.time.setWall(made.time.now.advanced(byMilliseconds: 1_800_000))
        #expect(await made.outcome(summer.ticket("B")) == .admitted)
        made.time.setWall(made.time.now.advanced(byMilliseconds: 1_800_001))
        #expect(await made.outcome(summer.ticket("C")) == .refused(.clockUntrusted))

        // An event that the gate does not serve plays no part.
        let alone = try await TestGate.configured(summer, configuration: configuration)
        _ = await alone.outcome(summer.ticket("A"))
        alone.time.setWall(alone.time.now.advanced(byMilliseconds: 10_001))
        #expect(await alone.outcome(summer.ticket("B")) == .refused(.clockUntrusted))
    }

    @Test("The anchor is durable: a gate that starts again in the same boot knows what passed")
    func restart() async throws {
        let device = try await Device()
        _ = await device.scan()
        let again = try await TestGate.blank(
            store: device.made.store, documents: device.made.documents, time: device.time)
        device.pass(setting: 2 * Self.hour)
        #expect(await again.outcome(device.issuer.ticket("X")) == .refused(.clockUntrusted))
        device.pass(setting: -2 * Self.hour)
        #expect(await again.outcome(device.issuer.ticket("Y")) == .admitted)
    }

    @Test(
        "A server's time that disagrees moves nothing and refuses nothing, and is shown",
        arguments: [
            Instant(seconds: 0), Issuer.evening.advanced(byMilliseconds: 86_400_000), Instant("2099-06-01T12:00:00Z"),
        ])
    func wrongServerTime(serverTime: Instant) async throws {
        let device = try await Device()
        _ = await device.scan()
        let head = try await device.head()
        let uploader = ScanUploader(
            store: device.made.store, documents: device.made.documents, time: device.time,
            random: SeededGenerator(seed: 1), policy: UploadPolicy(sendTimeout: nil)
        ) { batch, _ in
            SyncReceipt(items: batch.map { .init(id: $0.id, result: .accepted) }, serverTime: serverTime)
        }
        #expect(await uploader.upload().ending == .drained)
        #expect(await uploader.health().clockDifference == serverTime.milliseconds(since: device.time.now))
        #expect(try await device.head().clock == head.clock)
        #expect(try await device.head().mark == head.mark)
        #expect(await device.scan().outcome == .admitted)
    }

    @Test("A server's time that disagrees does not heal a clock that is wrong")
    func wrongServerTimeDoesNotHeal() async throws {
        let device = try await Device()
        _ = await device.scan()
        let right = device.time.now
        device.time.setWall(right.advanced(byMilliseconds: 2 * Self.hour))
        _ = await device.scan()
        await device.receive(serverTime: right)
        #expect(await device.scan().outcome == .refused(.clockUntrusted))
        // One that agrees does.
        await device.receive(serverTime: device.time.now.advanced(byMilliseconds: 60_000))
        #expect(await device.scan().outcome == .admitted)
    }

    @Test("A supervisor's word is an event of its own, with who gave it, and admits nobody")
    func supervisor() async throws {
        let device = try await Device()
        _ = await device.scan()
        device.pass(setting: -2 * Self.hour)
        _ = await device.scan()
        try await device.made.gate.confirmClock(operator: "Ana")
        let event = try #require(try await device.made.events().last)
        #expect(event.kind == .clockConfirmed)
        #expect(event.operatorName == "Ana")
        #expect(event.sequence == 3)
        #expect(event.verdict == nil)
        #expect(event.ticket == .none)
        #expect(event.clock == .confirmed)
        #expect(event.scannedAt == device.time.now)
        #expect(await device.scan().outcome == .admitted)
        #expect(try await device.made.gate.health().clock == .confirmed)
    }

    @Test("A supervisor cannot vouch for a time when every event is over, nor where it cannot be recorded")
    func impossibleSupervisor() async throws {
        let device = try await Device()
        device.time.setWall(Self.year2099)
        await #expect(throws: TicketGateError.clockImplausible(Self.year2099)) {
            try await device.made.gate.confirmClock(operator: "Ana")
        }
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(store: store)
        store.plan(.before(.full), for: .record)
        await #expect(throws: TicketGateError.notRecorded(.full)) {
            try await made.gate.confirmClock(operator: "Ana")
        }
    }

    @Test("Whether the clock can be trusted is recorded with every scan, also of noise, and health says it")
    func recorded() async throws {
        let device = try await Device()
        _ = await device.scan()
        #expect(try await device.made.gate.health().clock == .trusted)
        device.pass(setting: 2 * Self.hour)
        let decision = await device.made.gate.validate("noise")
        #expect(decision.outcome == .refused(.malformed))
        #expect(decision.clock == .untrusted)
        #expect(try await device.made.events().last?.clock == .untrusted)
        #expect(try await device.made.gate.health().clock == .untrusted)
    }

    @Test("One scan in the year 2099 at the first boot does not shut the gate for ever")
    func firstScanIn2099() async throws {
        let device = try await Device(at: Self.year2099)
        #expect(await device.scan().outcome == .refused(.expired))
        #expect(try await device.head().mark == nil)
        device.time.setWall(Issuer.evening)
        #expect(await device.scan().outcome == .admitted)
    }
}
