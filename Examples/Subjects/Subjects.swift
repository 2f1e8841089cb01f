/// Every adapter of this build as a subject of its port's contract: for the tests and for `gate doctor`.
///
/// One file a port lists that port's adapters: a new adapter is one entry there, under the condition that compiles it,
/// and one in `missing()` where a trait or a library can leave it out.
///
/// ```swift
/// for subject in Subjects.eventStores() {
///     for clause in EventStoreContract.clauses { print(await clause.check(subject)) }
/// }
/// for adapter in Subjects.missing() { print(adapter) }
/// ```
public enum Subjects {}

/// An adapter that this build lacks, and what brings it.
public struct MissingAdapter: Sendable, Hashable, CustomStringConvertible {
    /// The adapter's type.
    public let adapter: String
    /// The package trait that compiles it.
    public let trait: String
    /// The Debian packages that it is built with.
    public let packages: [String]

    /// One line: what is missing and how it comes.
    public var description: String {
        "\(adapter) is not in this build: build with trait \(trait) (Debian: \(packages.joined(separator: " ")))"
    }
}

extension Subjects {
    /// The adapters that this build lacks, because their trait is off or because they are made for another system.
    public static func missing() -> [MissingAdapter] {
        let sodium = MissingAdapter(adapter: "SodiumTicketVerifier", trait: "Sodium", packages: ["libsodium-dev"])
        let openSSL = MissingAdapter(adapter: "OpenSSLTicketVerifier", trait: "OpenSSL", packages: ["libssl-dev"])
        let sqlite = ["SQLiteEventStore", "SQLiteDocumentStore"].map {
            MissingAdapter(adapter: $0, trait: "SQLite", packages: ["libsqlite3-dev"])
        }
        let curl = MissingAdapter(adapter: "CurlHTTPTransport", trait: "Curl", packages: ["libcurl4-openssl-dev"])
        let zbar = MissingAdapter(
            adapter: "ZBarScanner", trait: "ZBar", packages: ["libzbar-dev", "libpng-dev", "libturbojpeg0-dev"])
        return (Build.hasSodium ? [] : [sodium]) + (Build.hasOpenSSL ? [] : [openSSL])
            + (Build.hasSQLite ? [] : sqlite) + (Build.hasCurl ? [] : [curl]) + (Build.hasZBar ? [] : [zbar])
    }
}

/// What traits and system compile in; each condition is that of the adapter's own files.
private enum Build {
    #if Sodium && os(Linux)
    static let hasSodium = true
    #else
    static let hasSodium = false
    #endif

    #if OpenSSL && os(Linux)
    static let hasOpenSSL = true
    #else
    static let hasOpenSSL = false
    #endif

    #if SQLite && (os(Linux) || canImport(SQLite3))
    static let hasSQLite = true
    #else
    static let hasSQLite = false
    #endif

    #if Curl && os(Linux)
    static let hasCurl = true
    #else
    static let hasCurl = false
    #endif

    #if ZBar && os(Linux)
    static let hasZBar = true
    #else
    static let hasZBar = false
    #endif
}
