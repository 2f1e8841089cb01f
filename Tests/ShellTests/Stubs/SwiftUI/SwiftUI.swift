// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each declaration means, the SDK's own documentation says.

// As much of SwiftUI as generated code uses, with the signatures of the iOS 15 SDK.

@_exported import Foundation
public import UIKit

public struct Color: Sendable {
    /// For tests.
    public let uiColor: UIColor

    public init(uiColor: UIColor) { self.uiColor = uiColor }
}

public struct Font: Sendable {
    public enum TextStyle: CaseIterable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
    }

    public struct Weight: Hashable, Sendable {
        let value: Int
        public static let ultraLight = Weight(value: 100)
        public static let thin = Weight(value: 200)
        public static let light = Weight(value: 300)
        public static let regular = Weight(value: 400)
        public static let medium = Weight(value: 500)
        public static let semibold = Weight(value: 600)
        public static let bold = Weight(value: 700)
        public static let heavy = Weight(value: 800)
        public static let black = Weight(value: 900)
    }

    public enum Design: Sendable {
        case `default`
    }

    public static func system(size: CGFloat, weight: Weight = .regular, design: Design = .default) -> Font { Font() }

    public static func custom(_ name: String, fixedSize: CGFloat) -> Font { Font() }

    public func weight(_ weight: Weight) -> Font { self }
}

@propertyWrapper
public struct ScaledMetric<Value: BinaryFloatingPoint> {
    public let wrappedValue: Value

    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) { self.wrappedValue = wrappedValue }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> Primitive { Primitive() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Primitive { Primitive() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<True: View, False: View>(first: True) -> Either<True, False> { Either() }
    public static func buildEither<True: View, False: View>(second: False) -> Either<True, False> { Either() }
}

/// The SDK calls it `_ConditionalContent`.
public struct Either<True: View, False: View>: View {
    nonisolated init() {}
    public var body: Never { fatalError("a primitive view has no body") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a primitive view has no body") }
}

@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct Primitive: View {
    nonisolated init() {}
    public var body: Never { fatalError("a primitive view has no body") }
}

@MainActor
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = Primitive
    @ViewBuilder func body(content: Content) -> Body
}

extension View {
    public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> some View { Primitive() }
    public func font(_ font: Font?) -> some View { Primitive() }
    public func lineSpacing(_ lineSpacing: CGFloat) -> some View { Primitive() }
}
