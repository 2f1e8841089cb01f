import Foundation
import Testing

/// The SwiftUI layer is type-checked here against the signatures that Apple documents; there is no SwiftUI to run it.
@Suite("SwiftUI layer", .enabled(if: Compiler.path != nil, "swiftc is not on the PATH"))
struct AppleLayerTests {
    @Test("It and its examples compile in language mode 6 without a warning, and what is wrong is refused")
    func compiles() throws {
        try Self.inFolder { folder in
            let layer = try Self.files(in: "Adapters/Apple")
            #expect(layer.count >= 5)
            try Self.module("PorticoApple", layer, in: folder)
            let examples = try layer.flatMap(Self.examples)
            #expect(examples.count >= 4)
            let files = try examples.enumerated().map { try Self.write($1, "Example\($0)", in: folder) }
            let host = try Self.write(Self.host, "Host", in: folder)
            let (status, text) = try Self.check(files + [host], in: folder)
            #expect(status == 0, "\(text)")

            // The check is checked: each of these is refused, and for its own reason.
            for (index, (wrong, reason)) in Self.wrong.enumerated() {
                let file = try Self.write("@available(iOS 16, macOS 13, *)\n\(wrong)", "Wrong\(index)", in: folder)
                let (status, text) = try Self.check([file], in: folder)
                #expect(status != 0 && text.contains(reason), "\(text)")
            }
        }
    }

    /// What the examples take from their surroundings.
    private static let host = """
        enum CookRoute: AppRoute {
            enum Tab: String, AppTab {
                case recipes
                var symbol: String { "book" }
                var label: LocalizedText { ["en": "Recipes"] }
            }
            case recipes
        }
        """

    private static let wrong = [
        // A route is no position: the same one twice would be one place.
        (
            "func a<R: AppRoute>(_ m: NavigationModel<R>) { _ = NavigationStack<[R], Text>(path: m.frontPath) { Text(\"\") } }",
            "cannot convert value of type 'Binding<[NavigationPosition<R>]>'"
        ),
        ("func a(_ v: Text) { _ = v.onOpenLink { _ in } }", "no member 'onOpenLink'"),
        ("nonisolated func a<R: AppRoute>(_ m: NavigationModel<R>) { m.pop() }", "main actor-isolated"),
    ]

    @Test("Each of its files is empty where there is no SwiftUI")
    func guards() throws {
        for file in try Self.files(in: "Adapters/Apple") {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.first == "#if canImport(SwiftUI)" && lines.last == "#endif", "\(file.path)")
        }
    }

    /// A folder with the modules that the layer imports.
    private static func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apple-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { Project.remove(folder) }
        for name in ["Combine", "UIKit", "SwiftUI"] {
            try module(name, try files(in: "Tests/ShellTests/Stubs/\(name)"), in: folder)
        }
        for name in ["Portico", "PorticoShell"] {
            try module(name, try files(in: "Sources/\(name)"), in: folder)
        }
        try body(folder)
    }

    private static func module(_ name: String, _ files: [URL], in folder: URL) throws {
        // Other modules were compiled with their bodies when these tests were.
        let bodies = name == "PorticoApple" ? [] : ["-Xfrontend", "-experimental-skip-all-function-bodies"]
        try Compiler.run(
            options + [
                "-emit-module", "-parse-as-library", "-module-name", name, "-emit-module-path", "\(name).swiftmodule",
            ] + bodies + files.map(\.path), in: folder)
    }

    private static func write(_ text: String, _ name: String, in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("\(name).swift")
        let imports = ["Foundation", "Portico", "PorticoShell", "PorticoApple", "SwiftUI"]
        try (imports.map { "import \($0)" } + [text]).joined(separator: "\n")
            .write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    private static func check(_ files: [String], in folder: URL) throws -> (status: Int32, text: String) {
        try Compiler.result(options + ["-typecheck", "-parse-as-library", "-module-name", "Host"] + files, in: folder)
    }

    private static var options: [String] {
        ["-swift-version", "6", "-warnings-as-errors", "-package-name", "portico", "-I", "."]
            + ["ExistentialAny", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
            .flatMap { ["-enable-upcoming-feature", $0] }
    }

    private static func files(in path: String) throws -> [URL] {
        let folder = Project.folder.appendingPathComponent(path)
        let walk = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return walk.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
    }

    /// The Swift blocks of a file's documentation.
    private static func examples(in file: URL) throws -> [String] {
        var examples: [String] = []
        var example: [Substring]?
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("///") else { continue }
            let content = text.dropFirst(3).drop { $0 == " " }
            if content == "```swift" {
                example = []
            } else if content == "```", let lines = example {
                examples.append(lines.joined(separator: "\n"))
                example = nil
            } else {
                example?.append(content)
            }
        }
        return examples
    }
}
