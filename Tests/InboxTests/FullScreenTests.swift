#if os(Linux) && Ncurses && Curl
import Foundation
import Testing

@Suite("The inbox on a terminal", .serialized, .timeLimit(.minutes(3)))
struct FullScreenTests {
    /// The tool on a terminal beside a service with one message, seen.
    private func session(
        tokenSeconds: Double = 600, _ body: (InboxBench, TerminalSession) async throws -> Void
    ) async throws {
        guard let bench = try InboxBench.make() else { return }
        try bench.business("send", "anna", "First of all", "Grüße 👋")
        let terminal = try TerminalSession(bench.command(tokenSeconds: tokenSeconds))
        try await terminal.wait(for: "the first message, live") {
            $0.contains("First of all") && $0.contains("live") && $0.contains("● 1 unread")
        }
        try await body(bench, terminal)
    }

    @Test("What is sent arrives while one looks, and the badge counts it")
    func arrival() async throws {
        try await session { bench, terminal in
            try bench.business("send", "anna", "Just now", "While you looked")
            let screen = try await terminal.wait(for: "both") { $0.contains("Just now") && $0.contains("● 2 unread") }
            let lines = screen.split(separator: "\n")
            let newer = try #require(lines.firstIndex { $0.contains("Just now") })
            let older = try #require(lines.firstIndex { $0.contains("First of all") })
            #expect(newer < older)
        }
    }

    @Test("A message is opened, which reads it; its text and its actions are there; q leaves the terminal as it was")
    func reading() async throws {
        try await session { bench, terminal in
            try terminal.press("Enter")
            try await terminal.wait(for: "the message, read") {
                $0.contains("Grüße 👋") && $0.contains("[1] Track it") && $0.contains("all read")
            }
            try terminal.press("1")
            try await terminal.wait(for: "You chose “Track it”")
            try terminal.press("r")
            try await terminal.wait(for: "● 1 unread")
            try terminal.press("Escape")
            try await terminal.wait(for: "q quit")
            try terminal.press("q")
            try await terminal.waitForEnd()
        }
    }

    @Test("What was archived is in the archive, and undo brings it back")
    func archive() async throws {
        try await session { bench, terminal in
            try terminal.press("e")
            try await terminal.wait(for: "No messages.")
            try terminal.press("Tab", "Tab")
            try await terminal.wait(for: "the archive") { $0.contains("Archived  ") && $0.contains("First of all") }
            try terminal.press("u")
            try await terminal.wait(for: "The archive is empty.")
            try terminal.press("Tab")
            try await terminal.wait(for: "the inbox again") { $0.contains("Inbox  ") && $0.contains("First of all") }
        }
    }

    @Test("Preferences are changed in a form, which says what is wrong, and are the service's afterwards")
    func preferences() async throws {
        try await session { bench, terminal in
            try terminal.press("p")
            try await terminal.wait(for: "[ ] quiet hours")
            // The channels come first; the switch of the quiet hours is found by looking.
            for _ in 0..<3 { try terminal.press("Down") }
            try terminal.press("Space")
            try await terminal.wait(for: "from  22:00")
            try terminal.press("Down", "BSpace")
            try terminal.press("Enter")
            try await terminal.wait(for: "“22:0” is no time: write it as 22:00")
            try terminal.type("5")
            try terminal.press("Enter")
            try await terminal.wait(for: "Preferences saved")
            try terminal.press("p")
            try await terminal.wait(for: "from  22:05")
            try terminal.press("Escape")
            try await terminal.wait(for: "First of all")
        }
    }

    @Test("A token that expires is replaced, and nothing is missed")
    func expiry() async throws {
        try await session(tokenSeconds: 1.5) { bench, terminal in
            for number in 1...4 {
                try await Task.sleep(nanoseconds: 700_000_000)
                try bench.business("send", "anna", "Number \(number)", "")
            }
            try await terminal.wait(for: "all of them") { $0.contains("Number 4") && $0.contains("● 5 unread") }
            #expect(try (1...4).allSatisfy { try terminal.screen().contains("Number \($0)") })
        }
    }

    @Test("A service that goes away is said, what is known stays, and what came meanwhile is there when it is back")
    func goneAndBack() async throws {
        try await session { bench, terminal in
            bench.stopService()
            try await terminal.wait(for: "the loss") { $0.contains("again in") && $0.contains("First of all") }
            try bench.startService()
            try bench.business("send", "anna", "Meanwhile", "")
            try await terminal.wait(for: "what came meanwhile") { $0.contains("Meanwhile") && $0.contains("live") }
        }
    }

    @Test("Started without a network it shows the last state, and says so; no change is made out of thin air")
    func offline() async throws {
        try await session { bench, terminal in
            try terminal.press("q")
            try await terminal.waitForEnd()
            bench.stopService()
            let again = try TerminalSession(bench.command())
            try await again.wait(for: "the snapshot") { $0.contains("offline, as of") && $0.contains("First of all") }
            try again.press("e")
            try await again.wait(for: "the failure, and the message back") {
                $0.contains("✗") && $0.contains("First of all")
            }
            try bench.startService()
            try await again.wait(for: "live again") { $0.contains("live") && !$0.contains("offline") }
        }
    }

    @Test("What was changed in the last moment before leaving is sent")
    func lastMoment() async throws {
        try await session { bench, terminal in
            try terminal.press("e", "q")
            try await terminal.waitForEnd()
            let again = try TerminalSession(bench.command())
            try await again.wait(for: "an empty inbox, live") { $0.contains("No messages.") && $0.contains("live") }
        }
    }

    @Test("A terminal that goes away ends the tool")
    func hangUp() async throws {
        try await session { bench, terminal in try await terminal.hangUp() }
    }

    @Test("A window of another size is drawn anew, however small")
    func sizes() async throws {
        try await session { bench, terminal in
            try terminal.resize(columns: 40, rows: 10)
            try await terminal.wait(for: "the small window") { screen in
                let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
                return screen.contains("First of all") && screen.contains("? help  q quit") && lines[0].contains("live")
            }
            for (columns, rows) in [(8, 3), (1, 1), (200, 50)] {
                try terminal.resize(columns: columns, rows: rows)
                try await Task.sleep(nanoseconds: 200_000_000)
            }
            try await terminal.wait(for: "the large window") { $0.contains("First of all") && $0.contains("q quit") }
        }
    }
}
#endif
