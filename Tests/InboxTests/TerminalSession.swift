#if os(Linux)
import Foundation
import Subjects

/// A program on a real terminal, which tmux plays: what is typed into it and what stands on its screen.
final class TerminalSession {
    struct Unseen: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryFolder
    private var socket: String { folder.path + "/tmux" }

    /// Where tmux is; nil where it is not.
    static let tmux: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/tmux" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Starts a command of a shell; the session ends with it, or with this object.
    init(_ command: String, columns: Int = 100, rows: Int = 24) throws {
        folder = try TemporaryFolder()
        try tmux("-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command)
    }

    deinit {
        do { try tmux("kill-server") } catch { /* The command has ended, and the server with it. */  }
    }

    /// Presses keys by tmux's names of them, one after another.
    func press(_ keys: String...) throws {
        for key in keys { try tmux("send-keys", key) }
    }

    /// Types a text as it is.
    func type(_ text: String) throws { try tmux("send-keys", "-l", text) }

    func resize(columns: Int, rows: Int) throws {
        try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// What stands on the screen.
    func screen() throws -> String { try tmux("capture-pane", "-p") }

    /// Whether the command still runs.
    var isRunning: Bool {
        do { return try !tmux("list-sessions").isEmpty } catch { return false }
    }

    /// Waits until the screen is as it should be.
    @discardableResult
    func wait(
        for what: String, seconds: Double = 20, _ isThere: (String) -> Bool
    ) async throws -> String {
        let end = Date().addingTimeInterval(seconds)
        var last = ""
        while Date() < end {
            last = try screen()
            if isThere(last) { return last }
            try await Task.sleep(nanoseconds: 50_000_000)
        }
        throw Unseen(description: "\(what) was not seen within \(seconds) s:\n\(last)")
    }

    /// Waits until a text stands on the screen.
    @discardableResult
    func wait(for text: String) async throws -> String {
        try await wait(for: text) { $0.contains(text) }
    }

    @discardableResult
    private func tmux(_ arguments: String...) throws -> String {
        guard let path = Self.tmux else { throw Unseen(description: "tmux is not installed (Debian: tmux)") }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-S", socket] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unseen(description: "tmux \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
#endif
