import Portico

/// The guarantees of `SyncTransport`, as checks that any transport can be put to, together with a server of its own
/// language that plays what it is told.
///
/// A transport speaks a host's protocol, so the host brings the double of its server: a type that keeps
/// `SyncTransportContract.Server`, in the test's process or on the loopback interface.
///
/// ```swift
/// let subject = Subject<SyncTransportContract.Exchange>(name: "HostTransport") {
///     let server = HostServerDouble()
///     return { .init(transport: HostTransport(address: server.address), server: server) }
/// }
/// for clause in SyncTransportContract.clauses {
///     if case .broken(let why) = await clause.check(subject) { print(why) }
/// }
/// ```
public enum SyncTransportContract {
    /// One clause for each guarantee of the port's documentation, in its order.
    public static let clauses: [Clause<Exchange>] = [once, ownReceipt, unreadable, emptyBatch, cancellation, refusals]

    /// A transport and the server that it reaches.
    public struct Exchange: Sendable {
        /// What is checked.
        public let transport: any SyncTransport
        /// What it talks to.
        public let server: any Server

        /// Puts the two together.
        public init(transport: any SyncTransport, server: any Server) {
            self.transport = transport
            self.server = server
        }
    }

    /// A double of a host's server, for the contract.
    public protocol Server: Sendable {
        /// Answers the next request that way; several calls are several requests, in order.
        ///
        /// - Returns: False where the protocol that it speaks has no such answer; what needs it is then passed over.
        func play(_ answer: Answer) async throws -> Bool

        /// The requests that arrived so far, in order.
        func requests() async -> [Request]

        /// Returns when that many requests have arrived in all, or when its task is cancelled.
        func arrival(of count: Int) async
    }

    /// What a server does with one request.
    public enum Answer: Sendable, Hashable {
        /// Gives this receipt, as it is.
        case receipt(SyncReceipt)
        /// Says that the batch is too large.
        case tooLarge
        /// Refuses the batch as a whole.
        case rejected
        /// Refuses whoever sends: credentials.
        case unauthorized
        /// Asks to come again after so many seconds, nil: without saying when.
        case later(seconds: Int64?)
        /// Reads the request and ends the connection without an answer.
        case dropped
        /// Answers with bytes that are no receipt.
        case nonsense
        /// Reads the request and gives no answer, for at least ten seconds.
        case silence
    }

    /// A request as it arrived at the server.
    public struct Request: Sendable, Hashable {
        /// The events of the batch, in its order.
        public var events: [EventID]
        /// The cursor that came with it.
        public var cursor: String?

        /// Puts a request together.
        public init(events: [EventID], cursor: String? = nil) {
            self.events = events
            self.cursor = cursor
        }
    }
}

extension SyncTransportContract {
    private static let once = Clause<Exchange>(
        "ST-1", "send sends the batch at most once: no retry, no split, no other order"
    ) { subject in
        let exchange = try await subject.fresh()()
        let batch = batch(of: 7)
        var expected: [Request] = []
        for answer in [Answer.dropped, .later(seconds: 1), .nonsense, .tooLarge, .rejected, .receipt(SyncReceipt())] {
            guard try await exchange.server.play(answer) else { continue }
            expected.append(Request(events: batch.map(\.id), cursor: "c-1"))
            do throws(SyncTransportError) {
                _ = try await exchange.transport.send(batch, after: "c-1")
            } catch {
                try require(error != .cancelled, "a call that nobody cancelled ended with cancelled, after \(answer)")
            }
            try requireEqual(await exchange.server.requests(), expected, "requests at the server after \(answer)")
        }
        // The largest batch that the port allows arrives in one piece.
        guard try await exchange.server.play(.receipt(SyncReceipt())) else { return }
        let large = SyncTransportContract.batch(of: 500)
        _ = try await exchange.transport.send(large, after: nil)
        expected.append(Request(events: large.map(\.id)))
        try requireEqual(await exchange.server.requests(), expected, "requests at the server after 500 events")
    }

    private static let ownReceipt = Clause<Exchange>(
        "ST-2", "the receipt is the server's own: no result is made up, none is lost"
    ) { subject in
        let exchange = try await subject.fresh()()
        let batch = batch(of: 6)
        let full = SyncReceipt(
            items: [
                .init(id: batch[3].id, result: .accepted), .init(id: batch[0].id, result: .duplicate),
                .init(id: batch[5].id, result: .refused(code: "sequenceReused", message: "dej\u{E0} \"x\"")),
                .init(id: EventStoreContract.id(77), result: .accepted),
                .init(id: batch[0].id, result: .accepted),
            ],
            serverTime: Instant(seconds: 1_783_188_000), highestSequence: 1 << 40,
            redemptions: [
                Redemption(
                    id: EventStoreContract.id(78), ticket: TicketKey(event: "caf\u{E9}", ticket: "cafe\u{301}"),
                    deviceID: "other-device", gateID: "North", zoneID: "Z", count: 3,
                    at: Instant(seconds: 1_783_188_001), contentHash: (0..<32).map { UInt8($0) }),
                Redemption(
                    id: EventStoreContract.id(79), ticket: EventStoreContract.ticket, deviceID: "third-device",
                    at: Instant(seconds: 0)),
            ],
            cursor: "c-2", hasMore: true)
        for receipt in [full, SyncReceipt(items: [.init(id: batch[1].id, result: .accepted)]), SyncReceipt()] {
            guard try await exchange.server.play(.receipt(receipt)) else { continue }
            try requireEqual(try await exchange.transport.send(batch, after: nil), receipt, "the receipt")
        }
    }

    private static let unreadable = Clause<Exchange>(
        "ST-3", "an answer that cannot be read is unavailable, never an empty receipt"
    ) { subject in
        let exchange = try await subject.fresh()()
        for answer in [Answer.nonsense, .dropped] {
            for size in [0, 3] {
                guard try await exchange.server.play(answer) else { continue }
                try await requireFailure("a batch of \(size), answered with \(answer),", isUnavailable) {
                    _ = try await exchange.transport.send(batch(of: size), after: nil)
                }
            }
        }
        guard try await exchange.server.play(.receipt(SyncReceipt(cursor: "c"))) else { return }
        try requireEqual(
            try await exchange.transport.send(batch(of: 1), after: nil), SyncReceipt(cursor: "c"),
            "the receipt after answers that could not be read")
    }

    private static let emptyBatch = Clause<Exchange>(
        "ST-4", "an empty batch is sent too, with its cursor"
    ) { subject in
        let exchange = try await subject.fresh()()
        let cursors = [nil, "c-1", "", "\u{E9}\u{1F3AB} \"&=\\"]
        for cursor in cursors {
            let receipt = SyncReceipt(
                redemptions: [
                    Redemption(
                        id: EventStoreContract.id(80), ticket: EventStoreContract.ticket, deviceID: "other-device",
                        at: Instant(seconds: 1_783_188_001))
                ], cursor: "c-2")
            guard try await exchange.server.play(.receipt(receipt)) else { return }
            try requireEqual(
                try await exchange.transport.send([], after: cursor), receipt, "the receipt of an empty batch")
        }
        try requireEqual(
            await exchange.server.requests(), cursors.map { Request(events: [], cursor: $0) }, "requests at the server")
    }

    private static let cancellation = Clause<Exchange>(
        "ST-5", "cancelling the task ends the call soon with cancelled"
    ) { subject in
        let exchange = try await subject.fresh()()
        try await checkCancelled(exchange, isEarly: true)
        guard try await exchange.server.play(.silence) else { return }
        try await checkCancelled(exchange, isEarly: false)
        guard try await exchange.server.play(.receipt(SyncReceipt(cursor: "c"))) else { return }
        try requireEqual(
            try await exchange.transport.send(batch(of: 1), after: nil), SyncReceipt(cursor: "c"),
            "the receipt after a call that was cancelled")
    }

    /// Cancels a call before it begins, or once its request is at the server.
    private static func checkCancelled(_ exchange: Exchange, isEarly: Bool) async throws {
        let count = await exchange.server.requests().count + 1
        let ending = await withTaskGroup(of: Ending.self) { group in
            if isEarly { group.cancelAll() }
            group.addTask {
                do throws(SyncTransportError) {
                    return .returned(try await exchange.transport.send(batch(of: 2), after: nil))
                } catch {
                    return .failed(error)
                }
            }
            if !isEarly {
                group.addTask {
                    await exchange.server.arrival(of: count)
                    return .arrived
                }
                // Where the call ends before its request arrived, that is what is to be told.
                let first = await group.next()
                group.cancelAll()
                if let first, first != .arrived { return first }
            }
            return await group.next() ?? .arrived
        }
        try requireEqual(ending, .failed(.cancelled), "how a cancelled call ended")
    }

    private enum Ending: Equatable {
        case arrived
        case returned(SyncReceipt)
        case failed(SyncTransportError)
    }

    private static let refusals = Clause<Exchange>(
        "ST-6", "a batch refused as a whole is the error that says why"
    ) { subject in
        let exchange = try await subject.fresh()()
        let refusals: [(Answer, (SyncTransportError) -> Bool)] = [
            (.tooLarge, { $0 == .batchTooLarge }),
            (.rejected, { if case .batchRejected = $0 { true } else { false } }),
            (.unauthorized, { if case .stopped = $0 { true } else { false } }),
            (.later(seconds: 7), { $0 == .retry(afterMilliseconds: 7_000) }),
            (.later(seconds: nil), { $0 == .retry(afterMilliseconds: nil) }),
        ]
        for (answer, isExpected) in refusals {
            guard try await exchange.server.play(answer) else { continue }
            try await requireFailure(
                "a batch answered with \(answer)", { ($0 as? SyncTransportError).map(isExpected) ?? false }
            ) {
                _ = try await exchange.transport.send(batch(of: 2), after: nil)
            }
        }
    }

    private static func batch(of count: Int) -> [ScanEvent] {
        (0..<count).map { number in
            EventStoreContract.event(
                number + 1, StoreHead(deviceID: "device-of-the-contract", nextSequence: Int64(number + 1)))
        }
    }

    private static func isUnavailable(_ error: any Error) -> Bool {
        if case .unavailable = error as? SyncTransportError { true } else { false }
    }
}
