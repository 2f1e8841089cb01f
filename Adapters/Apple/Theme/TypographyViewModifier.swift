#if canImport(SwiftUI)
import Foundation
import PorticoShell
import SwiftUI

/// Sets text as a design says, larger or smaller with the size of text that a person chose (Dynamic Type).
@available(iOS 16, macOS 13, *)
public struct TypographyViewModifier: ViewModifier {
    private let typography: Typography
    @ScaledMetric private var size: CGFloat
    @ScaledMetric private var tracking: CGFloat
    @ScaledMetric private var leading: CGFloat

    /// A modifier for that typography, which grows as that style of the system does.
    public init(_ typography: Typography, relativeTo style: Font.TextStyle) {
        self.typography = typography
        let points = typography.size.points
        _size = ScaledMetric(wrappedValue: CGFloat(points), relativeTo: style)
        _tracking = ScaledMetric(wrappedValue: CGFloat(typography.letterSpacing.points), relativeTo: style)
        // SwiftUI adds to the line that a font has by itself, which is about 1.2 times its size.
        _leading = ScaledMetric(
            wrappedValue: CGFloat(max(0, points * (typography.lineHeight - 1.2))), relativeTo: style)
    }

    /// The modified view.
    public func body(content: Content) -> some View {
        // The size is scaled already, so the font must not scale it once more.
        content.font(Font(typography, fixedSize: size)).tracking(tracking).lineSpacing(leading)
    }
}

@available(iOS 16, macOS 13, *)
extension View {
    /// Sets text as a design says.
    ///
    /// - Parameters:
    ///   - typography: Size, weight, family and spaces.
    ///   - style: The style of the system that it grows with.
    public func typography(_ typography: Typography, relativeTo style: Font.TextStyle) -> some View {
        modifier(TypographyViewModifier(typography, relativeTo: style))
    }

    /// Sets text as the theme of the environment says; without a theme it is left alone.
    public func textRole(_ role: TextRole) -> some View {
        modifier(TextRoleViewModifier(role: role))
    }
}

@available(iOS 16, macOS 13, *)
private struct TextRoleViewModifier: ViewModifier {
    let role: TextRole
    @Environment(\.theme) private var theme

    func body(content: Content) -> some View {
        if let typography = theme?.text[role] {
            content.typography(typography, relativeTo: Font.TextStyle(role))
        } else {
            content
        }
    }
}

@available(iOS 16, macOS 13, *)
extension Font.TextStyle {
    /// The style of the system that goes by the same name.
    public init(_ role: TextRole) {
        switch role {
        case .caption: self = .caption
        case .body: self = .body
        case .headline: self = .headline
        case .title: self = .title
        case .largeTitle: self = .largeTitle
        }
    }
}

@available(iOS 16, macOS 13, *)
extension Font {
    /// The font of a typography that grows with a style of the system.
    ///
    /// The system's own font has no size of its own that grows: where no family is named it is the font of the style, and
    /// `View.typography` is what keeps the size too.
    public init(_ typography: Typography, relativeTo style: Font.TextStyle) {
        guard let family = typography.ownFamily else {
            self = Font.system(style).weight(Font.Weight(typography.weight))
            return
        }
        self = Font.custom(family, size: CGFloat(typography.size.points), relativeTo: style)
            .weight(Font.Weight(typography.weight))
    }

    /// The font of a typography at exactly that size.
    init(_ typography: Typography, fixedSize: CGFloat) {
        let weight = Font.Weight(typography.weight)
        guard let family = typography.ownFamily else {
            self = Font.system(size: fixedSize, weight: weight)
            return
        }
        self = Font.custom(family, fixedSize: fixedSize).weight(weight)
    }
}

@available(iOS 16, macOS 13, *)
extension Font.Weight {
    /// The nearest of the nine weights that fonts have here.
    init(_ number: Double) {
        let weights: [Font.Weight] = [
            .ultraLight, .thin, .light, .regular, .medium, .semibold, .bold, .heavy, .black,
        ]
        self = weights[min(8, max(0, Int((number / 100).rounded()) - 1))]
    }
}

extension Typography {
    /// The family that an app brings; nil where the first one stands for the system's own font, which nobody names.
    fileprivate var ownFamily: String? {
        guard let family = families.first else { return nil }
        let name = family.lowercased()
        let system = ["system-ui", "-apple-system", "blinkmacsystemfont", "ui-sans-serif", "sans-serif"]
        return system.contains(name) || name.hasPrefix("sf pro") || name.hasPrefix(".sf") ? nil : family
    }
}
#endif
