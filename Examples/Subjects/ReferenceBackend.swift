import Foundation

/// A service of Examples/Backend, as a process that ends with this one, or by itself after a minute and a half.
///
/// ```swift
/// guard let python = ReferenceBackend.python else { return }  // said aloud by the caller: it is a skip
/// let service = try ReferenceBackend(python, ["serve"])
/// defer { service.stop() }
/// ```
public final class ReferenceBackend: Sendable {
    /// Where it listens: `http://127.0.0.1:` and its port.
    public let url: String
    private let process: Process
    private let folder: TemporaryFolder

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// An interpreter that has what the services import; nil where none is named or made.
    public static let python: String? = {
        let environment = ProcessInfo.processInfo.environment
        let candidates: [String?] = [
            environment["PORTICO_BACKEND_PYTHON"], root.appendingPathComponent(".venv/bin/python").path,
        ]
        return candidates.compactMap(\.self).first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// A process that is started from a task's thread inherits a mask that blocks all signals; and should nobody end
    /// it, it ends by itself.
    private static func prelude(seconds: Int) -> String {
        """
        import runpy, signal, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.alarm(\(seconds))
        sys.argv = ["portico_backend"] + sys.argv[1:]
        runpy.run_module("portico_backend", run_name="__main__")
        """
    }

    /// Starts a service on a port that the system chooses, with a database of its own.
    ///
    /// - Parameters:
    ///   - python: The interpreter.
    ///   - arguments: The service and its options: `serve`, `inbox`.
    ///   - port: Where it listens, to come back where another was; 0: where the system says.
    ///   - database: Its file, to know what another knew; nil: one of its own.
    ///   - seconds: After how long it ends by itself.
    public init(
        _ python: String, _ arguments: [String], port: Int = 0, database: String? = nil, seconds: Int = 90
    ) throws {
        folder = try TemporaryFolder()
        process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments =
            ["-c", Self.prelude(seconds: seconds)] + arguments
            + ["--port", "\(port)", "--database", database ?? folder.path + "/service.sqlite"]
        process.currentDirectoryURL = Self.root.appendingPathComponent("Examples/Backend")
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let start = line.range(of: "http://127.0.0.1:") else {
            process.terminate()
            throw LoopbackError("the service does not start: \(line)")
        }
        url = String(line[start.lowerBound...].prefix { !$0.isWhitespace })
    }

    /// Ends the service.
    public func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
