/// Those who watch a value, each with a stream that buffers the newest alone.
struct Watchers<Value: Sendable>: Sendable {
    private var continuations: [UInt64: AsyncStream<Value>.Continuation] = [:]
    private var lastID: UInt64 = 0
    private var isFinished = false

    /// One more, who gets this value first.
    mutating func add(beginningWith value: Value?) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        if let value { continuation.yield(value) }
        guard !isFinished else {
            continuation.finish()
            return stream
        }
        lastID += 1
        continuations[lastID] = continuation
        return stream
    }

    mutating func send(_ value: Value) {
        for (id, continuation) in continuations {
            // Who stopped watching is found here, and needs no way back into the actor.
            if case .terminated = continuation.yield(value) { continuations[id] = nil }
        }
    }

    /// Ends every stream after what waits in it.
    mutating func end() {
        finish()
        continuations = [:]
        isFinished = true
    }

    /// The same for a watched value that goes away.
    func finish() {
        for continuation in continuations.values { continuation.finish() }
    }

    /// How many watch, as far as is known.
    var count: Int { continuations.count }
}
