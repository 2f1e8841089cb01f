import Portico

/// A theme store that fails where it is told to; without a plan it passes everything on.
///
/// ```swift
/// let store = FaultyThemeStore(InMemoryThemeStore())
/// store.plan(.before(.full), for: .save, call: 1)  // the first choice finds no room
/// ```
public final class FaultyThemeStore: ThemeStore {
    /// What can fail.
    public enum Operation: Sendable, Hashable, CaseIterable {
        /// `load`.
        case load
        /// `save`.
        case save
    }

    /// What happens to a call.
    public enum Fault: Sendable {
        /// It fails and nothing was saved.
        case before(DocumentStoreError)
        /// It waits for the closure, then goes on.
        case waiting(@Sendable () async -> Void)
    }

    private let store: any ThemeStore
    private let faults = FaultPlan<Operation, Fault>()

    /// A store in front of another.
    public init(_ store: any ThemeStore) {
        self.store = store
    }

    /// Plans a fault.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - operation: To which operation.
    ///   - call: To which call of it, counted from 1 since this store was made; nil: to every call from now on.
    public func plan(_ fault: Fault, for operation: Operation, call: Int? = nil) {
        faults.add(fault, for: operation, call: call)
    }

    /// Forgets every plan.
    public func heal() {
        faults.clear()
    }

    /// How often an operation was called since this store was made.
    public func calls(of operation: Operation) -> Int {
        faults.count(of: operation)
    }

    /// The name that was saved last, unless a fault is planned.
    public func load() async throws(DocumentStoreError) -> String? {
        try await begin(.load)
        return try await store.load()
    }

    /// Saves the name, unless a fault is planned.
    public func save(_ name: String) async throws(DocumentStoreError) {
        try await begin(.save)
        try await store.save(name)
    }

    private func begin(_ operation: Operation) async throws(DocumentStoreError) {
        switch faults.begin(operation) {
        case nil: return
        case .before(let error): throw error
        case .waiting(let wait): await wait()
        }
    }
}
