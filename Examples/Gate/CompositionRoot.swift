import Foundation
import Portico
import PorticoFileJournal
import PorticoFiles
import PorticoFoundation
import PorticoHTTPSync
import PorticoLines
import PorticoTickets

#if Sodium && os(Linux)
import PorticoSodium
#endif
#if OpenSSL && os(Linux)
import PorticoOpenSSL
#endif
#if SQLite && os(Linux)
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
            guard FileManager.default.fileExists(atPath: folder) else {
                throw Failure("no gate data at \(folder): scan something first, or name the folder with --data")
            }
            return
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("\(folder) cannot be made: \(error.localizedDescription)", exitCode: ExitCode.unavailable)
        }
    }

    func documents() async throws -> any DocumentStore {
        try await FileDocumentStore(folder: "\(folder)/documents")
    }

    // MARK: Events

    static var defaultStore: StoreKind {
        #if SQLite && os(Linux)
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
            #if SQLite && os(Linux)
            return try SQLiteEventStore(
                folder: "\(folder)/sqlite", durability: survivesPowerCut ? .powerCut : .killed)
            #else
            throw Self.missing("the SQLite store", trait: "SQLite", package: "libsqlite3-dev")
            #endif
        }
    }

    /// The store as a reader beside whoever writes it.
    func reader(_ kind: StoreKind) async throws -> any EventStore {
        switch kind {
        case .journal: return try await FileJournalEventStore(folder: "\(folder)/journal", access: .read)
        case .sqlite:
            #if SQLite && os(Linux)
            return try SQLiteEventStore(readingAt: "\(folder)/sqlite")
            #else
            throw Self.missing("the SQLite store", trait: "SQLite", package: "libsqlite3-dev")
            #endif
        }
    }

    // MARK: Engines, scanners, doors

    static func verifier(_ kind: VerifierKind?) throws -> any TicketVerifier {
        switch kind {
        case .sodium, nil:
            #if Sodium && os(Linux)
            return try SodiumTicketVerifier()
            #else
            guard kind == nil else { throw missing("libsodium's verifier", trait: "Sodium", package: "libsodium-dev") }
            return try verifier(.openssl)
            #endif
        case .openssl:
            #if OpenSSL && os(Linux)
            return try OpenSSLTicketVerifier()
            #else
            throw missing(
                "a signature engine", trait: "Sodium or OpenSSL", package: "libsodium-dev or libssl-dev")
            #endif
        }
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

    func transport(
        to url: String, deviceID: Identifier, token: String?, allowInsecure: Bool
    ) throws -> any SyncTransport {
        #if Curl && os(Linux)
        let http = try CurlHTTPTransport(configuration: .init(allowInsecure: allowInsecure, userAgent: "portico-gate"))
        return HTTPSyncTransport(http: http, url: url, deviceID: deviceID, token: token.map(Self.fixed))
        #else
        throw Self.missing("the HTTP door", trait: "Curl", package: "libcurl4-openssl-dev")
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
            "the QR scanner", trait: "ZBar", package: "libzbar-dev, libpng-dev and libturbojpeg0-dev",
            hint: "; codes as lines work without it (--lines)")
    }
    #endif

    private static func missing(_ what: String, trait: String, package: String, hint: String = "") -> Failure {
        Failure(
            "this build has not \(what): install \(package) and build with the trait \(trait)\(hint)",
            exitCode: ExitCode.unavailable)
    }
}
