import Foundation

/// A name for a folder that is removed with the value that made it; the folder itself is the user's to make.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("host-\(UUID().uuidString)")

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch CocoaError.fileNoSuchFile {
            // Nobody made it.
        } catch {
            print("left behind: \(url.path): \(error)")
        }
    }
}
