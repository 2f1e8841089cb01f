import Foundation

/// Standard output and error, and how much of a terminal they are.
struct Terminal: Sendable {
    let isInteractive = isatty(STDOUT_FILENO) == 1
    /// Colours where a terminal shows them and nobody asked for none (no-color.org).
    let hasColour =
        isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    enum Colour: String {
        case green = "32"
        case red = "31"
        case yellow = "33"
        case dim = "2"
        case bold = "1"
    }

    func coloured(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line at once: what was shown was shown, also when the process is killed in the next moment.
    func say(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    func complain(_ line: String) {
        write("gate: \(line)\n", to: STDERR_FILENO)
    }

    /// Draws a bar over the current line; only on a terminal.
    func progress(_ done: Int, of total: Int, _ note: String = "") {
        guard isInteractive, total > 0 else { return }
        let width = 32
        let filled = min(width, done * width / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        write("\r\u{1B}[K\(bar) \(done)/\(total) \(note)", to: STDOUT_FILENO)
    }

    func endProgress() {
        if isInteractive { write("\r\u{1B}[K", to: STDOUT_FILENO) }
    }

    private func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0, errno != EINTR {
                // Whoever read us is gone, and there is nobody left to tell.
                exit(ExitCode.failure)
            }
        }
    }
}

/// Text from a ticket, a file or a server, made inert: nothing in it moves a cursor, changes a direction or hides.
func inert(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
