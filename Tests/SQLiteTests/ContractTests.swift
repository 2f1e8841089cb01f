#if SQLite && os(Linux)
import Portico
import PorticoContracts
import PorticoSQLite
import Testing

@Suite("The stores keep their ports' guarantees")
struct SQLiteContractTests {
    @Test("The event store keeps them in both durabilities", arguments: eventStores, EventStoreContract.clauses)
    func eventStore(_ subject: Subject<any EventStore>, _ clause: Clause<any EventStore>) async {
        await check(subject, clause)
    }

    @Test("The document store keeps them", arguments: documentStores, DocumentStoreContract.clauses)
    func documentStore(_ subject: Subject<any DocumentStore>, _ clause: Clause<any DocumentStore>) async {
        await check(subject, clause)
    }

    private static let eventStores = [SQLiteDurability.killed, .powerCut].map { durability in
        Subject<any EventStore>(
            name: "SQLiteEventStore, \(durability)", capabilities: [.durable, .exclusive, .closable]
        ) {
            let folder = try TemporaryFolder()
            return { try await SQLiteEventStore(folder: folder.path + "/events", durability: durability) }
        }
    }

    private static let documentStores = [
        Subject<any DocumentStore>(name: "SQLiteDocumentStore", capabilities: [.durable, .shared, .closable]) {
            let folder = try TemporaryFolder()
            return { try await SQLiteDocumentStore(folder: folder.path + "/documents") }
        }
    ]

    /// Puts a subject to a clause; one that is skipped is a mistake here: the stores are capable of everything.
    private func check<Port>(_ subject: Subject<Port>, _ clause: Clause<Port>) async {
        let result = await clause.check(subject)
        #expect(result == .kept)
    }
}

extension Subject: CustomTestStringConvertible {
    /// The adapter.
    public var testDescription: String { name }
}

extension Clause: CustomTestStringConvertible {
    /// The number of the guarantee.
    public var testDescription: String { id }
}
#endif
