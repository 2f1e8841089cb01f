#if os(Linux)
import Foundation
import Subjects
import Testing

/// The tool as it was built, run as a process; whatever happens it ends with this.
///
/// What it says goes through a pipe that is read line by line, what it complains of into a file.
final class GateTool {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let complaints: URL
    private var unread: [UInt8] = []

    /// Beside the tests, which SwiftPM builds into the same folder.
    private static let url = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("gate")

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - arguments: Its command line.
    ///   - folder: Where its data and its complaints are kept.
    ///   - standardInput: What it reads, where that is not what `type` gives it.
    ///   - shell: Commands that a shell runs before it becomes the tool: limits that a process inherits.
    init(
        _ arguments: [String], in folder: TemporaryFolder, standardInput: FileHandle? = nil, shell: String? = nil
    ) throws {
        complaints = URL(fileURLWithPath: folder.path).appendingPathComponent("complaints")
        try #require(FileManager.default.createFile(atPath: complaints.path, contents: nil))
        let line = arguments + ["--data", folder.path + "/data"]
        if let shell {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", shell + "; exec \"$0\" \"$@\"", Self.url.path] + line
        } else {
            process.executableURL = Self.url
            process.arguments = line
        }
        // A build for coverage writes its counts at the end, over those of the tests.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        process.standardInput = standardInput ?? input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: complaints)
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], in folder: TemporaryFolder, typing text: String = ""
    ) throws -> (status: Int32, said: String, complained: String) {
        let tool = try GateTool(arguments, in: folder)
        try tool.type(text)
        try tool.endInput()
        let said = try tool.rest()
        return (try tool.end().status, said, try tool.complained())
    }

    func type(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func endInput() throws {
        try input.fileHandleForWriting.close()
    }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// The next line that it says, waited for; nil when there will be none.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            unread += more
        }
    }

    /// All that it says from here to its end.
    func rest() throws -> String {
        unread += try output.fileHandleForReading.readToEnd() ?? Data()
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Waits for its end: its exit code, or the signal that ended it.
    func end() throws -> (status: Int32, isSignal: Bool) {
        process.waitUntilExit()
        return (process.terminationStatus, process.terminationReason == .uncaughtSignal)
    }

    func complained() throws -> String {
        try String(contentsOf: complaints, encoding: .utf8)
    }
}
#endif
