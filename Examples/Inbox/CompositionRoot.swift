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
        if !isInsecure, url.lowercased().hasPrefix("http://") {
            throw UsageError("--url is plain http: give an https address, or allow it with --insecure-http")
        }
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

    /// What a command of the shell prints, which ends with the task that waits for it.
    private static func output(of command: String) async throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        // What it complains of would be written across the screen.
        process.standardError = FileHandle.nullDevice
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        try process.run()
        let command = RunningCommand(id: process.processIdentifier)
        return try await withTaskCancellationHandler {
            // Beside it, so that one that prints more than a pipe holds comes to its end.
            async let data = command.output(of: pipe)
            var status: Int32?
            for await end in ends { status = end }
            guard let status else { throw CancellationError() }
            guard status == 0 else { throw Failure("the command for the token ended with \(status)") }
            return String(decoding: try await data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        } onCancel: {
            command.end()
        }
    }
}

/// A process that another task may end.
private struct RunningCommand: Sendable {
    let id: pid_t

    func end() {
        let group = getpgid(id)
        // It has ended already.
        guard group != -1 else { return }
        // What the shell started goes with it, where the group is its own: it would hold the pipe for ever.
        kill(group == id ? -id : id, SIGTERM)
    }

    /// Everything that it prints, read on a thread that may wait.
    func output(of pipe: Pipe) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try pipe.fileHandleForReading.readToEnd() ?? Data() })
            }
        }
    }
}
