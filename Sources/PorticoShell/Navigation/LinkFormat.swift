import Portico

/// Reads links into routes and writes routes as links, by a table.
///
/// ```swift
/// let links = try LinkFormat(try CookRoute.table(), scheme: "cook", hosts: ["cook.example"])
/// links.read("cook://recipe/42")  // .route(.recipe("42"))
/// links.read("https://cook.example/nothing")  // .refused(.unknownRoute)
/// links.link(to: .shopping)  // cook://shopping
/// ```
///
/// ## The rules
/// - `scheme://a/b`: the host is the first component. `https://host/a/b`: the host is one of a list, and is no component.
///   Any other form or scheme is refused, `http` too.
/// - Scheme and host have no case, so neither has the first component of the own scheme; the others have.
/// - A link has at most 8,192 bytes. Control characters, spaces, quotation marks, angle brackets, braces, backslash,
///   caret, grave accent and bar do not stand in one (RFC 3986 §2); characters beyond ASCII may (RFC 3987).
/// - A user and a port are refused; query and fragment are left out, as mail and campaigns append them.
/// - One slash at the end is left out, an empty component anywhere else refused. No component at all is the empty path,
///   which a table may have a route for.
/// - Each component is decoded exactly once after the path was split: `%2F` is a slash within a component, `%252F` the
///   text `%2F`. An escape without two hexadecimal digits and bytes that are not UTF-8 are refused.
/// - A component is a `RouteText`: control characters, `.` and `..` are refused, escaped or not.
public struct LinkFormat<Route: AppRoute>: Sendable {
    /// The longest link that is read, in UTF-8 bytes; every link that is written is shorter.
    public static var maximumLength: Int { 8_192 }

    /// The routes.
    public let table: RouteTable<Route>
    /// The app's own scheme, in lower case.
    public let scheme: String
    /// The hosts of its links on the web, in lower case; those that are written have the first.
    public let hosts: [String]

    /// The links of an app.
    ///
    /// - Parameters:
    ///   - table: Its routes.
    ///   - scheme: Its own scheme (RFC 3986 §3.1) in lower case, `cook`; not `http` or `https`.
    ///   - hosts: The hosts of its universal links in lower case, `cook.example`; none: only its scheme.
    /// - Throws: What is wrong with scheme and hosts.
    public init(
        _ table: RouteTable<Route>, scheme: String, hosts: [String] = []
    ) throws(NavigationSetupError) {
        var flaws: [NavigationSetupError.Flaw] = []
        if !Self.isScheme(scheme) {
            let message = "'\(scheme)' is not a letter and then 0 to 63 of a-z, 0-9, '+', '-', '.', or is the web's"
            flaws.append(NavigationSetupError.Flaw(subject: "scheme", message: message))
        }
        for host in hosts where !Self.isHost(host) {
            let message = "'\(host)' is not 1 to 253 of a-z, 0-9, '-', '.'"
            flaws.append(NavigationSetupError.Flaw(subject: "host", message: message))
        }
        guard flaws.isEmpty else { throw NavigationSetupError(flaws) }
        self.table = table
        self.scheme = scheme
        self.hosts = hosts
    }

    /// What a link leads to; the work is linear in its length, and none for one that is too long.
    public func read(_ link: String) -> LinkReading<Route> {
        guard link.utf8.count <= Self.maximumLength else { return .refused(.tooLong) }
        do throws(LinkRefusal) {
            return .route(try route(try LinkPath(Array(link.utf8), scheme: scheme, hosts: hosts).components))
        } catch {
            return .refused(error)
        }
    }

    /// The link to a route in the app's own scheme; nil where the route is not in the table.
    public func link(to route: Route) -> String? {
        path(of: route).map { "\(scheme)://\($0)" }
    }

    /// The link to a route on the first host; nil where there is no host, or the route is not in the table.
    public func webLink(to route: Route) -> String? {
        guard let host = hosts.first else { return nil }
        return path(of: route).map { "https://\(host)/\($0)" }
    }

    private func route(_ path: [RouteText]) throws(LinkRefusal) -> Route {
        for entry in table.entries {
            for pattern in [entry.pattern] + entry.aliases {
                guard let texts = pattern.match(path) else { continue }
                guard let route = entry.make(texts) else { throw .invalidParameter(route: entry.name) }
                return route
            }
        }
        throw .unknownRoute
    }

    private func path(of route: Route) -> String? {
        guard let entry = table.entry(of: route), let texts = entry.match(route) else { return nil }
        var values = texts[...]
        let components = entry.pattern.components.map { component in
            switch component {
            case .literal(let word): word
            case .parameter: values.popFirst().map(Self.escaped) ?? ""
            }
        }
        return components.joined(separator: "/")
    }

    /// Everything but the unreserved characters as escapes (RFC 3986 §2.3).
    private static func escaped(_ text: RouteText) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), upperDigit(byte >> 4), upperDigit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// RFC 3986 §2.1: whoever writes escapes uses capitals.
    private static func upperDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func isScheme(_ text: String) -> Bool {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, 0x61...0x7A ~= first else {
            return false
        }
        let isLegal = text.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || [0x2B, 0x2D, 0x2E].contains($0)
        }
        return isLegal && text != "http" && text != "https"
    }

    private static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x2E }
    }
}

/// What a link leads to.
public enum LinkReading<Route: AppRoute>: Sendable, Hashable {
    /// A route.
    case route(Route)
    /// Nowhere, and why.
    case refused(LinkRefusal)
}

/// Why a link leads nowhere.
///
/// It is an `Error` to be thrown within the module; to a host it is a value, because links come from anybody.
public enum LinkRefusal: Error, Sendable, Hashable {
    /// It has more than 8,192 bytes.
    case tooLong
    /// A control character, a space or another that stands in no link.
    case illegalCharacter
    /// It does not begin with a scheme and `://`.
    case notALink
    /// The scheme is neither the app's own nor `https`.
    case foreignScheme
    /// The host is none of the app's.
    case foreignHost
    /// It has a user's name before the host.
    case userInfo
    /// It has a port.
    case port
    /// A `%` without two hexadecimal digits after it.
    case invalidEscape
    /// A component that is not UTF-8.
    case notUTF8
    /// A component with an escaped control character.
    case controlCharacter
    /// Two slashes in a row.
    case emptyComponent
    /// A component of more than 256 bytes.
    case longComponent
    /// A component that is `.` or `..`.
    case dotComponent
    /// No pattern of the table is such a path.
    case unknownRoute
    /// A pattern of the table is, and its route does not take the parameters.
    case invalidParameter(route: String)
}

extension LinkRefusal: CustomStringConvertible {
    /// One line without any content of the link.
    public var description: String {
        switch self {
        case .tooLong: "link refused: more than 8,192 bytes"
        case .illegalCharacter: "link refused: a character that must be escaped"
        case .notALink: "link refused: no scheme and ://"
        case .foreignScheme: "link refused: another app's scheme"
        case .foreignHost: "link refused: another host"
        case .userInfo: "link refused: a user before the host"
        case .port: "link refused: a port"
        case .invalidEscape: "link refused: % without two hexadecimal digits"
        case .notUTF8: "link refused: a component is not UTF-8"
        case .controlCharacter: "link refused: an escaped control character"
        case .emptyComponent: "link refused: an empty component"
        case .longComponent: "link refused: a component of more than 256 bytes"
        case .dotComponent: "link refused: a component that is . or .."
        case .unknownRoute: "link refused: no such route"
        case .invalidParameter(let route): "link refused: not a parameter of \(route)"
        }
    }
}
