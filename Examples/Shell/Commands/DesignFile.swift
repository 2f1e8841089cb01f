import Foundation
import PorticoShell
import Terminal

/// A file of tokens and the files that it names.
struct DesignFile {
    /// The one of the example.
    static let standard = "Examples/Shell/Design/shieldai.resolver.json"

    let path: String
    let system: DesignSystem

    /// - Throws: `TokenError` with all that is wrong in it, and a failure where a file cannot be read.
    init(_ path: String) throws {
        self.path = path
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        system = try DesignSystem(parsing: readBytes(path, limit: 16 << 20)) { name in
            try readBytes(folder.appendingPathComponent(name).path, limit: 16 << 20)
        }
    }

    func sheet() throws -> DesignSheet {
        try DesignSheet { system.tokens(in: $0).tokens }
    }

    func pairs() -> [Gallery.Pair] { [] }
}
