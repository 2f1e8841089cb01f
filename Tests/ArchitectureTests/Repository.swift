import Foundation

/// The files of a working copy that the rules are about.
struct Repository {
    let root: URL

    /// Folders with nothing of the project's own.
    private static let foreign: Set = [".build", ".git", ".swiftpm", ".venv", "node_modules"]

    /// All Swift files but the manifest, which other rules read.
    func sources() throws -> [SwiftSource] {
        try files(named: ".swift").filter { $0 != "Package.swift" && !$0.hasSuffix("/Package.swift") }.map {
            SwiftSource(path: $0, text: try text(of: $0))
        }
    }

    func documents() throws -> [String: String] {
        let paths = try files(named: ".md").filter { !$0.contains(".docc/") }
        return Dictionary(uniqueKeysWithValues: try paths.map { ($0, try text(of: $0)) })
    }

    /// The lists of packages that are installed, by name.
    func packageLists() throws -> [String: [String]] {
        var lists: [String: [String]] = [:]
        for name in ["default", "optional", "tools"] {
            lists[name] = try text(of: ".ci/packages/\(name)").split(separator: "\n").map(String.init)
                .filter { !$0.hasPrefix("#") }
        }
        return lists
    }

    func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// The manifest as SwiftPM reads it.
    ///
    /// The scratch path is its own: inside `swift test` the usual one is locked, and waiting for it never ends.
    func manifest() throws -> Manifest {
        let scratch = root.appendingPathComponent(".build/manifest").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", root.path, "--scratch-path", scratch, "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Unreadable(status: process.terminationStatus) }
        return try JSONDecoder().decode(Manifest.self, from: json)
    }

    struct Unreadable: Error {
        let status: Int32
    }

    /// Everything that the house asks of this working copy.
    func findings(_ manifest: Manifest) throws -> [Finding] {
        let files = try sources()
        return HouseRules.all.flatMap { $0.check(files, manifest) } + ManifestRules.all(manifest, files)
            + ManifestRules.packages(manifest, lists: try packageLists(), readme: try text(of: "README.md"))
            + DocumentRules.deadLinks(try documents(), exists: exists)
    }

    private func files(named suffix: String) throws -> [String] {
        guard
            let walk = FileManager.default.enumerator(
                at: root, includingPropertiesForKeys: [.isDirectoryKey], options: [])
        else { throw CocoaError(.fileReadNoSuchFile) }
        let prefix = root.standardizedFileURL.path + "/"
        var paths: [String] = []
        for case let url as URL in walk {
            if Self.foreign.contains(url.lastPathComponent) || url.lastPathComponent.hasPrefix(".build") {
                walk.skipDescendants()
            } else if url.lastPathComponent.hasSuffix(suffix) {
                paths.append(String(url.standardizedFileURL.path.dropFirst(prefix.count)))
            }
        }
        return paths.sorted()
    }
}
