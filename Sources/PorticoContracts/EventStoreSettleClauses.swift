import Portico

extension EventStoreContract {
    static let settlement = Clause<Store>(
        "ES-5", "a settlement is one step: deliveries by id, merges in order, closures, clock, mark and cursor"
    ) { subject in
        let bench = try await Bench(subject)
        let parked = Delivery.parked(code: "sequenceReused", message: "déja\u{300} vu \"x\"\n")
        try await bench.open { store in
            try await checkDeliveries(store, parked)
            try await checkClosures(store)
            try await checkMerges(store)
        }
        try await bench.reopen { store in
            let states = try await store.states()
            try requireEqual(states[id(1)], .delivered, "the state of a delivered event after opening again")
            guard case .parked(let code, let message) = states[id(2)] else {
                throw Breach("a parked event is \(String(describing: states[id(2)])) after opening again")
            }
            try requireEqual(code, "sequenceReused", "the code of a parked event")
            try requireEqual(Array(message.utf8), Array("déja\u{300} vu \"x\"\n".utf8), "the message of a parked event")
            try requireEqual(try await store.status().head.cursor, "c-2", "the cursor after opening again")
            try requireEqual(
                try await store.entry(ticket), LedgerEntry(body: [1, 2, 3]), "the merged entry after opening again")
        }
        try await checkOneStep(try await Bench(subject))
    }

    private static func checkDeliveries(_ store: Store, _ parked: Delivery) async throws {
        for number in 1...4 { try await store.add(number) }
        try await store.settle(Settlement(deliveries: [id(1): .delivered, id(2): parked, id(77): .delivered]))
        try await store.settle(Settlement(deliveries: [id(1): parked, id(2): parked, id(3): parked, id(77): parked]))
        try await store.settle(Settlement(deliveries: [id(1): .delivered, id(3): .delivered]))
        try await store.settle(Settlement())
        let states = try await store.states()
        try requireEqual(states.count, 4, "events after a settlement that names an unknown one")
        try requireEqual(states[id(1)], .delivered, "the state of an event that was delivered, then parked")
        try requireEqual(
            states[id(2)], .parked(code: "sequenceReused", message: "déja\u{300} vu \"x\"\n"),
            "the state of an event that was parked twice")
        try requireEqual(states[id(3)], .delivered, "the state of an event that was parked, then delivered")
        try requireEqual(states[id(4)], .pending, "the state of an event that no settlement named")
    }

    private static func checkClosures(_ store: Store) async throws {
        try await store.add(5, isOpen: true)
        try await store.add(6, isOpen: true)
        try await store.add(7, isOpen: true, closures: [id(5): 3, id(78): 1])
        try await store.settle(Settlement(closures: [id(6): 0, id(79): 2]))
        try await store.settle(Settlement(closures: [id(1): 8, id(2): 8, id(4): 8, id(5): 8]))
        let stored = try await store.events(EventQuery(limit: 10_000))
        let repeats = Dictionary(stored.map { ($0.event.id, $0.event.repeats) }, uniquingKeysWith: { $1 })
        let states = Dictionary(stored.map { ($0.event.id, $0.state) }, uniquingKeysWith: { $1 })
        try requireEqual(states[id(5)], .pending, "the state of an event that a record closed")
        try requireEqual(repeats[id(5)], 3, "the repeats of an event that a record closed, and a later closure")
        try requireEqual(states[id(6)], .pending, "the state of an event that a settlement closed")
        try requireEqual(repeats[id(6)], 0, "the repeats of an event that a settlement closed")
        try requireEqual(states[id(7)], .open, "the state of an event that is not closed")
        try requireEqual(states[id(1)], .delivered, "the state of a delivered event that a closure names")
        try require(
            [1, 2, 4].allSatisfy { repeats[id($0)] == 0 }, "a closure changed the repeats of an event that was not open"
        )
        try requireEqual(stored.count, 7, "events after closures of unknown ones")
    }

    private static func checkMerges(_ store: Store) async throws {
        let other = try ticket(2)
        try await store.add(8, ticket: other, entry: LedgerEntry(body: [9]))
        let merge: @Sendable (LedgerEntry?, Redemption) -> LedgerEntry = { entry, redemption in
            LedgerEntry(body: (entry?.body ?? []) + [UInt8(redemption.count)], isConflict: redemption.count == 5)
        }
        try await store.settle(
            Settlement(
                redemptions: [redemption(1), redemption(4, of: other), redemption(2), redemption(5, of: other)],
                cursor: "c-1"),
            merge)
        try await store.settle(Settlement(redemptions: [redemption(3)]), merge)
        try requireEqual(
            try await store.entry(ticket), LedgerEntry(body: [1, 2, 3]), "three redemptions merged in order")
        try requireEqual(
            try await store.entry(other), LedgerEntry(body: [9, 4, 5], isConflict: true), "redemptions over a record's")
        try requireEqual(try await store.status().head.cursor, "c-1", "the cursor after a settlement that left it")
        try await store.settle(Settlement(cursor: "c-2"), merge)
        let seen = try await store.add(9, ticket: ticket)
        try requireEqual(seen.before, LedgerEntry(body: [1, 2, 3]), "what a record sees of merged redemptions")
        try requireEqual(try await store.status().pending, 5, "pending events after redemptions, which add none")
    }

    /// Readers beside a settlement see all of it or nothing.
    private static func checkOneStep(_ bench: Bench) async throws {
        try await bench.open { store in
            let events = 50
            for number in 1...events { try await store.add(number) }
            let deliveries = Dictionary(uniqueKeysWithValues: (1...events).map { (id($0), Delivery.delivered) })
            let redemptions = try (1...events).map { redemption($0, of: try ticket($0)) }
            let seen = try await withThrowingTaskGroup(of: [EventStoreStatus].self) { group in
                group.addTask {
                    try await store.settle(
                        Settlement(deliveries: deliveries, redemptions: redemptions, mark: instant(3), cursor: "c-1"))
                    return []
                }
                for _ in 1...8 {
                    group.addTask { try await watch(store) }
                }
                return try await group.reduce(into: [EventStoreStatus]()) { $0 += $1 }
            }
            for status in try await seen + [store.status()] {
                let isSettled = status.head.cursor != nil
                try require(
                    status.pending == (isSettled ? 0 : events) && status.tickets == (isSettled ? events : 0)
                        && status.head.mark == (isSettled ? instant(3) : nil),
                    "a reader saw half a settlement: \(status)")
            }
            try requireEqual(try await store.status().head.cursor, "c-1", "the cursor after the settlement")
        }
    }

    /// What a reader sees until the settlement is there, or for some time.
    private static func watch(_ store: Store) async throws -> [EventStoreStatus] {
        var seen: [EventStoreStatus] = []
        for _ in 1...200 where seen.last?.head.cursor == nil {
            seen.append(try await store.status())
            await Task.yield()
        }
        return seen
    }

    static let removal = Clause<Store>(
        "ES-7", "removal keeps what must survive: what is not delivered, the ledger, the head"
    ) { subject in
        let bench = try await Bench(subject)
        let anchor = ClockAnchor(reading: ClockReading(wall: instant(1), uptime: 5, bootID: "boot-1"))
        let parked = Delivery.parked(code: "refused", message: "no")
        let kept = try await bench.open { store in
            try requireEqual(try await store.remove(.delivered), 0, "events removed from an empty store")
            for number in 1...4 { _ = try await store.addCounting(number, ticket: ticket(number)) }
            try await store.add(5, isOpen: true, clock: anchor, mark: instant(6))
            try await store.settle(
                Settlement(
                    deliveries: [id(1): .delivered, id(3): .delivered, id(4): parked],
                    redemptions: [redemption(1, of: ticket(9))], cursor: "c-1"))
            let before = try await Picture(of: store)
            try requireEqual(try await store.remove(.delivered), 2, "delivered events removed")
            let after = try await Picture(of: store)
            try requireEqual(after.events.map(\.event.id), [id(2), id(4), id(5)], "events left")
            try requireEqual(
                after.events.map(\.state.kind), [.pending, .parked, .open], "states of the events that are left")
            try requireEqual(after.entries, before.entries, "the ledger after delivered events were removed")
            try requireEqual(after.status.head, before.status.head, "the head after delivered events were removed")
            try requireEqual(try await store.remove(.delivered), 0, "delivered events removed again")
            let again = try await store.addCounting(6, ticket: ticket(1))
            try requireEqual(count(again.before), 1, "what is known of a ticket whose event was removed")
            try await store.settle(Settlement(deliveries: [id(1): .delivered]))
            return try await Picture(of: store)
        }
        try await bench.reopen { store in
            let picture = try await Picture(of: store)
            try requireEqual(picture.events.map(\.event), kept.events.map(\.event), "events after opening again")
            try requireEqual(picture.entries, kept.entries, "the ledger after opening again")
            try requireEqual(picture.status.head, kept.status.head, "the head after opening again")
        }
        try await checkEverything(bench, anchor)
    }

    private static func checkEverything(_ bench: Bench, _ anchor: ClockAnchor) async throws {
        let head = try await bench.open { store in
            if !bench.isDurable {
                for number in 1...4 { _ = try await store.addCounting(number, ticket: ticket(number)) }
                try await store.settle(Settlement(clock: anchor, mark: instant(6), cursor: "c-1"))
            }
            let before = try await store.status()
            try requireEqual(try await store.remove(.everything), 4, "events removed with everything")
            let after = try await store.status()
            try requireEqual(try await store.events(EventQuery()), [], "events after everything was removed")
            try requireEqual(try await store.entries(EntryQuery()), [], "entries after everything was removed")
            try requireEqual(after.counts.values.reduce(0, +), 0, "events counted after everything was removed")
            try requireEqual(after.tickets, 0, "tickets counted after everything was removed")
            try requireEqual(after.oldestPending, nil, "the oldest pending event after everything was removed")
            var expected = before.head
            expected.cursor = nil
            try requireEqual(after.head, expected, "the head after everything was removed")
            let new = try await store.addCounting(100, ticket: ticket(1))
            try requireEqual(new.before, nil, "what is known of a ticket after everything was removed")
            return try await store.status().head
        }
        try await bench.reopen { store in
            try requireEqual(try await store.status().head, head, "the head after removal and opening again")
            try requireEqual(
                try await store.events(EventQuery()).map(\.event.id), [id(100)],
                "events after removal and opening again")
        }
    }

    static let closing = Clause<Store>(
        "ES-8", "closing ends what was begun, may be repeated, and leaves a storage that can be opened"
    ) { subject in
        let opening = try await subject.fresh()
        let store = try await opening()
        let outcomes = await withTaskGroup(of: Int?.self) { group in
            for number in 1...50 {
                group.addTask {
                    do {
                        try await store.add(number)
                        return number
                    } catch {
                        return isClosed(error) ? nil : 0
                    }
                }
            }
            group.addTask {
                await store.close()
                return nil
            }
            return await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
        }
        await store.close()
        try require(!outcomes.contains(0), "a record beside close failed with another error than closed")
        try await checkClosed(store)

        let again = try await opening()
        do {
            if subject.capabilities.contains(.durable) {
                let stored = try await again.events(EventQuery())
                try requireEqual(
                    Set(stored.map(\.event.id)), Set(outcomes.map(id)), "events that were recorded beside close")
                try requireEqual(
                    stored.map(\.event.sequence), (0..<outcomes.count).map { Int64($0 + 1) }, "their sequences")
            }
            await store.close()
            try await again.add(1_000)
        } catch {
            await again.close()
            throw error
        }
        await again.close()
    }

    private static func checkClosed(_ store: Store) async throws {
        try await requireFailure("record after close", isClosed) { try await store.add(500) }
        try await requireFailure("settle after close", isClosed) { try await store.settle(Settlement(cursor: "c")) }
        try await requireFailure("events after close", isClosed) { _ = try await store.events(EventQuery()) }
        try await requireFailure("entries after close", isClosed) { _ = try await store.entries(EntryQuery()) }
        try await requireFailure("status after close", isClosed) { _ = try await store.status() }
        try await requireFailure("remove after close", isClosed) { _ = try await store.remove(.everything) }
    }
}
