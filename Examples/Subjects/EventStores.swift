import Portico
import PorticoContracts
import PorticoFileJournal
import PorticoInMemory
import PorticoSQLite

extension Subjects {
    /// Every event store of this build, and the decorators, which must change nothing until they are told to.
    public static func eventStores() -> [Subject<any EventStore>] {
        inMemory + journal + sqlite
    }

    private static var inMemory: [Subject<any EventStore>] {
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

    private static var journal: [Subject<any EventStore>] {
        [
            ("FileJournalEventStore", FileJournalEventStore.Durability.powerCut),
            ("killed FileJournalEventStore", .killed),
        ]
        .map { name, durability in
            Subject(name: name, capabilities: [.durable, .exclusive]) {
                let folder = try TemporaryFolder()
                return { try await FileJournalEventStore(folder: folder.path, durability: durability) }
            }
        }
    }

    #if SQLite && (os(Linux) || canImport(SQLite3))
    private static var sqlite: [Subject<any EventStore>] {
        [("SQLiteEventStore", SQLiteDurability.powerCut), ("killed SQLiteEventStore", .killed)].map {
            name, durability in
            Subject(name: name, capabilities: [.durable, .exclusive]) {
                let folder = try TemporaryFolder()
                return { try await SQLiteEventStore(folder: folder.path, durability: durability) }
            }
        }
    }
    #else
    private static let sqlite: [Subject<any EventStore>] = []
    #endif
}
