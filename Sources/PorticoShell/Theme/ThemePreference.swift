import Portico

/// Which theme somebody chose; the raw value is its stored name.
///
/// ```swift
/// let dark = ThemePreference.system.isDark(systemIsDark: true)  // true
/// ```
public enum ThemePreference: String, Sendable, Hashable, CaseIterable {
    /// Always light.
    case light
    /// Always dark.
    case dark
    /// What the system says, and what holds where nobody chose.
    case system

    /// Whether the app is dark.
    ///
    /// - Parameter systemIsDark: Whether the system is.
    public func isDark(systemIsDark: Bool) -> Bool {
        switch self {
        case .light: false
        case .dark: true
        case .system: systemIsDark
        }
    }

    /// The preference of a stored name, compared as bytes; nil where this version knows none.
    static func named(_ name: String) -> ThemePreference? {
        allCases.first { $0.rawValue.hasSameBytes(as: name) }
    }
}

/// The chosen theme, and how far it is stored.
public struct ThemeState: Sendable, Hashable {
    /// What holds now.
    public internal(set) var preference = ThemePreference.system
    /// Whether the next run will know it.
    public internal(set) var storage = ThemeStorage.notLoaded
}

/// How a chosen theme and what is stored belong together.
public enum ThemeStorage: Sendable, Hashable {
    /// Nothing was read yet.
    case notLoaded
    /// What is stored is what holds; also where nothing is stored and nobody chose.
    case stored
    /// A choice holds and is being stored.
    case saving
    /// A choice holds for this run and could not be stored.
    case notSaved(DocumentStoreError)
    /// What is stored could not be read; it stays there until somebody chooses.
    case unreadable(DocumentStoreError)
    /// What is stored is a name that only another version knows; it stays there until somebody chooses.
    case unknown(String)
}
