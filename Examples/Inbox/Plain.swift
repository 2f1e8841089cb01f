import Foundation
import Portico
import PorticoInbox
import Terminal

/// The inbox for scripts: a line of JSON for everything that happens, a line of words for everything to do.
///
/// Each line out is an object with `type`: `message`, `removed`, `unread`, `preferences`, `refreshed`, `connection`,
/// `other`; and for each line in, in its order, `answer` with `command` and what it gave, or `error` with `code`,
/// `status` and `message`.
struct Plain: Sendable {
    private let client: InboxClient
    private let terminal: Terminal

    init(_ client: InboxClient, _ terminal: Terminal) {
        self.client = client
        self.terminal = terminal
    }

    /// Runs until there are no more commands, or, where it follows, until it is interrupted.
    ///
    /// - Returns: The exit code: a failure where a command failed.
    func run(isFollowing: Bool) async -> Int32 {
        let interrupts = await Interrupts()
        return await interrupts.cancelling {
            let updates = Task { for await update in client.updates() { say(line(update)) } }
            var code = ExitCode.success
            for await command in Self.lines() {
                guard !Task.isCancelled else { break }
                let words = command.split(separator: " ").map(String.init)
                guard !words.isEmpty else { continue }
                do {
                    var answer = try await perform(words)
                    answer["type"] = "answer"
                    answer["command"] = .string(command)
                    say(.object(answer))
                } catch {
                    say(failure(error, command))
                    code = ExitCode.failure
                }
            }
            if isFollowing {
                await withTaskCancellationHandler {
                    await updates.value
                } onCancel: {
                    updates.cancel()
                }
            }
            updates.cancel()
            return code
        }
    }

    private func say(_ json: JSONValue) { terminal.say(jsonLine(json)) }

    /// The lines of standard input, read on a thread that may wait.
    private static func lines() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .unbounded)
        let thread = Thread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        thread.start()
        return stream
    }

    // MARK: Commands

    /// How each command is written.
    static let commands = [
        "list [inbox|unread|archived [CURSOR]]", "show ID", "read ID", "unread ID", "archive ID", "unarchive ID",
        "read-all", "action ID ACTION [CUSTOM-ID]", "preferences", "channel NAME on|off", "topic NAME on|off",
        "quiet-hours off|START END ZONE  (22:00 07:00 Europe/Zurich)", "limit off|COUNT day|week|month  (1 to 1000)",
        "devices",
    ]

    /// What is wrong with a command that cannot be carried out.
    private static func usage(_ word: String) -> UsageError {
        let form = commands.first { $0.split(separator: " ")[0] == word }
        return UsageError(
            form.map { "write it as: \($0)" }
                ?? "there is no command \(word), but \(commands.map { $0.prefix { $0 != " " } }.joined(separator: ", "))"
        )
    }

    private func perform(_ words: [String]) async throws -> JSONObject {
        let rest = Array(words.dropFirst())
        switch (words[0], rest.count) {
        case ("list", 0...2):
            guard let filter = InboxFilter(rawValue: rest.first ?? "inbox") else { throw Self.usage(words[0]) }
            let page = try await client.page(limit: 50, after: rest.count > 1 ? rest[1] : nil, filter: filter)
            var answer = JSONObject()
            answer["messages"] = .array(page.messages.map(json))
            answer["next"] = page.next.map { .string($0) } ?? .null
            answer["unread"] = .integer(Int64(await client.state().unread))
            return answer
        case ("show", 1): return ["message": json(try await client.message(try id(rest[0])))]
        case ("read", 1): try await client.markRead(try id(rest[0]))
        case ("unread", 1): try await client.markUnread(try id(rest[0]))
        case ("archive", 1): try await client.archive(try id(rest[0]))
        case ("unarchive", 1): try await client.unarchive(try id(rest[0]))
        case ("read-all", 0): try await client.markAllRead()
        case ("action", 2...3):
            try await client.perform(try id(rest[1]), of: try id(rest[0]), customID: rest.count > 2 ? rest[2] : nil)
        case ("preferences", 0): return ["preferences": json(try await client.preferences())]
        case ("channel", 2), ("topic", 2), ("quiet-hours", 1), ("quiet-hours", 3), ("limit", 1...2):
            return ["preferences": json(try await client.savePreferences(try patch(words[0], rest)))]
        case ("devices", 0):
            let devices = try await client.devices().map { device -> JSONValue in
                [
                    "id": .string(device.id.text), "kind": .string(device.kind),
                    "name": device.name.map { .string($0) } ?? .null,
                ]
            }
            return ["devices": .array(devices)]
        default: throw Self.usage(words[0])
        }
        return JSONObject()
    }

    private func id(_ text: String) throws -> Identifier {
        guard let id = Identifier(text) else { throw UsageError("\(text) is no id") }
        return id
    }

    private func patch(_ name: String, _ words: [String]) throws -> PreferencesPatch {
        let isOn = ["on": true, "off": false]
        switch (name, words.count) {
        case ("channel", 2):
            guard let value = isOn[words[1]] else { break }
            return PreferencesPatch(channels: [words[0]: value])
        case ("topic", 2):
            guard let value = isOn[words[1]] else { break }
            return PreferencesPatch(topics: [words[0]: value])
        case ("quiet-hours", 1) where words[0] == "off": return PreferencesPatch(quietHours: .clear)
        case ("quiet-hours", 3):
            guard let hours = QuietHours(start: words[0], end: words[1], timeZone: words[2]) else { break }
            return PreferencesPatch(quietHours: .set(hours))
        case ("limit", 1) where words[0] == "off": return PreferencesPatch(marketingLimit: .clear)
        case ("limit", 2):
            guard let count = Int(words[0]), let period = MarketingLimit.Period(rawValue: words[1]),
                let limit = MarketingLimit(count: count, per: period)
            else { break }
            return PreferencesPatch(marketingLimit: .set(limit))
        default: break
        }
        throw Self.usage(name)
    }

    // MARK: Lines

    private func failure(_ error: any Error, _ command: String) -> JSONValue {
        var line: JSONObject = ["type": "error", "command": .string(command)]
        let usage = (error as? UsageError)?.message ?? "\(error)"
        let told =
            (error as? InboxError).map(members)
            ?? ["code": "usage", "status": .null, "message": .string(usage)]
        for member in told { line[member.name] = member.value }
        return .object(line)
    }

    private func members(_ error: InboxError) -> JSONObject {
        [
            "code": .string(error.code.rawValue), "status": error.status.map { .integer(Int64($0)) } ?? .null,
            "message": .string(error.message),
        ]
    }

    private func line(_ update: InboxUpdate) -> JSONValue {
        switch update {
        case .message(let message): ["type": "message", "message": json(message)]
        case .removed(let id): ["type": "removed", "id": .string(id.text)]
        case .unread(let count): ["type": "unread", "unread": .integer(Int64(count))]
        case .preferences(let preferences): ["type": "preferences", "preferences": json(preferences)]
        case .refreshed: ["type": "refreshed"]
        case .connection(let connection): json(connection)
        case .other(let type, let value): ["type": "other", "event": .string(type), "data": value]
        }
    }

    private func json(_ connection: InboxConnection) -> JSONValue {
        func line(_ name: String, _ more: JSONObject = JSONObject()) -> JSONValue {
            var line: JSONObject = ["type": "connection", "connection": .string(name)]
            for member in more { line[member.name] = member.value }
            return .object(line)
        }
        func json(_ error: InboxError?) -> JSONValue { error.map { .object(members($0)) } ?? .null }
        return switch connection {
        case .idle: line("idle")
        case .connecting: line("connecting")
        case .live: line("live")
        case .waiting(let delay, let error): line("waiting", ["milliseconds": .integer(delay), "error": json(error)])
        case .ended(let error): line("ended", ["error": json(error)])
        }
    }

    private func json(_ message: InboxMessage) -> JSONValue {
        func time(_ instant: Instant?) -> JSONValue {
            instant.map { .string(RFC3339.string(milliseconds: $0.milliseconds)) } ?? .null
        }
        return [
            "id": .string(message.id.text), "kind": .string(message.kind), "title": .string(message.title),
            "body": .string(message.body), "createdAt": time(message.createdAt), "readAt": time(message.readAt),
            "archivedAt": time(message.archivedAt), "link": message.link?.url.map { .string($0) } ?? .null,
            "actions": .array(message.actions.map { ["id": .string($0.id.text), "label": .string($0.label)] }),
        ]
    }

    private func json(_ preferences: Preferences) -> JSONValue {
        func switches(_ values: [String: Bool]) -> JSONValue {
            .object(JSONObject(values.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .bool($0.value)) }))
        }
        return [
            "channels": switches(preferences.channels), "topics": switches(preferences.topics),
            "quietHours": preferences.quietHours.map {
                ["start": .string($0.start), "end": .string($0.end), "timeZone": .string($0.timeZone)]
            } ?? .null,
            "marketingLimit": preferences.marketingLimit.map {
                ["count": .integer(Int64($0.count)), "period": .string($0.period.rawValue)]
            } ?? .null,
        ]
    }
}
