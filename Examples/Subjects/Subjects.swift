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
        var missing: [MissingAdapter] = []
        #if !(Sodium && os(Linux))
        missing.append(MissingAdapter(adapter: "SodiumTicketVerifier", trait: "Sodium", packages: ["libsodium-dev"]))
        #endif
        #if !(OpenSSL && os(Linux))
        missing.append(MissingAdapter(adapter: "OpenSSLTicketVerifier", trait: "OpenSSL", packages: ["libssl-dev"]))
        #endif
        #if !(SQLite && (os(Linux) || canImport(SQLite3)))
        for adapter in ["SQLiteEventStore", "SQLiteDocumentStore"] {
            missing.append(MissingAdapter(adapter: adapter, trait: "SQLite", packages: ["libsqlite3-dev"]))
        }
        #endif
        #if !(Curl && os(Linux))
        missing.append(
            MissingAdapter(adapter: "CurlHTTPTransport", trait: "Curl", packages: ["libcurl4-openssl-dev"]))
        #endif
        #if !(ZBar && os(Linux))
        missing.append(
            MissingAdapter(
                adapter: "ZBarScanner", trait: "ZBar", packages: ["libzbar-dev", "libpng-dev", "libturbojpeg0-dev"]))
        #endif
        return missing
    }
}
