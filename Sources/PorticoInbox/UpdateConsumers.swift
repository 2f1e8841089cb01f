import Portico

/// The consumers of an inbox's updates; each has a buffer of its own, and one that is full is not waited for.
struct UpdateConsumers: Sendable {
    private struct Consumer: Sendable {
        let continuation: AsyncStream<InboxUpdate>.Continuation
        var isBehind = false
    }

    /// How many updates wait for a consumer before it is told to read the state anew.
    static let mostWaiting = 256

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
        for (id, consumer) in consumers {
            if consumer.isBehind {
                if case .dropped = consumer.continuation.yield(.refreshed) { continue }
                consumers[id]?.isBehind = false
            }
            if case .dropped = consumer.continuation.yield(update) { consumers[id]?.isBehind = true }
        }
    }

    /// Ends every consumer's stream, after what waits for it.
    mutating func finish() {
        for consumer in consumers.values { consumer.continuation.finish() }
        consumers = [:]
    }
}
