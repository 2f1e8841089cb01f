import Foundation
import Portico
import PorticoContracts
import PorticoInMemory

/// A document store with one thing wrong: what a closure does not replace goes to the store behind it.
struct AlteredDocumentStore: DocumentStore {
    let store: any DocumentStore
    /// What a name is stored under.
    var rename: @Sendable (String) -> String = { $0 }
    var onRead: (@Sendable (Document?) -> Document?)?
    var onReplace: (@Sendable (String, [UInt8], UInt64?) async throws(DocumentStoreError) -> UInt64)?
    var onRemove: (@Sendable (String) async throws(DocumentStoreError) -> Void)?
    var onNames: (@Sendable ([String]) -> [String])?
    var closes = true

    init(_ store: any DocumentStore) {
        self.store = store
    }

    func read(_ name: String) async throws(DocumentStoreError) -> Document? {
        let document = try await store.read(rename(name))
        return onRead.map { $0(document) } ?? document
    }

    func revision(_ name: String) async throws(DocumentStoreError) -> UInt64? {
        try await store.revision(rename(name))
    }

    func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) async throws(DocumentStoreError) -> UInt64 {
        if let onReplace { return try await onReplace(rename(name), bytes, revision) }
        return try await store.replace(rename(name), with: bytes, if: revision)
    }

    func remove(_ name: String) async throws(DocumentStoreError) {
        if let onRemove { return try await onRemove(rename(name)) }
        try await store.remove(rename(name))
    }

    func names() async throws(DocumentStoreError) -> [String] {
        let names = try await store.names()
        return onNames?(names) ?? names
    }

    func close() async {
        if closes { await store.close() }
    }
}

extension Flaw<any DocumentStore> {
    init(_ id: String, _ name: String, _ alter: @escaping @Sendable (inout AlteredDocumentStore) -> Void) {
        self.init(id, name, [.durable, .shared]) {
            let storage = InMemoryDocumentStore.Storage()
            return {
                var store = AlteredDocumentStore(InMemoryDocumentStore(storage))
                alter(&store)
                return store
            }
        }
    }

    static let all: [Flaw<any DocumentStore>] = [
        Flaw("DS-1", "loses all when it is closed", [.durable]) { { InMemoryDocumentStore() } },
        Flaw("DS-1", "writes, then fails") { altered in
            altered.onReplace = { [store = altered.store] name, bytes, revision throws(DocumentStoreError) in
                let current = try await store.revision(name)
                let next = try await store.replace(name, with: bytes, if: current)
                if current != revision { throw .changed(current) }
                return next
            }
        },
        Flaw("DS-2", "compares first and replaces then") { altered in
            altered.onReplace = { [store = altered.store] name, bytes, revision throws(DocumentStoreError) in
                let before = try await store.revision(name)
                guard before == revision else { throw .changed(before) }
                await letOthersIn()
                return try await store.replace(name, with: bytes, if: try await store.revision(name))
            }
        },
        Flaw("DS-2", "does not say which revision there is") { altered in
            altered.onReplace = { [store = altered.store] name, bytes, revision throws(DocumentStoreError) in
                do throws(DocumentStoreError) {
                    return try await store.replace(name, with: bytes, if: revision)
                } catch {
                    if case .changed = error { throw .changed(nil) }
                    throw error
                }
            }
        },
        Flaw("DS-2", "gives every opener a storage of its own", [.shared]) { { InMemoryDocumentStore() } },
        Flaw("DS-3", "begins again after a removal") { altered in
            let generation = Counter()
            altered.rename = { $0 + String(repeating: "'", count: $0.isEmpty ? 0 : generation.value) }
            altered.onRemove = { [store = altered.store] name throws(DocumentStoreError) in
                try await store.remove(name)
                generation.add(1)
            }
        },
        Flaw("DS-3", "loses removed revisions when it is closed", [.durable]) { { InMemoryDocumentStore() } },
        Flaw("DS-4", "takes an absent document for an empty one") { altered in
            altered.onRead = { $0 ?? Document(bytes: [], revision: 0) }
        },
        Flaw("DS-4", "reads the bytes of another revision") { altered in
            let reads = Counter()
            altered.onRead = { document in
                let number = reads.add(1)
                return document.map { Document(bytes: $0.bytes + [UInt8(number % 2)], revision: $0.revision) }
            }
        },
        Flaw("DS-5", "takes names that differ in case for one") { altered in
            altered.rename = { $0.lowercased() }
        },
        Flaw("DS-5", "takes canonically equivalent names for one") { altered in
            altered.rename = { $0.precomposedStringWithCanonicalMapping }
        },
        Flaw("DS-5", "lists names in no order") { altered in
            altered.onNames = { $0.reversed() }
        },
        Flaw("DS-6", "takes an empty document for an absent one") { altered in
            altered.onRead = { $0?.bytes.isEmpty == true ? nil : $0 }
        },
        Flaw("DS-6", "ends a document at 1 MiB") { altered in
            altered.onRead = { $0.map { Document(bytes: Array($0.bytes.prefix(1 << 20)), revision: $0.revision) } }
        },
        Flaw("DS-7", "fails to remove what is absent") { altered in
            altered.onRemove = { [store = altered.store] name throws(DocumentStoreError) in
                guard try await store.revision(name) != nil else { throw .failed("no such file") }
                try await store.remove(name)
            }
        },
        Flaw("DS-8", "does not close") { $0.closes = false },
        Flaw("DS-9", "makes a name out of any text") { altered in
            altered.rename = { "x" + String($0.unicodeScalars.map { "\($0.value)" }.joined().prefix(100)) }
        },
    ]
}

/// Clocks with one thing wrong each.
struct AlteredTimeSource: TimeSource {
    let time: any TimeSource
    var onUptime: @Sendable (Int64) -> Int64 = { $0 }
    var onBootID: @Sendable (String) -> String = { $0 }
    var onSleep: (@Sendable (Int64) async throws(CancellationError) -> Void)?

    init(_ time: any TimeSource) {
        self.time = time
    }

    var now: Instant { time.now }
    var uptime: Int64 { onUptime(time.uptime) }
    var bootID: String { onBootID(time.bootID) }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        if let onSleep { return try await onSleep(milliseconds) }
        try await time.sleep(milliseconds: milliseconds)
    }
}

extension Flaw<any TimeSource> {
    init(_ id: String, _ name: String, _ alter: @escaping @Sendable (inout AlteredTimeSource) -> Void) {
        self.init(id, name, [.virtual]) {
            let time = ManualTimeSource(advancesOnSleep: true)
            return {
                var altered = AlteredTimeSource(time)
                alter(&altered)
                return altered
            }
        }
    }

    static let all: [Flaw<any TimeSource>] = [
        Flaw("TS-1", "counts down now and then") { altered in
            let readings = Counter()
            altered.onUptime = { $0 - (readings.add(1) % 100 == 99 ? 5 : 0) }
        },
        Flaw("TS-1", "stands still while it sleeps") { $0.onSleep = { _ throws(CancellationError) in } },
        Flaw("TS-2", "has no boot") { $0.onBootID = { _ in "" } },
        Flaw("TS-2", "has a boot a reading") { altered in
            let readings = Counter()
            altered.onBootID = { "\($0)-\(readings.add(1))" }
        },
        Flaw("TS-3", "wakes too early") { altered in
            altered.onSleep = { [time = altered.time] span throws(CancellationError) in
                try await time.sleep(milliseconds: span > 10 ? span - 10 : span)
            }
        },
        Flaw("TS-3", "takes the amount of a negative span") { altered in
            altered.onSleep = { [time = altered.time] span throws(CancellationError) in
                try await time.sleep(milliseconds: span < 0 ? .max / 2 : span)
            }
        },
        Flaw("TS-4", "takes no heed of a task that was cancelled before") { altered in
            altered.onSleep = { [time = altered.time] span throws(CancellationError) in
                (time as? ManualTimeSource)?.advance(milliseconds: span)
            }
        },
    ]
}

extension Flaw<any TokenProvider> {
    init(_ id: String, _ name: String, _ answer: @escaping @Sendable (Int) async throws -> String) {
        self.init(id, name, []) { { StubTokenProvider(answer) } }
    }

    static let all: [Flaw<any TokenProvider>] = [
        Flaw("TP-1", "gives nothing") { _ in "" },
        Flaw("TP-1", "has one token only") { call in call == 1 ? "token" : "" },
        Flaw("TP-1", "keeps the end of the line") { _ in "token\n" },
        Flaw("TP-1", "gives what is no ASCII") { _ in "tökén" },
        Flaw("TP-2", "stays cancelled") { call in
            if call > 1 { throw CancellationError() }
            return "token"
        },
    ]
}

extension Flaw<any TicketVerifier> {
    init(_ id: String, _ name: String, _ verifier: StubTicketVerifier) {
        self.init(id, name, []) { { verifier } }
    }

    static let all: [Flaw<any TicketVerifier>] = [
        Flaw("TV-1", "refuses everything", StubTicketVerifier(isValid: false)),
        Flaw("TV-1", "cannot start", StubTicketVerifier(failure: .unavailable("no engine"))),
        Flaw("TV-2", "accepts everything", StubTicketVerifier(isValid: true)),
        Flaw(
            "TV-2", "fails on a wrong length",
            StubTicketVerifier { signature, _, _ throws(TicketVerifierError) in
                if signature.count != 64 { throw .unavailable("length") }
                return false
            }),
        Flaw("TV-3", "refuses the empty message", StubTicketVerifier { _, message, _ in !message.isEmpty }),
        Flaw("TV-3", "refuses a long message", StubTicketVerifier { _, message, _ in message.count < 1 << 16 }),
        Flaw("TV-3", "accepts every long message", StubTicketVerifier(isValid: true)),
        Flaw("TV-4", "accepts everything at once", StubTicketVerifier(isValid: true)),
    ]
}

/// A transport with one thing wrong: what it does with a batch, over the transport behind it.
private struct AlteredSyncTransport: SyncTransport {
    typealias Send = @Sendable ([ScanEvent], String?) async throws(SyncTransportError) -> SyncReceipt

    let onSend: Send

    func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt {
        try await onSend(batch, cursor)
    }
}

extension Flaw<SyncTransportContract.Exchange> {
    /// A flaw over the first subject, which keeps the contract.
    private init(
        _ id: String, _ name: String, over sound: Subject<SyncTransportContract.Exchange>,
        _ send:
            @escaping @Sendable (any SyncTransport, [ScanEvent], String?) async throws(SyncTransportError) ->
            SyncReceipt
    ) {
        self.init(id, name, []) {
            {
                let exchange = try await sound.fresh()()
                return .init(
                    transport: AlteredSyncTransport { batch, cursor throws(SyncTransportError) in
                        try await send(exchange.transport, batch, cursor)
                    },
                    server: exchange.server)
            }
        }
    }

    static func all(over sound: Subject<SyncTransportContract.Exchange>) -> [Flaw<SyncTransportContract.Exchange>] {
        [
            Flaw("ST-1", "tries again by itself", over: sound) { transport, batch, cursor throws(SyncTransportError) in
                do throws(SyncTransportError) {
                    return try await transport.send(batch, after: cursor)
                } catch {
                    guard case .unavailable = error else { throw error }
                    return try await transport.send(batch, after: cursor)
                }
            },
            Flaw("ST-1", "sends the last event first", over: sound) {
                transport, batch, cursor throws(SyncTransportError) in
                try await transport.send(batch.reversed(), after: cursor)
            },
            Flaw("ST-2", "takes silence about an event for its acceptance", over: sound) {
                transport, batch, cursor throws(SyncTransportError) in
                var receipt = try await transport.send(batch, after: cursor)
                for event in batch where !receipt.items.contains(where: { $0.id == event.id }) {
                    receipt.items.append(.init(id: event.id, result: .accepted))
                }
                return receipt
            },
            Flaw("ST-2", "keeps only what it sent", over: sound) {
                transport, batch, cursor throws(SyncTransportError) in
                var receipt = try await transport.send(batch, after: cursor)
                receipt.items.removeAll { item in !batch.contains { $0.id == item.id } }
                return receipt
            },
            Flaw("ST-3", "takes nonsense for an empty receipt", over: sound) {
                transport, batch, cursor throws(SyncTransportError) in
                do throws(SyncTransportError) {
                    return try await transport.send(batch, after: cursor)
                } catch {
                    guard case .unavailable = error else { throw error }
                    return SyncReceipt()
                }
            },
            Flaw("ST-4", "does not send an empty batch", over: sound) {
                transport, batch, cursor throws(SyncTransportError) in
                batch.isEmpty ? SyncReceipt() : try await transport.send(batch, after: cursor)
            },
            Flaw("ST-4", "forgets the cursor", over: sound) { transport, batch, _ throws(SyncTransportError) in
                try await transport.send(batch, after: nil)
            },
            Flaw("ST-5", "takes a cancelled call for a broken one", over: sound) {
                transport, batch, cursor throws(SyncTransportError) in
                do throws(SyncTransportError) {
                    return try await transport.send(batch, after: cursor)
                } catch {
                    throw error == .cancelled ? .unavailable("cancelled") : error
                }
            },
            Flaw("ST-6", "takes every refusal for no answer", over: sound) {
                transport, batch, cursor throws(SyncTransportError) in
                do throws(SyncTransportError) {
                    return try await transport.send(batch, after: cursor)
                } catch {
                    throw error == .cancelled ? error : .unavailable("\(error)")
                }
            },
        ]
    }
}

/// Lets those beside come between two steps. Asleep and not only yielding: on a busy machine nobody may be there to
/// yield to, and the flaw would not show.
func letOthersIn() async {
    do {
        try await Task.sleep(for: .milliseconds(10))
    } catch {
        // Cancelled: nobody looks any more.
    }
}
