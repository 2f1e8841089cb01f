import Foundation
import Portico
import PorticoFiles
import PorticoFoundation
import PorticoInbox
import Terminal

#if Curl && os(Linux)
import PorticoCurl
#endif

/// The only place of this tool that names concrete adapters.
struct CompositionRoot: Sendable {
    let client: InboxClient
    private let documents: FileDocumentStore
    private let closeNetwork: @Sendable () async -> Void

    init(_ arguments: Arguments) async throws {
        guard let url = arguments.value("url") else { throw UsageError("--url is missing: where is the service?") }
        let token = try Self.token(arguments)
        let folder = arguments.value("data") ?? "inbox-data"
        let isInsecure = arguments.has("insecure-http")
        #if Curl && os(Linux)
        let http = try CurlHTTPTransport(configuration: .init(allowInsecure: isInsecure))
        documents = try await FileDocumentStore(folder: folder)
        client = try InboxClient(
            endpoint: url, account: arguments.value("account"), http: http, documents: documents, time: SystemTime(),
            random: SystemRandomNumberGenerator(),
            policy: InboxPolicy(maximumReconnectDelay: 15_000, allowsInsecureHTTP: isInsecure), token: token)
        closeNetwork = { await http.close() }
        #else
        throw Failure(
            "this build has no network: build with the trait Curl (libcurl4-openssl-dev)",
            exitCode: ExitCode.unavailable)
        #endif
    }

    func close() async {
        await client.close()
        await closeNetwork()
        await documents.close()
    }

    /// The recipient's token: never the business's key, which is for the backend that this command or file comes from.
    private static func token(_ arguments: Arguments) throws -> @Sendable () async throws -> String {
        switch (arguments.value("token-file"), arguments.value("token-command")) {
        case (let path?, nil):
            return { try readFile(path, limit: 64 << 10).trimmingCharacters(in: .whitespacesAndNewlines) }
        case (nil, let command?):
            return { try await output(of: command) }
        default:
            throw UsageError("give one of --token-file and --token-command: what lets the recipient in?")
        }
    }

    private static func output(of command: String) async throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        // What it complains of would be written across the screen.
        process.standardError = FileHandle.nullDevice
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw Failure("the command for the token ended with \(status)") }
        // A token is shorter than what a pipe holds.
        let data = pipe.fileHandleForReading.availableData
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
