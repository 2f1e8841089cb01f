// What the blocks of the documentation take from their surroundings: values that a host has at hand, and types of the
// host's own. They are type-checked, never run.

import Foundation
import Portico
import PorticoContracts

/// Where a value comes from is not the block's subject.
func given<Value>() -> Value {
    preconditionFailure("documentation is compiled, not run")
}

var store: any EventStore { given() }
var documents: any DocumentStore { given() }
var verifier: any TicketVerifier { given() }
var time: any TimeSource { given() }
var scanner: any CodeScanner { given() }
var http: any HTTPTransport { given() }
var transport: any SyncTransport { given() }
var hostTransport: any SyncTransport { given() }
var configurationBytes: [UInt8] { given() }
var text: String { given() }
var now: Instant { given() }

func makeEmptyFolder() throws -> URL { given() }

/// A host's store, of which only its being one matters.
struct HostEventStore: EventStore {
    init(folder: URL) throws {}

    func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded { given() }
    func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {}
    func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] { given() }
    func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] { given() }
    func status() async throws(EventStoreError) -> EventStoreStatus { given() }
    func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int { given() }
    func close() async {}
}

/// A host's storage of small files.
struct HostFiles: Sendable {
    func document(_ name: String) async throws(DocumentStoreError) -> Document? { given() }
    func revision(_ name: String) async throws(DocumentStoreError) -> UInt64? { given() }
    func write(_ name: String, _ bytes: [UInt8], expecting: UInt64?) async throws(DocumentStoreError) -> UInt64 {
        given()
    }
    func delete(_ name: String) async throws(DocumentStoreError) {}
    func list() async throws(DocumentStoreError) -> [String] { given() }
    func shut() async {}
}
