import Foundation

/// An empty folder of its own, removed with what is in it when the last reference to it goes.
///
/// ```swift
/// Subject(name: "FileStore", capabilities: [.durable]) {
///     let folder = try TemporaryFolder()
///     return { try FileStore(folder: folder.path) }  // the opening holds the folder
/// }
/// ```
public final class TemporaryFolder: Sendable {
    /// The folder's path.
    public let path: String

    /// Makes the folder, below the system's place for temporary files.
    public init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // What is left in the system's temporary folder is the system's to clean; there is nobody here to tell.
        }
    }
}
