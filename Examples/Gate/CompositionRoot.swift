import Foundation
import Portico
import PorticoFileJournal
import PorticoFiles
import PorticoFoundation
import PorticoHTTPSync
import PorticoLines
import PorticoTickets
import Terminal

#if Sodium && os(Linux)
import PorticoSodium
#endif
#if OpenSSL && os(Linux)
import PorticoOpenSSL
#endif
#if SQLite && (os(Linux) || canImport(SQLite3))
import PorticoSQLite
#endif
#if Curl && os(Linux)
import PorticoCurl
#endif
#if ZBar && os(Linux)
import PorticoZBar
#endif

/// The only place of this tool that names concrete adapters.
struct CompositionRoot: Sendable {
    let folder: String
    let time: any TimeSource = SystemTime()

    /// The device at a folder; it is made where it is missing.
    init(_ arguments: Arguments, making: Bool = true) throws {
        folder = arguments.value("data") ?? "gate-data"
        guard making else {
            // A folder of something else is no gate, and is not made one by asking.
            guard FileManager.default.fileExists(atPath: "\(folder)/documents") || !existingStores.isEmpty else {
                throw Failure(
                    "there is no gate data at \(folder): scan something first, or name another folder with --data")
            }
            return
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(
                "the folder \(folder) cannot be made: \(cause(of: error)); name another with --data",
                exitCode: ExitCode.unavailable)
        }
    }

    func documents() async throws -> any DocumentStore {
        try await FileDocumentStore(folder: "\(folder)/documents")
    }

    // MARK: Events

    /// The stores that were begun here.
    var existingStores: [StoreKind] {
        StoreKind.allCases.filter { FileManager.default.fileExists(atPath: "\(folder)/\($0.rawValue)") }
    }

    static var defaultStore: StoreKind {
        #if SQLite && (os(Linux) || canImport(SQLite3))
        .sqlite
        #else
        .journal
        #endif
    }

    func store(_ kind: StoreKind, survivesPowerCut: Bool = true) async throws -> any EventStore {
        switch kind {
        case .journal:
            return try await FileJournalEventStore(
                folder: "\(folder)/journal", durability: survivesPowerCut ? .powerCut : .killed)
        case .sqlite:
            #if SQLite && (os(Linux) || canImport(SQLite3))
            return try await SQLiteEventStore(
                folder: "\(folder)/sqlite", durability: survivesPowerCut ? .powerCut : .killed)
            #else
            throw Self.missing("the SQLite store", trait: "SQLite", package: "libsqlite3-dev")
            #endif
        }
    }

    /// The store as a reader beside whoever writes it.
    func reader(_ kind: StoreKind) async throws -> any EventStore {
        guard FileManager.default.fileExists(atPath: "\(folder)/\(kind.rawValue)") else {
            throw Failure("nothing was scanned with the gate data at \(folder) yet: gate scan begins")
        }
        switch kind {
        case .journal: return try await FileJournalEventStore(folder: "\(folder)/journal", access: .read)
        case .sqlite:
            #if SQLite && (os(Linux) || canImport(SQLite3))
            return try await SQLiteEventStore(readingAt: "\(folder)/sqlite")
            #else
            throw Self.missing("the SQLite store", trait: "SQLite", package: "libsqlite3-dev")
            #endif
        }
    }

    // MARK: Engines, scanners, doors

    /// The engine that is named; where none is, the first that this build has.
    static func verifier(_ kind: VerifierKind?) throws -> any TicketVerifier {
        switch kind ?? defaultVerifier {
        case .sodium:
            #if Sodium && os(Linux)
            return try SodiumTicketVerifier()
            #else
            throw missing("libsodium's verifier", trait: "Sodium", package: "libsodium-dev")
            #endif
        case .openssl:
            #if OpenSSL && os(Linux)
            return try OpenSSLTicketVerifier()
            #else
            throw missing("OpenSSL's verifier", trait: "OpenSSL", package: "libssl-dev")
            #endif
        }
    }

    private static var defaultVerifier: VerifierKind {
        #if OpenSSL && !Sodium
        .openssl
        #else
        .sodium
        #endif
    }

    func lines() -> any CodeScanner {
        LineScanner(descriptor: STDIN_FILENO, time: time)
    }

    static func pictures(_ folder: String) throws -> any CodeScanner {
        #if ZBar && os(Linux)
        return ZBarScanner(pictures: folder)
        #else
        throw missingScanner
        #endif
    }

    static func video(_ path: String) throws -> any CodeScanner {
        #if ZBar && os(Linux)
        return path == "-" ? ZBarScanner(videoDescriptor: STDIN_FILENO) : ZBarScanner(video: path)
        #else
        throw missingScanner
        #endif
    }

    /// Refuses an address that no upload can go to, before it is tried for a minute.
    static func check(_ url: String, allowInsecure: Bool) throws {
        guard let address = URLComponents(string: url), let scheme = address.scheme?.lowercased(),
            ["https", "http"].contains(scheme), address.host?.isEmpty == false, address.user == nil
        else { throw UsageError("not an address to upload to: \(url); give it as https://host/v1/scans") }
        guard scheme == "https" || allowInsecure else {
            throw UsageError("plain http is refused: use https, or allow it with --insecure-http")
        }
    }

    func transport(
        to url: String, deviceID: Identifier, token: String?, allowInsecure: Bool
    ) throws -> any SyncTransport {
        #if Curl && os(Linux)
        let http = try CurlHTTPTransport(configuration: .init(allowInsecure: allowInsecure, userAgent: "portico-gate"))
        return HTTPSyncTransport(http: http, url: url, deviceID: deviceID, token: token.map(Self.fixed))
        #else
        throw Self.missing("HTTP by libcurl", trait: "Curl", package: "libcurl4-openssl-dev")
        #endif
    }

    #if Curl && os(Linux)
    private static func fixed(_ token: String) -> @Sendable () async throws -> String {
        { token }
    }
    #endif

    #if !(ZBar && os(Linux))
    private static var missingScanner: Failure {
        missing(
            "the QR scanner", trait: "ZBar", package: "libzbar-dev libpng-dev libturbojpeg0-dev",
            hint: "; codes as lines need none of it (--lines)")
    }
    #endif

    private static func missing(_ what: String, trait: String, package: String, hint: String = "") -> Failure {
        Failure(
            "\(what) is not in this build: install \(package) and build with the trait \(trait)\(hint)",
            exitCode: ExitCode.unavailable)
    }
}
