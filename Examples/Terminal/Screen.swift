#if Ncurses && os(Linux)
import CNcurses
import Foundation

/// A whole terminal as a place to draw on, over ncursesw.
///
/// One at a time: ncurses keeps what it knows in variables of its own, which only this actor touches.
package actor Screen {
    /// What is typed, and changes of the window's size.
    package nonisolated let keys: AsyncStream<Key>

    // Both are pointers that only ncurses looks behind.
    private nonisolated(unsafe) let window: UnsafeMutablePointer<WINDOW>
    private nonisolated(unsafe) let terminal: OpaquePointer
    private let continuation: AsyncStream<Key>.Continuation
    private var sources: [any DispatchSourceProtocol] = []
    private var isOpen = true
    private let hasColour: Bool

    /// Takes the terminal; nil where standard input and output are none, or ncurses does not know its type.
    package init?() async {
        setlocale(LC_ALL, "")
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            let terminal = screen_open(), let window = newwin(0, 0, 0, 0)
        else { return nil }
        self.terminal = terminal
        self.window = window
        cbreak()
        noecho()
        nonl()
        curs_set(0)
        screen_escape_delay(25)
        keypad(window, true)
        nodelay(window, true)
        hasColour = (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty && has_colors()
        if hasColour {
            start_color()
            use_default_colors()
            let colours = [-1, COLOR_RED, COLOR_GREEN, COLOR_YELLOW, COLOR_BLUE, COLOR_CYAN]
            for (pair, colour) in colours.enumerated().dropFirst() { init_pair(Int16(pair), Int16(colour), -1) }
        }
        // A key that was pressed counts, however fast it came.
        (keys, continuation) = AsyncStream.makeStream(of: Key.self, bufferingPolicy: .unbounded)
        listen()
    }

    /// Rows and columns.
    package var size: (rows: Int, columns: Int) { (Int(getmaxy(window)), Int(getmaxx(window))) }

    /// Shows a frame in place of what is shown.
    package func draw(_ frame: Frame) {
        guard isOpen else { return }
        let (rows, columns) = size
        werase(window)
        for (row, line) in frame.lines.prefix(rows).enumerated() {
            var left = columns
            wmove(window, Int32(row), 0)
            for span in line.spans where left > 0 {
                let text = span.text.fitted(to: left)
                put(text, span.style)
                left -= text.columns
            }
            if line.isFilled, let style = line.spans.last?.style { put(String(repeating: " ", count: left), style) }
        }
        wrefresh(window)
    }

    /// Gives the terminal back as it was.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        for source in sources { source.cancel() }
        continuation.finish()
        endwin()
        delwin(window)
        delscreen(terminal)
    }

    private func put(_ text: String, _ style: Style) {
        var attributes: attr_t = 0
        if style.isBold { attributes |= screen_bold() }
        if style.isDim { attributes |= screen_dim() }
        if style.isReversed { attributes |= screen_reverse() }
        wattr_set(window, attributes, hasColour ? style.colour.rawValue : 0, nil)
        let wide = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
        waddnwstr(window, wide, Int32(wide.count))
    }

    // MARK: Input

    private func listen() {
        let queue = DispatchQueue(label: "terminal.screen")
        let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        input.setEventHandler { [weak self] in Task { await self?.read() } }
        input.resume()
        // Ignored otherwise, so that ncurses puts no handler of its own in its place.
        signal(SIGWINCH, SIG_IGN)
        let resized = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
        resized.setEventHandler { [weak self] in Task { await self?.resize() } }
        resized.resume()
        sources = [input, resized]
    }

    private func read() {
        guard isOpen else { return }
        var code: wint_t = 0
        while true {
            let kind = wget_wch(window, &code)
            if kind == ERR { break }
            if let key = kind == KEY_CODE_YES ? Self.special(Int32(code)) : Self.typed(code) { continuation.yield(key) }
        }
        // A terminal that went away is readable and gives nothing.
        var state = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        if poll(&state, 1, 0) > 0, state.revents & Int16(POLLHUP) != 0 { continuation.finish() }
    }

    private func resize() {
        var size = winsize()
        guard isOpen, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return }
        resizeterm(Int32(size.ws_row), Int32(size.ws_col))
        wresize(window, Int32(size.ws_row), Int32(size.ws_col))
        clearok(window, true)
        continuation.yield(.resize)
    }

    private static func typed(_ code: wint_t) -> Key? {
        switch code {
        case 0x0A, 0x0D: .enter
        case 0x09: .tab
        case 0x1B: .escape
        case 0x08, 0x7F: .backspace
        default: Unicode.Scalar(code).map { .character(Character($0)) }
        }
    }

    private static func special(_ code: Int32) -> Key? {
        switch code {
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_PPAGE: .pageUp
        case KEY_NPAGE: .pageDown
        case KEY_HOME: .home
        case KEY_END: .end
        case KEY_ENTER: .enter
        case KEY_BTAB: .backTab
        case KEY_BACKSPACE: .backspace
        case KEY_DC: .delete
        default: nil
        }
    }
}
#endif
