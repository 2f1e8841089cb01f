import Portico

/// The consumers of an inbox's updates; each has a buffer of its own, and one that is full is not waited for.
struct UpdateConsumers: Sendable {
    /// How many updates wait for a consumer at most; the last of so many is `refreshed`.
    static let mostWaiting = 256

    private var consumers: [UInt64: AsyncStream<InboxUpdate>.Continuation] = [:]
    private var nextID: UInt64 = 0

    var isEmpty: Bool { consumers.isEmpty }

    /// One more consumer.
    mutating func add(_ continuation: AsyncStream<InboxUpdate>.Continuation) -> UInt64 {
        nextID += 1
        consumers[nextID] = continuation
        return nextID
    }

    /// Forgets a consumer; false where it is none any more.
    mutating func remove(_ id: UInt64) -> Bool {
        consumers.removeValue(forKey: id) != nil
    }

    mutating func send(_ update: InboxUpdate) {
        for consumer in consumers.values {
            // The last place says that what finds none is in the state.
            if case .enqueued(remaining: 1) = consumer.yield(update) { consumer.yield(.refreshed) }
        }
    }

    /// Ends every consumer's stream, after what waits for it.
    mutating func finish() {
        for consumer in consumers.values { consumer.finish() }
        consumers = [:]
    }
}
