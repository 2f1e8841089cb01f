import Portico
import PorticoContracts
import PorticoInMemory

extension Subjects {
    /// Every event store of this build.
    public static func eventStores() -> [Subject<any EventStore>] {
        [
            Subject(name: "InMemoryEventStore", capabilities: [.durable, .exclusive]) {
                let storage = InMemoryEventStore.Storage()
                return { try InMemoryEventStore(storage) }
            }
        ]
    }
}
