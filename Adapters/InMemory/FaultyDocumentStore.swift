import Portico

/// A document store that fails where it is told to; without a plan it passes everything on.
///
/// ```swift
/// let store = FaultyDocumentStore(InMemoryDocumentStore())
/// store.plan(.before(.full), for: .replace, call: 1)  // the first replacement finds no room
/// ```
public final class FaultyDocumentStore: DocumentStore {
    /// What can fail.
    public enum Operation: Sendable, Hashable, CaseIterable {
        /// `read`.
        case read
        /// `revision`.
        case revision
        /// `replace`.
        case replace
        /// `remove`.
        case remove
        /// `names`.
        case names
    }

    /// What happens to a call.
    public enum Fault: Sendable {
        /// It fails and nothing was written, as DS-1 asks.
        case before(DocumentStoreError)
        /// It fails though all was written: what a store must never do, and a room should survive.
        case after(DocumentStoreError)
        /// It waits for the closure, then goes on.
        case waiting(@Sendable () async -> Void)
    }

    private let store: any DocumentStore
    private let faults = FaultPlan<Operation, Fault>()

    /// A store in front of another.
    public init(_ store: any DocumentStore) {
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

    /// The document of that name, unless a fault is planned.
    public func read(_ name: String) async throws(DocumentStoreError) -> Document? {
        let failure = try await begin(.read)
        let document = try await store.read(name)
        if let failure { throw failure }
        return document
    }

    /// The revision of the document of that name, unless a fault is planned.
    public func revision(_ name: String) async throws(DocumentStoreError) -> UInt64? {
        let failure = try await begin(.revision)
        let revision = try await store.revision(name)
        if let failure { throw failure }
        return revision
    }

    /// Replaces the document, unless a fault is planned.
    public func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) async throws(DocumentStoreError) -> UInt64 {
        let failure = try await begin(.replace)
        let revision = try await store.replace(name, with: bytes, if: revision)
        if let failure { throw failure }
        return revision
    }

    /// Removes the document, unless a fault is planned.
    public func remove(_ name: String) async throws(DocumentStoreError) {
        let failure = try await begin(.remove)
        try await store.remove(name)
        if let failure { throw failure }
    }

    /// The names that have a document, unless a fault is planned.
    public func names() async throws(DocumentStoreError) -> [String] {
        let failure = try await begin(.names)
        let names = try await store.names()
        if let failure { throw failure }
        return names
    }

    /// Closes the store behind it.
    public func close() async {
        await store.close()
    }

    /// Fails, or waits, or gives the error that follows the call.
    private func begin(_ operation: Operation) async throws(DocumentStoreError) -> DocumentStoreError? {
        switch faults.begin(operation) {
        case nil: return nil
        case .before(let error): throw error
        case .after(let error): return error
        case .waiting(let wait):
            await wait()
            return nil
        }
    }
}
