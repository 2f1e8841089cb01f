#if Ncurses && os(Linux)
import PorticoInbox
import Terminal

/// The form of the preferences: what is shown, what was changed, and the patch that says so.
struct PreferencesForm: Sendable, Hashable {
    enum Outcome: Sendable, Hashable {
        case editing
        case cancelled
        case saved(PreferencesPatch)
    }

    private enum Field: Sendable, Hashable {
        case channel(String)
        case topic(String)
        case isQuiet
        case quietStart
        case quietEnd
        case timeZone
        case isLimited
        case limitCount
        case limitPeriod
    }

    private let original: Preferences
    private var channels: [String: Bool]
    private var topics: [String: Bool]
    private var isQuiet: Bool
    private var quietStart: String
    private var quietEnd: String
    private var timeZone: String
    private var isLimited: Bool
    private var limitCount: String
    private var limitPeriod: MarketingLimit.Period
    private var index = 0
    private(set) var complaint: String?

    /// - Parameter timeZone: What a form without quiet hours begins with.
    init(_ preferences: Preferences, timeZone: String) {
        original = preferences
        channels = preferences.channels
        topics = preferences.topics
        isQuiet = preferences.quietHours != nil
        quietStart = preferences.quietHours?.start ?? "22:00"
        quietEnd = preferences.quietHours?.end ?? "07:00"
        self.timeZone = preferences.quietHours?.timeZone ?? timeZone
        isLimited = preferences.marketingLimit != nil
        limitCount = preferences.marketingLimit.map { "\($0.count)" } ?? "2"
        limitPeriod = preferences.marketingLimit?.period ?? .week
    }

    private var fields: [Field] {
        var fields = channels.keys.sorted().map(Field.channel) + topics.keys.sorted().map(Field.topic)
        fields.append(.isQuiet)
        if isQuiet { fields += [.quietStart, .quietEnd, .timeZone] }
        fields.append(.isLimited)
        if isLimited { fields += [.limitCount, .limitPeriod] }
        return fields
    }

    mutating func press(_ key: Key) -> Outcome {
        complaint = nil
        let fields = fields
        index = min(index, fields.count - 1)
        switch key {
        case .escape: return .cancelled
        case .up, .backTab: index = max(0, index - 1)
        case .down, .tab: index = min(fields.count - 1, index + 1)
        case .home: index = 0
        case .end: index = fields.count - 1
        case .enter:
            guard let patch else { return .editing }
            return .saved(patch)
        case .backspace, .delete: type(fields[index], nil)
        case .character(let character): type(fields[index], character)
        case .left, .right: type(fields[index], " ")
        default: break
        }
        return .editing
    }

    /// A character put at the end of a field, or its last one taken away; a space turns a switch.
    private mutating func type(_ field: Field, _ character: Character?) {
        func typed(_ text: String) -> String {
            guard let character else { return String(text.dropLast()) }
            return character == " " || text.count >= 40 ? text : text + String(character)
        }
        switch field {
        case .channel(let name) where character == " ": channels[name]?.toggle()
        case .topic(let name) where character == " ": topics[name]?.toggle()
        case .isQuiet where character == " ": isQuiet.toggle()
        case .isLimited where character == " ": isLimited.toggle()
        case .limitPeriod where character == " ":
            let all = MarketingLimit.Period.allCases
            limitPeriod = all[((all.firstIndex(of: limitPeriod) ?? 0) + 1) % all.count]
        case .quietStart: quietStart = typed(quietStart)
        case .quietEnd: quietEnd = typed(quietEnd)
        case .timeZone: timeZone = typed(timeZone)
        case .limitCount: limitCount = typed(limitCount)
        default: break
        }
    }

    /// What was changed and nothing else; nil, with a complaint, where a field is not what it should be.
    private var patch: PreferencesPatch? {
        mutating get {
            var patch = PreferencesPatch(
                channels: channels.filter { original.channels[$0.key] != $0.value },
                topics: topics.filter { original.topics[$0.key] != $0.value })
            if isQuiet {
                guard let hours else { return nil }
                if hours != original.quietHours { patch.quietHours = .set(hours) }
            } else if original.quietHours != nil {
                patch.quietHours = .clear
            }
            if isLimited {
                guard let count = Int(limitCount), let limit = MarketingLimit(count: count, per: limitPeriod) else {
                    complaint = "“\(limitCount)” is no limit: give a number from 1 to 1000"
                    return nil
                }
                if limit != original.marketingLimit { patch.marketingLimit = .set(limit) }
            } else if original.marketingLimit != nil {
                patch.marketingLimit = .clear
            }
            return patch
        }
    }

    /// The quiet hours that are written; nil, with a complaint that names the field, where they are none.
    private var hours: QuietHours? {
        mutating get {
            // 9:30 is how people write 09:30.
            func full(_ time: String) -> String {
                time.utf8.count == 4 && time.dropFirst().first == ":" ? "0" + time : time
            }
            func isTime(_ time: String) -> Bool {
                QuietHours(start: time, end: time == "00:00" ? "00:01" : "00:00", timeZone: "UTC") != nil
            }
            (quietStart, quietEnd) = (full(quietStart), full(quietEnd))
            let hours = QuietHours(start: quietStart, end: quietEnd, timeZone: timeZone)
            guard hours == nil else { return hours }
            complaint =
                if let wrong = [quietStart, quietEnd].first(where: { !isTime($0) }) {
                    "“\(wrong)” is no time: write it as 22:00"
                } else if quietStart == quietEnd {
                    "Quiet hours that begin and end at \(quietStart) are none: give two times"
                } else {
                    "“\(timeZone)” is no place with clocks of its own: write it as Europe/Zurich"
                }
            return nil
        }
    }

    /// What keys do here.
    var keys: [String] {
        let change =
            isText(fields[min(index, fields.count - 1)]) ? "type, or Backspace" : "Space change"
        return ["↑↓ move", change, "Enter save", "Esc leave"]
    }

    /// The form in so many rows, which follow the selected field.
    func lines(rows: Int, _ columns: Int) -> [Line] {
        var lines = [Line("  Preferences", .bold), Line()]
        let heading = lines.count
        for (number, field) in fields.enumerated() {
            let isSelected = number == index
            // Where typing goes is shown.
            let text = inert(text(field)) + (isSelected && isText(field) ? "▏" : "")
            lines.append(
                Line([Span("  "), Span(text.padded(to: max(10, min(columns - 4, 48))), isSelected ? .bar : Style())]))
        }
        return Array(lines.dropFirst(max(0, heading + index - max(1, rows) + 1)).prefix(max(1, rows)))
    }

    private func isText(_ field: Field) -> Bool {
        switch field {
        case .quietStart, .quietEnd, .timeZone, .limitCount: true
        default: false
        }
    }

    private func text(_ field: Field) -> String {
        func box(_ isOn: Bool, _ label: String) -> String { "[\(isOn ? "x" : " ")] \(label)" }
        return switch field {
        case .channel(let name): box(channels[name] ?? false, "by \(name)")
        case .topic(let name): box(topics[name] ?? false, "about \(name)")
        case .isQuiet: box(isQuiet, "quiet hours")
        case .quietStart: "      from  \(quietStart)"
        case .quietEnd: "      to    \(quietEnd)"
        case .timeZone: "      in    \(timeZone)"
        case .isLimited: box(isLimited, "limit advertising")
        case .limitCount: "      messages  \(limitCount)"
        case .limitPeriod: "      per       \(limitPeriod.rawValue)"
        }
    }
}
#endif
