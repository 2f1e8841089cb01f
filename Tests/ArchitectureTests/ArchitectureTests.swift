import Foundation
import Testing

/// The house as it stands.
struct ArchitectureTests {
    private static let repository = Repository(
        root: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent())
    /// Read once: two readings at a time wait for each other.
    private static let manifest = Result { try repository.manifest() }

    @Test("the project keeps every rule of the house")
    func houseIsInOrder() throws {
        let findings = try Self.repository.findings(try Self.manifest.get())
        #expect(findings.isEmpty, "\n\(findings.map(\.description).joined(separator: "\n"))")
    }

    @Test("the walk finds the sources, and leaves what is built or fetched aside")
    func walk() throws {
        let paths = try Self.repository.sources().map(\.path)
        #expect(paths.contains("Sources/Portico/Tickets/EventStore.swift"))
        #expect(paths.contains("Tests/ArchitectureTests/ArchitectureTests.swift"))
        #expect(!paths.contains { $0.contains(".build/") || $0.hasSuffix("Package.swift") })
    }

    @Test("the manifest is read with its products, traits and providers")
    func manifest() throws {
        let manifest = try Self.manifest.get()
        #expect(manifest.targets.contains { $0.name == "Portico" && $0.path == "Sources/Portico" })
        #expect(manifest.targets.contains { $0.name == "CSodium" && $0.packages == ["libsodium-dev"] })
        #expect(manifest.targets.contains { $0.name == "PorticoTickets" && $0.dependencies == ["Portico"] })
        #expect(manifest.defaultTraits == ["Sodium", "OpenSSL", "SQLite", "Curl"])
        #expect(manifest.products["Portico"] == ["Portico"])
    }
}
