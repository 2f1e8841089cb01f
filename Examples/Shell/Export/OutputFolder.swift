import Foundation
import Terminal

/// A file that is to be written.
struct OutputFile: Sendable {
    /// Where, below the folder that is written to.
    let path: String
    let bytes: [UInt8]

    init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    init(_ path: String, _ text: String) {
        self.init(path, Array(text.utf8))
    }
}

/// A folder that generated files are kept in, beside files of people.
struct OutputFolder {
    let path: String

    /// How a file there differs from what would be written.
    enum Difference: String, Sendable {
        case missing
        case differs
        case leftOver = "left over"
    }

    /// What is not as it would be written, by the paths of the files.
    func differences(to files: [OutputFile]) throws -> [(path: String, difference: Difference)] {
        var found: [(path: String, difference: Difference)] = []
        for file in files {
            guard FileManager.default.fileExists(atPath: place(of: file)) else {
                found.append((file.path, .missing))
                continue
            }
            if try !isWritten(file) { found.append((file.path, .differs)) }
        }
        return found + leftovers(of: files).map { ($0, .leftOver) }
    }

    /// Writes what is not there yet; what is as it should be keeps the time of its last change, so that no build begins
    /// anew over it. Each file is whole or as it was before.
    ///
    /// - Returns: The paths that were written.
    func write(_ files: [OutputFile]) throws -> [String] {
        var written: [String] = []
        for file in files where try !isWritten(file) {
            let place = URL(fileURLWithPath: place(of: file))
            do {
                try FileManager.default.createDirectory(
                    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.bytes).write(to: place, options: .atomic)
            } catch {
                throw Failure("\(place.path) cannot be written: \(cause(of: error))")
            }
            written.append(file.path)
        }
        return written
    }

    /// Colour sets in a catalogue of ours that no token stands behind any more. They are named and left alone: a person
    /// may have put one there.
    func leftovers(of files: [OutputFile]) -> [String] {
        let sets = Set(files.map(\.path).filter { $0.hasSuffix(".colorset/Contents.json") })
        let catalogues = Set(sets.compactMap { $0.split(separator: "/").first.map(String.init) })
        return catalogues.sorted().flatMap { catalogue in
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(catalogue)")
            } catch {
                // There is no catalogue yet, so nothing is left over in it.
                names = []
            }
            return names.filter { $0.hasSuffix(".colorset") }.sorted().map { "\(catalogue)/\($0)/Contents.json" }
                .filter { !sets.contains($0) }
        }
    }

    private func place(of file: OutputFile) -> String { "\(path)/\(file.path)" }

    private func isWritten(_ file: OutputFile) throws -> Bool {
        let place = place(of: file)
        guard FileManager.default.fileExists(atPath: place) else { return false }
        guard let size = try FileManager.default.attributesOfItem(atPath: place)[.size] as? Int else { return false }
        return try size == file.bytes.count && readBytes(place, limit: file.bytes.count) == file.bytes
    }
}
