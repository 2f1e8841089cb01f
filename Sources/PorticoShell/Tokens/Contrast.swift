/// How well one colour stands out from another (WCAG 2.2 §1.4.3), from 1 to 21.
///
/// ```swift
/// let gray = DesignColor(hex: "#777777"), white = DesignColor(hex: "#ffffff")
/// if let gray, let white {
///     print(gray.contrast(on: white))  // 4.47
///     print(gray.contrast(on: white).reaches(4.5))  // false: it is 4.478
/// }
/// ```
public struct Contrast: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The ratio, as it was computed.
    public let ratio: Double

    /// Whether it is at least that much; nothing is rounded up for it.
    public func reaches(_ need: Double) -> Bool { ratio >= need }

    /// The ratio with two digits behind the point, those that follow cut off: 4.478 is not 4.48, and never 4.5.
    public var description: String {
        let hundredths = Int(ratio * 100)
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    /// The smaller ratio first.
    public static func < (left: Contrast, right: Contrast) -> Bool { left.ratio < right.ratio }
}

extension DesignColor {
    /// How well it stands out from a background.
    ///
    /// Both are taken with eight bits a component, as WCAG defines the luminance and as a screen shows them. What is
    /// translucent is laid over what is behind it first.
    ///
    /// - Parameters:
    ///   - background: What is behind it.
    ///   - canvas: What is behind a background that is translucent itself; its own alpha is not looked at.
    public func contrast(on background: DesignColor, over canvas: DesignColor? = nil) -> Contrast {
        let white: [UInt8] = [255, 255, 255]
        let behind = background.bytes(over: canvas?.srgb.bytes ?? white)
        let front = Self.luminance(bytes(over: behind))
        let back = Self.luminance(behind)
        return Contrast(ratio: (max(front, back) + 0.05) / (min(front, back) + 0.05))
    }

    /// What is seen of it over an opaque colour: mixed as encoded values, as CSS and the screens do.
    private func bytes(over background: [UInt8]) -> [UInt8] {
        guard alpha < 1 else { return srgb.bytes }
        return zip([srgb.red, srgb.green, srgb.blue], background).map { component, behind in
            Self.byte(component * alpha + Double(behind) / 255 * (1 - alpha))
        }
    }

    /// The relative luminance of WCAG 2.2.
    ///
    /// The step to the straight part is at 0.04045, that of IEC 61966-2-1. WCAG's text has 0.03928 out of an old draft;
    /// no value of eight bits lies between the two.
    private static func luminance(_ bytes: [UInt8]) -> Double {
        let light = bytes.map { ColorSpace.linear(Double($0) / 255) }
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
    }
}

/// Two colours of a theme that are seen on one another, and whether that is enough.
public struct ContrastPair: Sendable, Hashable {
    /// The theme that they are of.
    public let appearance: Appearance
    /// What is to be seen.
    public let foreground: ColorRole
    /// What it is seen on.
    public let background: ColorRole
    /// How well it stands out.
    public let contrast: Contrast
    /// How well it should: 4.5 for text, 7 for text in increased contrast, 3 for borders and states.
    public let need: Double

    /// Whether it is enough.
    public var passes: Bool { contrast.reaches(need) }
}

extension Theme {
    /// All pairs that have to stand out: texts, the border and the colours of states, on each of the backgrounds.
    ///
    /// Brand colours are no backgrounds here: what stands on a button has no role of its own.
    public func contrast() -> [ContrastPair] {
        ColorRole.foregrounds.flatMap { foreground in
            ColorRole.backgrounds.compactMap { background in
                guard let front = colors[foreground], let back = colors[background] else { return nil }
                return ContrastPair(
                    appearance: appearance, foreground: foreground, background: background,
                    contrast: front.contrast(on: back, over: colors[.bgPrimary]), need: need(of: foreground))
            }
        }
    }

    private func need(of role: ColorRole) -> Double {
        // WCAG 2.2: 1.4.3 and 1.4.6 for text, 1.4.11 for what is no text.
        guard role.isText else { return 3 }
        return appearance.hasIncreasedContrast ? 7 : 4.5
    }
}

extension DesignSystem {
    /// All pairs that have to stand out, in each of the four appearances.
    public func contrast() -> [ContrastPair] {
        Appearance.allCases.flatMap { theme(in: $0).contrast() }
    }
}

extension ColorRole {
    fileprivate static let backgrounds: [ColorRole] = [.bgPrimary, .bgSecondary, .bgTertiary]
    fileprivate static let foregrounds: [ColorRole] = [
        .textPrimary, .textSecondary, .textTertiary, .border, .success, .warning, .error,
    ]

    fileprivate var isText: Bool { [.textPrimary, .textSecondary, .textTertiary].contains(self) }
}
