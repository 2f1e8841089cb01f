import Portico
import PorticoContracts
import PorticoFiles
import PorticoInMemory
import PorticoSQLite

extension Subjects {
    /// Every document store of this build, and the decorator, which must change nothing until it is told to.
    public static func documentStores() -> [Subject<any DocumentStore>] {
        inMemory + files + sqlite
    }

    private static var inMemory: [Subject<any DocumentStore>] {
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

    private static var files: [Subject<any DocumentStore>] {
        [
            Subject(name: "FileDocumentStore", capabilities: [.durable, .shared]) {
                let folder = try TemporaryFolder()
                return { try await FileDocumentStore(folder: folder.path) }
            }
        ]
    }

    #if SQLite && (os(Linux) || canImport(SQLite3))
    private static var sqlite: [Subject<any DocumentStore>] {
        [
            Subject(name: "SQLiteDocumentStore", capabilities: [.durable, .shared]) {
                let folder = try TemporaryFolder()
                return { try await SQLiteDocumentStore(folder: folder.path) }
            }
        ]
    }
    #else
    private static let sqlite: [Subject<any DocumentStore>] = []
    #endif
}
