import Portico
import PorticoContracts
import Testing

@testable import PorticoFileJournal

@Suite("The journal keeps the guarantees of an event store")
struct JournalContractTests {
    static let subjects: [Subject<any EventStore>] = [
        Subject(name: "FileJournalEventStore, killed", capabilities: [.durable, .exclusive, .closable]) {
            let folder = try TemporaryFolder()
            return { try await FileJournalEventStore(folder: folder.path, durability: .killed) }
        },
        Subject(name: "FileJournalEventStore, power cut", capabilities: [.durable, .exclusive, .closable]) {
            let folder = try TemporaryFolder()
            return { try await FileJournalEventStore(folder: folder.path, durability: .powerCut) }
        },
        Subject(name: "FileJournalEventStore, small segments", capabilities: [.durable, .exclusive, .closable]) {
            let fileSystem = SimulatedFileSystem()
            return { try await openJournal(fileSystem) }
        },
    ]

    @Test("Every clause holds", arguments: subjects, EventStoreContract.clauses)
    func clause(subject: Subject<any EventStore>, clause: Clause<any EventStore>) async {
        let result = await clause.check(subject)
        #expect(result == .kept)
    }
}
