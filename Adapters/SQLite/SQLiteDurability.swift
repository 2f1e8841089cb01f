#if SQLite && (os(Linux) || canImport(SQLite3))
/// What a store's acknowledged writes survive.
public enum SQLiteDurability: Sendable, Hashable {
    /// The end of the process at any moment, a kill too; a power cut may take the last writes. For development.
    case killed
    /// A power cut too: every commit is synced before it is acknowledged, on Apple down to the drive. For the gate.
    case powerCut
}
#endif
