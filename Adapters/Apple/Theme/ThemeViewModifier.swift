#if canImport(SwiftUI)
import PorticoShell
import SwiftUI

/// Gives the views beneath the theme of a design, in the appearance that was chosen.
@available(iOS 16, macOS 13, *)
public struct ThemeViewModifier: ViewModifier {
    @ObservedObject private var model: ThemeModel
    @Environment(\.colorScheme) private var colorScheme
    @Environment(\.colorSchemeContrast) private var contrast
    private let design: DesignSystem

    /// A modifier for that choice and that design.
    public init(_ model: ThemeModel, design: DesignSystem) {
        self.model = model
        self.design = design
    }

    /// The modified view, which finds its theme in the environment.
    public func body(content: Content) -> some View {
        content
            .environment(\.theme, design.theme(in: model.appearance(colorScheme, contrast)))
            .preferredColorScheme(model.colorScheme)
            .task { @MainActor in await model.follow() }
    }
}

@available(iOS 16, macOS 13, *)
extension View {
    /// Gives the views beneath the theme of a design, in the appearance that was chosen.
    ///
    /// ```swift
    /// #if canImport(SwiftUI)
    /// @available(iOS 16, macOS 13, *)
    /// struct Root: View {
    ///     @ObservedObject var themes: ThemeModel
    ///     let design: DesignSystem
    ///
    ///     var body: some View { Greeting().themed(themes, design: design) }
    /// }
    ///
    /// @available(iOS 16, macOS 13, *)
    /// struct Greeting: View {
    ///     @Environment(\.theme) private var theme
    ///
    ///     var body: some View {
    ///         Text("Hello").textRole(.title).foregroundColor(theme?.colors[.textPrimary].map { Color($0) })
    ///     }
    /// }
    /// #endif
    /// ```
    public func themed(_ model: ThemeModel, design: DesignSystem) -> some View {
        modifier(ThemeViewModifier(model, design: design))
    }
}

@available(iOS 16, macOS 13, *)
private struct ThemeKey: EnvironmentKey {
    static let defaultValue: Theme? = nil
}

@available(iOS 16, macOS 13, *)
extension EnvironmentValues {
    /// The theme of where a view is; nil where no view above is `themed`.
    public var theme: Theme? {
        get { self[ThemeKey.self] }
        set { self[ThemeKey.self] = newValue }
    }
}

@available(iOS 16, macOS 13, *)
extension Color {
    /// The colour of a token, in sRGB.
    public init(_ color: DesignColor) {
        self.init(
            .sRGB, red: color.srgb.red, green: color.srgb.green, blue: color.srgb.blue, opacity: color.alpha)
    }
}
#endif
