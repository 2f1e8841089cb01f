import Foundation

/// A program that subjects are made with, where it is there.
enum Tool: String, Sendable, CaseIterable {
    case openssl, python3, qrencode

    /// Where it is; nil where it is not.
    var path: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(rawValue)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// What it writes, run to its end.
    func output(_ arguments: [String], in folder: URL? = nil) throws -> Data {
        guard let path else { throw ToolFailure(description: "\(rawValue) is not installed (Debian: \(rawValue))") }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ToolFailure(description: "\(rawValue) \(arguments[0]) ended with \(process.terminationStatus)")
        }
        return data
    }
}

/// Why a tool gave nothing.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String
}
