import Portico

/// The path of a route: components between slashes, those after a colon stand for parameters.
///
/// `alert/:id` is a word and a parameter. No component at all is the root of the app's links.
public struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    /// One component.
    public enum Component: Sendable, Hashable {
        /// A word that stands there.
        case literal(String)
        /// Any text, under this name.
        case parameter(String)
    }

    /// How many components a pattern has at most, so that every link fits what is read.
    public static let maximumComponents = 8

    /// The components in their order.
    public let components: [Component]

    init(_ text: String) {
        let parts = text.isEmpty ? [] : text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        components = parts.map { part in
            if part.first == UInt8(ascii: ":") {
                .parameter(String(decoding: part.dropFirst(), as: UTF8.self))
            } else {
                .literal(String(decoding: part, as: UTF8.self))
            }
        }
    }

    /// The names of its parameters in their order.
    public var parameters: [String] {
        components.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The pattern as it is written in a table.
    public var description: String {
        components.map { component in
            switch component {
            case .literal(let word): word
            case .parameter(let name): ":" + name
            }
        }.joined(separator: "/")
    }

    /// What stands for the parameters in a path; nil where the path is another.
    func match(_ path: [RouteText]) -> [RouteText]? {
        guard path.count == components.count else { return nil }
        var values: [RouteText] = []
        for (component, text) in zip(components, path) {
            switch component {
            case .literal(let word): guard word.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter: values.append(text)
            }
        }
        return values
    }

    /// Whether some path is one of both.
    func overlaps(_ other: RoutePattern) -> Bool {
        guard components.count == other.components.count else { return false }
        return zip(components, other.components).allSatisfy { left, right in
            if case (.literal(let left), .literal(let right)) = (left, right) { left == right } else { true }
        }
    }

    /// What is wrong with it, a sentence each.
    var flaws: [String] {
        var flaws: [String] = []
        if components.count > Self.maximumComponents {
            flaws.append("has \(components.count) components: \(Self.maximumComponents) are the most")
        }
        if case .parameter? = components.first {
            flaws.append("begins with a parameter, which would take every link: begin with a word")
        }
        for case .literal(let word) in components where !Self.isWord(word) {
            flaws.append("has the component '\(word)': a word is 1 to 64 of a-z, 0-9, '-', '_'")
        }
        for name in parameters where !Self.isName(name) {
            flaws.append("has the parameter '\(name)': a name is 1 to 64 of A-Z, a-z, 0-9, '-', '_'")
        }
        if Set(parameters).count < parameters.count { flaws.append("has two parameters of one name") }
        return flaws
    }

    /// Lower case, because the first component may be a link's host, and a host has no case (RFC 3986 §3.2.2).
    private static func isWord(_ text: String) -> Bool {
        isName(text) && text.utf8.allSatisfy { $0.lowercased == $0 }
    }

    /// What needs no escape in a link, a file's name or JSON.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
