import Foundation
import Testing

/// The SwiftUI layer is type-checked here against the signatures that Apple documents; there is no SwiftUI to run it.
@Suite("SwiftUI layer", .enabled(if: Compiler.path != nil, "swiftc is not on the PATH"))
struct AppleLayerTests {
    @Test("It and its examples compile in language mode 6, without a warning")
    func compiles() throws {
        try Self.inFolder { folder in
            let layer = try Self.files(in: "Adapters/Apple")
            #expect(layer.count >= 5)
            try Self.module("PorticoApple", layer, in: folder)
            let examples = try layer.flatMap(Self.examples)
            #expect(examples.count >= 4)
            var paths: [String] = []
            for (index, example) in examples.enumerated() {
                let file = folder.appendingPathComponent("Example\(index).swift")
                let imports = ["Foundation", "Portico", "PorticoShell", "PorticoApple", "SwiftUI"]
                try (imports.map { "import \($0)" } + [example]).joined(separator: "\n")
                    .write(to: file, atomically: true, encoding: .utf8)
                paths.append(file.path)
            }
            try Self.compile(["-typecheck"] + paths, in: folder)
        }
    }

    @Test("What is not of a stack, and what SwiftUI does not have, is refused: the check checks")
    func refuses() throws {
        try Self.inFolder { folder in
            try Self.module("PorticoApple", try Self.files(in: "Adapters/Apple"), in: folder)
            let wrong = [
                // A route is no position: two of the same would be one.
                "func a<R: AppRoute>(_ m: NavigationModel<R>) { _ = NavigationStack<[R], Text>(path: m.frontPath) { Text(\"\") } }",
                "func a(_ v: Text) { _ = v.onOpenLink { _ in } }",
                // Models live on the main actor.
                "nonisolated func a<R: AppRoute>(_ m: NavigationModel<R>) { m.pop() }",
            ]
            for (index, text) in wrong.enumerated() {
                let file = folder.appendingPathComponent("Wrong\(index).swift")
                try "import PorticoShell\nimport PorticoApple\nimport SwiftUI\n@available(iOS 16, macOS 13, *)\n\(text)\n"
                    .write(to: file, atomically: true, encoding: .utf8)
                #expect(throws: (any Error).self, "\(text)") { try Self.compile(["-typecheck", file.path], in: folder) }
            }
        }
    }

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
        try compile(
            [
                "-emit-module", "-parse-as-library", "-module-name", name, "-emit-module-path", "\(name).swiftmodule",
            ] + bodies + files.map(\.path), in: folder)
    }

    private static func compile(_ arguments: [String], in folder: URL) throws {
        let features = ["ExistentialAny", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
        try Compiler.run(
            ["-swift-version", "6", "-warnings-as-errors", "-package-name", "portico", "-I", "."]
                + features.flatMap { ["-enable-upcoming-feature", $0] } + arguments, in: folder)
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
