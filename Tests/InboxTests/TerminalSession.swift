#if os(Linux)
import Foundation
import Subjects
import Testing

/// A program on a real terminal, which tmux plays: what is typed into it and what stands on its screen.
final class TerminalSession {
    struct Unseen: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryFolder
    private let server = Process()
    private var socket: String { folder.path + "/tmux" }

    private static var path: String {
        get throws {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            guard
                let path = folders.map({ "\($0)/tmux" }).first(where: FileManager.default.isExecutableFile(atPath:))
            else { throw Unseen(description: "tmux is not installed (Debian: tmux)") }
            return path
        }
    }

    /// Starts a command of a shell; the session ends with it, or with this object.
    init(_ command: String, columns: Int = 100, rows: Int = 24) throws {
        folder = try TemporaryFolder()
        // The server as a child of ours: one that goes its own way would keep open what tells Foundation of an end.
        // And with no signal blocked, as one that is started from a task's thread would be: it waits for its children's.
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = [
            "python3", "-c",
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])",
            try Self.path, "-S", socket, "-f", "/dev/null", "-D",
        ]
        server.standardInput = FileHandle.nullDevice
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        for _ in 0..<500 where !FileManager.default.fileExists(atPath: socket) { usleep(10_000) }
        // What was last shown stays, and with it whether the command has ended.
        try tmux("set-option", "-g", "remain-on-exit", "on")
        try tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command)
    }

    deinit {
        if server.isRunning { kill(server.processIdentifier, SIGTERM) }
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

    /// Waits until the command has ended.
    func waitForEnd(seconds: Double = 10) async throws {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if try tmux("display-message", "-p", "#{pane_dead}").hasPrefix("1") { return }
            try await Task.sleep(nanoseconds: 50_000_000)
        }
        throw Unseen(description: "the command did not end within \(seconds) s:\n\(try screen())")
    }

    /// Takes the terminal away, as closing its window does, and waits until the command has ended.
    func hangUp(seconds: Double = 10) async throws {
        let pid = try #require(Int32(try tmux("display-message", "-p", "#{pane_pid}").dropLast()))
        try tmux("kill-server")
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            // One that has ended stays in the table until whoever adopted it has asked for its end.
            let state = FileManager.default.contents(atPath: "/proc/\(pid)/stat").map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let state, !state.contains(") Z ") else { return }
            try await Task.sleep(nanoseconds: 50_000_000)
        }
        kill(pid, SIGKILL)
        throw Unseen(description: "the command did not end within \(seconds) s of its terminal")
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
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try Self.path)
        process.arguments = ["-S", socket] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unseen(
                description: "tmux \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
#endif
