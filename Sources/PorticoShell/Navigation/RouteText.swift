import Portico

/// A text that a route can hold and a link can carry: 1 to 256 UTF-8 bytes, compared as bytes.
///
/// What no link brings back as it was is refused: control characters (U+0000–001F, U+007F–009F), and `.` and `..`, which
/// browsers take out of a path also when they are escaped (WHATWG URL §4.1). Everything else is taken: `/`, `%`, spaces,
/// any script. So every route can be written as a link, and the link read is that route.
///
/// ```swift
/// let id = RouteText("Tür/7 %")
/// let bad = RouteText("")  // nil
/// ```
public struct RouteText: Sendable, Hashable {
    /// The longest text, in UTF-8 bytes.
    public static let maximumLength = 256

    /// The bytes, valid UTF-8.
    public let utf8: [UInt8]

    /// A route's text; nil where it is empty, too long or has what no link carries.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        self.init(utf8: Array(text.utf8))
    }

    /// A route's text from bytes; nil where they are not UTF-8, none, too many, or have what no link carries.
    public init?(utf8: [UInt8]) {
        guard Self.flaw(in: utf8) == nil else { return nil }
        self.utf8 = utf8
    }

    /// The text.
    public var text: String { String(decoding: utf8, as: UTF8.self) }

    /// Why bytes are no such text; nil where they are.
    static func flaw(in utf8: [UInt8]) -> LinkRefusal? {
        if utf8.isEmpty { return .emptyComponent }
        if utf8.count > maximumLength { return .longComponent }
        let text = String(decoding: utf8, as: UTF8.self)
        // Decoding repairs what is not UTF-8; bytes that came back changed were not.
        guard text.utf8.elementsEqual(utf8) else { return .notUTF8 }
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }) {
            return .controlCharacter
        }
        let dot = UInt8(ascii: ".")
        return utf8 == [dot] || utf8 == [dot, dot] ? .dotComponent : nil
    }
}

extension RouteText: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

/// What a route holds and a link carries as one component: a host's identifiers.
///
/// ```swift
/// struct RecipeID: RouteParameter, Hashable {
///     let routeText: RouteText
///     init?(_ text: RouteText) { routeText = text }
/// }
/// ```
public protocol RouteParameter: Sendable {
    /// The value of a text; nil where it has none.
    init?(_ text: RouteText)
    /// The text that `init(_:)` makes this value of.
    var routeText: RouteText { get }
}

extension RouteText: RouteParameter {
    /// The text itself.
    public init?(_ text: RouteText) { self = text }
    /// The text itself.
    public var routeText: RouteText { self }
}
