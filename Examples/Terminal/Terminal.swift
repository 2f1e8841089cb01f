import Foundation

/// Standard output and error, and how much of a terminal they are.
package struct Terminal: Sendable {
    /// What a complaint begins with.
    let tool: String
    package let isInteractive = isatty(STDOUT_FILENO) == 1
    /// Colours where a terminal shows them and nobody asked for none (no-color.org).
    package let hasColour =
        isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    package init(tool: String) { self.tool = tool }

    package enum Colour: String {
        case green = "32"
        case red = "31"
        case yellow = "33"
        case dim = "2"
        case bold = "1"
    }

    package func coloured(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line at once: what was shown was shown, also when the process is killed in the next moment.
    package func say(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Says what is wrong. A complaint is made inert, because what it is about may be foreign text: a file's name, a
    /// configuration's value, a server's answer.
    package func complain(_ line: String, help: String = "") {
        write("\(tool): \(inert(line))\n" + (help.isEmpty ? "" : "\n\(help)\n"), to: STDERR_FILENO)
    }

    /// Draws a bar over the current line; only on a terminal. Without its wrapping (DECAWM) meanwhile: what is too long
    /// is cut off, and the next bar finds the line that this one was drawn on.
    package func progress(_ done: Int, of total: Int, _ note: String = "") {
        guard isInteractive, total > 0 else { return }
        let width = 32
        let filled = min(width, done * width / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        write("\r\u{1B}[K\u{1B}[?7l\(bar) \(done)/\(total) \(note)\u{1B}[?7h", to: STDOUT_FILENO)
    }

    /// Takes away what stands on the current line of a terminal: a bar, or the ^C that it echoed.
    package func clearLine() {
        if isInteractive { write("\r\u{1B}[K", to: STDOUT_FILENO) }
    }

    private func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            let code = errno
            switch code {
            case EINTR: continue
            case EAGAIN:
                // Somebody made the other end not wait, and reads slower than we write.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, -1)
            default:
                // What cannot be shown must not go on being decided; on standard error there is nobody left to tell.
                if descriptor != STDERR_FILENO {
                    complain("standard output cannot be written: \(String(cString: strerror(code)))")
                }
                exit(ExitCode.failure)
            }
        }
    }
}

/// A number and what it counts.
package func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}
