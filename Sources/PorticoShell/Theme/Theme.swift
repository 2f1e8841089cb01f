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
    case brandPrimary, brandPrimaryLight, brandPrimaryDark, brandAccent, brandAccentLight, brandAccentDark
    case bgPrimary, bgSecondary, bgTertiary
    case textPrimary, textSecondary, textTertiary
    case border, success, warning, error
}

/// What a text is; the raw value is the name of its token within the group `typography`.
public enum TextRole: String, Sendable, Hashable, CaseIterable {
    case caption, body, headline, title, largeTitle
}

/// How far things stand apart; the raw value is the name of its token within the group `spacing`.
public enum SpacingRole: String, Sendable, Hashable, CaseIterable {
    case xs, sm, md, lg, xl, xxl
}
