import Portico
import PorticoTickets
import Terminal

/// A device as the commands use it: its documents, and how it keeps its events.
struct Device: Sendable {
    let root: CompositionRoot
    let documents: any DocumentStore
    private(set) var settings: Settings
    private let revision: UInt64?
    /// What is kept of them; nil: nothing yet.
    private let kept: Settings?

    /// The device that the command line names.
    init(_ arguments: Arguments, making: Bool = true) async throws {
        root = try CompositionRoot(arguments, making: making)
        documents = try await root.documents()
        let stored = try await Settings.load(documents)
        let wanted = try arguments.value("store").map { text in
            guard let kind = StoreKind(rawValue: text) else {
                throw UsageError("--store is sqlite or journal, not \(text)")
            }
            return kind
        }
        if let wanted, let settings = stored.settings, settings.store != wanted {
            throw Failure(
                "this gate keeps its events in \(settings.store.rawValue): leave --store out, or name another folder with --data"
            )
        }
        // Settings can be lost, and events not: a gate that began anew beside them would admit every ticket again.
        let existing = root.existingStores
        if stored.settings == nil, let first = existing.first {
            guard existing.count == 1 else {
                throw Failure(
                    "there are events of both stores at \(root.folder), and its settings are gone: move away the folder "
                        + "that is not this gate's")
            }
            guard wanted ?? first == first else {
                throw Failure(
                    "there are events in \(first.rawValue) at \(root.folder): leave --store out, or name another "
                        + "folder with --data")
            }
        }
        settings = stored.settings ?? Settings(store: wanted ?? existing.first ?? CompositionRoot.defaultStore)
        revision = stored.revision
        kept = stored.settings
    }

    /// Takes over what the command line says of the gate.
    mutating func setUp(_ arguments: Arguments) throws {
        let events = try arguments.all("event").map { try identifier($0, option: "event") }
        if !events.isEmpty { settings.events = events }
        if let zone = arguments.value("zone") { settings.zone = try identifier(zone, option: "zone") }
        if let gate = arguments.value("gate") { settings.gateID = try identifier(gate, option: "gate") }
    }

    /// Keeps it for later commands: once the gate works, and as the store's one writer, so that a command that fails or
    /// comes too late leaves a running gate's settings alone.
    func keepSettings() async throws {
        if settings != kept { try await settings.save(documents, replacing: revision) }
    }

    /// Uses the store as its one writer.
    func withStore<Value>(
        survivesPowerCut: Bool = true, _ body: (any EventStore) async throws -> Value
    ) async throws -> Value {
        let store = try await opening { try await root.store(settings.store, survivesPowerCut: survivesPowerCut) }
        return try await using(store, body) { await $0.close() }
    }

    /// Uses the store as a reader beside whoever writes it.
    func withReader<Value>(_ body: (any EventStore) async throws -> Value) async throws -> Value {
        let store = try await opening { try await root.reader(settings.store) }
        return try await using(store, body) { await $0.close() }
    }

    /// Uses the gate that the settings describe, over a store that was opened to write.
    func withGate<Value>(
        over store: any EventStore, verifier: VerifierKind? = nil, _ body: (TicketGate) async throws -> Value
    ) async throws -> Value {
        try await using(try await gate(over: store, verifier: verifier), body) { await $0.close() }
    }

    /// The gate that the settings describe; over a reader it is asked how it is, and nothing else.
    func gate(over store: any EventStore, verifier: VerifierKind? = nil) async throws -> TicketGate {
        guard !settings.events.isEmpty, let zone = settings.zone else {
            throw UsageError(
                "which event, and which zone? gate scan --event ID --zone ID says it once; it is kept for later")
        }
        return try await TicketGate(
            serving: settings.events, zone: zone, gateID: settings.gateID,
            verifier: CompositionRoot.verifier(verifier), store: store, documents: documents, time: root.time,
            random: SystemRandomNumberGenerator())
    }

    /// The uploader to a server.
    func uploader(
        over store: any EventStore, to url: String, _ arguments: Arguments
    ) async throws -> ScanUploader {
        try CompositionRoot.check(url, allowInsecure: arguments.has("insecure-http"))
        let token = try arguments.value("token-file").map { path in
            try readFile(path, limit: 64 << 10).split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        }
        let transport = try root.transport(
            to: url, deviceID: try await store.status().head.deviceID, token: token,
            allowInsecure: arguments.has("insecure-http"))
        return ScanUploader(
            store: store, documents: documents, transport: transport, time: root.time,
            random: SystemRandomNumberGenerator(), serving: settings.events.isEmpty ? nil : settings.events)
    }

    private func opening(_ open: () async throws -> any EventStore) async throws -> any EventStore {
        do {
            return try await open()
        } catch let error as EventStoreError {
            throw Failure("\(error)", exitCode: ExitCode.unavailable)
        }
    }
}

/// Uses something and closes it, however the use ends: `defer` cannot wait.
private func using<Resource, Value>(
    _ resource: Resource, _ body: (Resource) async throws -> Value, close: (Resource) async -> Void
) async throws -> Value {
    let value: Value
    do {
        value = try await body(resource)
    } catch {
        await close(resource)
        throw error
    }
    await close(resource)
    return value
}
