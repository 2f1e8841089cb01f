// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func portico(_ product: String) -> Target.Dependency {
    .product(name: product, package: "Portico")
}

// A host's package: all of Portico's traits are off, what they would bring is the host's own.
let package = Package(
    name: "HostApp",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Portico", path: "../..", traits: [])],
    targets: [
        .systemLibrary(
            name: "CHostSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .target(name: "HostAdapters", dependencies: ["CHostSodium", portico("Portico")], swiftSettings: settings),
        .executableTarget(
            name: "HostApp",
            dependencies: [
                "HostAdapters", portico("Portico"), portico("PorticoTickets"), portico("PorticoInMemory"),
                portico("PorticoFoundation"), portico("PorticoLines"),
            ], swiftSettings: settings),
        .testTarget(
            name: "HostAdaptersTests",
            dependencies: ["HostAdapters", portico("Portico"), portico("PorticoContracts")], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
