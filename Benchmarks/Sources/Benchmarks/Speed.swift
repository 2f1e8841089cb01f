import Foundation
import Portico
import PorticoFileJournal
import PorticoFoundation
import PorticoInMemory
import PorticoSQLite
import PorticoSodium
import PorticoTickets

/// How long one scan takes, beside what it cannot do without.
struct Speed {
    let fixture: Fixture
    let verifier: SodiumTicketVerifier
    let scratch: Scratch
    private var number = 0

    init(_ scratch: Scratch) throws {
        fixture = try Fixture()
        verifier = try SodiumTicketVerifier()
        self.scratch = scratch
    }

    private mutating func tickets(_ count: Int) throws -> [Fixture.Ticket] {
        defer { number += count }
        return try (number..<number + count).map { try fixture.ticket($0) }
    }

    private func verify(_ ticket: Fixture.Ticket) throws {
        let isValid = try verifier.isValid(
            signature: ticket.signature, of: ticket.signedBytes, by: fixture.signer.publicKey)
        precondition(isValid)
    }

    private func admit(_ gate: TicketGate, _ ticket: Fixture.Ticket) async {
        let decision = await gate.validate(ticket.text)
        precondition(decision.isAdmitted, "\(decision)")
    }

    // MARK: In memory

    mutating func memory(_ report: inout Report) async throws {
        let gate = try await fixture.gate(try InMemoryEventStore(InMemoryEventStore.Storage()))
        var ratios = Samples()
        var verifies = Samples()
        var validates = Samples()
        for _ in 0..<15 {
            var verified = Samples()
            var validated = Samples()
            for ticket in try tickets(400) {
                verified.add(try await microseconds { try verify(ticket) })
                validated.add(await microseconds { await admit(gate, ticket) })
            }
            ratios.add(validated.median / verified.median)
            verifies.add(verified.median)
            validates.add(validated.median)
        }
        report.add(
            "validate-memory-over-verify", ratios.median, "x", goal: .atMost(1.25),
            note: "verify \(verifies.median.short) µs, validate \(validates.median.short) µs; rounds \(ratios.spread)")
        report.add("validate-us", validates.median, "µs", note: "in-memory store, one caller")
    }

    /// The same from the main actor: a caller whose thread the scan must leave.
    @MainActor
    func memoryFromMain(_ report: inout Report) async throws {
        var speed = self
        let gate = try await fixture.gate(try InMemoryEventStore(InMemoryEventStore.Storage()))
        var ratios = Samples()
        for _ in 0..<9 {
            var verified = Samples()
            var validated = Samples()
            for ticket in try speed.tickets(200) {
                verified.add(try await microseconds { try verify(ticket) })
                validated.add(await microseconds { await admit(gate, ticket) })
            }
            ratios.add(validated.median / verified.median)
        }
        report.add("validate-memory-from-main-actor", ratios.median, "x", note: "rounds \(ratios.spread)")
    }

    /// What one scan does besides verifying, in this thread's own time.
    mutating func parsing(_ report: inout Report) async throws {
        let format = JSONTicketFormat()
        let store = try InMemoryEventStore(InMemoryEventStore.Storage())
        await admit(try await fixture.gate(store), try tickets(1)[0])
        let event = try await store.events(EventQuery(limit: 1))[0].event
        let json = event.json.serialized()
        var parses = Samples()
        var encodes = Samples()
        var decodes = Samples()
        for _ in 0..<9 {
            let some = try tickets(400)
            parses.add(
                workMicroseconds {
                    for ticket in some {
                        guard case .ticket = format.parse(ticket.text) else { preconditionFailure("a good ticket") }
                    }
                } / 400)
            encodes.add(workMicroseconds { for _ in 0..<400 { precondition(!event.json.serialized().isEmpty) } } / 400)
            decodes.add(
                try workMicroseconds {
                    for _ in 0..<400 { _ = try ScanEvent(json: JSONValue(parsing: json)) }
                } / 400)
        }
        report.add(
            "parse-ticket-us", parses.median, "µs",
            note: "base64url, JSON, canonical form, SHA-256 of \(try fixture.ticket(0).text.count) characters")
        report.add("encode-event-us", encodes.median, "µs", note: "\(json.count) bytes")
        report.add("decode-event-us", decodes.median, "µs")
    }

    /// What a reader may give that is no ticket, and what every scan reads of the clocks.
    func bounds(_ report: inout Report) async throws {
        let gate = try await fixture.gate(try InMemoryEventStore(InMemoryEventStore.Storage()))
        let short = [UInt8](repeating: UInt8(ascii: "A"), count: 2_954)
        let long = [UInt8](repeating: UInt8(ascii: "A"), count: 64 << 20)
        var shorts = Samples()
        var longs = Samples()
        // In turns, so that what slows one down slows the other down.
        for _ in 0..<200 {
            shorts.add(await microseconds { _ = await gate.validate(short) })
            longs.add(await microseconds { _ = await gate.validate(long) })
        }
        report.add(
            "too-long-64mib-over-3kib", longs.median / shorts.median, "x", goal: .atMost(2),
            note: "one byte too long \(shorts.median.short) µs, 64 MiB \(longs.median.short) µs")
        let time = SystemTime()
        var readings = Samples()
        for _ in 0..<9 {
            readings.add(workMicroseconds { for _ in 0..<1_000 { precondition(time.reading.uptime > 0) } } / 1_000)
        }
        report.add("time-reading-us", readings.median, "µs", goal: .atMost(10), note: "wall clock, uptime, boot id")
    }

    // MARK: Durable

    mutating func sqlite(_ report: inout Report) async throws {
        let store = try await SQLiteEventStore(folder: scratch.folder("sqlite"), durability: .powerCut)
        let gate = try await fixture.gate(store)
        let raw = RawSQLite(path: try scratch.folder("raw") + "/raw.sqlite")
        var ratios = Samples()
        var bare = Samples()
        var whole = Samples()
        // What the store writes for a ticket, to give the C interface the same bytes.
        try await admit(gate, tickets(1)[0])
        let event = try await store.events(EventQuery(limit: 1))[0].event
        let body = event.json.serialized()
        let entry = try await store.entries(EntryQuery(limit: 1))[0].entry.body
        for _ in 0..<15 {
            var bared = Samples()
            var validated = Samples()
            for ticket in try tickets(100) {
                let key = Array("T-\(number)-\(bared.values.count)".utf8)
                let id = EventID(at: event.scannedAt, random: (.random(in: 0 ... .max), .random(in: 0 ... .max))).bytes
                bared.add(
                    try await microseconds {
                        try verify(ticket)
                        raw.record(event: Array("SUMMER-2026".utf8), ticket: key, id: id, body: body, entry: entry)
                    })
                validated.add(await microseconds { await admit(gate, ticket) })
            }
            ratios.add(validated.median / bared.median)
            bare.add(bared.median)
            whole.add(validated.median)
        }
        report.add(
            "validate-sqlite-over-verify-plus-insert", ratios.median, "x", goal: .atMost(1.4),
            note: "C \(bare.median.short) µs, validate \(whole.median.short) µs; rounds \(ratios.spread)")
        raw.close()
        await gate.close()
        await store.close()
    }

    mutating func durableLatency(_ report: inout Report) async throws {
        let store = try await SQLiteEventStore(folder: scratch.folder("latency"), durability: .powerCut)
        let gate = try await fixture.gate(store)
        var means = Samples()
        var all = Samples()
        for _ in 0..<20 {
            var round = Samples()
            for ticket in try tickets(100) {
                let spent = await microseconds { await admit(gate, ticket) } / 1_000
                round.add(spent)
                all.add(spent)
            }
            means.add(round.mean)
        }
        report.add(
            "validate-mean-100-ms", means.median, "ms", goal: .atMost(30),
            note: "durable, mean of 100 scans; rounds \(means.spread)")
        report.add("validate-durable-p99-ms", all.percentile(0.99), "ms", note: "of \(all.values.count)")
        await gate.close()
        await store.close()
    }

    func records(_ report: inout Report) async throws {
        let sqlite = try await SQLiteEventStore(folder: scratch.folder("record-sqlite"), durability: .powerCut)
        let journal = try await FileJournalEventStore(folder: scratch.folder("record-journal"), durability: .powerCut)
        for (name, store) in [("record-sqlite-us", sqlite as any EventStore), ("record-journal-us", journal)] {
            var samples = Samples()
            for number in 0..<1_000 {
                let key = TicketKey(event: "SUMMER-2026", ticket: Identifier("R-\(number)") ?? "R")
                samples.add(try await microseconds { try await self.record(key, in: store) })
            }
            report.add(name, samples.median, "µs", note: "power-cut mode, one caller; \(samples.spread)")
            await store.close()
        }
    }

    func record(_ key: TicketKey, in store: any EventStore) async throws {
        let id = EventID(at: Instant(milliseconds: 0), random: (.random(in: 0 ... .max), .random(in: 0 ... .max)))
        _ = try await store.record(key) { head, _ in
            ScanRecord(
                event: ScanEvent(
                    id: id, deviceID: head.deviceID, sequence: head.nextSequence, scannedAt: Instant(milliseconds: 0),
                    verdict: .admitted),
                entry: LedgerEntry(body: [UInt8](repeating: 7, count: 110), isInside: true))
        }
    }

    // MARK: Many at once

    /// Durable scans a second by 64 callers over those by one.
    mutating func manyCallers(_ report: inout Report) async throws {
        let store = try await SQLiteEventStore(folder: scratch.folder("many"), durability: .powerCut)
        let gate = try await fixture.gate(store)
        var ratios = Samples()
        var ones = Samples()
        var manys = Samples()
        for _ in 0..<9 {
            let single = try tickets(500)
            let one = await microseconds { for ticket in single { await admit(gate, ticket) } }
            let crowd = try tickets(3_200)
            let speed = self
            let many = await microseconds {
                await withTaskGroup(of: Void.self) { group in
                    for caller in 0..<64 {
                        group.addTask {
                            for index in stride(from: caller, to: crowd.count, by: 64) {
                                await speed.admit(gate, crowd[index])
                            }
                        }
                    }
                }
            }
            let rates = (Double(single.count) / one * 1e6, Double(crowd.count) / many * 1e6)
            ones.add(rates.0)
            manys.add(rates.1)
            ratios.add(rates.1 / rates.0)
        }
        report.add(
            "durable-scans-64-over-1", ratios.median, "x", goal: .atLeast(3),
            note: "one \(ones.median.short)/s, 64 \(manys.median.short)/s; rounds \(ratios.spread)")
        await gate.close()
        await store.close()
    }

    /// 10,000 events drained through a transport that acknowledges at once.
    func upload(_ report: inout Report) async throws {
        var rates = Samples()
        for round in 0..<9 {
            let store = try await SQLiteEventStore(folder: scratch.folder("upload-\(round)"), durability: .killed)
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<50 {
                    group.addTask {
                        for number in 0..<200 {
                            do {
                                let key = TicketKey(event: "E", ticket: Identifier("\(lane)-\(number)") ?? "T")
                                try await self.record(key, in: store)
                            } catch {
                                preconditionFailure("\(error)")
                            }
                        }
                    }
                }
            }
            let uploader = ScanUploader(
                store: store, documents: InMemoryDocumentStore(InMemoryDocumentStore.Storage()),
                transport: StubSyncTransport([.accepting]), time: ManualTimeSource(), random: SeededGenerator(seed: 1))
            var uploaded: UploadReport?
            let spent = await microseconds { uploaded = await uploader.upload() }
            precondition(uploaded?.delivered == 10_000 && uploaded?.ending == .drained, "\(uploaded as Any)")
            rates.add(10_000 / spent * 1e6)
            await store.close()
        }
        report.add(
            "upload-events-per-second", rates.median, "/s", goal: .atLeast(20_000), note: "rounds \(rates.spread)")
    }
}
