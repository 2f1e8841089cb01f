/// What an app looks like in one appearance: its colours, its type and its spacing, by the names of the tokens.
///
/// ```swift
/// let design = try DesignSystem(parsing: bytes)
/// let theme = design.theme(in: Appearance(isDark: true))
/// let background = theme.colors[.bgPrimary]?.hex
/// ```
public struct Theme: Sendable, Hashable {
    /// The appearance that it is of.
    public var appearance: Appearance
    /// The colours, all of `ColorRole.allCases`.
    public var colors: [ColorRole: DesignColor]
    /// The type scale, all of `TextRole.allCases`.
    public var text: [TextRole: Typography]
    /// The spacing in points, all of `SpacingRole.allCases`.
    public var spacing: [SpacingRole: Double]
}

/// Light or dark, and how much contrast.
public struct Appearance: Sendable, Hashable, CaseIterable {
    /// Whether it is dark.
    public var isDark: Bool
    /// Whether it has the contrast that somebody asked for who sees less.
    public var hasIncreasedContrast: Bool

    /// Puts an appearance together.
    public init(isDark: Bool = false, hasIncreasedContrast: Bool = false) {
        self.isDark = isDark
        self.hasIncreasedContrast = hasIncreasedContrast
    }

    /// All four, in the order in which they are shown.
    public static let allCases = [
        Appearance(), Appearance(isDark: true), Appearance(hasIncreasedContrast: true),
        Appearance(isDark: true, hasIncreasedContrast: true),
    ]
}

/// What a colour is for; the raw value is the name of its token within the group `color`.
public enum ColorRole: String, Sendable, Hashable, CaseIterable {
    /// The brand: what one is to do here.
    case brandPrimary
    /// The brand, lighter: grounds that belong to it.
    case brandPrimaryLight
    /// The brand, darker: what is pressed.
    case brandPrimaryDark
    /// The second colour of the brand.
    case brandAccent
    /// The second colour, lighter.
    case brandAccentLight
    /// The second colour, darker.
    case brandAccentDark
    /// The ground of a screen.
    case bgPrimary
    /// What lies on the ground: cards, bars.
    case bgSecondary
    /// What lies on those: fields, selected rows.
    case bgTertiary
    /// Text that is to be read.
    case textPrimary
    /// Text beside it.
    case textSecondary
    /// Text that explains or waits: hints, places to type.
    case textTertiary
    /// Lines between things and around them.
    case border
    /// It went well.
    case success
    /// It needs attention.
    case warning
    /// It failed.
    case error
}

/// What a text is; the raw value is the name of its token within the group `typography`.
public enum TextRole: String, Sendable, Hashable, CaseIterable {
    /// Below a picture, beside a value.
    case caption
    /// Running text.
    case body
    /// The first line of a row or a card.
    case headline
    /// The title of a screen.
    case title
    /// The title of a screen that has just been opened.
    case largeTitle
}

/// How far things stand apart; the raw value is the name of its token within the group `spacing`.
public enum SpacingRole: String, Sendable, Hashable, CaseIterable {
    /// Between a picture and its label.
    case xs
    /// Between lines that belong together.
    case sm
    /// Around text, and between rows.
    case md
    /// Between groups.
    case lg
    /// Between sections.
    case xl
    /// Around what stands alone.
    case xxl
}
