/// Events that a store passed over because they cannot be read (ES-15).
package struct UnreadableEvents: Sendable {
    /// What is wrong with each, by sequence: it is found again whenever it is asked for, and told once.
    private var reasons: [Int64: String] = [:]

    /// None yet.
    package init() {}

    /// Whether there is none.
    package var isEmpty: Bool { reasons.isEmpty }

    /// How many there are.
    package var count: Int { reasons.count }

    /// Adds an event.
    package mutating func add(_ sequence: Int64, _ reason: String) {
        reasons[sequence] = reason
    }

    /// Adds others.
    package mutating func add(_ others: UnreadableEvents) {
        reasons.merge(others.reasons) { _, later in later }
    }

    /// As `EventStoreStatus.repairs` tells them.
    package var repairs: [String] {
        reasons.sorted { $0.key < $1.key }.map { "event \($0.key) cannot be read: \($0.value)" }
    }
}
