#if Ncurses && os(Linux)
import CNcurses

extension Character {
    /// How many columns of a terminal it takes: 0, 1 or 2, by wcwidth(3) of what it begins with.
    package var columns: Int {
        if let ascii = asciiValue { return ascii >= 0x20 && ascii != 0x7F ? 1 : 0 }
        let widths = unicodeScalars.map { Int(max(0, screen_columns(wchar_t(bitPattern: $0.value)))) }
        // VS16 asks for the wide picture of a character that has a narrow one too.
        return unicodeScalars.contains("\u{FE0F}") ? 2 : min(2, widths.max() ?? 0)
    }
}

extension StringProtocol {
    /// How many columns of a terminal it takes.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// As much of it as fits into so many columns, and an ellipsis where that is not all.
    package func fitted(to width: Int) -> String {
        guard columns > width else { return String(self) }
        guard width > 0 else { return "" }
        var left = width - 1
        let head = prefix { character in
            left -= character.columns
            return left >= 0
        }
        return head + "…"
    }

    /// It, with spaces after it up to so many columns; cut where it is longer.
    package func padded(to width: Int) -> String {
        let text = fitted(to: width)
        return text + String(repeating: " ", count: Swift.max(0, width - text.columns))
    }

    /// It in lines of at most so many columns, broken at spaces where there are any.
    package func wrapped(to width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = []
        for paragraph in split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ") {
                var word = String(word)
                if !line.isEmpty, line.columns + 1 + word.columns <= width {
                    line += " " + word
                    continue
                }
                if !line.isEmpty { lines.append(line) }
                while word.columns > width {
                    var left = width
                    // At least one character, however narrow the window.
                    let head = word.prefix { character in
                        left -= character.columns
                        return left >= 0
                    }
                    let cut = head.isEmpty ? word.prefix(1) : head
                    lines.append(String(cut))
                    word = String(word.dropFirst(cut.count))
                }
                line = word
            }
            lines.append(line)
        }
        return lines
    }
}
#endif
