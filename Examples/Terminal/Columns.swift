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
        var (used, end, place) = (0, startIndex, startIndex)
        while place < endIndex {
            used += self[place].columns
            // No further than it is seen: what does not fit may be long.
            if used > width { return width > 0 ? self[..<end] + "…" : "" }
            place = index(after: place)
            if used < width { end = place }
        }
        return String(self)
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
            // Counted along: to measure the line at each step would take quadratic time on a long one.
            var used = 0
            for word in paragraph.split(separator: " ") {
                let columns = word.columns
                if !line.isEmpty, used + 1 + columns <= width {
                    line += " " + word
                    used += 1 + columns
                    continue
                }
                if !line.isEmpty { lines.append(line) }
                (line, used) = ("", 0)
                for character in word {
                    let columns = character.columns
                    // At least one character, however narrow the window.
                    if used + columns > width, !line.isEmpty {
                        lines.append(line)
                        (line, used) = ("", 0)
                    }
                    line.append(character)
                    used += columns
                }
            }
            lines.append(line)
        }
        return lines
    }
}
#endif
