import Foundation
import Portico

/// The chosen theme in a suite of UserDefaults, where extensions of the same group and the system's settings reach it.
///
/// ```swift
/// let themes = try UserDefaultsThemeStore(suite: "group.com.example.app")
/// try await themes.save("dark")
/// ```
///
/// Linux keeps a suite as a file, `~/.config/<suite>.plist`.
public struct UserDefaultsThemeStore: ThemeStore {
    private let suite: String
    private let key: String

    /// A store in that suite.
    ///
    /// - Parameters:
    ///   - suite: The suite's name: an identifier of the app's own, or of its group; not the app's bundle identifier,
    ///     which UserDefaults does not take for a suite.
    ///   - key: The key of the theme in it.
    /// - Throws: `failed` where UserDefaults does not take the suite.
    public init(suite: String, key: String = "theme") throws(DocumentStoreError) {
        self.suite = suite
        self.key = key
        _ = try defaults()
    }

    /// The name that was saved last; nil where none was.
    public func load() async throws(DocumentStoreError) -> String? {
        guard let stored = try defaults().object(forKey: key) else { return nil }
        guard let name = stored as? String, DocumentThemeStore.isName(name) else {
            throw .corrupt("the theme in the defaults is no name: choose one anew")
        }
        return name
    }

    /// Saves the name in place of the one before.
    public func save(_ name: String) async throws(DocumentStoreError) {
        guard DocumentThemeStore.isName(name) else {
            throw .failed("theme refused: \(name.utf8.count) bytes; 1 to 64 of visible ASCII")
        }
        let defaults = try defaults()
        defaults.set(name, forKey: key)
        guard defaults.synchronize() else {
            throw .failed("theme not saved: the defaults could not be written; check the home folder's permissions")
        }
    }

    /// Opened for each call: the values are the suite's, and `UserDefaults` is `Sendable` on no platform.
    private func defaults() throws(DocumentStoreError) -> UserDefaults {
        guard !suite.isEmpty, !suite.contains("/"), let defaults = UserDefaults(suiteName: suite) else {
            throw .failed("defaults refused: no suite can have the name given")
        }
        return defaults
    }
}
