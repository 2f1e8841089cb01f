#if Ncurses && os(Linux)
/// What a screen shows: lines of styled text, from the top.
package struct Frame: Sendable, Hashable {
    package var lines: [Line] = []

    package init() {}

    /// The text alone, a line each.
    package var text: String { lines.map { $0.spans.map(\.text).joined() }.joined(separator: "\n") }
}

/// One line of a screen; what is too long for the screen is cut off.
package struct Line: Sendable, Hashable {
    package var spans: [Span]
    /// Whether the style of the last span goes on to the right edge.
    package var isFilled: Bool

    package init(_ spans: [Span], isFilled: Bool = false) {
        self.spans = spans
        self.isFilled = isFilled
    }

    package init(_ text: String = "", _ style: Style = Style(), isFilled: Bool = false) {
        self.init([Span(text, style)], isFilled: isFilled)
    }
}

/// A piece of text in one style, inert whoever wrote it: all that a screen shows passes here.
package struct Span: Sendable, Hashable {
    package let text: String
    package var style: Style

    package init(_ text: String, _ style: Style = Style()) {
        self.text = inert(text)
        self.style = style
    }
}

/// How text looks. Colour only ever repeats what the text says: there are terminals, and eyes, without.
package struct Style: Sendable, Hashable {
    package enum Colour: Int16, Sendable, CaseIterable {
        case plain, red, green, yellow, blue, cyan
    }

    package var colour: Colour
    package var isBold: Bool
    package var isDim: Bool
    package var isReversed: Bool

    package init(
        _ colour: Colour = .plain, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false
    ) {
        self.colour = colour
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
    }

    package static let bold = Style(isBold: true)
    package static let dim = Style(isDim: true)
    package static let bar = Style(isReversed: true)
}

/// A key as a person knows it.
package enum Key: Sendable, Hashable {
    case character(Character)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, tab, backTab, escape, backspace, delete
    /// The window has another size.
    case resize
}
#endif
