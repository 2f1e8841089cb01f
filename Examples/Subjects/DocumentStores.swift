import Portico
import PorticoContracts
import PorticoInMemory

extension Subjects {
    /// Every document store of this build, and the decorator, which must change nothing until it is told to.
    public static func documentStores() -> [Subject<any DocumentStore>] {
        [
            Subject(name: "InMemoryDocumentStore", capabilities: [.durable, .shared]) {
                let storage = InMemoryDocumentStore.Storage()
                return { InMemoryDocumentStore(storage) }
            },
            Subject(name: "FaultyDocumentStore", capabilities: [.durable, .shared]) {
                let storage = InMemoryDocumentStore.Storage()
                return { FaultyDocumentStore(InMemoryDocumentStore(storage)) }
            },
        ]
    }
}
