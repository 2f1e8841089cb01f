#if os(Linux)
import Foundation
import Subjects
import Testing

/// A notification service, the business behind it, and the tool as it was built.
final class InboxBench {
    static let key = "operator-key"
    let folder: TemporaryFolder
    private let python: String
    private(set) var service: ReferenceBackend

    /// Nil where there is no interpreter, which is said aloud.
    static func make() throws -> InboxBench? {
        guard let python = ReferenceBackend.python else {
            print("skipped: the terminal inbox; PORTICO_BACKEND_PYTHON names no interpreter and .venv has none")
            return nil
        }
        return try InboxBench(python)
    }

    private init(_ python: String) throws {
        self.python = python
        folder = try TemporaryFolder()
        service = try Self.service(python, folder, port: 0)
    }

    deinit { service.stop() }

    private static func service(_ python: String, _ folder: TemporaryFolder, port: Int) throws -> ReferenceBackend {
        try ReferenceBackend(
            python, ["inbox", "--api-key", key, "--keep-alive", "0.5", "--retry", "100"], port: port,
            database: folder.path + "/service.sqlite", seconds: 120)
    }

    func stopService() { service.stop() }

    /// Lets a service come back where it was, with what it knew.
    func startService() throws {
        let port = try #require(URL(string: service.url)?.port)
        service = try Self.service(python, folder, port: port)
    }

    /// Says something as the business.
    @discardableResult
    func business(_ words: String...) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [Self.script] + words
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["INBOX_URL": service.url, "INBOX_KEY": Self.key]) { $1 }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }

    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/Inbox/business.py").path

    /// Beside the tests, which SwiftPM builds into the same folder.
    static let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("inbox").path

    /// The command line of a shell that becomes the tool.
    func command(tokenSeconds: Double = 600, _ options: String = "") -> String {
        let token = "'\(python)' '\(Self.script)' token anna"
        return "exec env LLVM_PROFILE_FILE=/dev/null INBOX_URL='\(service.url)' INBOX_KEY=\(Self.key) "
            + "INBOX_TOKEN_SECONDS=\(tokenSeconds) '\(Self.tool)' --url '\(service.url)' --insecure-http --account anna "
            + "--data '\(folder.path)/data' --token-command \"\(token)\" \(options)"
    }
}
#endif
