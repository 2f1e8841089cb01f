import Portico
import PorticoContracts
import PorticoInMemory

/// A theme store whose answers and whose care can be spoilt.
private struct AlteredThemeStore: ThemeStore {
    let store: any ThemeStore
    var onLoad: @Sendable (String?) throws(DocumentStoreError) -> String? = { name in name }
    /// What is saved of a name; nil: nothing, and it is said that it was.
    var onSave: @Sendable (String) throws(DocumentStoreError) -> String? = { name in name }

    func load() async throws(DocumentStoreError) -> String? { try onLoad(try await store.load()) }

    func save(_ name: String) async throws(DocumentStoreError) {
        if let name = try onSave(name) { try await store.save(name) }
    }
}

/// A theme store over documents that takes every name, and writes them so far as it was told.
private struct CarelessThemeStore: ThemeStore {
    let documents: any DocumentStore

    func load() async throws(DocumentStoreError) -> String? {
        try await documents.read("theme").map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func save(_ name: String) async throws(DocumentStoreError) {
        let revision = try await documents.revision("theme")
        // Others get their turn between the look and the write.
        await Task.yield()
        _ = try await documents.replace("theme", with: Array(name.utf8), if: revision)
    }
}

extension Flaw<any ThemeStore> {
    /// A flaw of the calls to a store that is sound.
    private init(_ id: String, _ name: String, _ alter: @escaping @Sendable (inout AlteredThemeStore) -> Void) {
        self.init(id, name, [.durable]) {
            let storage = InMemoryThemeStore.Storage()
            return {
                var store = AlteredThemeStore(store: InMemoryThemeStore(storage))
                alter(&store)
                return store
            }
        }
    }

    private static let shared = InMemoryThemeStore.Storage()

    static let all: [Flaw<any ThemeStore>] = [
        Flaw("TH-1", "has a theme from the beginning") { $0.onLoad = { name in name ?? "system" } },
        Flaw("TH-1", "saves nothing") { $0.onSave = { _ in nil } },
        Flaw("TH-1", "forgets what is the default") { $0.onLoad = { name in name == "system" ? nil : name } },
        Flaw("TH-1", "is one for all", []) { { InMemoryThemeStore(shared) } },
        Flaw("TH-2", "keeps it in memory alone", [.durable]) { { InMemoryThemeStore() } },
        Flaw("TH-3", "knows the names of today alone") {
            $0.onLoad = { name in name.flatMap { ["light", "dark", "system"].contains($0) ? $0 : nil } }
        },
        Flaw("TH-3", "folds case") { $0.onSave = { name in name.lowercased() } },
        Flaw("TH-3", "cuts names off") { $0.onSave = { name in String(name.prefix(63)) } },
        Flaw("TH-4", "takes every name", []) {
            let documents = InMemoryDocumentStore()
            return { CarelessThemeStore(documents: documents) }
        },
        Flaw("TH-4", "drops a bad name in silence") {
            $0.onSave = { name in DocumentThemeStore.isName(name) ? name : nil }
        },
        Flaw("TH-4", "calls a bad name damage") {
            $0.onSave = { name throws(DocumentStoreError) in
                guard DocumentThemeStore.isName(name) else { throw .corrupt("name") }
                return name
            }
        },
        Flaw("TH-5", "gives up where another saved meanwhile", []) {
            let documents = InMemoryDocumentStore()
            return { CarelessThemeStore(documents: documents) }
        },
        Flaw("TH-5", "mixes what is saved at once") { $0.onLoad = { name in name.map { String($0.prefix(6)) } } },
    ]
}
