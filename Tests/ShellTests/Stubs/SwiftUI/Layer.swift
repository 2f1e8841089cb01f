// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each declaration means, the SDK's own documentation says.

// What the SwiftUI layer uses beside that, with the signatures of the SDK that Swift 6.2 comes with, but for what makes
// the SDK's check of concurrency milder. It is type-checked against and never run.

public import Combine
import UIKit

// MARK: State

@propertyWrapper
public struct Binding<Value> {
    public let wrappedValue: Value

    public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) { fatalError("never run") }
}

@MainActor
@propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject> {
    public var wrappedValue: ObjectType
    public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
}

@MainActor
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject> {
    public let wrappedValue: ObjectType
    public nonisolated init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { fatalError("never run") }
}

@MainActor
@propertyWrapper
public struct EnvironmentObject<ObjectType: ObservableObject> {
    public var wrappedValue: ObjectType { fatalError("never run") }
    public nonisolated init() {}
}

@propertyWrapper
public struct Environment<Value> {
    public let wrappedValue: Value
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError("never run") }
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set {}
    }

    public var colorScheme = ColorScheme.light
    public var colorSchemeContrast: ColorSchemeContrast { .standard }
    public var horizontalSizeClass: UserInterfaceSizeClass?
    public var locale = Locale(identifier: "en")
}

public enum ColorScheme: CaseIterable, Sendable { case light, dark }

public enum ColorSchemeContrast: CaseIterable, Sendable { case standard, increased }

public enum UserInterfaceSizeClass: Sendable { case compact, regular }

// MARK: Views

public struct Text: View {
    public nonisolated init<S: StringProtocol>(_ content: S) {}
    public var body: Never { fatalError("a primitive view has no body") }
    public nonisolated func foregroundColor(_ color: Color?) -> Text { self }
}

public struct Image: View {
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct Label<Title: View, Icon: View>: View {
    public nonisolated init<S: StringProtocol>(_ title: S, systemImage name: String)
    where Title == Text, Icon == Image {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct ProgressView: View {
    public nonisolated init() {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct ZStack<Content: View>: View {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct ScrollView<Content: View>: View {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct ScrollViewProxy {
    public func scrollTo<ID: Hashable>(_ id: ID) {}
}

public struct ScrollViewReader<Content: View>: View {
    public nonisolated init(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public func withAnimation<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    public nonisolated init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View {
    public nonisolated init<S: StringProtocol>(
        _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) where Label == Text {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct List<SelectionValue: Hashable, Content: View>: View {
    public nonisolated init(selection: Binding<SelectionValue?>?, @ViewBuilder content: () -> Content) {}
    public nonisolated init(selection: Binding<Set<SelectionValue>>?, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct TabView<SelectionValue: Hashable, Content: View>: View {
    public nonisolated init(selection: Binding<SelectionValue>?, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct NavigationStack<Data, Root: View>: View {
    public nonisolated init(path: Binding<Data>, @ViewBuilder root: () -> Root)
    where Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Data.Element: Hashable {}
    public var body: Never { fatalError("a primitive view has no body") }
}

public struct NavigationSplitView<Sidebar: View, Content: View, Detail: View>: View {
    public nonisolated init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail)
    where Content == Primitive {}
    public var body: Never { fatalError("a primitive view has no body") }
}

// MARK: Modifiers

extension View {
    public nonisolated func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        Primitive()
    }
    public nonisolated func environmentObject<T: ObservableObject>(_ object: T) -> some View { Primitive() }
    public nonisolated func id<ID: Hashable>(_ id: ID) -> some View { Primitive() }
    public nonisolated func navigationDestination<D: Hashable, C: View>(
        for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View { Primitive() }
    public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { Primitive() }
    public nonisolated func preferredColorScheme(_ colorScheme: ColorScheme?) -> some View { Primitive() }
    public nonisolated func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { Primitive() }
    public nonisolated func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { Primitive() }
    public nonisolated func tag<V: Hashable>(_ tag: V) -> some View { Primitive() }
    public nonisolated func task(
        priority: TaskPriority = .userInitiated, _ action: @escaping @Sendable () async -> Void
    ) -> some View { Primitive() }
    public nonisolated func tracking(_ tracking: CGFloat) -> some View { Primitive() }
    public nonisolated func foregroundColor(_ color: Color?) -> some View { Primitive() }
}

// MARK: Colours and fonts

extension Color {
    public enum RGBColorSpace: Sendable { case sRGB, sRGBLinear, displayP3 }

    public init(
        _ colorSpace: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1
    ) { self.init(uiColor: UIColor(red: red, green: green, blue: blue, alpha: opacity)) }
}

extension Font {
    public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font { Font() }
    public static func custom(_ name: String, size: CGFloat, relativeTo textStyle: TextStyle) -> Font { Font() }
}
