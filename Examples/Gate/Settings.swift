import Portico

/// What a device was set up as: kept beside its events, so that later commands need not be told again.
struct Settings: Sendable {
    var store: StoreKind
    var events: [Identifier] = []
    var zone: Identifier?
    var gateID: Identifier?

    private static let documentName = "gate.settings"

    static func load(_ documents: any DocumentStore) async throws -> (settings: Settings?, revision: UInt64?) {
        guard let document = try await documents.read(documentName) else { return (nil, nil) }
        let value = try JSONValue(parsing: document.bytes)
        guard let store = value["store"]?.stringValue.flatMap(StoreKind.init(rawValue:)) else {
            throw Failure("the device's settings cannot be read: store is missing")
        }
        let settings = Settings(
            store: store,
            events: (value["events"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { Identifier($0) } },
            zone: value["zone"]?.stringValue.flatMap { Identifier($0) },
            gateID: value["gate"]?.stringValue.flatMap { Identifier($0) })
        return (settings, document.revision)
    }

    func save(_ documents: any DocumentStore, replacing revision: UInt64?) async throws {
        var object: JSONObject = [
            "store": .string(store.rawValue), "events": .array(events.map { .string($0.text) }),
        ]
        if let zone { object["zone"] = .string(zone.text) }
        if let gateID { object["gate"] = .string(gateID.text) }
        _ = try await documents.replace(
            Self.documentName, with: JSONValue.object(object).serialized(), if: revision)
    }
}

/// How a device keeps its events.
enum StoreKind: String, Sendable, CaseIterable {
    case sqlite
    case journal
}

/// The signature engines.
enum VerifierKind: String, Sendable, CaseIterable {
    case sodium
    case openssl
}

/// An identifier from the command line.
func identifier(_ text: String, option: String) throws -> Identifier {
    guard let identifier = Identifier(text) else {
        throw UsageError("--\(option) is not an identifier: 1 to 128 bytes without invisible characters")
    }
    return identifier
}
