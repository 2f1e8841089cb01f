import PorticoShell

/// A link read as its rules tell it, by texts and splitting and one step after the other. Slow and obvious; the reader
/// is held against it.
struct ReferenceLink {
    /// The components; nil where there are none that lead anywhere.
    private(set) var path: [String]?

    init(_ link: String, scheme: String, hosts: [String]) {
        let scalars = Array(link.unicodeScalars)
        let forbidden = Set(" \"<>\\^`{|}\u{7F}".unicodeScalars)
        guard link.utf8.count <= 8_192, scalars.allSatisfy({ $0.value > 0x20 && !forbidden.contains($0) }) else {
            return
        }
        guard let colon = scalars.firstIndex(of: ":"), scalars.count > colon + 2, scalars[colon + 1] == "/",
            scalars[colon + 2] == "/"
        else { return }
        let given = Self.lowered(scalars[..<colon])
        var rest = scalars[(colon + 3)...]
        if let end = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) { rest = rest[..<end] }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false).map { Array($0) }
        guard !parts[0].contains("@"), !parts[0].contains(":") else { return }
        if Self.same(given, "https") {
            guard hosts.contains(where: { Self.same(Self.lowered(parts[0][...]), $0) }) else { return }
            parts.removeFirst()
            if parts.last == [] { parts.removeLast() }
        } else {
            guard Self.same(given, scheme) else { return }
            if parts.count > 1, parts.last == [] { parts.removeLast() }
            if parts == [[]] { parts = [] }
        }
        var path: [String] = []
        for (index, part) in parts.enumerated() {
            guard var text = Self.decoded(part) else { return }
            if index == 0, !Self.same(given, "https") { text = Self.lowered(Array(text.unicodeScalars)[...]) }
            path.append(text)
        }
        self.path = path
    }

    private static func decoded(_ part: [Unicode.Scalar]) -> String? {
        var bytes: [UInt8] = []
        var index = 0
        while index < part.count {
            if part[index] == "%" {
                let hex = part.dropFirst(index + 1).prefix(2).map { String($0) }.joined()
                guard hex.utf8.count == 2, hex.utf8.first != 0x2B, hex.utf8.first != 0x2D,
                    let byte = UInt8(hex, radix: 16)
                else { return nil }
                bytes.append(byte)
                index += 3
            } else {
                bytes += Array(String(part[index]).utf8)
                index += 1
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let isControl = text.unicodeScalars.contains { $0.value < 0x20 || ($0.value > 0x7E && $0.value < 0xA0) }
        let isDots = bytes == [0x2E] || bytes == [0x2E, 0x2E]
        return Array(text.utf8) == bytes && (1...256).contains(bytes.count) && !isControl && !isDots ? text : nil
    }

    /// ASCII alone: other letters have no case here.
    private static func lowered(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        scalars.map { $0.isASCII ? $0.properties.lowercaseMapping : String($0) }.joined()
    }

    private static func same(_ left: String, _ right: String) -> Bool { Array(left.utf8) == Array(right.utf8) }
}

/// Links of any bytes, held against the reference; and what is read is written so that it is read again.
enum LinkReading: FuzzTarget {
    static let name = "links"

    /// One tab, and paths of every length under a word, so that nothing but the link's grammar decides.
    private enum Route: AppRoute {
        enum Tab: String, AppTab {
            case only
            var symbol: String { "circle" }
            var label: LocalizedText { ["en": "Only"] }
        }

        case root
        case empty
        case path([RouteText])
    }

    private static let links = Result { try makeLinks() }

    private static func makeLinks() throws -> LinkFormat<Route> {
        let names = ["a", "b", "c", "d", "e", "f", "g"]
        let paths = (1...names.count).map { count in
            let pattern = (["path"] + names.prefix(count).map { ":" + $0 }).joined(separator: "/")
            return RouteEntry<Route>("path\(count)", at: pattern, as: .push, in: .only, make: { .path($0) }) { route in
                if case .path(let texts) = route, texts.count == count { texts } else { nil }
            }
        }
        let table = try RouteTable(
            [
                RouteEntry("root", .root, at: "root", as: .root, in: .only),
                RouteEntry("empty", .empty, at: "", as: .push, in: .only),
            ] + paths)
        return try LinkFormat(table, scheme: "app", hosts: ["app.example"])
    }

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let link = String(decoding: bytes, as: UTF8.self)
        let links = try links.get()
        let reference = ReferenceLink(link, scheme: links.scheme, hosts: links.hosts).path
        let expected: Route? =
            switch reference {
            case nil: nil
            case []?: .empty
            case let path? where path.count == 1: Array(path[0].utf8) == Array("root".utf8) ? .root : nil
            case let path? where path.count <= 8 && Array(path[0].utf8) == Array("path".utf8):
                .path(path.dropFirst().compactMap { RouteText($0) })
            default: nil
            }
        guard case .route(let route) = links.read(link) else {
            try hold(expected == nil, "a link that leads somewhere is refused")
            return false
        }
        try hold(route == expected, "a link is read otherwise than its rules say")
        for written in [links.link(to: route), links.webLink(to: route)] {
            guard let written else { throw Broken(description: "a route that was read cannot be written") }
            try hold(links.read(written) == .route(route), "a link that was written is read otherwise")
            try hold(written.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a link that was written needs escapes")
        }
        return true
    }
}
