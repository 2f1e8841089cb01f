import Foundation
import Portico
import PorticoShell
import Terminal

/// A file of tokens and the files that it names.
struct DesignFile {
    /// The one of the example.
    static let standard = "Examples/Shell/Design/shieldai.resolver.json"

    let system: DesignSystem
    /// It, and those that it names.
    private let files: [[UInt8]]

    /// - Throws: `TokenError` with all that is wrong in it, and a failure where it cannot be read.
    init(_ path: String) throws {
        let limit = 16 << 20
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let others = ReadFiles()
        let bytes = try readBytes(path, limit: limit)
        system = try DesignSystem(parsing: bytes) { name in
            let bytes = try readBytes(folder.appendingPathComponent(name).path, limit: limit)
            others.all.append(bytes)
            return bytes
        }
        files = [bytes] + others.all
    }

    func sheet() throws -> DesignSheet {
        try DesignSheet { system.tokens(in: $0).tokens }
    }

    /// Colours that stand behind no role: nothing refers to them, and nothing is drawn with them directly.
    func unusedPrimitives(in sheet: DesignSheet) throws -> [String] {
        let references = try Set(files.flatMap { try Self.references(in: JSONValue(parsing: $0)) })
        return sheet.entries.filter { entry in
            entry.color(in: Appearance()) != nil && entry.path.first != "color" && !references.contains(entry.name)
        }.map(\.name)
    }

    /// What was read while a design was put together.
    private final class ReadFiles {
        var all: [[UInt8]] = []
    }

    /// The aliases in braces (Format Module 2025.10 §7.1) and the pointers of `$ref` (§7.2) in a file.
    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text):
            if text.hasPrefix("{"), text.hasSuffix("}") { return [String(text.dropFirst().dropLast())] }
            guard text.hasPrefix("#/") else { return [] }
            // A pointer may begin with the way to a set and go on into a value; each run of its parts may be the name.
            let parts = text.dropFirst(2).split(separator: "/").map(String.init)
            return parts.indices.flatMap { start in
                (start..<parts.count).map { parts[start...$0].joined(separator: ".") }
            }
        case .array(let elements): return elements.flatMap(references)
        case .object(let object): return object.flatMap { references(in: $0.value) }
        default: return []
        }
    }
}
