#if os(Linux) && Ncurses
import Foundation
import Portico
import PorticoInbox
import Terminal
import Testing

@testable import Inbox

@Suite("The face of the inbox")
struct FaceTests {
    private static let now = Instant(seconds: 1_783_188_000)

    /// A message made so many minutes ago.
    private static func message(
        _ id: String, ago minutes: Int64, read: Bool = false, archived: Bool = false, title: String? = nil,
        body: String = "", actions: [InboxAction] = []
    ) -> InboxMessage {
        let then = now.advanced(byMilliseconds: -minutes * 60_000)
        return InboxMessage(
            id: Identifier(id)!, title: title ?? "Title of \(id)", body: body, createdAt: then,
            readAt: read ? then : nil, archivedAt: archived ? then : nil, actions: actions)
    }

    private static func state(
        _ messages: [InboxMessage], source: InboxState.Source = .service, connection: InboxConnection = .live
    ) -> InboxState {
        InboxState(
            messages: messages, unread: messages.count { $0.isUnread(at: now) }, source: source, connection: connection)
    }

    private static func face(_ messages: [InboxMessage]) throws -> Face {
        Face(inbox: state(messages), now: now, timeZone: try #require(TimeZone(identifier: "Europe/Zurich")))
    }

    private static func id(_ text: String) -> Identifier { Identifier(text)! }

    private let three = [message("c", ago: 1), message("b", ago: 2), message("a", ago: 3, read: true)]

    @Test("The selection stays with its message when another arrives, and goes to the next when its own is gone")
    func selection() throws {
        var face = try Self.face(three)
        #expect(face.press(.down, rows: 24) == [])
        face.show(Self.state([Self.message("d", ago: 0)] + three))
        #expect(face.press(.character("r"), rows: 24) == [.markRead(Self.id("b"))])
        face.show(Self.state(three.filter { $0.id != Self.id("b") }))
        #expect(face.press(.character("r"), rows: 24) == [.markUnread(Self.id("a"))])
    }

    @Test("Undo takes back the user's changes in their reverse order, and says when there is none left")
    func undo() throws {
        var face = try Self.face(three)
        #expect(face.press(.character("r"), rows: 24) == [.markRead(Self.id("c"))])
        #expect(face.press(.character("e"), rows: 24) == [.archive(Self.id("c"))])
        #expect(face.notice == Face.Notice(text: "Archived; u takes it back"))
        #expect(face.press(.character("u"), rows: 24) == [.unarchive(Self.id("c"))])
        #expect(face.notice == Face.Notice(text: "Undone: “Title of c” is in the inbox again"))
        #expect(face.press(.character("u"), rows: 24) == [.markUnread(Self.id("c"))])
        #expect(face.notice == Face.Notice(text: "Undone: “Title of c” is unread again"))
        #expect(face.press(.character("u"), rows: 24) == [])
        #expect(face.notice == Face.Notice(text: "Nothing to undo"))
    }

    @Test("All that is marked as read at once is taken back at once; where nothing is unread there is nothing to do")
    func readAll() throws {
        var face = try Self.face(three)
        #expect(face.press(.character("R"), rows: 24) == [.markAllRead])
        #expect(face.press(.character("u"), rows: 24) == [.markUnread(Self.id("c")), .markUnread(Self.id("b"))])
        #expect(face.notice == Face.Notice(text: "Undone: 2 messages are unread again"))
        face.show(Self.state([Self.message("a", ago: 3, read: true)]))
        #expect(face.press(.character("R"), rows: 24) == [])
        #expect(face.notice == Face.Notice(text: "Everything is read"))
    }

    @Test("A change that fails is named with its message, and cannot be undone once more")
    func failure() throws {
        var face = try Self.face(three)
        let refused = InboxError(code: .refused, status: 503, message: "the service refused (503): away")
        for effect in face.press(.character("e"), rows: 24) { face.failed(effect, refused) }
        #expect(
            face.notice
                == Face.Notice(
                    text: "“Title of c” was not archived: the service refused (503): away", isFailure: true))
        #expect(face.press(.character("u"), rows: 24) == [])
        #expect(face.notice == Face.Notice(text: "Nothing to undo"))
    }

    @Test("A window that grows is filled with the messages there are")
    func growing() throws {
        var face = try Self.face((1...20).map { Self.message("m\($0)", ago: Int64($0)) })
        _ = face.press(.end, rows: 24)
        func rows(of screen: Int) -> Int {
            face.frame(rows: screen, columns: 80).text.split(separator: "\n").count { $0.contains("Title of m") }
        }
        #expect(rows(of: 5) == 1)
        #expect(rows(of: 14) == 10)
        #expect(rows(of: 40) == 20)
    }

    @Test("What does not fit says that there is more, and the way out stays in the line of keys")
    func more() throws {
        var face = try Self.face([Self.message("a", ago: 1, body: String(repeating: "line\n", count: 40) + "the end")])
        _ = face.press(.enter, rows: 12)
        #expect(face.frame(rows: 12, columns: 80).text.contains("↓ more"))
        for _ in 0..<10 { _ = face.press(.pageDown, rows: 12) }
        let end = face.frame(rows: 12, columns: 80).text
        #expect(end.contains("the end") && !end.contains("↓ more"))
        _ = face.press(.escape, rows: 12)
        #expect(face.frame(rows: 12, columns: 30).text.hasSuffix("Enter open  ? help  q quit"))
        _ = face.press(.character("?"), rows: 12)
        #expect(face.frame(rows: 12, columns: 80).text.contains("↓ more"))
        for _ in 0..<10 { _ = face.press(.down, rows: 12) }
        #expect(face.frame(rows: 12, columns: 80).text.contains("back, quit"))
        _ = face.press(.escape, rows: 12)
        #expect(face.page == .list)
    }

    @Test("What is on its way is said after a second, and a wait is counted down")
    func seconds() throws {
        var face = try Self.face(three)
        face.sendingSince = Self.now
        #expect(!face.frame(rows: 24, columns: 80).text.contains("sending"))
        face.show(Self.state(three, connection: .waiting(milliseconds: 6_000, nil)))
        #expect(face.frame(rows: 24, columns: 80).text.contains("again in 6 s"))
        face.now = Self.now.advanced(byMilliseconds: 2_000)
        #expect(face.frame(rows: 24, columns: 80).text.contains("sending… · again in 4 s"))
        face.now = Self.now.advanced(byMilliseconds: 60_000)
        #expect(face.frame(rows: 24, columns: 80).text.contains("again in 0 s"))
    }

    @Test("A message that is opened is read once; when it goes, its page goes with it and says so")
    func open() throws {
        var face = try Self.face(three)
        #expect(face.press(.enter, rows: 24) == [.markRead(Self.id("c"))])
        #expect(face.page == .message(Self.id("c")))
        face.show(Self.state(Array(three.dropFirst())))
        #expect(face.page == .list)
        #expect(face.notice == Face.Notice(text: "That message is gone"))
        _ = face.press(.end, rows: 24)
        #expect(face.press(.enter, rows: 24) == [])
        #expect(face.page == .message(Self.id("a")))
    }

    @Test("An action is chosen by its number, and a number without an action does nothing")
    func actions() throws {
        let action = InboxAction(id: Self.id("track"), label: "Track it", kind: .custom)
        var face = try Self.face([Self.message("a", ago: 1, actions: [action])])
        _ = face.press(.enter, rows: 24)
        #expect(face.frame(rows: 24, columns: 80).text.contains("[1] Track it"))
        #expect(face.press(.character("2"), rows: 24) == [])
        #expect(face.press(.character("9"), rows: 24) == [])
        #expect(face.press(.character("1"), rows: 24) == [.perform(Self.id("track"), of: Self.id("a"))])
        #expect(face.notice == Face.Notice(text: "You chose “Track it”"))
    }

    @Test("An action that opens shows its address; one whose address is not trusted says so; one that dismisses closes")
    func links() throws {
        let actions = [
            InboxAction(id: Self.id("shop"), label: "Shop", kind: .open, link: .trusted("https://shop.example")),
            InboxAction(id: Self.id("evil"), label: "Evil", kind: .open, link: .refused("javascript: is not trusted")),
            InboxAction(id: Self.id("no"), label: "Not now", kind: .dismiss),
        ]
        var face = try Self.face([Self.message("a", ago: 1, actions: actions)])
        _ = face.press(.enter, rows: 24)
        let text = face.frame(rows: 24, columns: 100).text
        #expect(text.contains("[1] Shop  ↗ https://shop.example"))
        #expect(text.contains("[2] Evil  a link that is not opened: javascript: is not trusted"))
        #expect(text.contains("1–3 choose"))
        _ = face.press(.character("1"), rows: 24)
        #expect(face.notice == Face.Notice(text: "You chose “Shop”: https://shop.example"))
        _ = face.press(.character("2"), rows: 24)
        #expect(face.notice?.isFailure == true)
        #expect(face.page == .message(Self.id("a")))
        #expect(face.press(.character("3"), rows: 24) == [.perform(Self.id("no"), of: Self.id("a"))])
        #expect(face.page == .list)
    }

    @Test("The next page is asked for at the end of the list, once, and again after it failed")
    func pages() throws {
        var face = try Self.face(three)
        #expect(face.begin() == [.load(.inbox, after: nil)])
        #expect(face.press(.end, rows: 24) == [])
        face.fetched(.inbox, next: "more")
        #expect(face.press(.end, rows: 24) == [.load(.inbox, after: "more")])
        #expect(face.press(.down, rows: 24) == [])
        face.notFetched(.inbox)
        #expect(face.press(.down, rows: 24) == [.load(.inbox, after: "more")])
        face.fetched(.inbox, next: nil)
        #expect(face.press(.down, rows: 24) == [])
        #expect(face.press(.tab, rows: 24) == [.load(.unread, after: nil)])
        #expect(face.press(.backTab, rows: 24) == [])
        #expect(face.press(.backTab, rows: 24) == [.load(.archived, after: nil)])
    }

    @Test("Nothing that a sender wrote reaches the terminal as a command, on any page")
    func hostile() throws {
        let evil = "\u{1B}[2J\u{9B}31m\u{7}\u{202E}\r\u{0}"
        let message = InboxMessage(
            id: Self.id("a"), kind: evil, title: evil, body: "\(evil)\nsecond line\t\(evil)",
            blocks: [InboxBlock(kind: "text", text: evil)], link: .refused("javascript:\(evil)"), createdAt: Self.now,
            actions: [InboxAction(id: Self.id("x"), label: evil, kind: .open, link: .trusted("https://x/\(evil)"))])
        var face = try Self.face([message])
        face.failed(.loadPreferences, InboxError(code: .refused, status: 500, message: evil))
        var shown = face.frame(rows: 24, columns: 100).text
        _ = face.press(.enter, rows: 24)
        _ = face.press(.character("1"), rows: 24)
        shown += face.frame(rows: 24, columns: 100).text
        face.show(Preferences(channels: [evil: true], topics: [evil: false]))
        shown += face.frame(rows: 24, columns: 100).text
        #expect(shown.contains("second line"))
        let commands = shown.unicodeScalars.filter { scalar in
            scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
        }
        #expect(commands.map { String($0.value, radix: 16) } == [])
    }

    @Test("A word without an end is shown as soon as any other, and a blank letter is seen")
    func long() throws {
        let word = String(repeating: "字", count: 60_000)
        var face = try Self.face([Self.message("a", ago: 1, title: "\u{3164}\u{FFA0}", body: word)])
        #expect(face.frame(rows: 24, columns: 80).text.contains("\\u{3164}\\u{FFA0}"))
        _ = face.press(.enter, rows: 24)
        let began = ContinuousClock.now
        _ = face.frame(rows: 24, columns: 80)
        // Quadratic time was more than a minute; this is no measure of speed.
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect("a bc def longer".wrapped(to: 5) == ["a bc", "def", "longe", "r"])
        #expect("ab".wrapped(to: 1) == ["a", "b"])
        #expect("abcd".fitted(to: 4) == "abcd")
        #expect("abcd".fitted(to: 3) == "ab…")
        #expect("ab".fitted(to: 0) == "")
    }

    @Test("Every page fits every window, however small, and a line never takes more columns than there are")
    func sizes() throws {
        let long = Self.message(
            "a", ago: 1, title: String(repeating: "長い件名", count: 40),
            body: String(repeating: "👩‍👩‍👧‍👦 e\u{301} text ", count: 200))
        for open in [[], [Key.enter], [.character("?")]] {
            var face = try Self.face([long] + three)
            for key in open { _ = face.press(key, rows: 24) }
            for (rows, columns) in [(1, 1), (2, 3), (3, 8), (10, 40), (24, 80), (60, 250)] {
                let frame = face.frame(rows: rows, columns: columns)
                #expect(frame.lines.count <= max(rows, 5), "\(rows) rows, \(columns) columns")
            }
        }
        var face = try Self.face([long])
        face.show(Preferences())
        _ = face.frame(rows: 1, columns: 1)
    }

    @Test("What is shown without a service is called so, with its time, and so is every way a connection can be")
    func connections() throws {
        let offline = Self.state(three, source: .snapshot(Self.now), connection: .waiting(milliseconds: 1_500, nil))
        func bar(_ state: InboxState) throws -> String {
            var face = try Self.face([])
            face.show(state)
            return String(face.frame(rows: 24, columns: 110).text.prefix { $0 != "\n" })
        }
        #expect(try bar(offline).hasSuffix("offline, as of 20:00 · again in 2 s "))
        #expect(try bar(offline).contains("● 2 unread"))
        let unreachable = InboxError(code: .unreachable, message: "no route")
        for (connection, words) in [
            (InboxConnection.live, "live"), (.connecting, "connecting…"), (.idle, "connecting…"),
            (.waiting(milliseconds: 1, unreachable), "unreachable, again in 1 s"), (.ended(nil), "updates have ended"),
            (.ended(InboxError(code: .unauthorized, status: 401, message: "")), "updates ended: the token is refused"),
        ] { #expect(try bar(Self.state([], connection: connection)).hasSuffix("\(words) "), "\(words)") }
    }

    @Test("A message of today shows the clock of the place, an older one its day")
    func times() throws {
        var face = try Self.face([Self.message("b", ago: 60), Self.message("a", ago: 24 * 60)])
        let text = face.frame(rows: 24, columns: 80).text
        #expect(text.contains("19:00") && text.contains("2026-07-03"))
    }
}

@Suite("The form of the preferences")
struct PreferencesFormTests {
    private let preferences = Preferences(
        channels: ["email": true, "push": false], topics: ["orders": true],
        quietHours: QuietHours(start: "22:00", end: "07:00", timeZone: "Europe/Zurich"),
        marketingLimit: MarketingLimit(count: 3, per: .week))

    private func pressing(_ keys: [Key]) -> (PreferencesForm, PreferencesForm.Outcome) {
        var form = PreferencesForm(preferences, timeZone: "America/Toronto")
        var outcome = PreferencesForm.Outcome.editing
        for key in keys { outcome = form.press(key) }
        return (form, outcome)
    }

    @Test("Untouched, nothing is sent; what was turned twice is as it was")
    func untouched() {
        #expect(pressing([.enter]).1 == .saved(PreferencesPatch()))
        #expect(pressing([.character(" "), .character(" "), .enter]).1 == .saved(PreferencesPatch()))
        #expect(pressing([.character(" "), .escape]).1 == .cancelled)
    }

    @Test("What was changed is sent and nothing else; what was turned off is cleared")
    func changes() throws {
        #expect(pressing([.character(" "), .enter]).1 == .saved(PreferencesPatch(channels: ["email": false])))
        #expect(
            pressing([.down, .down, .character(" "), .enter]).1 == .saved(PreferencesPatch(topics: ["orders": false])))
        #expect(
            pressing([.down, .down, .down, .character(" "), .end, .up, .up, .character(" "), .enter]).1
                == .saved(PreferencesPatch(quietHours: .clear, marketingLimit: .clear)))
        let month = MarketingLimit(count: 3, per: .month)
        #expect(
            pressing([.end, .character(" "), .enter]).1
                == .saved(PreferencesPatch(marketingLimit: .set(try #require(month)))))
    }

    @Test("What cannot be is not sent: the form says what is wrong and stays")
    func wrong() {
        let toTheHour: [Key] = Array(repeating: .down, count: 4)
        for (keys, complaint) in [
            (toTheHour + [.backspace], "“22:0” is no time: write it as 22:00"),
            (
                toTheHour + Array(repeating: .backspace, count: 5) + "7:00".map(Key.character),
                "Quiet hours that begin and end at 07:00 are none: give two times"
            ),
            (
                toTheHour + [.down, .down, .backspace],
                "“Europe/Zuric” is no place with clocks of its own: write it as Europe/Zurich"
            ),
            ([.end, .up, .character("x")], "“3x” is no limit: give a number from 1 to 1000"),
            ([.end, .up, .backspace, .character("0")], "“0” is no limit: give a number from 1 to 1000"),
        ] {
            let (form, outcome) = pressing(keys + [.enter])
            #expect(outcome == .editing)
            #expect(form.complaint == complaint)
        }
    }

    @Test("The selected field is seen in a window that is too low for the form, and shows where typing goes")
    func low() {
        var form = PreferencesForm(preferences, timeZone: "America/Toronto")
        for _ in 0..<20 {
            let lines = form.lines(rows: 3, 80)
            #expect(lines.count <= 3)
            #expect(lines.contains { $0.spans.contains { $0.style.isReversed } })
            _ = form.press(.down)
        }
        _ = form.press(.up)
        #expect(form.keys.contains("type, or Backspace"))
        #expect(form.lines(rows: 3, 80).contains { $0.spans.contains { $0.text.contains("3▏") } })
    }

    @Test("A person without quiet hours is offered those of a night where he is")
    func offer() throws {
        var form = PreferencesForm(Preferences(), timeZone: "America/Toronto")
        _ = form.press(.character(" "))
        let hours = try #require(QuietHours(start: "22:00", end: "07:00", timeZone: "America/Toronto"))
        #expect(form.press(.enter) == .saved(PreferencesPatch(quietHours: .set(hours))))
    }
}
#endif
