import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("Receipts are not trusted")
struct ReceiptTests {
    private let issuer = Issuer()

    private static func id(_ number: UInt64) -> EventID { EventID(at: Issuer.evening, random: (77, number)) }

    private func redemption(
        _ number: UInt64 = 1, _ ticket: Identifier = "T-0001", device: Identifier = "other-device", count: Int = 1,
        at: Instant = Issuer.evening.advanced(byMilliseconds: -60_000), event: Identifier? = nil
    ) -> Redemption {
        Redemption(
            id: Self.id(number), ticket: TicketKey(event: event ?? issuer.event, ticket: ticket), deviceID: device,
            gateID: "G9", count: count, at: at)
    }

    /// Uploads against one receipt that accepts everything and is changed so; every later one is plain.
    @discardableResult
    private func upload(
        _ made: TestGate, _ change: @escaping @Sendable (inout SyncReceipt) -> Void
    ) async -> UploadReport {
        let transport = StubSyncTransport([.computed { batch, _ in .accepting(batch, change) }, .accepting])
        return await UploadBench(made).uploader(transport).upload()
    }

    @Test("Ids that are not of this batch are ignored and counted")
    func foreignIDs() async throws {
        let made = try await TestGate.configured(issuer)
        _ = await made.outcome(issuer.ticket())
        let report = await upload(made) { receipt in
            for number: UInt64 in 1...5 { receipt.items.append(.init(id: Self.id(number), result: .accepted)) }
            receipt.items.append(.init(id: Self.id(9), result: .refused(code: "x", message: "y")))
        }
        #expect(report.ending == .drained)
        #expect(report.delivered == 1)
        #expect(report.parked == 0)
        #expect(report.ignored == 6)
    }

    @Test("An id with two different results counts as absent, and is sent again; the same one twice is one")
    func contradiction() async throws {
        let bench = UploadBench()
        let ids = try await bench.fill(3)
        let transport = StubSyncTransport([
            .receipt(
                SyncReceipt(items: [
                    .init(id: ids[0], result: .accepted), .init(id: ids[0], result: .refused(code: "x", message: "y")),
                    .init(id: ids[1], result: .accepted), .init(id: ids[1], result: .accepted),
                    .init(id: ids[2], result: .refused(code: "x", message: "y")), .init(id: ids[2], result: .accepted),
                ])), .accepting,
        ])
        let report = await bench.uploader(transport).upload()
        #expect(transport.calls.map { $0.batch.map(\.id) } == [ids, [ids[0], ids[2]]])
        #expect(report.delivered == 3)
        #expect(report.parked == 0)
    }

    @Test("A use by another device is merged: the ticket is used, elsewhere")
    func merged() async throws {
        let made = try await TestGate.configured(issuer)
        let redemption = redemption()
        let report = await upload(made) {
            $0.redemptions = [redemption]
            $0.cursor = "c1"
        }
        #expect(report.redemptions == 1)
        #expect(report.ignored == 0)
        let decision = await made.gate.validate(issuer.ticket())
        #expect(decision.outcome == .refused(.alreadyUsed))
        let use = try #require(decision.priorUses.first)
        #expect(use.eventID == redemption.id)
        #expect(use.deviceID == "other-device")
        #expect(use.gateID == "G9")
        #expect(use.at == redemption.at)
        #expect(use.isElsewhere)
        #expect(!use.isImplausible)
        #expect(try await made.store.status().head.cursor == "c1")
    }

    @Test("Merging the same event again changes nothing, and merging only adds")
    func idempotent() async throws {
        let made = try await TestGate.configured(issuer)
        let text = issuer.ticket { $0["uses"] = 3 }
        #expect(await made.outcome(text) == .admitted)
        let redemption = redemption()
        for _ in 0..<3 { await upload(made) { $0.redemptions = [redemption, redemption] } }
        await upload(made) { $0.redemptions = [] }
        let second = await made.gate.validate(text)
        #expect(second.outcome == .admitted)
        #expect(second.priorUses.count == 2)
        #expect(await made.outcome(text) == .refused(.alreadyUsed))
    }

    @Test("A ticket that was admitted here and elsewhere more often than it is good for is a conflict, shown in health")
    func conflict() async throws {
        let made = try await TestGate.configured(issuer)
        _ = await made.outcome(issuer.ticket())
        #expect(try await made.gate.health().conflicts == 0)
        let redemption = redemption()
        await upload(made) { $0.redemptions = [redemption] }
        #expect(try await made.gate.health().conflicts == 1)
        #expect(try await made.store.entries(EntryQuery(conflictsOnly: true)).map(\.ticket.ticket) == ["T-0001"])

        let enough = try await TestGate.configured(issuer)
        _ = await enough.outcome(issuer.ticket { $0["uses"] = 2 })
        await upload(enough) { $0.redemptions = [redemption] }
        #expect(try await enough.gate.health().conflicts == 0)
    }

    @Test("A bad redemption is skipped alone, and the good ones beside it are merged")
    func badRedemptions() async throws {
        let made = try await TestGate.configured(issuer)
        let own = try await made.store.status().head.deviceID
        let bad = [
            redemption(1, "OWN", device: own), redemption(2, "NEGATIVE", count: -1), redemption(3, "ZERO", count: 0),
            redemption(4, "MANY", count: 1_001), redemption(5, "HUGE", count: .max),
            redemption(6, "LEAST", count: .min),
            redemption(7, "BEFORE", at: Instant(milliseconds: -1)),
            redemption(8, "FIRST", at: Instant(milliseconds: .min)),
            redemption(9, "FOREIGN", event: "NOWHERE"),
        ]
        let good = [
            redemption(20, "GOOD"), redemption(21, "FULL", count: 1_000),
            redemption(22, "EPOCH", at: Instant(seconds: 0)),
        ]
        let mixed = bad.prefix(4) + good.prefix(1) + bad.dropFirst(4) + good.dropFirst(1)
        let report = await upload(made) {
            $0.redemptions = Array(mixed)
            $0.cursor = "c2"
        }
        #expect(report.redemptions == 3)
        #expect(report.ignored == bad.count)
        #expect(
            try await made.store.entries(EntryQuery()).map(\.ticket.ticket.text).sorted() == ["EPOCH", "FULL", "GOOD"])
        #expect(try await made.store.status().head.cursor == "c2")
        #expect(await made.outcome(issuer.ticket("NEGATIVE")) == .admitted)
        #expect(await made.outcome(issuer.ticket("GOOD")) == .refused(.alreadyUsed))
    }

    @Test("A redemption later than now and the tolerance is merged and marked, never skipped")
    func lateRedemption() async throws {
        let made = try await TestGate.configured(issuer)
        let late = redemption(1, "LATE", at: Issuer.evening.advanced(byMilliseconds: 120_001))
        let soon = redemption(2, "SOON", at: Issuer.evening.advanced(byMilliseconds: 120_000))
        let absurd = redemption(3, "ABSURD", at: Instant(milliseconds: .max))
        let report = await upload(made) {
            $0.redemptions = [late, soon, absurd]
            $0.cursor = "c3"
        }
        #expect(report.redemptions == 3)
        #expect(try await made.store.status().head.cursor == "c3")
        for (ticket, isImplausible) in [("LATE", true), ("SOON", false), ("ABSURD", true)] {
            let decision = await made.gate.validate(issuer.ticket(ticket))
            #expect(decision.outcome == .refused(.alreadyUsed), "\(ticket)")
            #expect(decision.priorUses.map(\.isImplausible) == [isImplausible], "\(ticket)")
        }
    }

    @Test("Uses of the largest count add up without a trap, and are a conflict")
    func manyUses() async throws {
        let made = try await TestGate.configured(issuer)
        let rows = (1...50).map { redemption($0, count: 1_000) }
        await upload(made) { $0.redemptions = rows }
        #expect(await made.outcome(issuer.ticket { $0["uses"] = 1_000 }) == .refused(.alreadyUsed))
    }

    @Test("A million rows are bounded: at most 1,000 are taken, and the cursor does not pass the others")
    func aMillionRows() async throws {
        let made = try await TestGate.configured(issuer)
        let distinct = (1...1_500).map { redemption(UInt64($0)) }
        var rows = Array(repeating: redemption(2_000), count: 1_000_000)
        rows.replaceSubrange(..<1_500, with: distinct)
        let many = rows
        let before = try await made.store.status().head.cursor
        let report = await upload(made) {
            $0.redemptions = many
            $0.cursor = "far"
        }
        #expect(report.redemptions <= 1_000)
        #expect(try await made.store.status().head.cursor == before)
        #expect(try await made.store.status().tickets <= 1)
    }

    @Test("1,000 redemptions are taken")
    func aThousandRows() async throws {
        let made = try await TestGate.configured(issuer)
        let rows = (0..<1_000).map { redemption(UInt64($0), Identifier("T-\($0)") ?? "T") }
        let report = await upload(made) {
            $0.redemptions = rows
            $0.cursor = "c4"
        }
        #expect(report.redemptions == 1_000)
        #expect(try await made.store.status().tickets == 1_000)
        #expect(try await made.store.status().head.cursor == "c4")
    }

    @Test("More redemptions are fetched while the server has more, from the new cursor on")
    func more() async throws {
        let made = try await TestGate.configured(issuer)
        _ = await made.outcome(issuer.ticket("OWN"))
        let pages = (1...3).map { redemption(UInt64($0), Identifier("T-\($0)") ?? "T") }
        let transport = StubSyncTransport(
            pages.enumerated().map { index, page in
                .computed { batch, _ in
                    .accepting(batch) {
                        $0.redemptions = [page]
                        $0.cursor = "p\(index + 1)"
                        $0.hasMore = index < 2
                    }
                }
            } + [.accepting])
        let report = await UploadBench(made).uploader(transport).upload()
        #expect(report.ending == .drained)
        #expect(report.redemptions == 3)
        #expect(transport.calls.map(\.cursor) == [nil, "p1", "p2"])
        #expect(transport.calls.map(\.batch.count) == [1, 0, 0])
    }

    @Test("A server that says for ever that it has more, without a new cursor, does not hold the upload")
    func moreForEver() async throws {
        let made = try await TestGate.configured(issuer)
        _ = await made.outcome(issuer.ticket())
        let transport = StubSyncTransport([
            .computed { batch, _ in
                .accepting(batch) {
                    $0.hasMore = true
                    $0.cursor = "same"
                }
            }
        ])
        let report = await UploadBench(made).uploader(transport).upload()
        #expect(report.delivered == 1)
        #expect(transport.calls.count < 50)
    }

    @Test("Nor does one that gives a new cursor each time: after 1,000 pages the rest is for the next upload")
    func pagesForEver() async throws {
        let made = try await TestGate.configured(issuer)
        let transport = StubSyncTransport([
            .computed { batch, cursor in
                .accepting(batch) {
                    $0.hasMore = true
                    $0.cursor = (cursor ?? "") + "."
                }
            }
        ])
        #expect(await UploadBench(made).uploader(transport).upload().ending == .drained)
        #expect(transport.calls.count == 1_000)
    }

    @Test("Deliveries, redemptions and cursor of a receipt are one settlement")
    func oneTransaction() async throws {
        let recording = RecordingEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: recording)
        let decision = await made.gate.validate(issuer.ticket("OWN"))
        let redemption = redemption()
        await upload(made) {
            $0.redemptions = [redemption]
            $0.cursor = "c5"
        }
        let settlements = recording.changes.compactMap { change -> Settlement? in
            if case .settle(let settlement, nil) = change { settlement } else { nil }
        }
        let settlement = try #require(settlements.first { $0.cursor != nil })
        #expect(settlement.cursor == "c5")
        #expect(settlement.redemptions.map(\.id) == [redemption.id])
        #expect(settlement.deliveries == [try #require(decision.eventID): .delivered])
    }

    @Test("Where a receipt cannot be settled neither its results nor its redemptions nor its cursor are kept")
    func settleFails() async throws {
        let store = FaultyEventStore(InMemoryEventStore())
        let made = try await TestGate.configured(issuer, store: store)
        _ = await made.outcome(issuer.ticket("OWN"))
        store.plan(.before(.full), for: .settle)
        let redemption = redemption()
        let report = await upload(made) {
            $0.redemptions = [redemption]
            $0.cursor = "c6"
        }
        #expect(report.ending == .store(.full))
        store.heal()
        #expect(try await made.store.status().head.cursor == nil)
        #expect(try await made.store.status().pending == 1)
        #expect(await made.outcome(issuer.ticket()) == .admitted)
    }

    @Test("A highest sequence above our own says that the store was rolled back or copied, and is shown")
    func rolledBack() async throws {
        let made = try await TestGate.configured(issuer)
        _ = await made.outcome(issuer.ticket())
        let transport = StubSyncTransport([
            .computed { batch, _ in .accepting(batch) { $0.highestSequence = 1 } },
            .computed { batch, _ in .accepting(batch) { $0.highestSequence = 900 } },
        ])
        let uploader = UploadBench(made).uploader(transport)
        _ = await uploader.upload()
        #expect(await uploader.health().rolledBackBelow == nil)
        _ = await made.outcome(issuer.ticket("B"))
        #expect(await uploader.upload().ending == .drained)
        #expect(await uploader.health().rolledBackBelow == 900)
        #expect(await uploader.health().lastReceipt == made.time.now)
    }

    @Test("Rows that a transport could not read are counted as ignored")
    func unreadableRows() async throws {
        let made = try await TestGate.configured(issuer)
        _ = await made.outcome(issuer.ticket())
        let report = await upload(made) { $0.unreadableRedemptions = 7 }
        #expect(report.ignored == 7)
        #expect(report.delivered == 1)
    }

    @Test("Redemptions of every event that the configuration knows are taken, whatever the gate serves")
    func servedEvents() async throws {
        let winter = Issuer(event: "WINTER-2026", key: Issuer.Key("k2", seed: 2))
        let made = try await TestGate.configured(
            issuer, configuration: issuer.configuration(events: [issuer.event(), winter.event()]))
        let rows = [redemption(1, "A"), redemption(2, "B", event: winter.event)]
        for served in [nil, [issuer.event]] as [[Identifier]?] {
            _ = try await made.store.remove(.everything)
            let uploader = ScanUploader(
                store: made.store, documents: made.documents,
                transport: StubSyncTransport([.receipt(SyncReceipt(redemptions: rows)), .accepting]), time: made.time,
                random: SeededGenerator(seed: 1), serving: served, policy: UploadPolicy(sendTimeout: nil))
            _ = await uploader.upload()
            #expect(try await made.store.entries(EntryQuery()).map(\.ticket.ticket).sorted() == ["A", "B"])
        }
    }

    @Test("A receipt for a device without a configuration merges nothing and loses no result")
    func withoutConfiguration() async throws {
        let bench = UploadBench()
        try await bench.fill(1)
        let row = redemption()
        let transport = StubSyncTransport([.computed { batch, _ in .accepting(batch) { $0.redemptions = [row] } }])
        let report = await bench.uploader(transport).upload()
        #expect(report.delivered == 1)
        #expect(report.redemptions == 0)
    }
}
