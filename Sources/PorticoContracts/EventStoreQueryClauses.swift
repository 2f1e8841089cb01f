import Portico

extension EventStoreContract {
    static let paging = Clause<Store>(
        "ES-6",
        "events ascend by sequence, strictly after the query's, at most its limit; at opening open ones are pending"
    ) { subject in
        let bench = try await Bench(subject)
        try await bench.open { store in
            try requireEqual(try await store.events(EventQuery()), [], "events of a new storage")
            for number in 1...25 { try await store.add(number, isOpen: number % 5 == 0) }
            try await store.settle(
                Settlement(deliveries: [
                    id(2): .delivered, id(7): .delivered, id(9): .parked(code: "refused", message: ""),
                ]))

            var walked: [Int64] = []
            while true {
                let page = try await store.events(EventQuery(after: walked.last ?? 0, limit: 4))
                try require(page.count <= 4, "a page of \(page.count) events where 4 were asked for")
                if page.isEmpty { break }
                try require(walked.count < 25, "pages go on after the last event")
                walked += page.map(\.event.sequence)
            }
            try requireEqual(walked, Array(1...25), "sequences read in pages")

            let pending = try await store.events(.pending(after: 1, limit: 5))
            try requireEqual(pending.map(\.event.sequence), [3, 4, 6, 8, 11], "pending events after the first")
            try require(pending.allSatisfy { $0.state == .pending }, "an event of another state among the pending")
            let others = try await store.events(EventQuery(states: [.open, .parked]))
            try requireEqual(others.map(\.event.sequence), [5, 9, 10, 15, 20, 25], "open and parked events")
            for (query, what) in [
                (EventQuery(states: []), "no state"), (EventQuery(limit: 0), "limit 0"),
                (EventQuery(limit: -1), "limit -1"), (EventQuery(after: 25), "after the last"),
                (EventQuery(after: .max), "after the highest number"),
            ] {
                try requireEqual(try await store.events(query), [], "events for \(what)")
            }
            let all = try await store.events(EventQuery(after: .min, limit: .max))
            try requireEqual(all.count, 25, "events without a bound")
        }
        try await bench.reopen { store in
            let kinds = try await store.events(EventQuery()).map(\.state.kind)
            let expected: [EventState.Kind] = (1...25).map {
                $0 == 2 || $0 == 7 ? .delivered : $0 == 9 ? .parked : .pending
            }
            try requireEqual(kinds, expected, "states after opening again")
            try await store.settle(Settlement(closures: [id(5): 4]))
            try requireEqual(
                try await store.events(EventQuery(after: 4, limit: 1)).map(\.event.repeats), [0],
                "repeats of an event that opening ended, after a closure")
        }
        try await checkDraining(try await Bench(subject))
    }

    /// A queue is drained in batches of several sizes, one event in seven parked: what is left is what was not named.
    private static func checkDraining(_ bench: Bench) async throws {
        try await bench.open { store in
            for number in 1...40 { try await store.add(number) }
            var left = Array(Int64(1)...40)
            for size in [1, 2, 3, 1, 4, 5, 7, 1, 6, 10, 1] {
                let batch = try await store.events(.pending(limit: size))
                try requireEqual(batch.map(\.event.sequence), Array(left.prefix(size)), "the next batch of \(size)")
                let deliveries = batch.map { stored in
                    let isParked = stored.event.sequence % 7 == 0
                    return (stored.event.id, isParked ? Delivery.parked(code: "refused", message: "") : .delivered)
                }
                try await store.settle(Settlement(deliveries: Dictionary(uniqueKeysWithValues: deliveries)))
                left.removeFirst(min(size, left.count))
                try requireEqual(
                    try await store.events(.pending()).map(\.event.sequence), left, "what is pending after a batch")
                try requireEqual(
                    try await store.status().oldestPending, left.first.map { instant(Int($0)) },
                    "the oldest pending event's time after a batch")
            }
            try await store.add(41)
            try requireEqual(
                try await store.events(.pending()).map(\.event.sequence), [41],
                "a new event after the queue was drained")
        }
    }

    static let keys = Clause<Store>(
        "ES-9", "tickets are told apart by the bytes of event and ticket"
    ) { subject in
        let bench = try await Bench(subject)
        // Canonically equivalent texts, letters of two scripts, cases, spaces, and parts that join to the same text.
        let tickets = [
            TicketKey(event: "F", ticket: "caf\u{E9}"), TicketKey(event: "F", ticket: "cafe\u{301}"),
            TicketKey(event: "F", ticket: "A"), TicketKey(event: "F", ticket: "\u{410}"),
            TicketKey(event: "F", ticket: "a"), TicketKey(event: "f", ticket: "A"),
            TicketKey(event: "F", ticket: " A"), TicketKey(event: "F", ticket: "A "),
            TicketKey(event: "FA", ticket: "B"), TicketKey(event: "F", ticket: "AB"),
            TicketKey(event: "F/A", ticket: "B"), TicketKey(event: "F", ticket: "A/B"),
            TicketKey(event: "F:A", ticket: "B"), TicketKey(event: "F", ticket: "A:B"),
            TicketKey(event: "F", ticket: "\u{212B}"), TicketKey(event: "F", ticket: "\u{C5}"),
            TicketKey(event: "F", ticket: "1"), TicketKey(event: "F", ticket: "01"),
            TicketKey(event: "F", ticket: "A%"), TicketKey(event: "F", ticket: "A_"),
        ]
        try await bench.open { store in
            for (index, ticket) in tickets.enumerated() {
                let recorded = try await store.record(ticket) { head, _ in
                    ScanRecord(event: event(index + 1, head), entry: entry(counting: index + 1))
                }
                try requireEqual(recorded.before, nil, "the entry of \(ticket.event) \(ticket.ticket), never seen")
            }
            try await checkKeys(store, tickets)
            try await store.settle(Settlement(redemptions: [redemption(100, of: tickets[1])]))
            try requireEqual(
                count(try await store.entry(tickets[0])), 1, "the entry beside a merged one that looks alike")
            try requireEqual(count(try await store.entry(tickets[1])), 102, "the merged entry")
            try await store.add(99, ticket: tickets[1], entry: entry(counting: 2))
        }
        try await bench.reopen { try await checkKeys($0, tickets) }
    }

    private static func checkKeys(_ store: Store, _ tickets: [TicketKey]) async throws {
        try requireEqual(try await store.status().tickets, tickets.count, "tickets that differ in their bytes")
        for (index, ticket) in tickets.enumerated() {
            try requireEqual(
                count(try await store.entry(ticket)), index + 1, "the entry of \(ticket.event) \(ticket.ticket)")
        }
        try requireEqual(
            try await store.entries(EntryQuery()).map(\.ticket), tickets.sorted(), "the keys as they are listed")
    }

    static let ledger = Clause<Store>(
        "ES-11", "entries ascend by key, strictly after the query's, at most its limit, filtered by the flags"
    ) { subject in
        let bench = try await Bench(subject)
        let events: [Identifier] = ["A", "AA", "B", "\u{E9}"]
        try await bench.open { store in
            try requireEqual(try await store.entries(EntryQuery()), [], "entries of a new storage")
            var expected: [StoredEntry] = []
            for number in (1...32).reversed() {
                let key = TicketKey(event: events[number % 4], ticket: try ticket(number).ticket)
                let entry = LedgerEntry(
                    body: [UInt8(number)], isInside: number % 2 == 0, isConflict: number % 3 == 0)
                try await store.add(number, ticket: key, entry: entry)
                expected.append(StoredEntry(ticket: key, entry: entry))
            }
            expected.sort { $0.ticket < $1.ticket }
            try requireEqual(try await store.entries(EntryQuery()), expected, "all entries")

            for (inside, conflicts) in [(false, false), (true, false), (false, true), (true, true)] {
                let matching = expected.filter {
                    (!inside || $0.entry.isInside) && (!conflicts || $0.entry.isConflict)
                }
                var walked: [StoredEntry] = []
                while true {
                    let page = try await store.entries(
                        EntryQuery(
                            after: walked.last?.ticket, conflictsOnly: conflicts, insideOnly: inside, limit: 3))
                    try require(page.count <= 3, "a page of \(page.count) entries where 3 were asked for")
                    if page.isEmpty { break }
                    try require(walked.count < matching.count, "pages go on after the last entry")
                    walked += page
                }
                try requireEqual(
                    walked, matching, "entries in pages, inside only \(inside), conflicts only \(conflicts)")
            }
            try await checkEntryBounds(store, expected)
        }
    }

    private static func checkEntryBounds(_ store: Store, _ expected: [StoredEntry]) async throws {
        let absent = TicketKey(event: "AA", ticket: "T-")
        let following = expected.filter { $0.ticket > absent }
        try requireEqual(
            try await store.entries(EntryQuery(after: absent, limit: .max)), following,
            "entries after a key that is absent")
        try requireEqual(try await store.entry(absent), nil, "the entry of an absent ticket")
        try requireEqual(try await store.entries(EntryQuery(limit: 0)), [], "entries for limit 0")
        try requireEqual(try await store.entries(EntryQuery(limit: -1)), [], "entries for limit -1")
        let plain = expected.filter { !$0.entry.isConflict }
        if let first = plain.first {
            try requireEqual(
                try await store.entries(EntryQuery(ticket: first.ticket, conflictsOnly: true)), [],
                "the entry of a ticket that is not in conflict, among the conflicts")
            try await store.add(100, ticket: first.ticket, entry: LedgerEntry(body: [0], isConflict: true))
            try requireEqual(
                try await store.entries(EntryQuery(conflictsOnly: true)).map(\.ticket),
                expected.filter { $0.entry.isConflict || $0.ticket == first.ticket }.map(\.ticket),
                "conflicts after one more")
        }
    }

    static let counts = Clause<Store>(
        "ES-12", "status counts what queries return, and names the oldest pending event's time"
    ) { subject in
        let bench = try await Bench(subject)
        let before = try await bench.open { store in
            let empty = try await store.status()
            try requireEqual(empty.counts.values.reduce(0, +), 0, "events counted in a new storage")
            try requireEqual(empty.oldestPending, nil, "the oldest pending event of a new storage")
            try await checkStatus(store)

            try await store.add(1, isOpen: true)
            try requireEqual(try await store.status().oldestPending, nil, "the oldest pending event where one is open")
            for number in 2...6 {
                try await store.add(
                    number, ticket: try ticket(number), entry: LedgerEntry(body: [1], isConflict: number == 3))
            }
            try await checkStatus(store)
            try requireEqual(try await store.status().oldestPending, instant(2), "the oldest pending event's time")
            try await store.settle(
                Settlement(deliveries: [id(2): .delivered, id(3): .parked(code: "refused", message: "no")]))
            try await checkStatus(store)
            try requireEqual(
                try await store.status().oldestPending, instant(4), "the oldest pending time after a delivery")
            try await store.add(7, ticket: try ticket(3), entry: LedgerEntry(body: [2]), closures: [id(1): 2])
            try requireEqual(try await store.status().conflicts, 0, "conflicts after the last was resolved")
            try requireEqual(
                try await store.status().oldestPending, instant(1), "the oldest pending time after a closure")
            try await store.settle(Settlement(redemptions: [redemption(1, of: try ticket(4))])) { entry, _ in
                LedgerEntry(body: entry?.body ?? [], isInside: true, isConflict: true)
            }
            try await checkStatus(store)
            // An event of an earlier time that was recorded later: the clock was set back.
            _ = try await store.record(nil) { head, _ in
                var event = event(8, head)
                event.scannedAt = Instant(milliseconds: 5)
                return ScanRecord(event: event)
            }
            try requireEqual(
                try await store.status().oldestPending, instant(1),
                "the oldest pending time after the clock was set back")
            _ = try await store.remove(.delivered)
            try await checkStatus(store)
            return try await Picture(of: store)
        }
        try await bench.reopen { store in
            try await checkStatus(store)
            try require(
                try await Picture(of: store) == before, "opened again, the store counts otherwise than before")
            _ = try await store.remove(.everything)
            try await checkStatus(store)
        }
    }

    private static func checkStatus(_ store: Store) async throws {
        let status = try await store.status()
        for kind in EventState.Kind.allCases {
            let found = try await store.events(EventQuery(states: [kind], limit: 10_000))
            try requireEqual(status.counts[kind, default: 0], found.count, "events counted as \(kind)")
            if kind == .pending {
                try requireEqual(status.oldestPending, found.first?.event.scannedAt, "the oldest pending time")
            }
        }
        try requireEqual(status.tickets, try await store.entries(EntryQuery(limit: 10_000)).count, "tickets counted")
        try requireEqual(
            status.conflicts, try await store.entries(EntryQuery(conflictsOnly: true, limit: 10_000)).count,
            "conflicts counted")
    }

    static let fidelity = Clause<Store>(
        "ES-14", "events and entries come back as they were: every member, and any bytes"
    ) { subject in
        let bench = try await Bench(subject)
        let bodies: [[UInt8]] = [
            [], [0], Array("\0\0{}'\"\n".utf8), Array(0...255),
            (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) },
        ]
        let written = try await bench.open { store in
            var written: [ScanEvent] = []
            for (index, make) in variants.enumerated() {
                let recorded = try await store.record(nil) { head, _ in
                    var event = event(index + 1, head)
                    make(&event)
                    return ScanRecord(event: event)
                }
                written.append(recorded.event)
            }
            for (index, body) in bodies.enumerated() {
                let key = try ticket(index)
                try await store.add(
                    1_000 + index, ticket: key, entry: LedgerEntry(body: body, isInside: index % 2 == 0))
                try requireEqual(
                    try await store.entry(key), LedgerEntry(body: body, isInside: index % 2 == 0),
                    "an entry of \(body.count) bytes")
            }
            try requireSame(try await store.events(EventQuery(limit: written.count)).map(\.event), written)
            return written
        }
        try await bench.reopen { store in
            try requireSame(try await store.events(EventQuery(limit: written.count)).map(\.event), written)
            for (index, body) in bodies.enumerated() {
                let found = try await store.entry(try ticket(index))
                try requireEqual(found?.body, body, "an entry of \(body.count) bytes after opening again")
            }
        }
    }

    static let unreadable = Clause<Store>(
        "ES-15", "an event that cannot be read holds up no other, and is named"
    ) { subject in
        let bench = try await Bench(subject)
        try await bench.open { store in
            try await store.add(1)
            do throws(EventStoreError) {
                _ = try await store.record(nil) { head, _ in
                    var event = event(2, head)
                    // No hash has three bytes. A store may refuse it, keep it as it is, or fail to read it.
                    event.codeHash = [1, 2, 3]
                    return ScanRecord(event: event)
                }
            } catch {
                guard case .failed = error else { throw error }
                return
            }
            try await store.add(3)
            let together = try await store.events(EventQuery()).map(\.event.id)
            try requireEqual(together.filter { $0 != id(2) }, [id(1), id(3)], "the events beside an unreadable one")
            let second = try await store.events(EventQuery(after: 1, limit: 1)).map(\.event.id)
            try require(
                second == [id(2)] || second == [id(3)],
                "a page that an unreadable event would fill is empty, and an empty page is the last")
            if !together.contains(id(2)) {
                try require(
                    try await store.status().repairs.contains { $0.contains("2") },
                    "an event was passed over and is not named in the repairs")
            }
        }
    }

    /// Equality of `String` merges canonically equivalent texts, so the one free text is compared by its bytes as well.
    private static func requireSame(_ seen: [ScanEvent], _ expected: [ScanEvent]) throws {
        try requireEqual(seen.count, expected.count, "events read")
        for (one, other) in zip(seen, expected) {
            try requireEqual(one, other, "event \(other.sequence)")
            try requireEqual(
                one.operatorName.map { Array($0.utf8) }, other.operatorName.map { Array($0.utf8) },
                "the operator's bytes of event \(other.sequence)")
        }
    }

    /// Ways in which events differ, each put upon a plain one.
    private static let variants: [@Sendable (inout ScanEvent) -> Void] = {
        let claims = TicketClaims(
            ticketID: "caf\u{E9}", eventID: "cafe\u{301}", zoneID: "Z", issuedAt: Instant(seconds: 0),
            validFrom: Instant(seconds: 1), validTo: Instant(seconds: 253_402_300_799),
            signature: (0..<64).map { UInt8($0 * 4) }, contentHash: (0..<32).map { UInt8(255 - $0) })
        var full = claims
        full.keyID = "key \u{1F3AB}"
        full.uses = 1_000
        full.category = "staff"
        let complete = full
        var variants: [@Sendable (inout ScanEvent) -> Void] = [
            { _ in },
            {
                $0.gateID = "North gate"
                $0.lane = "2"
                $0.gateEvents = ["A", "\u{E9}", "e\u{301}"]
                $0.clock = .untrusted
                $0.configuration = ConfigurationStamp(epoch: 3, version: 1 << 52)
                $0.count = 12
                $0.operatorName = "Zoe\u{308} \"Z\"\u{1B}\u{0}\n\u{1F600}"
                $0.repeats = 4_096
                $0.ticket = .verified(complete)
                $0.codeHash = (0..<32).map { UInt8($0) }
                $0.codeLength = 2_953
            },
            {
                $0.ticket = .claimed(claims)
                $0.verdict = .refused(.badSignature)
            },
            {
                $0.ticket = .verified(claims)
                $0.verdict = .refused(.hostRule, hostCode: "bag.check-1")
            },
            {
                $0.kind = .clockConfirmed
                $0.verdict = nil
                $0.clock = .confirmed
                $0.operatorName = ""
                $0.gateEvents = []
                $0.codeLength = 0
            },
            { $0.scannedAt = Instant(milliseconds: -1) },
            { $0.scannedAt = Instant(milliseconds: 253_402_300_799_999) },
        ]
        let later = Reason(rawValue: "ofALaterVersion")
        variants += (Reason.allCases + [later]).map { reason in { $0.verdict = .refused(reason) } }
        return variants
    }()
}
