// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A pure module: the domain or a room.
func pure(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// An adapter: Portico, and one technology.
func adapter(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: "Portico\(name)", dependencies: ["Portico"] + dependencies, path: "Adapters/\(name)", exclude: exclude,
        swiftSettings: settings)
}

/// A C library of the system, turned on by a trait and by the platform together: default traits cannot depend on the
/// platform, and an Apple host needs nothing outside its SDK.
func system(_ name: String, trait: String) -> Target.Dependency {
    .target(name: name, condition: .when(platforms: [.linux], traits: [trait]))
}

/// Every adapter, for the tests, the examples and the benchmarks that wire them.
let everyAdapter: [Target.Dependency] = [
    "PorticoInMemory", "PorticoSodium", "PorticoOpenSSL", "PorticoSQLite", "PorticoFileJournal", "PorticoFiles",
    "PorticoCurl", "PorticoHTTPSync", "PorticoZBar", "PorticoLines", "PorticoFoundation",
]

let package = Package(
    name: "Portico",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [
        .library(name: "Portico", targets: ["Portico"]),
        .library(name: "PorticoTickets", targets: ["PorticoTickets"]),
        .library(name: "PorticoInbox", targets: ["PorticoInbox"]),
        .library(name: "PorticoShell", targets: ["PorticoShell"]),
        .library(name: "PorticoContracts", targets: ["PorticoContracts"]),
        .library(name: "PorticoInMemory", targets: ["PorticoInMemory"]),
        .library(name: "PorticoSodium", targets: ["PorticoSodium"]),
        .library(name: "PorticoOpenSSL", targets: ["PorticoOpenSSL"]),
        .library(name: "PorticoSQLite", targets: ["PorticoSQLite"]),
        .library(name: "PorticoFileJournal", targets: ["PorticoFileJournal"]),
        .library(name: "PorticoFiles", targets: ["PorticoFiles"]),
        .library(name: "PorticoCurl", targets: ["PorticoCurl"]),
        .library(name: "PorticoHTTPSync", targets: ["PorticoHTTPSync"]),
        .library(name: "PorticoZBar", targets: ["PorticoZBar"]),
        .library(name: "PorticoLines", targets: ["PorticoLines"]),
        .library(name: "PorticoFoundation", targets: ["PorticoFoundation"]),
        .library(name: "PorticoReady", targets: ["PorticoReady"]),
        .library(name: "PorticoApple", targets: ["PorticoApple"]),
        .executable(name: "gate", targets: ["Gate"]),
        .executable(name: "inbox", targets: ["Inbox"]),
        .executable(name: "shell", targets: ["Shell"]),
    ],
    traits: [
        .trait(name: "Sodium", description: "Ed25519 by libsodium (Debian: libsodium-dev)"),
        .trait(name: "OpenSSL", description: "Ed25519 by OpenSSL 3 (Debian: libssl-dev)"),
        .trait(name: "SQLite", description: "Events and documents in SQLite (Debian: libsqlite3-dev)"),
        .trait(name: "Curl", description: "HTTP by libcurl (Debian: libcurl4-openssl-dev)"),
        .trait(
            name: "ZBar",
            description: "QR codes from pictures and video by ZBar (Debian: libzbar-dev, libpng-dev, libturbojpeg0-dev)"
        ),
        .trait(name: "Ncurses", description: "the examples' full-screen faces by ncursesw (Debian: libncurses-dev)"),
        .default(enabledTraits: ["Sodium", "OpenSSL", "SQLite", "Curl"]),
    ],
    targets: [
        pure("Portico"),
        pure("PorticoTickets", ["Portico"]),
        pure("PorticoInbox", ["Portico"]),
        pure("PorticoShell", ["Portico"]),
        pure("PorticoContracts", ["Portico"]),

        adapter("InMemory"),
        adapter("Sodium", [system("CSodium", trait: "Sodium")], exclude: ["CSodium"]),
        adapter("OpenSSL", [system("COpenSSL", trait: "OpenSSL")], exclude: ["COpenSSL"]),
        adapter("SQLite", ["PorticoPOSIX", system("CSQLite", trait: "SQLite")], exclude: ["CSQLite"]),
        // No adapter: what adapters over the system's files and descriptors share.
        .target(name: "PorticoPOSIX", path: "Adapters/POSIX", swiftSettings: settings),
        adapter("FileJournal", ["PorticoPOSIX"]),
        adapter("Files", ["PorticoPOSIX"]),
        adapter("Curl", [system("CCurl", trait: "Curl")], exclude: ["CCurl"]),
        adapter("HTTPSync"),
        adapter("ZBar", ["PorticoPOSIX", system("CZBar", trait: "ZBar")], exclude: ["CZBar"]),
        adapter("Lines", ["PorticoPOSIX"]),
        adapter("Foundation"),
        // No driven adapter: a wiring that is ready, for hosts that want two lines.
        .target(
            name: "PorticoReady", dependencies: ["Portico", "PorticoInbox", "PorticoFoundation", "PorticoCurl"],
            path: "Adapters/Ready", swiftSettings: settings),
        // A driving adapter: it uses a room as any face does, and is empty where there is no SwiftUI.
        .target(
            name: "PorticoApple", dependencies: ["Portico", "PorticoShell"], path: "Adapters/Apple",
            swiftSettings: settings),
        .systemLibrary(
            name: "CSodium", path: "Adapters/Sodium/CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Adapters/OpenSSL/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Adapters/SQLite/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Adapters/Curl/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CZBar", path: "Adapters/ZBar/CZBar", pkgConfig: "zbar",
            providers: [.apt(["libzbar-dev", "libpng-dev", "libturbojpeg0-dev"])]),
        .systemLibrary(
            // Its pkg-config file defines macros that SwiftPM does not pass on, with a warning; the header does it itself.
            name: "CNcurses", path: "Examples/Terminal/CNcurses", providers: [.apt(["libncurses-dev"])]),

        .target(
            name: "Terminal", dependencies: ["Portico", system("CNcurses", trait: "Ncurses")],
            path: "Examples/Terminal", exclude: ["CNcurses"], swiftSettings: settings),
        .target(
            name: "Subjects",
            dependencies: ["Portico", "PorticoContracts"] + everyAdapter, path: "Examples/Subjects",
            swiftSettings: settings),
        .executableTarget(
            name: "Gate",
            dependencies: ["Portico", "PorticoTickets", "PorticoContracts", "Subjects", "Terminal"] + everyAdapter,
            path: "Examples/Gate", swiftSettings: settings),
        .executableTarget(
            name: "Inbox", dependencies: ["Portico", "PorticoInbox", "Terminal"] + everyAdapter,
            path: "Examples/Inbox", exclude: ["README.md", "business.py"], swiftSettings: settings),
        .executableTarget(
            name: "Shell", dependencies: ["Portico", "PorticoShell", "Terminal"] + everyAdapter, path: "Examples/Shell",
            exclude: ["README.md", "Design"], swiftSettings: settings),

        .testTarget(name: "PorticoTests", dependencies: ["Portico"], swiftSettings: settings),
        .testTarget(
            name: "PorticoTicketsTests",
            dependencies: ["Portico", "PorticoTickets", "Subjects"] + everyAdapter,
            swiftSettings: settings),
        .testTarget(
            name: "PorticoInboxTests",
            dependencies: ["Portico", "PorticoInbox", "PorticoReady", "Subjects"] + everyAdapter,
            swiftSettings: settings),
        .testTarget(
            name: "PorticoShellTests", dependencies: ["Portico", "PorticoShell", "Subjects"] + everyAdapter,
            swiftSettings: settings),
        .testTarget(
            name: "ContractTests", dependencies: ["Portico", "PorticoContracts", "Subjects"] + everyAdapter,
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteTests",
            dependencies: [
                "Portico", "PorticoContracts", "PorticoPOSIX", "PorticoSQLite", system("CSQLite", trait: "SQLite"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FileJournalTests",
            dependencies: [
                "Portico", "PorticoContracts", "PorticoInMemory", "PorticoPOSIX", "PorticoFileJournal", "PorticoFiles",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkTests",
            dependencies: [
                "Portico", "PorticoContracts", "PorticoCurl", "PorticoHTTPSync", "PorticoInMemory",
                "Subjects", system("CCurl", trait: "Curl"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ScannerTests",
            dependencies: [
                "Portico", "PorticoContracts", "PorticoSodium", "PorticoOpenSSL", "PorticoFoundation", "PorticoZBar",
                "PorticoLines", system("COpenSSL", trait: "OpenSSL"),
            ],
            swiftSettings: settings),
        .testTarget(name: "ArchitectureTests", swiftSettings: settings),
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Portico", "PorticoTickets", "PorticoInbox", "PorticoShell", "PorticoInMemory", "PorticoFileJournal",
                "PorticoHTTPSync",
            ],
            path: "Tests/Fuzzing", exclude: ["Corpus"], swiftSettings: settings),
        .testTarget(
            name: "GateTests",
            dependencies: ["Portico", "PorticoTickets", "PorticoContracts", "Subjects"] + everyAdapter,
            swiftSettings: settings),
        .testTarget(
            name: "ShellTests", dependencies: ["Portico", "PorticoShell", "Shell", "Terminal", "Subjects"],
            exclude: ["Fixtures", "Stubs", "browser"], swiftSettings: settings),
        .testTarget(
            name: "InboxTests", dependencies: ["Portico", "PorticoInbox", "Inbox", "Terminal", "Subjects"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
