#if Curl && os(Linux)
import Foundation
import Portico
import PorticoFoundation
import PorticoInMemory
import Subjects
import Testing

@testable import PorticoInbox

/// The client against inbox-openapi.json, the document that the reference service is held to as well.
@Suite("An inbox and the service's description", .serialized, .timeLimit(.minutes(3)))
struct DescriptionTests {
    /// What Examples/Backend/tests/client_judge.py says.
    private static func judge(_ arguments: [String], input: [UInt8] = []) throws -> (status: Int32, output: [UInt8])? {
        guard let python = ReferenceBackend.python else {
            print("skipped: the description; PORTICO_BACKEND_PYTHON names no interpreter and .venv has none")
            return nil
        }
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path + "/input")
        try Data(input).write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments =
            [
                URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent().appendingPathComponent("Examples/Backend/tests/client_judge.py").path
            ] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, Array(data))
    }

    @Test("What the client asks is what the document describes, and it asks for everything that there is")
    func requests() async throws {
        try await ReferenceInbox.run { bench in
            let inbox = try bench.client("anna")
            let id = try await bench.send("One", to: "anna")
            try await bench.send("Two", to: "anna")
            let first = try await inbox.page(limit: 1)
            _ = try await inbox.page(limit: 100, after: first.next, filter: .unread)
            _ = try await inbox.page(filter: .archived)
            _ = try await inbox.message(id)
            try await inbox.markRead(id)
            try await inbox.markUnread(id)
            try await inbox.archive(id)
            try await inbox.unarchive(id)
            try await inbox.perform("track", of: id)
            try await inbox.perform("track", of: id, customID: "Ünïcode 👋")
            try await inbox.markAllRead()
            let hours = try #require(QuietHours(start: "22:00", end: "07:00", timeZone: "Asia/Kathmandu"))
            let limit = try #require(MarketingLimit(count: 1_000, per: .month))
            for patch in [
                PreferencesPatch(),
                PreferencesPatch(
                    channels: ["push": false], topics: ["orders": true], quietHours: .set(hours),
                    marketingLimit: .set(limit)),
                PreferencesPatch(quietHours: .clear, marketingLimit: .clear),
            ] { _ = try await inbox.savePreferences(patch) }
            _ = try await inbox.preferences()
            _ = try await inbox.registerMobilePush(
                MobileRegistration(
                    connectionId: "apns", installationId: try await inbox.installationId().text,
                    token: MobileRegistration.hexadecimal(Data(repeating: 0xA7, count: 32)), marketingConsent: false))
            _ = try await inbox.registerMobilePush(
                MobileRegistration(
                    connectionId: "fcm", installationId: "i-2", name: "Ann's", token: "fcm:APA91b_-x",
                    marketingConsent: true,
                    consentEvidence: "box, 2026-07-04", platform: "android"))
            _ = try await inbox.devices()
            try await inbox.unregisterMobilePush()
            let browser = try await bench.operate("POST", "devices/web-push", ["recipient": "anna", "name": "Firefox"])
            try await inbox.unregisterWebPush(try #require(browser["id"]?.stringValue.flatMap { Identifier($0) }))
            let updates = Task { for await update in inbox.updates() where update == .connection(.live) { break } }
            await updates.value

            let log = try await bench.operate("GET", "requests?recipient=anna")
            #expect(log["requests"]?.arrayValue?.count ?? 0 >= 20)
            guard let verdict = try Self.judge(["requests"], input: log.serialized()) else { return }
            #expect(verdict.status == 0)
            #expect(String(decoding: verdict.output, as: UTF8.self) == "")
            await inbox.close()
        }
    }

    @Test("Every answer and every event that the document allows is understood, in all of its parts")
    func answers() async throws {
        guard let made = try Self.judge(["answers", "25"]) else { return }
        try #require(made.status == 0)
        let lines = made.output.split(separator: 0x0A)
        #expect(lines.count > 300)
        var kinds: [String: Int] = [:]
        for line in lines {
            let answer = try JSONValue(parsing: Array(line))
            let body = try #require(answer["body"])
            if let event = answer["event"]?.stringValue {
                kinds["event \(event)", default: 0] += 1
                try await understand(event: event, body)
            } else {
                let (method, path) = (answer["method"]?.stringValue ?? "", answer["path"]?.stringValue ?? "")
                kinds["\(method) \(path)", default: 0] += 1
                try await understand(method, String(path.dropFirst("/v1/inbox".utf8.count)), answer, body)
            }
        }
        #expect(kinds.count == 17, "\(kinds)")
    }

    private func understand(_ method: String, _ path: String, _ answer: JSONValue, _ body: JSONValue) async throws {
        let inbox = try TestInbox(account: nil)
        let played = path.replacingOccurrences(of: "{id}", with: "m").replacingOccurrences(of: "{actionId}", with: "a")
        await inbox.service.play(
            "\(method) \(played)", .json(body, status: Int(answer["status"]?.integerValue ?? 200)))
        let client = inbox.client
        switch "\(method) \(path)" {
        case "GET /messages":
            let page = try await client.page()
            #expect(page.unreadable == 0)
            #expect(page.messages.count == body["messages"]?.arrayValue?.count)
            #expect(page.next == body["nextCursor"]?.stringValue)
            #expect(await client.state().unread == body["unread"]?.integerValue.map { Int($0) })
            for (message, json) in zip(page.messages, body["messages"]?.arrayValue ?? []) { expect(message, json) }
        case "GET /messages/{id}": expect(try await client.message("m"), body)
        case "POST /messages/read-all":
            try await client.markAllRead()
            #expect(await client.state().unread == body["unread"]?.integerValue.map { Int($0) })
        case "POST /messages/{id}/read": try await expectChanged(client, body) { try await client.markRead("m") }
        case "POST /messages/{id}/unread": try await expectChanged(client, body) { try await client.markUnread("m") }
        case "POST /messages/{id}/archive": try await expectChanged(client, body) { try await client.archive("m") }
        case "POST /messages/{id}/unarchive": try await expectChanged(client, body) { try await client.unarchive("m") }
        case "POST /messages/{id}/actions/{actionId}":
            try await expectChanged(client, body) { try await client.perform("a", of: "m") }
        case "GET /preferences": expect(try await client.preferences(), body)
        case "PATCH /preferences": expect(try await client.savePreferences(PreferencesPatch()), body)
        case "GET /devices":
            let devices = try await client.devices()
            #expect(devices.count == body["devices"]?.arrayValue?.count)
            for (device, json) in zip(devices, body["devices"]?.arrayValue ?? []) { expect(device, json) }
        case "POST /devices/mobile":
            let registration = MobileRegistration(
                connectionId: "c", installationId: "i", token: "t", marketingConsent: false)
            expect(try await client.registerMobilePush(registration), body)
        default: Issue.record("an operation that nobody looks at: \(method) \(path)")
        }
    }

    private func understand(event: String, _ body: JSONValue) async throws {
        let inbox = try TestInbox(account: nil)
        await inbox.service.play("GET /messages", TestInbox.page([]))
        let updates = inbox.client.updates()
        let stream = await inbox.opened()
        stream.send(TestInbox.event(event, body, id: "e-1"))
        stream.send(TestInbox.event("last", [:], id: "e-2"))
        for await update in updates {
            switch update {
            case .other("last", _): return
            case .other(let type, _): Issue.record("\(type) is not understood: \(body)")
            case .message(let message): expect(message, body)
            case .preferences(let preferences): expect(preferences, body)
            case .connection(.waiting(_, let error)): Issue.record("\(event): \(String(describing: error))")
            default: break
            }
        }
    }

    private func expectChanged(_ client: InboxClient, _ body: JSONValue, _ change: () async throws -> Void) async throws
    {
        try await change()
        let state = await client.state()
        #expect(state.unread == body["unread"]?.integerValue.map { Int($0) })
        let message = try #require(body["message"])
        expect(try #require(state.messages.first), message)
    }

    private func expect(_ message: InboxMessage, _ json: JSONValue) {
        for (name, text) in [
            ("id", message.id.text), ("kind", message.kind), ("title", message.title), ("body", message.body),
        ] {
            #expect(json[name]?.stringValue == text)
        }
        for (name, instant) in [
            ("createdAt", message.createdAt), ("readAt", message.readAt), ("archivedAt", message.archivedAt),
            ("expiresAt", message.expiresAt),
        ] { #expect(json[name]?.isNull == (instant == nil), "\(name) of \(json)") }
        #expect(message.actions.count == json["actions"]?.arrayValue?.count)
        #expect(message.blocks.count == json["blocks"]?.arrayValue?.count ?? 0)
        #expect(message.revision == json["revision"]?.integerValue)
        #expect((message.link == nil) == (json["link"] == nil))
        // What is unknown is kept.
        let known = [
            "id", "kind", "title", "body", "blocks", "link", "createdAt", "readAt", "archivedAt", "expiresAt",
            "actions",
            "data", "revision",
        ]
        for member in json.objectValue ?? JSONObject() where !known.contains(member.name) {
            #expect(message.unknown[member.name] == member.value)
        }
    }

    private func expect(_ preferences: Preferences, _ json: JSONValue) {
        #expect(preferences.channels.count == json["channels"]?.objectValue?.count)
        #expect(preferences.topics.count == json["topics"]?.objectValue?.count)
        #expect((preferences.quietHours == nil) == (json["quietHours"]?.isNull ?? true), "\(json)")
        #expect((preferences.marketingLimit == nil) == (json["marketingLimit"]?.isNull ?? true), "\(json)")
    }

    private func expect(_ device: InboxDevice, _ json: JSONValue) {
        #expect(device.id.text == json["id"]?.stringValue)
        #expect(device.kind == json["type"]?.stringValue)
        #expect(device.platform == json["platform"]?.stringValue)
        #expect(device.name == json["name"]?.stringValue)
        #expect(device.connectionId == json["connectionId"]?.stringValue)
        #expect(device.installationId == json["installationId"]?.stringValue)
        #expect(device.marketingConsent == json["marketingConsent"]?.boolValue)
        #expect(device.registeredAt != nil)
    }
}
#endif
