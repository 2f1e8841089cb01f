import Portico

/// A document store in memory: for tests, for previews, and for a host that keeps nothing.
///
/// It keeps every guarantee of `DocumentStore`. What it writes lives as long as its `Storage`, which any number of
/// stores can have open, one after the other or at once.
///
/// ```swift
/// let storage = InMemoryDocumentStore.Storage()
/// let one = InMemoryDocumentStore(storage)
/// let other = InMemoryDocumentStore(storage)
/// let revision = try await one.replace("theme", with: Array("dark".utf8), if: nil)
/// print(try await other.revision("theme") == revision)  // true
/// ```
public final class InMemoryDocumentStore: DocumentStore {
    private let storage: Storage
    private let openness = Openness()

    /// Opens a storage; by default one of its own.
    public init(_ storage: Storage = Storage()) {
        self.storage = storage
    }

    /// The document of that name; nil where there is none.
    public func read(_ name: String) async throws(DocumentStoreError) -> Document? {
        let key = try key(name)
        return storage.documents { $0.document(key) }
    }

    /// The revision of the document of that name; nil where there is none.
    public func revision(_ name: String) async throws(DocumentStoreError) -> UInt64? {
        let key = try key(name)
        return storage.documents { $0.document(key)?.revision }
    }

    /// Replaces the document whole, if its revision is still `revision`.
    public func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) async throws(DocumentStoreError) -> UInt64 {
        let key = try key(name)
        return try storage.documents { documents throws(DocumentStoreError) in
            try documents.replace(key, with: bytes, if: revision)
        }
    }

    /// Removes the document.
    public func remove(_ name: String) async throws(DocumentStoreError) {
        let key = try key(name)
        storage.documents { $0.remove(key) }
    }

    /// The names that have a document, ascending by bytes.
    public func names() async throws(DocumentStoreError) -> [String] {
        guard openness.isOpen else { throw .closed }
        return storage.documents { $0.names() }
    }

    /// Lets go of the storage.
    public func close() async {
        openness.end()
    }

    private func key(_ name: String) throws(DocumentStoreError) -> [UInt8] {
        guard openness.isOpen else { throw .closed }
        return try Self.key(name)
    }
}

extension InMemoryDocumentStore {
    /// What outlives a store: the documents, and the revisions of those that were removed.
    ///
    /// `@unchecked Sendable`: its one variable is accessed only while its own lock is held.
    public final class Storage: @unchecked Sendable {
        private let lock = Lock()
        private var contents = Documents()

        /// A new, empty storage.
        public init() {}

        fileprivate func documents<Value, Failure: Error>(
            _ body: (inout Documents) throws(Failure) -> Value
        ) throws(Failure) -> Value {
            lock.lock()
            defer { lock.unlock() }
            return try body(&contents)
        }
    }

    /// Documents by the bytes of their names; whoever calls it holds the lock.
    fileprivate struct Documents {
        /// A removed document leaves its revision behind, so that the next one's is higher.
        private struct Slot {
            var bytes: [UInt8]?
            var revision: UInt64
        }

        private var slots: [[UInt8]: Slot] = [:]

        func document(_ key: [UInt8]) -> Document? {
            guard let slot = slots[key], let bytes = slot.bytes else { return nil }
            return Document(bytes: bytes, revision: slot.revision)
        }

        mutating func replace(
            _ key: [UInt8], with bytes: [UInt8], if revision: UInt64?
        ) throws(DocumentStoreError) -> UInt64 {
            let current = document(key)?.revision
            guard current == revision else { throw .changed(current) }
            let next = (slots[key]?.revision ?? 0) + 1
            slots[key] = Slot(bytes: bytes, revision: next)
            return next
        }

        mutating func remove(_ key: [UInt8]) {
            slots[key]?.bytes = nil
        }

        func names() -> [String] {
            let keys = slots.filter { $0.value.bytes != nil }.keys
            return keys.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

/// Whether something is still open.
///
/// `@unchecked Sendable`: its one variable is accessed only while its own lock is held.
final class Openness: @unchecked Sendable {
    private let lock = Lock()
    private var isEnded = false

    var isOpen: Bool { lock.withLock { !isEnded } }

    func end() {
        lock.withLock { isEnded = true }
    }
}
