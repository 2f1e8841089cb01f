import Foundation
import Testing

/// A program that tests run when it is there.
enum Tool: String, Sendable {
    case qrencode, ffmpeg

    /// Where it is; nil where it is not.
    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    var isThere: Bool { path != nil }
    var missing: Comment { "\(rawValue) is not installed (Debian: \(rawValue))" }

    /// Runs it to its end.
    func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ToolFailure(description: "\(rawValue) \(arguments) gave \(process.terminationStatus)")
        }
    }

    /// Draws a QR code of these bytes.
    static func draw(_ bytes: [UInt8], to path: String, level: String = "M", module: Int = 4) throws {
        let text = path + ".bytes"
        try Data(bytes).write(to: URL(fileURLWithPath: text))
        defer { unlink(text) }
        try qrencode.run(["-8", "-r", text, "-l", level, "-s", "\(module)", "-m", "4", "-o", path])
    }

    /// Makes a file of another by ffmpeg, with what is given between them.
    static func convert(_ input: String, to output: String, _ arguments: [String] = []) throws {
        try ffmpeg.run(["-nostdin", "-loglevel", "error", "-y", "-i", input] + arguments + [output])
    }
}

struct ToolFailure: Error, CustomStringConvertible {
    let description: String
}
