import Testing

/// Each rule of the house, shown something that breaks it and something that does not.
struct HouseRulesTests {
    private static let manifest = Manifest(
        targets: [
            Manifest.Target(name: "Portico", path: "Sources/Portico", type: "regular", dependencies: [], packages: []),
            Manifest.Target(
                name: "PorticoDoor", path: "Sources/PorticoDoor", type: "regular", dependencies: ["Portico"],
                packages: []),
            Manifest.Target(
                name: "PorticoSodium", path: "Adapters/Sodium", type: "regular", dependencies: ["Portico", "CSodium"],
                packages: []),
            Manifest.Target(
                name: "CSodium", path: "Adapters/Sodium/CSodium", type: "system", dependencies: [],
                packages: ["libsodium-dev"]),
            Manifest.Target(
                name: "PorticoApple", path: "Adapters/Apple", type: "regular",
                dependencies: ["Portico", "PorticoDoor"],
                packages: []),
        ],
        products: [
            "Portico": ["Portico"], "PorticoDoor": ["PorticoDoor"], "PorticoSodium": ["PorticoSodium"],
            "PorticoApple": ["PorticoApple"],
        ],
        traits: ["Sodium": "Ed25519 (libsodium-dev)"], defaultTraits: ["Sodium"], packageDependencies: 0,
        toolsVersion: "6.2.0")

    private static func findings(_ path: String, _ text: String) -> [Finding] {
        let file = SwiftSource(path: path, text: text)
        return HouseRules.all.flatMap { $0.check([file], manifest) }
    }

    @Test(
        "what breaks a rule is found, at its line",
        arguments: [
            ("Sources/Portico/A.swift", "\nimport Foundation", "Portico imports nothing"),
            ("Sources/Portico/A.swift", "\n@_exported import Glibc", "Portico imports nothing"),
            ("Sources/PorticoDoor/A.swift", "\nimport PorticoTickets", "a room imports Portico alone"),
            ("Sources/PorticoDoor/A.swift", "\nimport Foundation", "only in the files that HouseRules lists"),
            ("Sources/PorticoDoor/A.swift", "\nimport struct Foundation.Date", "only in the files"),
            ("Sources/PorticoDoor/A.swift", "\nimport Dispatch", "a room imports Portico alone"),
            ("Sources/PorticoDoor/A.swift", "\nlet a = Date()", "Sources is pure"),
            ("Sources/PorticoDoor/A.swift", "\nlet a = Date . now", "Sources is pure"),
            ("Sources/PorticoDoor/A.swift", "\nlet a = UUID()", "Sources is pure"),
            ("Sources/PorticoDoor/A.swift", "\nvar a = SystemRandomNumberGenerator()", "Sources is pure"),
            ("Sources/PorticoDoor/A.swift", "\nlet a = Int.random(in: 0..<3)", "without 'using:'"),
            ("Sources/PorticoDoor/A.swift", "\nlet a = FileManager.default", "Sources is pure"),
            ("Sources/PorticoDoor/A.swift", "\nlet a = \"\\(UUID())\"", "Sources is pure"),
            ("Sources/PorticoDoor/A.swift", "\nlet a = TimeZone.current", "Sources is pure"),
            ("Adapters/Sodium/A.swift", "\nimport PorticoDoor", "an adapter imports Portico alone"),
            ("Adapters/Sodium/A.swift", "\nimport CSodium", "only with its trait"),
            ("Adapters/Sodium/A.swift", "#if Sodium\nimport CSodium", "only with its trait"),
            ("Adapters/Apple/A.swift", "#if canImport(SwiftUI)\nimport PorticoSodium", "a driving adapter uses rooms"),
            ("Adapters/Apple/A.swift", "#if canImport(SwiftUI)\nfunc a(_ b: NavigationStack) {}", "needs iOS 16"),
            ("Examples/Gate/Scan.swift", "\nimport PorticoSodium", "only a CompositionRoot.swift"),
            ("Examples/Gate/Scan.swift", "\nimport CSodium", "only a CompositionRoot.swift"),
            ("Tests/ATests/A.swift", "\nfinal class A: @unchecked Sendable {}", "'@unchecked' without"),
            (
                "Tests/ATests/A.swift", "\nlet a = unsafeBitCast(b)\n// Said too late to be of use here.",
                "'unsafeBitCast' without"
            ),
            ("Tests/ATests/A.swift", "// short\nnonisolated(unsafe) var a = 1", "'unsafe' without"),
            ("Tests/ATests/A.swift", "\nlet a = try? b()", "'try?' without"),
            ("Tests/ATests/A.swift", "\nlet a = try! b()", "'try!' without"),
            ("Tests/ATests/A.swift", "\n// TODO: more", "no marks for later"),
            ("Tests/ATests/A.swift", "\nlet a = 1 // FIXME", "no marks for later"),
            ("Tests/ATests/A.swift", "\nfunc a() { fatalError(\"not implemented\") }", "no stubs"),
            ("Tests/ATests/A.swift", "\n#expect(true)", "a test that cannot fail"),
            ("Tests/ATests/A.swift", "\n@Test(.disabled(\"flaky\")) func a() {}", "a test that cannot fail"),
            ("Adapters/Sodium/A.swift", "\nlet a = ContinuousClock()", "needs iOS 16"),
            ("Adapters/Sodium/A.swift", "\nimport Observation", "needs iOS 17"),
            ("Adapters/Sodium/A.swift", "\nimport Synchronization", "needs iOS 18"),
            ("Adapters/Sodium/A.swift", "\nlet a = Mutex(1)", "needs iOS 18"),
            ("Adapters/Sodium/A.swift", "\nlet a = String(validating: b, as: UTF8.self)", "needs iOS 18"),
            ("Adapters/Sodium/A.swift", "\nlet a = b.span", "needs iOS 26"),
            ("Sources/PorticoDoor/A.swift", "\ntry await Task.sleep(for: .seconds(1))", "needs iOS 16"),
        ])
    func broken(path: String, text: String, rule: String) {
        let found = Self.findings(path, text)
        #expect(found.contains { $0.path == path && $0.line == 2 && $0.rule.contains(rule) }, "\(found)")
    }

    @Test(
        "what keeps the rules is left alone",
        arguments: [
            ("Sources/Portico/A.swift", "// import Foundation\n/// let a = Date()\nlet a = \"import Foundation\""),
            ("Sources/PorticoDoor/A.swift", "import Portico\nlet a = Date(timeIntervalSince1970: 0)"),
            ("Sources/PorticoDoor/A.swift", "let a = Int.random(in: 0..<3, using: &generator)"),
            ("Sources/PorticoTickets/Rules/EventTimeZone.swift", "import Foundation\nimport Portico"),
            ("Adapters/Sodium/A.swift", "#if Sodium && os(Linux)\nimport CSodium\nimport Portico\n#endif"),
            ("Adapters/Sodium/A.swift", "import Foundation\nimport Portico"),
            (
                "Adapters/Apple/A.swift",
                "#if canImport(SwiftUI)\nimport Combine\nimport PorticoDoor\nimport SwiftUI\n#endif"
            ),
            ("Examples/Gate/CompositionRoot.swift", "import PorticoSodium"),
            ("Examples/Subjects/A.swift", "import PorticoSodium"),
            ("Tests/ATests/A.swift", "// Guarded by the lock.\nfinal class A: @unchecked Sendable {}"),
            ("Tests/ATests/A.swift", "/// The lock guards it.\n@frozen\nstruct A: @unchecked Sendable {}"),
            (
                "Tests/ATests/A.swift",
                "// Touched on one queue, or under the lock that\n// guards it.\nfinal class A: @unchecked Sendable {}"
            ),
            ("Tests/ATests/A.swift", "let a = try? b()  // Absent is as good as unreadable."),
            ("Adapters/Sodium/A.swift", "@available(iOS 16, *)\nfunc a() {\n    _ = ContinuousClock()\n}"),
            ("Adapters/Sodium/A.swift", "if #available(iOS 18.0, macOS 15, *) {\n    _ = Mutex(1)\n}"),
        ])
    func kept(path: String, text: String) {
        #expect(Self.findings(path, text).isEmpty)
    }

    @Test("an availability guards its own block and no more, and an old one guards nothing")
    func availability() {
        let after = "@available(iOS 16, *)\nfunc a() {\n}\nlet b = ContinuousClock()"
        #expect(Self.findings("Adapters/Sodium/A.swift", after).map(\.line) == [4])
        let old = "@available(iOS 15, *)\nfunc a() {\n    _ = ContinuousClock()\n}"
        #expect(Self.findings("Adapters/Sodium/A.swift", old).map(\.line) == [3])
    }

    @Test("an adapter of two technologies is found")
    func technologies() {
        let file = SwiftSource(path: "Adapters/Sodium/A.swift", text: "import CryptoKit\nimport SQLite3")
        #expect(HouseRules.adapterImports([file], Self.manifest).map(\.path) == ["Adapters/Sodium"])
        let root = SwiftSource(path: "Adapters/Sodium/CompositionRoot.swift", text: "import CryptoKit\nimport SQLite3")
        #expect(HouseRules.adapterImports([root], Self.manifest).isEmpty)
    }

    @Test("a driving adapter without its technology's guard is found")
    func driving() {
        let open = SwiftSource(path: "Adapters/Apple/A.swift", text: "import SwiftUI\n#if canImport(SwiftUI)\n#endif")
        #expect(HouseRules.drivingImports([open], Self.manifest).map(\.line) == [1])
    }

    @Test("a layer of the platform that knows a port is found, and adapters may stand on one")
    func layers() {
        let manifest = Manifest(
            targets: Self.manifest.targets + [
                Manifest.Target(
                    name: "PorticoPOSIX", path: "Adapters/POSIX", type: "regular", dependencies: [], packages: [])
            ],
            products: Self.manifest.products, traits: Self.manifest.traits, defaultTraits: ["Sodium"],
            packageDependencies: 0, toolsVersion: "6.2.0")
        let layer = SwiftSource(path: "Adapters/POSIX/A.swift", text: "import Glibc\nimport Portico")
        #expect(HouseRules.layerImports([layer], manifest).map(\.line) == [2])
        let adapter = SwiftSource(path: "Adapters/Sodium/A.swift", text: "import PorticoPOSIX")
        #expect(HouseRules.adapterImports([adapter], manifest).isEmpty)
        #expect(ManifestRules.all(manifest, [layer]).isEmpty)
    }

    @Test("a manifest that breaks a rule is found, and one that does not is left alone")
    func manifests() {
        #expect(ManifestRules.all(Self.manifest, []).isEmpty)
        func rules(
            _ change: (inout [Manifest.Target], inout [String: [String]], inout [String: String]) -> Void
        )
            -> [String]
        {
            var (targets, products, traits) = (Self.manifest.targets, Self.manifest.products, Self.manifest.traits)
            change(&targets, &products, &traits)
            let changed = Manifest(
                targets: targets, products: products, traits: traits, defaultTraits: ["Sodium"],
                packageDependencies: 0, toolsVersion: "6.2.0")
            return ManifestRules.all(changed, []).map(\.rule)
        }
        func target(_ name: String, _ path: String, _ dependencies: [String]) -> Manifest.Target {
            Manifest.Target(name: name, path: path, type: "regular", dependencies: dependencies, packages: [])
        }
        #expect(
            rules { targets, _, _ in targets[0] = target("Portico", "Sources/Portico", ["PorticoDoor"]) }
                == ["Portico may depend on [] and depends on [\"PorticoDoor\"]"])
        #expect(
            rules { targets, _, _ in
                targets[1] = target("PorticoDoor", "Sources/PorticoDoor", ["Portico", "PorticoSodium"])
            } == ["PorticoDoor may depend on [\"Portico\"] and depends on [\"PorticoSodium\"]"])
        #expect(
            rules { targets, _, _ in
                targets[2] = target("PorticoSodium", "Adapters/Sodium", ["Portico", "CSodium", "PorticoDoor"])
            } == ["PorticoSodium depends on [\"PorticoDoor\"] beside Portico"])
        #expect(
            rules { targets, _, _ in
                targets[4] = target("PorticoApple", "Adapters/Apple", ["PorticoDoor", "PorticoSodium"])
            } == ["PorticoApple depends on [\"PorticoSodium\"] beside rooms"])
        #expect(rules { _, products, _ in products["PorticoDoor"] = nil } == ["PorticoDoor is no product of its own"])
        #expect(rules { _, _, traits in traits["Sodium"] = "" } == ["the trait Sodium has no description"])
    }

    @Test("another package, and another tools version, are found")
    func outside() {
        let changed = Manifest(
            targets: [], products: [:], traits: [:], defaultTraits: [], packageDependencies: 1, toolsVersion: "6.3.0")
        #expect(ManifestRules.dependencies(changed).count == 2)
    }

    @Test("lists of packages, README and traits that do not name what the manifest names are found")
    func packages() {
        let agreeing = ["default": ["libsodium-dev"], "optional": []]
        #expect(ManifestRules.packages(Self.manifest, lists: agreeing, readme: "libsodium-dev").isEmpty)
        #expect(ManifestRules.packages(Self.manifest, lists: agreeing, readme: "").map(\.path) == ["README.md"])
        let more = ["default": ["libsodium-dev", "libcurl4-openssl-dev"], "optional": []]
        #expect(
            ManifestRules.packages(Self.manifest, lists: more, readme: "libsodium-dev").map(\.path)
                == [".ci/packages/default"])
        let elsewhere = ["default": [], "optional": ["libsodium-dev"]]
        #expect(ManifestRules.packages(Self.manifest, lists: elsewhere, readme: "libsodium-dev").count == 2)
    }

    @Test("links that lead nowhere are found, in prose alone")
    func links() {
        let text = """
            # The House: a *plan*
            [a](other.md) [b](gone.md) `[c](gone.md)` [d](https://example.org) [e](#the-house-a-plan) [f](#gone)
            ```
            [g](gone.md)
            ```
            [h](other.md#here) [i](other.md#gone) [j](./docs/../other.md)
            """
        let documents = ["README.md": text, "other.md": "## Here\n"]
        let found = DocumentRules.deadLinks(documents) { documents[$0] != nil }
        #expect(found.map(\.line) == [2, 2, 6])
        #expect(found.map(\.rule).joined().contains("gone.md"))
    }
}
