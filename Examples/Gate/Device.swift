import Portico
import PorticoTickets

/// A device as the commands use it: its documents, and how it keeps its events.
struct Device: Sendable {
    let root: CompositionRoot
    let documents: any DocumentStore
    private(set) var settings: Settings
    private let revision: UInt64?
    private let isNew: Bool

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
                "this device keeps its events in \(settings.store.rawValue): leave --store out, or name another --data")
        }
        settings = stored.settings ?? Settings(store: wanted ?? CompositionRoot.defaultStore)
        revision = stored.revision
        isNew = stored.settings == nil
    }

    /// Takes over what the command line says of the gate, and keeps it for later commands.
    mutating func setUp(_ arguments: Arguments) async throws {
        let before = (settings.events, settings.zone, settings.gateID)
        let events = try arguments.all("event").map { try identifier($0, option: "event") }
        if !events.isEmpty { settings.events = events }
        if let zone = arguments.value("zone") { settings.zone = try identifier(zone, option: "zone") }
        if let gate = arguments.value("gate") { settings.gateID = try identifier(gate, option: "gate") }
        if isNew || before != (settings.events, settings.zone, settings.gateID) {
            try await settings.save(documents, replacing: revision)
        }
    }

    func store(survivesPowerCut: Bool = true) async throws -> any EventStore {
        do {
            return try await root.store(settings.store, survivesPowerCut: survivesPowerCut)
        } catch let error as EventStoreError {
            throw Failure("\(error)", exitCode: ExitCode.unavailable)
        }
    }

    func reader() async throws -> any EventStore {
        try await root.reader(settings.store)
    }

    /// The gate that the settings describe.
    func gate(over store: any EventStore, verifier: VerifierKind? = nil) async throws -> TicketGate {
        guard !settings.events.isEmpty, let zone = settings.zone else {
            throw UsageError("which event, and which zone? Name them with --event and --zone; they are kept for later")
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
}
