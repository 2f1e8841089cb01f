import Portico

/// Uploads what a gate recorded, through the host's own door, until the server has everything once.
///
/// It batches, retries, halves, parks and waits; the transport only carries. Events are acknowledged by id, so sending
/// one again does no harm, and one poisoned event does not hold up the rest. One upload is under way at a time: who asks
/// while it is joins it.
///
/// ```swift
/// let uploader = ScanUploader(
///     store: store, documents: documents, transport: transport, time: time, random: SystemRandomNumberGenerator())
/// let report = await uploader.upload()
/// print(report.delivered, report.ending)
/// ```
///
/// ## Concurrency
/// `upload` and `run` may be called from any task. Cancelling a task that waits in `upload` ends its wait; it ends the
/// upload only if it began it. What was acknowledged before is kept.
public actor ScanUploader {
    private let store: any EventStore
    private let shelf: ConfigurationShelf
    private let transport: any SyncTransport
    private let time: any TimeSource
    private let served: [Identifier]?
    private let policy: UploadPolicy

    private var random: any RandomNumberGenerator & Sendable
    private var running: Task<UploadReport, Never>?
    private var watchers: [UInt64: AsyncStream<UploadProgress>.Continuation] = [:]
    private var nextWatcher: UInt64 = 0
    private var currentHealth = UploadHealth()
    private var rules: Rules?
    private var notBefore: Int64?
    /// How many callers of `upload` wait for the upload that is under way.
    private var impatient = 0
    /// Whether one of them came since the last failure: earlier ones are not counted against it.
    private var isHurried = false
    /// The pause between two attempts, while there is one.
    private var pause: Task<Void, Never>?

    /// An uploader over a store.
    ///
    /// - Parameters:
    ///   - store: What is uploaded.
    ///   - documents: Where the configuration is kept: it says which events are known and how far clocks may differ.
    ///   - transport: The host's door.
    ///   - time: The clocks.
    ///   - random: Randomness for the jitter.
    ///   - served: The gate's events; nil: all of the configuration's.
    ///   - policy: How it sends and waits.
    public init(
        store: any EventStore, documents: any DocumentStore, transport: any SyncTransport, time: any TimeSource,
        random: any RandomNumberGenerator & Sendable, serving served: [Identifier]? = nil,
        policy: UploadPolicy = UploadPolicy()
    ) {
        self.store = store
        shelf = ConfigurationShelf(documents: documents)
        self.transport = transport
        self.time = time
        self.random = random
        self.served = served
        self.policy = policy.checked
    }

    deinit {
        for watcher in watchers.values { watcher.finish() }
    }

    /// An uploader whose door is a closure: one batch and the cursor in, the server's receipt out.
    ///
    /// What the closure throws becomes `unavailable`, unless it throws a `SyncTransportError` itself.
    public init(
        store: any EventStore, documents: any DocumentStore, time: any TimeSource,
        random: any RandomNumberGenerator & Sendable, serving served: [Identifier]? = nil,
        policy: UploadPolicy = UploadPolicy(),
        send: @escaping @Sendable (_ batch: [ScanEvent], _ cursor: String?) async throws -> SyncReceipt
    ) {
        self.init(
            store: store, documents: documents, transport: ClosureSyncTransport(body: send), time: time,
            random: random, serving: served, policy: policy)
    }

    // MARK: Uploading

    /// Uploads everything that waits, now: what a server asked to wait for earlier is not waited for.
    ///
    /// It retries with growing pauses, and ends when nothing waits, the server takes nothing until somebody acts, it
    /// failed too often, or the task is cancelled. It does not throw: how it ended is in the report. Joining an upload of
    /// `run` cuts its pause short, and makes it give up as one by hand does.
    public func upload() async -> UploadReport {
        notBefore = nil
        impatient += 1
        isHurried = true
        pause?.cancel()
        defer { impatient -= 1 }
        return await joinOrStart()
    }

    /// Uploads what waits whenever something does, until its task is cancelled; keeps trying through every failure.
    ///
    /// Where nothing waits it still asks once an `idleInterval`, with an empty batch: other devices' uses come that way.
    public func run() async throws(CancellationError) {
        while true {
            if let notBefore, notBefore > time.uptime {
                try await time.sleep(milliseconds: min(notBefore - time.uptime, policy.idleInterval))
                continue
            }
            let report = await joinOrStart()
            if Task.isCancelled { throw CancellationError() }
            switch report.ending {
            case .drained, .cancelled: break
            case .postponed(let span): notBefore = time.uptime + span
            case .stopped, .gaveUp, .store: notBefore = time.uptime + policy.maximumDelay
            }
            try await time.sleep(milliseconds: policy.idleInterval)
        }
    }

    /// The progress of uploads from here on; a consumer that is slow sees the newest only.
    ///
    /// The stream lives as long as the uploader; stop reading it and it is let go.
    public func progress() -> AsyncStream<UploadProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: UploadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let id = nextWatcher
        nextWatcher += 1
        watchers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.forgetWatcher(id) } }
        return stream
    }

    /// How the uploader is, now.
    public func health() -> UploadHealth { currentHealth }

    /// Cancels an upload that is under way, and waits until it has ended.
    public func cancel() async {
        running?.cancel()
        _ = await running?.value
    }

    private func forgetWatcher(_ id: UInt64) {
        watchers[id] = nil
    }

    private func joinOrStart() async -> UploadReport {
        while let running {
            guard running.isCancelled else {
                // No longer than this task is wanted.
                return await running.valueUnlessCancelled() ?? UploadReport(ending: .cancelled)
            }
            // Whoever cancelled that one did not cancel this one.
            _ = await running.value
        }
        let task = Task { await drain() }
        running = task
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Sends batch after batch until nothing waits or there is a reason to stop.
    private func drain() async -> UploadReport {
        defer { running = nil }
        var report = UploadReport()
        var backoff = Backoff(policy)
        var limit = policy.maximumBatch
        do throws(Stop) {
            // Nothing has been heard of other devices yet: where nothing waits, an empty batch asks for it.
            var hasMore = true
            var pages = 0
            // What a server does not mention stays pending; a sweep goes past it, so that it holds up nothing behind it.
            var sweptTo: Int64 = 0
            var hasProgress = false
            while true {
                let events = try await pending(after: sweptTo)
                if let last = events.last {
                    let resolved = try await send(events, &report, &backoff, &limit, &hasMore)
                    hasProgress = hasProgress || resolved > 0
                    sweptTo = last.event.sequence
                } else if sweptTo > 0 {
                    if !hasProgress {
                        try await wait(nil, "the server acknowledged nothing", &backoff, report)
                    }
                    sweptTo = 0
                    hasProgress = false
                } else if hasMore, pages < Self.maximumPages {
                    pages += 1
                    if case .received(_, let more) = try await attempt([], &report, &backoff) {
                        hasMore = more
                    }
                } else {
                    break
                }
            }
        } catch {
            report.ending = error.ending
        }
        await publish(report, waiting: nil)
        return report
    }

    /// After so many pages of other devices' uses an upload ends, whatever more a server promises.
    private static let maximumPages = 1_000

    /// Why a drain stops before nothing waits.
    private struct Stop: Error {
        let ending: UploadReport.Ending
    }

    /// Sends the events of one look, cut into batches; returns how many are resolved.
    private func send(
        _ events: [StoredEvent], _ report: inout UploadReport, _ backoff: inout Backoff, _ limit: inout Int,
        _ hasMore: inout Bool
    ) async throws(Stop) -> Int {
        var resolved = 0
        var queue = BatchQueue(events, maximum: limit, maximumBytes: policy.maximumBatchBytes) { stored in
            stored.event.encoded().count
        }
        while let batch = queue.next() {
            let outcome = try await attempt(batch.events.map(\.event), &report, &backoff)
            switch outcome {
            case .received(let settled, let more):
                queue.taken(batch)
                resolved += settled
                hasMore = more
            case .refused(let isTooLarge, let cause):
                if batch.events.count > 1 {
                    // Too large is a property of this server; a rejection is one of these events.
                    if isTooLarge { limit = max(1, (batch.events.count + 1) / 2) }
                    queue.refused(batch)
                } else if let event = batch.events.first?.event {
                    let code = isTooLarge ? "batchTooLarge" : "batchRejected"
                    try await settle(
                        Settlement(deliveries: [event.id: .parked(code: code, message: cause)]), marking: [])
                    report.parked += 1
                    resolved += 1
                }
            }
            await publish(report, waiting: nil)
        }
        return resolved
    }

    private enum Outcome {
        case received(settled: Int, hasMore: Bool)
        case refused(isTooLarge: Bool, String)
    }

    /// Sends one batch until the server says something about it, and makes durable what it says.
    private func attempt(
        _ batch: [ScanEvent], _ report: inout UploadReport, _ backoff: inout Backoff
    ) async throws(Stop) -> Outcome {
        while true {
            if Task.isCancelled { throw Stop(ending: .cancelled) }
            let cursor = try await status().head.cursor
            report.requests += 1
            let receipt: SyncReceipt
            do throws(SyncTransportError) {
                receipt = try await carry(batch, after: cursor)
            } catch {
                switch error {
                case .batchTooLarge where !batch.isEmpty: return .refused(isTooLarge: true, "\(error)")
                case .batchRejected(let cause) where !batch.isEmpty:
                    return .refused(isTooLarge: false, ReceiptReading.short(cause, 512))
                case .cancelled: throw Stop(ending: .cancelled)
                case .stopped(let cause):
                    note("\(error)")
                    throw Stop(ending: .stopped(ReceiptReading.short(cause, 512)))
                case .retry(let span): try await wait(span, "\(error)", &backoff, report)
                case .batchTooLarge, .batchRejected, .unavailable:
                    try await wait(nil, "\(error)", &backoff, report)
                }
                continue
            }
            return try await take(receipt, of: batch, &report, &backoff)
        }
    }

    /// Makes durable what a receipt says.
    private func take(
        _ receipt: SyncReceipt, of batch: [ScanEvent], _ report: inout UploadReport, _ backoff: inout Backoff
    ) async throws(Stop) -> Outcome {
        let head = try await status().head
        let rules = await currentRules()
        let reading = ReceiptReading(
            receipt,
            .init(
                batch: batch, deviceID: head.deviceID, lastSequence: head.nextSequence - 1, cursor: head.cursor,
                reading: time.reading, clock: rules.clock, known: rules.known))
        try await settle(reading.settlement, marking: reading.implausible)
        let parked = reading.settlement.deliveries.values.count { $0 != .delivered }
        let settled = reading.settlement.deliveries.count
        report.delivered += settled - parked
        report.parked += parked
        report.redemptions += reading.settlement.redemptions.count
        report.ignored += reading.ignored
        currentHealth.lastReceipt = time.now
        currentHealth.clockDifference = reading.clockDifference
        // It stays: that a store was rolled back is not undone by its sequence catching up.
        if let highest = reading.rolledBackBelow {
            currentHealth.rolledBackBelow = max(highest, currentHealth.rolledBackBelow ?? highest)
        }
        currentHealth.ignored += reading.ignored
        if settled > 0 || batch.isEmpty { backoff.succeeded() }
        return .received(settled: settled, hasMore: reading.hasMore)
    }

    // MARK: What it rests on

    /// The transport's answer, or a failure where it does not answer in time or the task is cancelled: a transport that
    /// hangs, and one that is deaf to cancellation, hold nothing up.
    private func carry(
        _ batch: [ScanEvent], after cursor: String?
    ) async throws(SyncTransportError) -> SyncReceipt {
        // Of the answer, the deadline and the cancellation the first is taken; one place in the buffer is enough.
        let (answers, continuation) = AsyncStream.makeStream(
            of: Result<SyncReceipt, SyncTransportError>.self, bufferingPolicy: .bufferingOldest(1))
        let (transport, time, timeout) = (transport, time, policy.sendTimeout)
        let sending = Task {
            do throws(SyncTransportError) {
                continuation.yield(.success(try await transport.send(batch, after: cursor)))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let deadline = Task {
            guard let timeout else { return }
            do throws(CancellationError) {
                try await time.sleep(milliseconds: timeout)
                continuation.yield(.failure(.unavailable("no answer within \(timeout / 1_000) s")))
            } catch {
                // The answer came first.
            }
        }
        defer {
            sending.cancel()
            deadline.cancel()
        }
        let first = await withTaskCancellationHandler {
            var iterator = answers.makeAsyncIterator()
            return await iterator.next()
        } onCancel: {
            continuation.yield(.failure(.cancelled))
        }
        guard let first else { throw .cancelled }
        return try first.get()
    }

    private func wait(
        _ retryAfter: Int64?, _ cause: String, _ backoff: inout Backoff, _ report: UploadReport
    ) async throws(Stop) {
        note(cause)
        if isHurried {
            isHurried = false
            backoff.succeeded()
        }
        let delay = backoff.failed(retryAfter: retryAfter, random: &random)
        if impatient > 0, backoff.failures >= policy.maximumFailures { throw Stop(ending: .gaveUp(cause)) }
        if delay > policy.maximumDelay { throw Stop(ending: .postponed(milliseconds: delay)) }
        await publish(report, waiting: delay)
        let pause = Task { [time] in
            do throws(CancellationError) {
                try await time.sleep(milliseconds: delay)
            } catch {
                // Cut short by who wants it done now, or by the end of the whole.
            }
        }
        self.pause = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        self.pause = nil
        if Task.isCancelled { throw Stop(ending: .cancelled) }
    }

    private func pending(after sequence: Int64) async throws(Stop) -> [StoredEvent] {
        if Task.isCancelled { throw Stop(ending: .cancelled) }
        do throws(EventStoreError) {
            return try await store.events(.pending(after: sequence, limit: policy.maximumBatch))
        } catch {
            throw stopped(by: error)
        }
    }

    private func status() async throws(Stop) -> EventStoreStatus {
        do throws(EventStoreError) {
            return try await store.status()
        } catch {
            throw stopped(by: error)
        }
    }

    private func settle(_ settlement: Settlement, marking implausible: Set<EventID>) async throws(Stop) {
        do throws(EventStoreError) {
            try await store.settle(settlement, ReceiptReading.merge(marking: implausible))
        } catch {
            throw stopped(by: error)
        }
    }

    private func stopped(by error: EventStoreError) -> Stop {
        note("\(error)")
        return Stop(ending: .store(error))
    }

    /// What the stored configuration says of receipts.
    private struct Rules {
        let revision: UInt64?
        let clock: ClockGuard
        /// The events that it knows; nil where there is no configuration.
        let known: Set<Identifier>?
    }

    /// Which events are known and how far clocks may differ, by the configuration that is stored now.
    private func currentRules() async -> Rules {
        do throws(ConfigurationError) {
            let revision = try await shelf.revision()
            if let rules, rules.revision == revision { return rules }
            let applied = try await shelf.load().applied
            let known = applied.map { Set($0.events.map(\.eventID)) }
            let clock = GateRules(applied: applied, serving: served ?? known?.sorted() ?? [], zone: "any").clock
            let current = Rules(revision: revision, clock: clock, known: known)
            rules = current
            return current
        } catch {
            // Deliveries count all the same; no redemption is taken and no clock is moved.
            note("\(error)")
            return Rules(
                revision: nil, clock: ClockGuard(tolerance: 0, ceiling: Instant(milliseconds: .min)), known: nil)
        }
    }

    private func note(_ cause: String) {
        currentHealth.lastError = GateHealth.Fault(at: time.now, description: cause)
    }

    private func publish(_ report: UploadReport, waiting: Int64?) async {
        guard !watchers.isEmpty else { return }
        let remaining: Int
        do throws(EventStoreError) {
            remaining = try await store.status().pending
        } catch {
            return
        }
        let progress = UploadProgress(
            delivered: report.delivered, parked: report.parked, remaining: remaining, waiting: waiting,
            lastError: currentHealth.lastError?.description)
        for watcher in watchers.values { watcher.yield(progress) }
    }
}

/// A host's closure as a transport.
private struct ClosureSyncTransport: SyncTransport {
    let body: @Sendable (_ batch: [ScanEvent], _ cursor: String?) async throws -> SyncReceipt

    func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt {
        do {
            return try await body(batch, cursor)
        } catch let error as SyncTransportError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .unavailable("\(error)")
        }
    }
}
