#if os(Linux) && Curl
import Foundation
import Portico
import Subjects
import Testing

@Suite("The inbox for scripts", .serialized, .timeLimit(.minutes(2)))
struct PlainTests {
    /// The tool with its lines in and out.
    private final class Session {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private var buffer = Data()

        init(_ command: String) throws {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", command]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        deinit {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }

        func say(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

        func endInput() throws { try input.fileHandleForWriting.close() }

        func interrupt() { process.interrupt() }

        func exitCode() -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }

        /// The next line out that is as it should be; others are passed over.
        func next(_ isWanted: (JSONValue) -> Bool) throws -> JSONValue {
            while true {
                while let end = buffer.firstIndex(of: 0x0A) {
                    let line = try JSONValue(parsing: Array(buffer[..<end]))
                    buffer.removeSubrange(...end)
                    if isWanted(line) { return line }
                }
                let more = output.fileHandleForReading.availableData
                try #require(!more.isEmpty, "the tool ended")
                buffer.append(more)
            }
        }

        func answer(to command: String) throws -> JSONValue {
            try say(command)
            return try next { $0["command"]?.stringValue == command }
        }
    }

    @Test("Commands are answered in their order as JSON lines, and what arrives is told between them")
    func commands() throws {
        guard let bench = try InboxBench.make() else { return }
        try bench.business("send", "anna", "First", "Grüße\u{1B}[2J")
        let session = try Session(bench.command("--plain --follow"))
        _ = try session.next { $0["connection"]?.stringValue == "live" }
        let list = try session.answer(to: "list")
        let message = try #require(list["messages"]?.arrayValue?.first)
        #expect(message["title"]?.stringValue == "First")
        #expect(message["body"]?.stringValue == "Grüße\u{1B}[2J")
        #expect(list["unread"]?.integerValue == 1)
        #expect(list["next"] == .null)
        let id = try #require(message["id"]?.stringValue)

        #expect(try session.answer(to: "read \(id)")["type"] == "answer")
        #expect(try session.answer(to: "list unread")["messages"] == [])
        #expect(try session.answer(to: "archive \(id)")["type"] == "answer")
        #expect(try session.answer(to: "list archived")["messages"]?.arrayValue?.count == 1)
        #expect(try session.answer(to: "unarchive \(id)")["type"] == "answer")
        #expect(try session.answer(to: "unread \(id)")["type"] == "answer")
        #expect(try session.answer(to: "show \(id)")["message"]?["readAt"] == .null)
        #expect(try session.answer(to: "action \(id) track A-17")["type"] == "answer")
        #expect(try session.answer(to: "read-all")["type"] == "answer")

        try bench.business("send", "anna", "Second", "")
        let arrived = try session.next { $0["type"] == "message" && $0["message"]?["title"] == "Second" }
        #expect(arrived["message"]?["readAt"] == .null)
        session.interrupt()
        #expect(session.exitCode() == 0)
    }

    @Test("Preferences are changed one by one; a command that fails says why, and the exit code says so")
    func preferences() throws {
        guard let bench = try InboxBench.make() else { return }
        let session = try Session(bench.command("--plain"))
        #expect(try session.answer(to: "channel push off")["preferences"]?["channels"]?["push"] == false)
        let hours = try session.answer(to: "quiet-hours 22:00 07:00 Europe/Zurich")["preferences"]?["quietHours"]
        #expect(hours == ["start": "22:00", "end": "07:00", "timeZone": "Europe/Zurich"])
        #expect(try session.answer(to: "quiet-hours off")["preferences"]?["quietHours"] == .null)
        #expect(
            try session.answer(to: "limit 2 week")["preferences"]?["marketingLimit"] == ["count": 2, "period": "week"])
        #expect(try session.answer(to: "limit off")["preferences"]?["marketingLimit"] == .null)
        #expect(try session.answer(to: "preferences")["preferences"]?["channels"]?["push"] == false)
        #expect(try session.answer(to: "devices")["devices"] == [])

        for (wrong, help) in [
            ("dance", "there is no command dance, but list, show, read"),
            ("quiet-hours 22:00 22:00 Europe/Zurich", "write it as: quiet-hours off|START END ZONE"),
            ("limit 0 week", "write it as: limit off|COUNT day|week|month"),
            ("channel push maybe", "write it as: channel NAME on|off"), ("read", "write it as: read ID"),
        ] {
            let answer = try session.answer(to: wrong)
            #expect(answer["code"] == "usage", "\(wrong)")
            let message = answer["message"]?.stringValue ?? ""
            #expect(message.hasPrefix(help), "\(wrong): \(message)")
        }
        let unknown = try session.answer(to: "read msg-nothing")
        #expect(unknown["status"]?.integerValue == 404)
        #expect(unknown["type"] == "error")
        try session.endInput()
        #expect(session.exitCode() == 1)
    }

    @Test("Without a service the last state is there, and what needs the service says that it is unreachable")
    func offline() throws {
        guard let bench = try InboxBench.make() else { return }
        bench.stopService()
        let session = try Session(bench.command("--plain"))
        let answer = try session.answer(to: "list")
        #expect(answer["type"] == "error")
        // The command for the token asks the same service, so that is what fails first.
        #expect(answer["code"] == "token")
        try session.endInput()
        #expect(session.exitCode() == 1)
    }

    @Test("A command line that is wrong says what to give")
    func usage() throws {
        func run(_ arguments: String) throws -> (Int32, String) {
            let process = Process()
            let errors = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "LLVM_PROFILE_FILE=/dev/null exec '\(InboxBench.tool)' \(arguments)"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = errors
            try process.run()
            let text = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: text, as: UTF8.self))
        }
        for (arguments, code, words) in [
            ("", 64, "--url is missing"), ("--url https://x", 64, "--token-file and --token-command"),
            ("--url http://127.0.0.1:1 --token-file /dev/null", 64, "--insecure-http"),
            ("more", 64, "inbox takes no arguments"),
            ("--dance", 64, "--dance"),
        ] {
            let (status, text) = try run(arguments)
            #expect(status == Int32(code), "\(arguments): \(text)")
            #expect(text.contains(words), "\(arguments): \(text)")
        }
    }
}
#endif
