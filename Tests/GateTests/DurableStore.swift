import Portico
import PorticoFileJournal

#if SQLite && os(Linux)
import PorticoSQLite
#endif

/// The stores that a device may keep its events in, each as it survives a power cut.
enum DurableStore: String, CaseIterable, Codable, Sendable {
    case journal
    #if SQLite && os(Linux)
    case sqlite
    #endif

    func open(_ folder: String) async throws -> any EventStore {
        switch self {
        case .journal: try await FileJournalEventStore(folder: folder + "/journal", durability: .powerCut)
        #if SQLite && os(Linux)
        case .sqlite: try await SQLiteEventStore(folder: folder + "/sqlite", durability: .powerCut)
        #endif
        }
    }
}

extension EventStore {
    /// Every event, oldest first.
    func everything() async throws -> [ScanEvent] {
        try await events(EventQuery(limit: .max)).map(\.event)
    }
}
