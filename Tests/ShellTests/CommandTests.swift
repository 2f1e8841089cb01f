import Foundation
import Terminal
import Testing

@testable import Shell

/// The commands as they are called, by what they answer a script.
@Suite("The commands of shell")
struct CommandTests {
    private static let design = Project.folder.appendingPathComponent(DesignFile.standard).path

    /// The exit code of a command line.
    private static func run(_ words: String...) async throws -> Int32 { try await run(words) }

    private static func run(_ words: [String]) async throws -> Int32 {
        let command = try #require(Help.commands.first { words.starts(with: $0.words) })
        let arguments = try Arguments(Array(words.dropFirst(command.words.count)), command: command, tool: "shell")
        let terminal = Terminal(tool: "shell")
        switch command.words {
        case ["tokens", "check"]: return try await TokensCommand.check(arguments, terminal)
        case ["tokens", "diff"]: return try await TokensCommand.diff(arguments, terminal)
        case ["export"]: return try await ExportCommand.run(arguments, terminal)
        case ["icons"]: return try await IconsCommand.run(arguments, terminal)
        case ["plist"]: return try await PlistCommand.run(arguments, terminal)
        default: return try await LinksCommand.run(arguments, terminal)
        }
    }

    /// The design of the example with a text in it replaced, in a folder of its own that goes with it.
    private final class ChangedDesign {
        let folder: URL
        let file: String

        init(_ text: String, _ other: String) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("shell-\(UUID().uuidString)")
            file = folder.appendingPathComponent("tokens.json").path
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let whole = try String(contentsOfFile: design, encoding: .utf8)
            try #require(whole.contains(text))
            try Data(whole.replacingOccurrences(of: text, with: other).utf8).write(to: URL(fileURLWithPath: file))
        }

        deinit { Project.remove(folder) }
    }

    @Test("The example's design passes, one with too little contrast fails, and so does one that cannot be read")
    func check() async throws {
        #expect(try await Self.run("tokens", "check", Self.design) == ExitCode.success)
        #expect(try await Self.run("tokens", "check", Self.design, "--json") == ExitCode.success)
        let faint = try ChangedDesign("{palette.ink.500}", "{palette.ink.300}")
        #expect(try await Self.run("tokens", "check", faint.file) == ExitCode.failure)
        let broken = try ChangedDesign("{palette.ink.500}", "{palette.ink.5000}")
        #expect(try await Self.run("tokens", "check", broken.file) == ExitCode.failure)
        #expect(try await Self.run("tokens", "check", broken.file, "--json") == ExitCode.failure)
    }

    @Test("Two designs are the same, or not, by the exit code")
    func diff() async throws {
        #expect(try await Self.run("tokens", "diff", Self.design, Self.design) == ExitCode.success)
        let other = try ChangedDesign("{palette.ink.500}", "{palette.ink.550}")
        #expect(try await Self.run("tokens", "diff", Self.design, other.file) == ExitCode.failure)
        #expect(try await Self.run("tokens", "diff", Self.design, other.file, "--json") == ExitCode.failure)
    }

    @Test("What was exported is as the tokens say until one changes")
    func drift() async throws {
        let other = try ChangedDesign("{palette.ink.500}", "{palette.ink.550}")
        func export(_ file: String, _ more: String...) async throws -> Int32 {
            let options = ["--out", other.folder.path, "--swift", "--css", "--xcassets", "--html"]
            return try await Self.run(["export", file] + options + more)
        }
        #expect(try await export(Self.design, "--check") == ExitCode.failure)
        #expect(try await export(Self.design) == ExitCode.success)
        #expect(try await export(Self.design, "--check") == ExitCode.success)
        #expect(try await export(other.file, "--check") == ExitCode.failure)
    }

    @Test("A command line that asks for nothing, or for what cannot be, is refused as one")
    func usage() async throws {
        await #expect(throws: UsageError.self) { try await Self.run("export", Self.design, "--out", "/tmp") }
        await #expect(throws: UsageError.self) { try await Self.run("export", Self.design, "--css") }
        await #expect(throws: UsageError.self) {
            try await Self.run("export", Self.design, "--css", "--out", "/tmp", "--brand", "a/b")
        }
        await #expect(throws: Failure.self) {
            try await Self.run("icons", Self.design, "--out", "/tmp", "--tokens", Self.design, "--inset", "50")
        }
        await #expect(throws: Failure.self) { try await Self.run("tokens", "check", "/nowhere.json") }
    }

    @Test("Links are all of the app, or not, by the exit code")
    func links() async throws {
        #expect(try await Self.run("links", "check", "shieldai://alert/1", "shieldai://profile") == ExitCode.success)
        #expect(try await Self.run("links", "check", "shieldai://alert/1", "x://y", "--json") == ExitCode.failure)
        #expect(try await Self.run("plist", "--scheme", "cook") == ExitCode.success)
    }
}
