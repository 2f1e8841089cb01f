import Portico

/// A theme store in memory: for tests, for previews, and for a host that keeps nothing.
///
/// What it saves lives as long as its `Storage`, which any number of stores can have open.
///
/// ```swift
/// let store = InMemoryThemeStore()
/// try await store.save("dark")
/// ```
public struct InMemoryThemeStore: ThemeStore {
    private let storage: Storage

    /// Opens a storage; by default one of its own.
    public init(_ storage: Storage = Storage()) {
        self.storage = storage
    }

    /// The name that was saved last; nil where none was.
    public func load() async throws(DocumentStoreError) -> String? { storage.name }

    /// Saves the name in place of the one before.
    public func save(_ name: String) async throws(DocumentStoreError) {
        guard DocumentThemeStore.isName(name) else {
            throw .failed("theme refused: \(name.utf8.count) bytes; 1 to 64 of visible ASCII")
        }
        storage.name = name
    }

    /// What outlives a store.
    ///
    /// `@unchecked Sendable`: its one variable is accessed only while its own lock is held.
    public final class Storage: @unchecked Sendable {
        private let lock = Lock()
        private var saved: String?

        /// A storage with what an earlier run left there.
        ///
        /// - Parameter name: Any text, also one that a theme store would not save.
        public init(_ name: String? = nil) {
            saved = name
        }

        fileprivate(set) var name: String? {
            get { lock.withLock { saved } }
            set { lock.withLock { saved = newValue } }
        }
    }
}
