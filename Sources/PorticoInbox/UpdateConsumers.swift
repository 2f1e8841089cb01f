import Portico

/// The consumers of an inbox's updates; each has a buffer of its own, and one that is full is not waited for.
struct UpdateConsumers: Sendable {
    /// How many updates wait for a consumer at most; the last of so many is `refreshed`.
    static let mostWaiting = 256

    fileprivate struct Consumer: Sendable {
        let continuation: AsyncStream<InboxUpdate>.Continuation
        /// Whether it is told `refreshed` in the place of what happens, because its buffer was full.
        var isBehind = false
    }

    private var consumers: [UInt64: Consumer] = [:]
    private var nextID: UInt64 = 0

    var isEmpty: Bool { consumers.isEmpty }

    /// One more consumer.
    mutating func add(_ continuation: AsyncStream<InboxUpdate>.Continuation) -> UInt64 {
        nextID += 1
        consumers[nextID] = Consumer(continuation: continuation)
        return nextID
    }

    /// Forgets a consumer; false where it is none any more.
    mutating func remove(_ id: UInt64) -> Bool {
        consumers.removeValue(forKey: id) != nil
    }

    mutating func send(_ update: InboxUpdate) {
        for id in consumers.keys { consumers[id]?.send(update) }
    }

    /// Ends every consumer's stream, after what waits for it.
    mutating func finish() {
        for consumer in consumers.values { consumer.continuation.finish() }
        consumers = [:]
    }
}

extension UpdateConsumers.Consumer {
    /// Either the update is told, or a `refreshed` that stands for it lies behind everything that was told.
    mutating func send(_ update: InboxUpdate) {
        guard case .enqueued(let remaining) = continuation.yield(isBehind ? .refreshed : update) else { return }
        if isBehind {
            // Told one by one again once the consumer has caught up, and not at each place that it makes.
            isBehind = remaining < UpdateConsumers.mostWaiting / 2
        } else if remaining <= 1 {
            isBehind = true
            continuation.yield(.refreshed)
        }
    }
}
