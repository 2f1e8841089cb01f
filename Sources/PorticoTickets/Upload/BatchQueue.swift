import Portico

/// The events of one look at the store, cut into batches; and cut further where a server refuses a batch.
///
/// A refused batch is halved until one event stands alone. Where its first half was taken, the second must hold the
/// cause, and is halved without being sent whole again.
struct BatchQueue: Sendable {
    struct Batch: Sendable {
        var events: [StoredEvent]
        /// Whether a batch that it is the rest of was refused and nothing else of it was.
        fileprivate var isSuspect = false
        /// Whether its sibling, the second half of the same refused batch, is next in the queue.
        fileprivate var hasSibling = false
    }

    private var stack: [Batch]

    /// - Parameter size: The bytes of one event as it is sent.
    init(_ events: [StoredEvent], maximum: Int, maximumBytes: Int, size: (StoredEvent) -> Int) {
        var batches: [Batch] = []
        var current: [StoredEvent] = []
        var bytes = 0
        for event in events {
            let weight = size(event) + 1
            if !current.isEmpty, current.count >= maximum || bytes + weight > maximumBytes {
                batches.append(Batch(events: current))
                current = []
                bytes = 0
            }
            current.append(event)
            bytes += weight
        }
        if !current.isEmpty { batches.append(Batch(events: current)) }
        stack = batches.reversed()
    }

    mutating func next() -> Batch? {
        while let batch = stack.popLast() {
            guard batch.isSuspect, batch.events.count > 1 else { return batch }
            push(halvesOf: batch)
        }
        return nil
    }

    /// A batch of more than one event was refused as a whole.
    mutating func refused(_ batch: Batch) {
        push(halvesOf: batch)
    }

    /// A batch was taken; what it was cut from is then refused for the sake of its sibling.
    mutating func taken(_ batch: Batch) {
        if batch.hasSibling, !stack.isEmpty { stack[stack.count - 1].isSuspect = true }
    }

    private mutating func push(halvesOf batch: Batch) {
        let middle = (batch.events.count + 1) / 2
        stack.append(Batch(events: Array(batch.events[middle...])))
        stack.append(Batch(events: Array(batch.events[..<middle]), hasSibling: true))
    }
}
