import Portico

extension EventStoreContract {
    static let decision = Clause<Store>(
        "ES-1", "a record decides on the ticket's entry as of that moment, and concurrent records see each other"
    ) { subject in
        let bench = try await Bench(subject)
        try await bench.open { store in
            let callers = 200
            let results = try await withThrowingTaskGroup(of: Recorded.self) { group in
                for number in 1...callers {
                    group.addTask { try await store.addCounting(number, ticket: ticket) }
                }
                return try await group.reduce(into: [Recorded]()) { $0.append($1) }
            }
            try requireEqual(results.count { $0.before == nil }, 1, "records of one ticket that saw no entry before")
            try requireEqual(
                results.map { count($0.before) }.sorted(), Array(0..<callers),
                "what concurrent records saw of the ticket")
            try require(
                results.allSatisfy { $0.event.count == count($0.before) + 1 },
                "a record returned another entry than its decision was given")
            let stored = try await store.events(EventQuery(limit: callers + 1))
            try requireEqual(
                stored.map(\.event), results.map(\.event).sorted { $0.sequence < $1.sequence },
                "events of concurrent records")
            try requireEqual(
                stored.map(\.event.count), Array(1...callers), "the order of the decisions along the sequence")
            try requireEqual(count(try await store.entry(ticket)), callers, "the ticket's count after all records")

            let other = try await store.addCounting(callers + 1, ticket: ticket(2))
            try requireEqual(other.before, nil, "the entry that another ticket's record saw")
            let withoutTicket = try await store.add(callers + 2, entry: entry(counting: 7))
            try requireEqual(withoutTicket.before, nil, "the entry that a record without a ticket saw")
            try requireEqual(try await store.status().tickets, 2, "tickets after a record without one")
            let untouched = try await store.add(callers + 3, ticket: ticket, entry: nil)
            try requireEqual(count(untouched.before), callers, "the entry that a refusal saw")
            try requireEqual(count(try await store.entry(ticket)), callers, "the entry after a record that left it")
        }
    }

    static let durability = Clause<Store>(
        "ES-2", "what returned is durable, an error wrote nothing, and a call that has begun is not cancelled"
    ) { subject in
        let bench = try await Bench(subject)
        let before = try await bench.open { store in
            let callers = 40
            let recorded = try await withThrowingTaskGroup(of: Recorded.self) { group in
                for number in 1...callers {
                    group.addTask {
                        // One half is cancelled before it begins, the other whenever that comes.
                        if number.isMultiple(of: 2) { withUnsafeCurrentTask { $0?.cancel() } }
                        return try await store.addCounting(number, ticket: ticket(number))
                    }
                }
                group.cancelAll()
                return try await group.reduce(into: [Recorded]()) { $0.append($1) }
            }
            try requireEqual(recorded.count, callers, "records of cancelled tasks")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await store.settle(
                        Settlement(deliveries: [id(1): .delivered], redemptions: [redemption(3)], cursor: "c-1"))
                }
                try await group.waitForAll()
            }
            try requireEqual(try await store.status().head.cursor, "c-1", "cursor settled by a cancelled task")
            try requireEqual(
                Set(try await store.events(EventQuery()).map(\.event)), Set(recorded.map(\.event)),
                "events that returned")

            let picture = try await Picture(of: store)
            try await requireFailure("a record of another device", isFailed) {
                _ = try await store.record(ticket) { head, _ in
                    var event = event(callers + 1, head)
                    event.deviceID = "another-device"
                    return ScanRecord(
                        event: event, entry: entry(counting: 99),
                        clock: ClockAnchor(reading: ClockReading(wall: instant(9), uptime: 9, bootID: "b")),
                        mark: instant(9), closures: [id(2): 9])
                }
            }
            try require(try await Picture(of: store) == picture, "a record that failed changed what the store answers")
            try await store.add(callers + 1)
            return try await Picture(of: store)
        }
        try await bench.reopen { store in
            try require(try await Picture(of: store) == before, "opened again, the store answers otherwise than before")
        }
    }

    static let sequence = Clause<Store>(
        "ES-3", "sequences are gapless from 1, and an event that does not follow the head is refused"
    ) { subject in
        let bench = try await Bench(subject)
        try await bench.open { store in
            try requireEqual(try await store.status().head.nextSequence, 1, "the first sequence")
            for number in 1...5 {
                try requireEqual(try await store.add(number).event.sequence, Int64(number), "the sequence of a record")
            }
            for offset in [Int64(-1), 1, -6, 1_000, -.max] {
                try await requireFailure("a record with a sequence that is off by \(offset)", isFailed) {
                    _ = try await store.record(ticket) { head, _ in
                        var event = event(100, head)
                        event.sequence = head.nextSequence &+ offset
                        return ScanRecord(event: event, entry: entry(counting: 1))
                    }
                }
            }
            try requireEqual(try await store.entry(ticket), nil, "the entry of a ticket whose records were refused")
            try requireEqual(try await store.add(6).event.sequence, 6, "the sequence after refused records")
            try await store.settle(Settlement(deliveries: [id(1): .delivered, id(6): .delivered]))
            _ = try await store.remove(.delivered)
            try requireEqual(try await store.add(7).event.sequence, 7, "the sequence after the last event was removed")
            try requireEqual(
                try await store.events(EventQuery()).map(\.event.sequence), [2, 3, 4, 5, 7], "sequences in the store")
        }
        try await bench.reopen { store in
            try requireEqual(try await store.add(8).event.sequence, 8, "the sequence after opening again")
            _ = try await store.remove(.everything)
        }
        try await bench.reopen { store in
            try requireEqual(
                try await store.add(9).event.sequence, 9, "the sequence after everything was removed and opened again")
        }
    }

    static let clock = Clause<Store>(
        "ES-4", "anchor and mark change exactly as a record or a settlement says"
    ) { subject in
        let bench = try await Bench(subject)
        let anchor = ClockAnchor(reading: ClockReading(wall: instant(1), uptime: 12_345, bootID: "boot-1"))
        let confirmed = ClockAnchor(
            reading: ClockReading(wall: Instant(milliseconds: -1), uptime: 1 << 52, bootID: "be\u{301}\u{1F3AB}"),
            isConfirmed: true)
        try await bench.open { store in
            var head = try await store.status().head
            try requireEqual(head.clock, nil, "the anchor of a new storage")
            try requireEqual(head.mark, nil, "the mark of a new storage")
            try await store.add(1, clock: anchor, mark: instant(10))
            try await store.add(2)
            head = try await store.status().head
            try requireEqual(head.clock, anchor, "the anchor after a record that left it")
            try requireEqual(head.mark, instant(10), "the mark after a record that left it")
            try await store.add(3, mark: instant(4))
            head = try await store.status().head
            try requireEqual(head.clock, anchor, "the anchor after a record with a mark alone")
            try requireEqual(head.mark, instant(4), "the mark after a record that lowers it")
            let seen = try await store.record(nil) { head, _ in
                var event = event(4, head)
                event.repeats = head.clock == anchor && head.mark == instant(4) ? 1 : 0
                return ScanRecord(event: event)
            }
            try requireEqual(seen.event.repeats, 1, "decisions that were given anchor and mark")
            try await store.settle(Settlement(clock: confirmed))
            head = try await store.status().head
            try requireEqual(head.clock, confirmed, "the anchor after a settlement")
            try requireEqual(head.mark, instant(4), "the mark after a settlement that left it")
            try await store.settle(Settlement(mark: Instant(milliseconds: 0)))
            try await store.settle(Settlement(cursor: "c-1"))
        }
        try await bench.reopen { store in
            let head = try await store.status().head
            try requireEqual(head.clock, confirmed, "the anchor after opening again")
            try requireEqual(
                head.clock.map { Array($0.reading.bootID.utf8) }, Array(confirmed.reading.bootID.utf8),
                "the bytes of the boot id")
            try requireEqual(head.mark, Instant(milliseconds: 0), "the mark after opening again")
            try requireEqual(head.cursor, "c-1", "the cursor after opening again")
        }
    }

    static let device = Clause<Store>(
        "ES-10", "the device id is made with the storage and stays the same for its life"
    ) { subject in
        let bench = try await Bench(subject)
        let first = try await bench.open { store in
            let made = try await store.status().head.deviceID
            try requireEqual(try await store.add(1).event.deviceID, made, "the device that a decision was given")
            _ = try await store.remove(.everything)
            try requireEqual(try await store.status().head.deviceID, made, "the device after everything was removed")
            return made
        }
        try await bench.reopen { store in
            try requireEqual(try await store.status().head.deviceID, first, "the device after opening again")
        }
        let second = try await Bench(subject).open { try await $0.status().head.deviceID }
        try require(first != second, "two storages have one device id: \(first)")
        try require(first.utf8.count >= 16, "a device id of \(first.utf8.count) bytes is no random one")
    }

    static let exclusion = Clause<Store>(
        "ES-13", "a second writer is told that the storage is locked, while the first is open", needs: [.exclusive]
    ) { subject in
        let opening = try await subject.fresh()
        let first = try await opening()
        do {
            try await requireFailure("opening a storage that is open", isLocked) { await (try opening()).close() }
            try await first.add(1)
            try await requireFailure("opening it once more", isLocked) { await (try opening()).close() }
            try requireEqual(try await first.status().pending, 1, "events of the first writer")
        } catch {
            await first.close()
            throw error
        }
        await first.close()
        let second = try await opening()
        await first.close()
        do {
            try await requireFailure("opening it while the second writer is open", isLocked) {
                await (try opening()).close()
            }
            try requireEqual(
                try await second.add(2).event.sequence, subject.capabilities.contains(.durable) ? 2 : 1,
                "the sequence of the second writer")
        } catch {
            await second.close()
            throw error
        }
        await second.close()
    }

    private static func isLocked(_ error: any Error) -> Bool {
        if case .locked = error as? EventStoreError { true } else { false }
    }
}
