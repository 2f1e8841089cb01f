import Portico

/// The path of a link, split and each component decoded once (RFC 3986 §3).
struct LinkPath {
    let components: [RouteText]

    init(_ link: [UInt8], scheme: String, hosts: [String]) throws(LinkRefusal) {
        guard !link.contains(where: Self.isIllegal) else { throw .illegalCharacter }
        guard let colon = link.firstIndex(of: UInt8(ascii: ":")),
            link[(colon + 1)...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]),
            colon > 0
        else { throw .notALink }
        let given = link[..<colon].map(\.lowercased)
        let isWeb = given.elementsEqual("https".utf8)
        guard isWeb || given.elementsEqual(scheme.utf8) else { throw .foreignScheme }

        let rest = link[(colon + 3)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        var parts = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // Splitting gives at least one part, an empty one of nothing.
        let authority = parts[0]
        if authority.contains(UInt8(ascii: "@")) { throw .userInfo }
        if authority.contains(UInt8(ascii: ":")) { throw .port }
        if isWeb {
            let host = authority.map(\.lowercased)
            guard hosts.contains(where: { $0.utf8.elementsEqual(host) }) else { throw .foreignHost }
            parts.removeFirst()
            if parts.last?.isEmpty == true { parts.removeLast() }
        } else {
            if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
            if parts.count == 1, authority.isEmpty { parts = [] }
        }
        var components: [RouteText] = []
        for (index, part) in parts.enumerated() {
            let decoded = try Self.decoded(part)
            components.append(try Self.text(!isWeb && index == 0 ? decoded.map(\.lowercased) : decoded))
        }
        self.components = components
    }

    /// RFC 3986 §2: what is neither reserved nor unreserved, nor the sign of an escape.
    private static func isIllegal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    private static func decoded(_ part: ArraySlice<UInt8>) throws(LinkRefusal) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                throw .invalidEscape
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func text(_ bytes: [UInt8]) throws(LinkRefusal) -> RouteText {
        if let flaw = RouteText.flaw(in: bytes) { throw flaw }
        guard let text = RouteText(utf8: bytes) else { throw .notUTF8 }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
