#if Ncurses && os(Linux)
import Foundation
import Portico
import PorticoInbox
import Terminal

/// What is on the screen, and what a key does: a value, so that it is tried without a terminal.
///
/// ```
///          Enter                p
/// message ◀────── list ──────────────▶ preferences
///    │   ──────▶  │ ▲   ◀──────────────  (Enter saves, Esc does not)
///    └─ Esc ──────┘ │
///    └───────────────┴── ? ──▶ help, and back to where it was called
/// ```
struct Face: Sendable {
    enum Page: Sendable, Hashable {
        case list
        case message(Identifier)
        case preferences(PreferencesForm)
        indirect case help(over: Page)
    }

    /// What the client is to do.
    enum Effect: Sendable, Hashable {
        case markRead(Identifier)
        case markUnread(Identifier)
        case archive(Identifier)
        case unarchive(Identifier)
        case markAllRead
        case perform(Identifier, of: Identifier)
        case load(InboxFilter, after: String?)
        case loadPreferences
        case savePreferences(PreferencesPatch)
        case quit
    }

    /// What takes back a change, and what is then said of it.
    private struct Undo: Sendable {
        var effects: [Effect]
        var what: String
    }

    /// A line at the bottom: what was done, or what went wrong.
    struct Notice: Sendable, Hashable {
        var text: String
        var isFailure = false
    }

    var inbox: InboxState
    var now: Instant
    /// Where the person is: times are shown as the clocks there say them.
    let timeZone: TimeZone
    private(set) var page = Page.list
    private(set) var filter = InboxFilter.inbox
    private(set) var notice: Notice?
    /// What takes back the user's changes, the last one at the end.
    private var undos: [Undo] = []
    /// Since when changes have been on their way to the service; nil: none is.
    var sendingSince: Instant?
    /// When the connection became what it is.
    private var connectionSince: Instant
    private var selected: Identifier?
    private var firstRow = 0
    private var scroll = 0
    /// Where older messages are to be fetched from, by filter; no entry: nothing was fetched yet.
    private var cursors: [InboxFilter: String?] = [:]
    /// Lists whose next page is on its way: who holds a key down asks for it once.
    private var loading: Set<InboxFilter> = []

    init(inbox: InboxState, now: Instant, timeZone: TimeZone) {
        self.inbox = inbox
        self.timeZone = timeZone
        self.now = now
        connectionSince = now
    }

    /// The messages that the list shows.
    var messages: [InboxMessage] {
        inbox.messages.filter { message in
            switch filter {
            case .inbox: !message.isArchived
            case .unread: !message.isArchived && !message.isRead
            case .archived: message.isArchived
            }
        }
    }

    /// The place of the selected message in the list.
    private var index: Int { messages.firstIndex { $0.id == selected } ?? 0 }

    /// Takes in what the client shows now; the selection stays with its message.
    mutating func show(_ inbox: InboxState) {
        let before = index
        if inbox.connection != self.inbox.connection { connectionSince = now }
        self.inbox = inbox
        let messages = messages
        if !messages.contains(where: { $0.id == selected }) {
            selected = messages.isEmpty ? nil : messages[min(before, messages.count - 1)].id
        }
        if case .message(let id) = page, !inbox.messages.contains(where: { $0.id == id }) {
            page = .list
            notice = Notice(text: "That message is gone")
        }
    }

    mutating func fetched(_ filter: InboxFilter, next: String?) {
        cursors[filter] = .some(next)
        loading.remove(filter)
    }

    mutating func notFetched(_ filter: InboxFilter) {
        loading.remove(filter)
    }

    /// Asks for what a list does not have yet: its first page, or the one after what was fetched.
    private mutating func load(_ filter: InboxFilter, more: Bool) -> [Effect] {
        let after: String?
        switch cursors[filter] {
        case nil: after = nil
        case .some(let next?) where more: after = next
        default: return []
        }
        return loading.insert(filter).inserted ? [.load(filter, after: after)] : []
    }

    /// What is asked for before a key is pressed.
    mutating func begin() -> [Effect] { load(filter, more: false) }

    mutating func show(_ preferences: Preferences) {
        page = .preferences(PreferencesForm(preferences, timeZone: timeZone.identifier))
    }

    mutating func saved() {
        page = .list
        notice = Notice(text: "Preferences saved")
    }

    /// What was done is still on its way.
    mutating func leaving() {
        notice = Notice(text: "One moment: the last change is being sent")
    }

    /// What was asked for failed: a change that was shown is taken back, and its undo is of no use any more.
    mutating func failed(_ effect: Effect, _ error: InboxError) {
        if let place = undos.lastIndex(where: { $0.effects.contains { Self.takesBack($0, effect) } }) {
            undos.remove(at: place)
        }
        notice = Notice(text: "\(failure(effect)): \(error)", isFailure: true)
    }

    private static func takesBack(_ undo: Effect, _ effect: Effect) -> Bool {
        switch (undo, effect) {
        case (.markUnread(let one), .markRead(let other)), (.markRead(let one), .markUnread(let other)),
            (.unarchive(let one), .archive(let other)), (.archive(let one), .unarchive(let other)):
            one == other
        case (.markUnread, .markAllRead): true
        default: false
        }
    }

    private func failure(_ effect: Effect) -> String {
        switch effect {
        case .markRead(let id): "\(name(id)) was not marked as read"
        case .markUnread(let id): "\(name(id)) was not marked as unread"
        case .archive(let id): "\(name(id)) was not archived"
        case .unarchive(let id): "\(name(id)) did not leave the archive"
        case .markAllRead: "Not everything was marked as read"
        case .perform(_, let id): "Your choice for \(name(id)) was not told"
        case .load(let filter, _): "No more of \(filter.rawValue)"
        case .loadPreferences: "No preferences"
        case .savePreferences: "Preferences not saved"
        case .quit: ""
        }
    }

    /// A message in a sentence.
    private func name(_ id: Identifier) -> String {
        let title = inbox.messages.first { $0.id == id }?.title ?? ""
        return title.isEmpty ? "The message" : "“\(inert(title).fitted(to: 30))”"
    }

    // MARK: Keys

    /// What a key does.
    mutating func press(_ key: Key, rows: Int) -> [Effect] {
        if key == .resize { return [] }
        notice = nil
        switch page {
        case .list: return pressInList(key, rows: rows)
        case .message(let id): return pressInMessage(key, id, rows: rows)
        case .preferences(var form):
            let outcome = form.press(key)
            page = .preferences(form)
            switch outcome {
            case .editing: return []
            case .cancelled:
                page = .list
                return []
            case .saved(let patch): return [.savePreferences(patch)]
            }
        case .help(let below):
            switch key {
            case .down, .character("j"), .pageDown, .character(" "): scroll += 1
            case .up, .character("k"), .pageUp: scroll = max(0, scroll - 1)
            default:
                page = below
                scroll = 0
            }
            return []
        }
    }

    private mutating func pressInList(_ key: Key, rows: Int) -> [Effect] {
        let page = max(1, Self.listRows(rows) - 1)
        switch key {
        case .up, .character("k"): return move(by: -1)
        case .down, .character("j"): return move(by: 1)
        case .pageUp: return move(by: -page)
        case .pageDown, .character(" "): return move(by: page)
        case .home, .character("g"): return move(by: -messages.count)
        case .end, .character("G"): return move(by: messages.count)
        case .enter, .right: return open()
        case .tab: return turn(by: 1)
        case .backTab: return turn(by: -1)
        case .character("R"): return readAll()
        case .character("p"): return [.loadPreferences]
        case .character("?"):
            showHelp()
            return []
        case .character("q"): return [.quit]
        default: return change(key, messages.isEmpty ? nil : messages[index])
        }
    }

    private mutating func pressInMessage(_ key: Key, _ id: Identifier, rows: Int) -> [Effect] {
        guard let message = inbox.messages.first(where: { $0.id == id }) else { return [] }
        switch key {
        case .escape, .left, .character("q"), .backspace:
            page = .list
            return []
        case .down, .character("j"): scroll += 1
        case .up, .character("k"): scroll = max(0, scroll - 1)
        case .pageDown, .character(" "): scroll += max(1, rows - 4)
        case .pageUp: scroll = max(0, scroll - max(1, rows - 4))
        case .character("?"): showHelp()
        case .character(let character):
            if let number = character.wholeNumberValue {
                guard 1...max(1, min(9, message.actions.count)) ~= number, !message.actions.isEmpty else { return [] }
                return choose(message.actions[number - 1], of: id)
            }
            let effects = change(key, message)
            if character == "e" || character == "a" { page = .list }
            return effects
        default: break
        }
        return []
    }

    private mutating func showHelp() {
        page = .help(over: page)
        scroll = 0
    }

    /// The sender is told of it; an address is shown and opened by nobody but the person.
    private mutating func choose(_ action: InboxAction, of id: Identifier) -> [Effect] {
        switch action.link {
        case .trusted(let url): notice = Notice(text: "You chose “\(action.label)”: \(url)")
        case .refused(let why):
            notice = Notice(text: "You chose “\(action.label)”; its link is not opened: \(why)", isFailure: true)
        case nil: notice = Notice(text: "You chose “\(action.label)”")
        }
        if action.kind == .dismiss { page = .list }
        return [.perform(action.id, of: id)]
    }

    private mutating func readAll() -> [Effect] {
        let unread = inbox.messages.filter { $0.isUnread(at: now) }.map(\.id)
        guard inbox.unread > 0 else {
            notice = Notice(text: "Everything is read")
            return []
        }
        let what = unread.count == 1 ? "\(name(unread[0])) is unread" : "\(unread.count) messages are unread"
        return done([.markAllRead], Undo(effects: unread.map(Effect.markUnread), what: what), "Everything is read")
    }

    /// What changes one message, in the list and on its page alike.
    private mutating func change(_ key: Key, _ message: InboxMessage?) -> [Effect] {
        switch key {
        case .character("u"), .character("z"):
            guard let undo = undos.popLast() else {
                notice = Notice(text: "Nothing to undo")
                return []
            }
            notice = Notice(text: "Undone: \(undo.what) again")
            return undo.effects
        case .character("r"):
            guard let message else { return [] }
            return message.isRead
                ? done(message.id, .markUnread(message.id), "Marked as unread", .markRead(message.id), "read")
                : done(message.id, .markRead(message.id), "Marked as read", .markUnread(message.id), "unread")
        case .character("e"), .character("a"):
            guard let message else { return [] }
            return message.isArchived
                ? done(message.id, .unarchive(message.id), "Back in the inbox", .archive(message.id), "archived")
                : done(message.id, .archive(message.id), "Archived", .unarchive(message.id), "in the inbox")
        default: return []
        }
    }

    private mutating func done(
        _ id: Identifier, _ effect: Effect, _ what: String, _ undo: Effect, _ state: String
    ) -> [Effect] {
        done([effect], Undo(effects: [undo], what: "\(name(id)) is \(state)"), what)
    }

    private mutating func done(_ effects: [Effect], _ undo: Undo, _ what: String) -> [Effect] {
        undos.append(undo)
        if undos.count > 100 { undos.removeFirst() }
        notice = Notice(text: "\(what); u takes it back")
        return effects
    }

    private mutating func move(by step: Int) -> [Effect] {
        let messages = messages
        guard !messages.isEmpty else { return [] }
        let target = min(max(index + step, 0), messages.count - 1)
        selected = messages[target].id
        // At the end, what is older.
        return target == messages.count - 1 && step > 0 ? load(filter, more: true) : []
    }

    private mutating func open() -> [Effect] {
        guard !messages.isEmpty else { return [] }
        let message = messages[index]
        selected = message.id
        page = .message(message.id)
        scroll = 0
        return message.isRead ? [] : [.markRead(message.id)]
    }

    private mutating func turn(by step: Int) -> [Effect] {
        let all = InboxFilter.allCases
        let place = (all.firstIndex(of: filter) ?? 0) + step
        filter = all[(place + all.count) % all.count]
        selected = messages.first?.id
        firstRow = 0
        return load(filter, more: false)
    }

    // MARK: Drawing

    /// How many rows of a screen the list has.
    private static func listRows(_ rows: Int) -> Int { max(1, rows - 4) }

    mutating func frame(rows: Int, columns: Int) -> Frame {
        var frame = Frame()
        frame.lines.append(bar(columns))
        let height = Self.listRows(rows)
        let body: [Line]
        let keys: [String]
        switch page {
        case .list:
            body = list(rows: height, columns)
            keys = [
                "Enter open", "r read", "e archive", "u undo", "Tab \(next.rawValue)", "R all read", "p preferences",
                "? help", "q quit",
            ]
        case .message(let id):
            body = message(id, rows: height, columns)
            let actions = inbox.messages.first { $0.id == id }?.actions.count ?? 0
            keys =
                ["Esc back", "r unread", "e archive", "u undo"]
                + (actions > 0 ? ["1\(actions > 1 ? "–\(min(9, actions))" : "") choose"] : []) + ["? help"]
        case .preferences(let form):
            body = form.lines(rows: height, columns)
            keys = form.keys
        case .help:
            body = scrolled(Self.help, rows: height)
            keys = ["↑↓ more", "any other key: back"]
        }
        frame.lines.append(Line())
        frame.lines += body.prefix(height)
        while frame.lines.count < rows - 2 { frame.lines.append(Line()) }
        frame.lines.append(noticeLine)
        frame.lines.append(Line(Self.fitted(keys, to: columns), .dim))
        return frame
    }

    /// As many keys as there is room for; the last two, which lead on and out, stay.
    private static func fitted(_ keys: [String], to columns: Int) -> String {
        var keys = keys
        while keys.count > 2, keys.joined(separator: "  ").columns > columns { keys.remove(at: keys.count - 3) }
        return keys.joined(separator: "  ").fitted(to: columns)
    }

    /// What is seen of lines that are too many, from where the person is; the last row says that there is more.
    private mutating func scrolled(_ lines: [Line], rows: Int) -> [Line] {
        scroll = min(scroll, max(0, lines.count - rows))
        let seen = Array(lines.dropFirst(scroll))
        guard seen.count > rows, rows > 1 else { return seen }
        return seen.prefix(rows - 1) + [Line("  ↓ more", .dim)]
    }

    private var next: InboxFilter {
        let all = InboxFilter.allCases
        return all[((all.firstIndex(of: filter) ?? 0) + 1) % all.count]
    }

    private var noticeLine: Line {
        if case .preferences(let form) = page, let complaint = form.complaint {
            return Line("✗ \(complaint)", Style(.red, isBold: true))
        }
        guard let notice else { return Line() }
        return Line(
            notice.isFailure ? "✗ \(notice.text)" : notice.text,
            notice.isFailure ? Style(.red, isBold: true) : Style(.green))
    }

    private func bar(_ columns: Int) -> Line {
        let unread = inbox.unread == 0 ? "all read" : "● \(inbox.unread) unread"
        let left = " \(filter.rawValue.capitalized)  \(unread)"
        let isSending = sendingSince.map { now.milliseconds(since: $0) >= 1_000 } ?? false
        let right = "\(isSending ? "sending… · " : "")\(connection) "
        let space = max(1, columns - left.columns - right.columns)
        return Line([Span(left + String(repeating: " ", count: space) + right, .bar)], isFilled: true)
    }

    private var connection: String {
        let live =
            switch inbox.connection {
            case .live: "live"
            case .idle, .connecting: "connecting…"
            case .waiting(let delay, let error):
                (error.map { "\(Self.short($0)), " } ?? "") + "again in \(seconds(delay)) s"
            case .ended(nil): "updates have ended"
            case .ended(let error?): "updates ended: \(Self.short(error))"
            }
        guard case .snapshot(let instant) = inbox.source else { return live }
        return "offline, as of \(time(instant)) · \(live)"
    }

    /// What is left of a wait, in whole seconds.
    private func seconds(_ delay: Int64) -> Int64 {
        (max(0, delay - now.milliseconds(since: connectionSince)) + 999) / 1_000
    }

    private static func short(_ error: InboxError) -> String {
        switch error.code {
        case .unreachable, .timedOut: "unreachable"
        case .token: "no token to be had"
        case .unauthorized: "the token is refused"
        default: error.status.map { "status \($0)" } ?? error.code.rawValue
        }
    }

    private mutating func list(rows: Int, _ columns: Int) -> [Line] {
        let messages = messages
        guard !messages.isEmpty else {
            let empty =
                switch (inbox.source, filter) {
                case (.nothing, _): "Nothing was fetched yet."
                case (_, .inbox): "No messages."
                case (_, .unread): "Everything is read."
                case (_, .archived): "The archive is empty."
                }
            return [Line("  \(empty)", .dim)]
        }
        let index = index
        // The selected row is seen, and no row is left empty while there are messages for it.
        firstRow = min(max(firstRow, index - rows + 1), index, max(0, messages.count - rows))
        return messages.enumerated().dropFirst(firstRow).prefix(rows).map { number, message in
            row(message, isSelected: number == index, columns)
        }
    }

    private func row(_ message: InboxMessage, isSelected: Bool, _ columns: Int) -> Line {
        let mark = message.isRead ? "  " : "● "
        let when = time(message.createdAt).padded(to: 13)
        let title = inert(message.title)
        let rest = columns - 2 - 13 - title.columns - 3
        let preview =
            rest > 8
            ? " – "
                + inert(String(message.body.prefix(rest)).replacingOccurrences(of: "\n", with: " ")).fitted(to: rest)
            : ""
        guard !isSelected else {
            return Line(
                [Span(mark + when + title + preview, Style(isBold: !message.isRead, isReversed: true))], isFilled: true)
        }
        return Line([
            Span(mark, Style(.cyan, isBold: true)), Span(when, .dim),
            Span(title, message.isRead ? Style() : .bold), Span(preview, .dim),
        ])
    }

    private mutating func message(_ id: Identifier, rows: Int, _ columns: Int) -> [Line] {
        guard let message = inbox.messages.first(where: { $0.id == id }) else { return [] }
        let width = max(10, min(columns - 4, 76))
        var lines = inert(message.title).wrapped(to: width).map { Line("  \($0)", .bold) }
        let state = [message.kind, message.isArchived ? "archived" : nil, message.isRead ? nil : "unread"]
        lines.append(Line("  \(time(message.createdAt)) · \(state.compactMap(\.self).joined(separator: " · "))", .dim))
        lines.append(Line())
        // Its lines are its own; what else is in it is inert.
        let body = message.body.split(separator: "\n", omittingEmptySubsequences: false).map { inert(String($0)) }
        lines += body.joined(separator: "\n").wrapped(to: width).map { Line("  \($0)") }
        for block in message.blocks {
            guard let text = block.text else { continue }
            lines.append(Line())
            lines += inert(text).wrapped(to: width).map { Line("  \($0)") }
        }
        switch message.link {
        case .trusted(let url):
            lines += [Line(), Line([Span("  ↗ "), Span(url, Style(.blue))])]
        case .refused(let why):
            lines += [Line(), Line("  A link that is not opened: \(why)", Style(.yellow))]
        case nil: break
        }
        if !message.actions.isEmpty { lines.append(Line()) }
        for (number, action) in message.actions.prefix(9).enumerated() {
            var spans = [Span("  [\(number + 1)] ", Style(.cyan)), Span(action.label)]
            switch action.link {
            case .trusted(let url): spans += [Span("  ↗ "), Span(url, Style(.blue))]
            case .refused(let why): spans.append(Span("  a link that is not opened: \(why)", Style(.yellow)))
            case nil: break
            }
            lines.append(Line(spans))
        }
        return scrolled(lines, rows: rows)
    }

    /// A moment as the clocks of the place say it: the time of today, else the day.
    private func time(_ instant: Instant) -> String {
        func parts(_ instant: Instant) -> DateComponents {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = timeZone
            return calendar.dateComponents(
                [.year, .month, .day, .hour, .minute],
                from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))
        }
        let (then, today) = (parts(instant), parts(now))
        guard let year = then.year, let month = then.month, let day = then.day, let hour = then.hour,
            let minute = then.minute
        else { return "" }
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(year)-\(digits(month))-\(digits(day))"
        return year == today.year && month == today.month && day == today.day
            ? "\(digits(hour)):\(digits(minute))" : date
    }

    private static let help: [Line] = [
        ("↑ ↓  j k", "move"), ("PgUp PgDn", "move by a page"), ("Home End  g G", "to the first, to the last"),
        ("Enter →", "open, and mark as read"), ("Esc ←", "back"), ("r", "mark as read or unread"),
        ("e  a", "archive, or back into the inbox"), ("R", "mark everything as read"),
        ("u  z", "undo the last change"), ("1 … 9", "choose an action of an open message"),
        ("Tab", "inbox, unread, archive"), ("p", "preferences"), ("q", "back, quit"),
    ].map { Line([Span("  " + $0.0.padded(to: 16), Style(.cyan)), Span($0.1)]) }
}
#endif
