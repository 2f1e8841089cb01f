import Portico
import Terminal

/// What a device was set up as: kept beside its events, so that later commands need not be told again.
struct Settings: Sendable, Equatable {
    var store: StoreKind
    var events: [Identifier] = []
    var zone: Identifier?
    var gateID: Identifier?

    private static let documentName = "gate.settings"

    static func load(_ documents: any DocumentStore) async throws -> (settings: Settings?, revision: UInt64?) {
        let damaged = Failure(
            "the settings of this gate are damaged: remove its document \(documentName), then scan with --event and --zone again"
        )
        let value: JSONValue
        let revision: UInt64
        do {
            guard let document = try await documents.read(documentName) else { return (nil, nil) }
            revision = document.revision
            value = try JSONValue(parsing: document.bytes)
        } catch DocumentStoreError.corrupt {
            throw damaged
        } catch is JSONError {
            throw damaged
        }
        guard let store = value["store"]?.stringValue.flatMap(StoreKind.init(rawValue:)) else { throw damaged }
        let settings = Settings(
            store: store,
            events: (value["events"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { Identifier($0) } },
            zone: value["zone"]?.stringValue.flatMap { Identifier($0) },
            gateID: value["gate"]?.stringValue.flatMap { Identifier($0) })
        return (settings, revision)
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
