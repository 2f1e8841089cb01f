// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each declaration means, the SDK's own documentation says.

// As much of UIKit as generated code uses, with the signatures of the iOS 15 SDK, so that it can be checked and run where
// there is no SDK. A colour here knows its components and a font its size; nothing is drawn.

@_exported import Foundation

public enum UIUserInterfaceStyle: Int, Sendable {
    case unspecified, light, dark
}

public enum UIAccessibilityContrast: Int, Sendable {
    case unspecified = -1
    case normal, high
}

public final class UITraitCollection: Sendable {
    public let userInterfaceStyle: UIUserInterfaceStyle
    public let accessibilityContrast: UIAccessibilityContrast

    public init(userInterfaceStyle: UIUserInterfaceStyle, accessibilityContrast: UIAccessibilityContrast) {
        self.userInterfaceStyle = userInterfaceStyle
        self.accessibilityContrast = accessibilityContrast
    }
}

public final class UIColor: Sendable {
    private let make: @Sendable (UITraitCollection) -> [CGFloat]

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        make = { _ in [red, green, blue, alpha] }
    }

    public init(dynamicProvider: @escaping @Sendable (UITraitCollection) -> UIColor) {
        make = { dynamicProvider($0).make($0) }
    }

    public func resolvedColor(with traits: UITraitCollection) -> UIColor {
        let parts = make(traits)
        return UIColor(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3])
    }

    /// For tests: the components of a colour that is resolved.
    public var parts: [CGFloat] {
        make(UITraitCollection(userInterfaceStyle: .unspecified, accessibilityContrast: .unspecified))
    }
}

public final class UIFont: Sendable {
    public struct Weight: RawRepresentable, Hashable, Sendable {
        public let rawValue: CGFloat
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        public static let ultraLight = Weight(rawValue: -0.8)
        public static let thin = Weight(rawValue: -0.6)
        public static let light = Weight(rawValue: -0.4)
        public static let regular = Weight(rawValue: 0)
        public static let medium = Weight(rawValue: 0.23)
        public static let semibold = Weight(rawValue: 0.3)
        public static let bold = Weight(rawValue: 0.4)
        public static let heavy = Weight(rawValue: 0.56)
        public static let black = Weight(rawValue: 0.62)
    }

    public struct TextStyle: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let largeTitle = TextStyle(rawValue: "UICTFontTextStyleTitle0")
        public static let title1 = TextStyle(rawValue: "UICTFontTextStyleTitle1")
        public static let title2 = TextStyle(rawValue: "UICTFontTextStyleTitle2")
        public static let title3 = TextStyle(rawValue: "UICTFontTextStyleTitle3")
        public static let headline = TextStyle(rawValue: "UICTFontTextStyleHeadline")
        public static let body = TextStyle(rawValue: "UICTFontTextStyleBody")
        public static let callout = TextStyle(rawValue: "UICTFontTextStyleCallout")
        public static let subheadline = TextStyle(rawValue: "UICTFontTextStyleSubhead")
        public static let footnote = TextStyle(rawValue: "UICTFontTextStyleFootnote")
        public static let caption1 = TextStyle(rawValue: "UICTFontTextStyleCaption1")
        public static let caption2 = TextStyle(rawValue: "UICTFontTextStyleCaption2")
    }

    public let pointSize: CGFloat
    public let fontName: String

    /// No font of that name is installed here.
    public init?(name: String, size: CGFloat) { nil }

    init(_ fontName: String, _ pointSize: CGFloat) {
        self.fontName = fontName
        self.pointSize = pointSize
    }

    public static func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { UIFont("system", size) }
}

public final class UIFontMetrics {
    private let style: UIFont.TextStyle

    public init(forTextStyle style: UIFont.TextStyle) { self.style = style }

    /// Twice as large, so that a test sees that it was asked; the name tells for which style.
    public func scaledFont(for font: UIFont, compatibleWith traits: UITraitCollection?) -> UIFont {
        UIFont(style.rawValue, font.pointSize * 2)
    }
}
