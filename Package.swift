// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "Portico",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [
        .library(name: "Portico", targets: ["Portico"]),
    ],
    targets: [
        .target(name: "Portico", swiftSettings: settings),
        .testTarget(name: "PorticoTests", dependencies: ["Portico"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
