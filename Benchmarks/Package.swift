// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what it measures is built as a host builds it, in release and over products.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Portico", path: "..")],
    targets: [
        .systemLibrary(
            name: "CRawSQLite", path: "Sources/CRawSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CRawSQLite",
                .product(name: "Portico", package: "Portico"),
                .product(name: "PorticoTickets", package: "Portico"),
                .product(name: "PorticoInbox", package: "Portico"),
                .product(name: "PorticoShell", package: "Portico"),
                .product(name: "PorticoInMemory", package: "Portico"),
                .product(name: "PorticoSodium", package: "Portico"),
                .product(name: "PorticoSQLite", package: "Portico"),
                .product(name: "PorticoFileJournal", package: "Portico"),
                .product(name: "PorticoFoundation", package: "Portico"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
