import Foundation

/// Prints a table, and writes results.jsonl beside the package.
///
/// Words name the parts to run: parse, memory, speed, many, upload, scale, streams, tokens; none runs all.
@main
struct Main {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "open", words.count == 3 {
            try await Opening.perform(words[1], words[2])
            return
        }
        if words == ["stream"] { return try Streams.perform() }
        let scratch = try Scratch()
        var report = try await measure(words, scratch)
        if isWanted("memory", words) { try await Speed(scratch).memoryFromMain(&report) }
        if words.isEmpty { try report.write(to: "results.jsonl") }
        scratch.remove()
        exit(report.holds ? 0 : 1)
    }

    /// The parts, from the global pool: a host's scans do not begin on the main thread.
    @concurrent
    private static func measure(_ words: [String], _ scratch: Scratch) async throws -> Report {
        var report = Report()
        var speed = try Speed(scratch)
        if isWanted("parse", words) {
            try await speed.parsing(&report)
            try await speed.bounds(&report)
        }
        if isWanted("memory", words) { try await speed.memory(&report) }
        if isWanted("speed", words) {
            try await speed.sqlite(&report)
            try await speed.durableLatency(&report)
            try await speed.records(&report)
        }
        if isWanted("many", words) { try await speed.manyCallers(&report) }
        if isWanted("upload", words) { try await speed.upload(&report) }
        if isWanted("streams", words) { try Streams.run(&report) }
        if isWanted("tokens", words) { try Tokens.run(&report) }
        if isWanted("scale", words) { try await Scale(scratch: scratch).run(&report) }
        return report
    }

    private static func isWanted(_ part: String, _ words: [String]) -> Bool {
        words.isEmpty || words.contains(part)
    }
}

/// A folder for this run's stores, on the disk that the package lies on.
final class Scratch: Sendable {
    private let path: String

    init() throws {
        path = FileManager.default.currentDirectoryPath + "/.build/scratch-\(getpid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A new folder in it.
    func folder(_ name: String) throws -> String {
        let folder = "\(path)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) stays: \(error)")
        }
    }
}
