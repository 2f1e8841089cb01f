import Portico
import PorticoContracts
import PorticoInMemory

extension Subjects {
    /// Every event store of this build, and the decorators, which must change nothing until they are told to.
    public static func eventStores() -> [Subject<any EventStore>] {
        [
            Subject(name: "InMemoryEventStore", capabilities: [.durable, .exclusive]) {
                let storage = InMemoryEventStore.Storage()
                return { try InMemoryEventStore(storage) }
            },
            Subject(name: "RecordingEventStore", capabilities: [.durable, .exclusive]) {
                let storage = InMemoryEventStore.Storage()
                return { RecordingEventStore(try InMemoryEventStore(storage)) }
            },
            Subject(name: "FaultyEventStore", capabilities: [.durable, .exclusive]) {
                let storage = InMemoryEventStore.Storage()
                return { FaultyEventStore(try InMemoryEventStore(storage)) }
            },
        ]
    }
}
