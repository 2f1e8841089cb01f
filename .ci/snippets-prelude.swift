// What the blocks of the documentation take from their surroundings: values that a host has at hand, and types of the
// host's own. They are type-checked, never run.

import Foundation
import Portico
import PorticoContracts
import PorticoInMemory
import PorticoInbox
import PorticoShell
import PorticoTickets

/// Where a value comes from is not the block's subject.
func given<Value>() -> Value {
    preconditionFailure("documentation is compiled, not run")
}

var store: any EventStore { given() }
var documents: any DocumentStore { given() }
var verifier: any TicketVerifier { given() }
var time: any TimeSource { given() }
var scanner: any CodeScanner { given() }
var http: any HTTPStreamingTransport { given() }
var transport: any SyncTransport { given() }
var hostTransport: any SyncTransport { given() }
var gate: TicketGate { given() }
var inbox: InboxClient { given() }
var decision: ScanDecision { given() }
var storage: InMemoryEventStore.Storage { given() }
var configurationBytes: [UInt8] { given() }
var bytes: [UInt8] { given() }
var code: [UInt8] { given() }
var message: [UInt8] { given() }
var signature: [UInt8] { given() }
var publicKey: [UInt8] { given() }
var goodKey: [UInt8] { given() }
var deviceToken: Data { given() }
var seed: [UInt8] { given() }
var text: String { given() }
var now: Instant { given() }
var id: Identifier { given() }

func makeEmptyFolder() throws -> URL { given() }
func show(_ decision: ScanDecision) {}
func look(at luma: Any) {}

/// The routes of an app with two tabs.
enum CookRoute: AppRoute {
    enum Tab: String, AppTab {
        case recipes, shopping
        var symbol: String { given() }
        var label: LocalizedText { given() }
    }

    case recipes, recipe(RouteText), shopping

    static func table() throws(NavigationSetupError) -> RouteTable<CookRoute> { given() }
}
var links: LinkFormat<CookRoute> { given() }

/// A lamp at the gate.
struct Light {
    func green() {}
    func red(text: String) {}
}
var light: Light { given() }

/// Where a host is logged in.
struct Session: Sendable {
    func accessToken() async throws -> String { given() }
}
var session: Session { given() }

/// A host's own server, which knows who is logged in.
struct Backend: Sendable {
    func inboxToken() async throws -> String { given() }
    func deactivate(_ device: Identifier) async throws {}
}
var backend: Backend { given() }

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

/// A host's documents.
struct HostDocumentStore: DocumentStore {
    init(folder: URL) throws {}
    init(files: HostFiles) {}

    func read(_ name: String) async throws(DocumentStoreError) -> Document? { given() }
    func revision(_ name: String) async throws(DocumentStoreError) -> UInt64? { given() }
    func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) async throws(DocumentStoreError) -> UInt64 { given() }
    func remove(_ name: String) async throws(DocumentStoreError) {}
    func names() async throws(DocumentStoreError) -> [String] { given() }
    func close() async {}
}

/// A host's network layer.
struct HostHTTP: HTTPTransport {
    init(allowInsecure: Bool) {}

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse { given() }
}

/// A host's network layer that gives bodies as they come.
struct HostStreams: HTTPStreamingTransport {
    init(allowInsecure: Bool) {}

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse { given() }
    func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStreamedResponse { given() }
}

/// A host's tokens.
struct HostTokens: TokenProvider {
    let fetch: @Sendable () async throws -> String

    func token() async throws -> String { given() }
}

/// A host's way to its server, and a double of that server.
struct HostTransport: SyncTransport {
    init(address: String) {}

    func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt { given() }
}

/// A host's signature engine.
struct HostVerifier: TicketVerifier {
    func isValid(
        signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(TicketVerifierError) -> Bool { given() }
}

/// A host's clocks.
struct HostTime: TimeSource {
    var now: Instant { given() }
    var uptime: Int64 { given() }
    var bootID: String { given() }
    func sleep(milliseconds: Int64) async throws(CancellationError) {}
}

/// A host's scanner, over a list.
struct ListScanner: CodeScanner {
    init(_ codes: [ScannedCode]) {}

    func next() async throws(CodeScannerError) -> ScannedCode? { given() }
    func close() async {}
}

/// A double of a host's server.
struct HostServerDouble: SyncTransportContract.Server {
    var address: String { given() }

    func play(_ answer: SyncTransportContract.Answer) async throws -> Bool { given() }
    func requests() async -> [SyncTransportContract.Request] { given() }
    func arrival(of count: Int) async {}
}

/// A server on the loopback interface.
struct LoopbackServer: ContractHTTPServer {
    func start(
        _ security: ServerSecurity, script: @escaping @Sendable (UInt16) -> [ServerConnection]
    ) async throws -> any RunningContractServer { given() }
}
