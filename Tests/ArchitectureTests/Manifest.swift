import Foundation

/// What `swift package dump-package` says of the package, as far as rules need it.
struct Manifest: Sendable {
    struct Target: Sendable {
        let name: String
        let path: String
        /// `regular`, `executable`, `test`, `system` …
        let type: String
        let dependencies: [String]
        /// What Debian calls it.
        let packages: [String]
    }

    let targets: [Target]
    let products: [String: [String]]
    /// Each trait with its description, the set of defaults aside.
    let traits: [String: String]
    let defaultTraits: Set<String>
    let packageDependencies: Int
    let toolsVersion: String

    /// The adapters that implement ports; a folder with a composition root wires them instead, and a driving one uses
    /// what they serve.
    func drivenAdapters(_ files: [SwiftSource]) -> [Target] {
        targets.filter { target in
            target.isAdapterFolder && !target.dependencies.isEmpty
                && !HouseRules.drivingAdapters.contains(target.path)
                && !files.contains { $0.path == target.path + "/CompositionRoot.swift" }
        }
    }

    /// The adapters that people drive rooms with.
    var drivingAdapters: [Target] {
        targets.filter { $0.isAdapterFolder && HouseRules.drivingAdapters.contains($0.path) }
    }

    /// The domain and the rooms.
    var pureModules: Set<String> {
        Set(targets.filter { $0.path.hasPrefix("Sources/") }.map(\.name))
    }

    /// What several adapters share of the platform: it knows nothing of the package, so it implements no port.
    var platformLayers: [Target] {
        targets.filter { $0.isAdapterFolder && $0.dependencies.isEmpty }
    }
}

extension Manifest.Target {
    fileprivate var isAdapterFolder: Bool {
        path.hasPrefix("Adapters/") && type == "regular"
    }
}

extension Manifest: Decodable {
    init(from decoder: any Decoder) throws {
        let dump = try Dump(from: decoder)
        targets = dump.targets.map { target in
            let folder = target.type == "test" ? "Tests" : "Sources"
            return Target(
                name: target.name, path: target.path ?? "\(folder)/\(target.name)", type: target.type,
                dependencies: target.dependencies.flatMap { $0.values.compactMap(\.first?.name) },
                packages: target.providers?.flatMap { $0["apt"]?.flatMap { $0 } ?? [] } ?? [])
        }
        products = Dictionary(uniqueKeysWithValues: dump.products.map { ($0.name, $0.targets) })
        traits = Dictionary(
            uniqueKeysWithValues: dump.traits.filter { $0.name != "default" }.map { ($0.name, $0.description ?? "") })
        defaultTraits = Set(dump.traits.first { $0.name == "default" }?.enabledTraits ?? [])
        packageDependencies = dump.dependencies.count
        toolsVersion = dump.toolsVersion.text
    }

    private struct Dump: Decodable {
        struct Target: Decodable {
            let name: String
            let path: String?
            let type: String
            let dependencies: [[String: [Reference]]]
            let providers: [[String: [[String]]]]?
        }

        struct Product: Decodable {
            let name: String
            let targets: [String]
        }

        struct Trait: Decodable {
            let name: String
            let description: String?
            let enabledTraits: [String]
        }

        struct Version: Decodable {
            let text: String

            private enum CodingKeys: String, CodingKey {
                case text = "_version"
            }
        }

        /// The name of a dependency, or the conditions under which it holds, which decide nothing here.
        struct Reference: Decodable {
            let name: String?

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                name = if container.decodeNil() { nil } else { try Self.name(in: container) }
            }

            private static func name(in container: any SingleValueDecodingContainer) throws -> String? {
                do {
                    return try container.decode(String.self)
                } catch is DecodingError {
                    // An object of conditions stands here, not a name.
                    return nil
                }
            }
        }

        let targets: [Target]
        let products: [Product]
        let traits: [Trait]
        let dependencies: [Ignored]
        let toolsVersion: Version
    }

    private struct Ignored: Decodable {}
}
