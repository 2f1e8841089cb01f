import Portico

/// JSON Pointers (RFC 6901).
enum JSONPointer {
    /// One segment as it stands in a pointer (§3).
    static func escaped(_ segment: String) -> String {
        guard segment.utf8.contains(where: { $0 == tilde || $0 == slash }) else { return segment }
        var bytes: [UInt8] = []
        for byte in segment.utf8 {
            switch byte {
            case tilde: bytes += [tilde, zero]
            case slash: bytes += [tilde, zero + 1]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The segments of a pointer in a URI fragment, `#/a/b` (§6); nil where it is none.
    ///
    /// `#/` is the whole document, as the Format Module says in §7.4.1; RFC 6901 alone would see an empty name.
    static func segments(ofFragment text: String) -> [String]? {
        guard text.utf8.first == UInt8(ascii: "#"), var bytes = percentDecoded(text.utf8.dropFirst()) else {
            return nil
        }
        guard let first = bytes.first else { return [] }
        guard first == slash else { return nil }
        bytes.removeFirst()
        guard !bytes.isEmpty else { return [] }
        var segments: [String] = []
        for part in bytes.split(separator: slash, omittingEmptySubsequences: false) {
            guard let segment = unescaped(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    /// The value that a segment leads to within another, nil where there is none (§4).
    static func step(_ segment: String, in value: JSONValue) -> JSONValue? {
        switch value {
        case .object(let members): return members[segment]
        case .array(let elements):
            let digits = segment.utf8
            guard (1...9).contains(digits.count), digits.allSatisfy({ (zero...zero + 9).contains($0) }),
                digits.count == 1 || digits.first != zero
            else { return nil }
            let index = digits.reduce(0) { $0 * 10 + Int($1 - zero) }
            return index < elements.count ? elements[index] : nil
        default: return nil
        }
    }

    private static let tilde = UInt8(ascii: "~")
    private static let slash = UInt8(ascii: "/")
    private static let zero = UInt8(ascii: "0")

    private static func unescaped(_ segment: ArraySlice<UInt8>) -> String? {
        guard segment.contains(tilde) else { return String(decoding: segment, as: UTF8.self) }
        var bytes: [UInt8] = []
        var isEscape = false
        for byte in segment {
            if isEscape {
                guard byte == zero || byte == zero + 1 else { return nil }
                bytes.append(byte == zero ? tilde : slash)
                isEscape = false
            } else if byte == tilde {
                isEscape = true
            } else {
                bytes.append(byte)
            }
        }
        return isEscape ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes = Array(text)
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        let encoded = bytes
        bytes.removeAll(keepingCapacity: true)
        var index = 0
        while index < encoded.count {
            if encoded[index] == UInt8(ascii: "%") {
                guard index + 2 < encoded.count, let byte = Hexadecimal.decode(Array(encoded[index + 1...index + 2]))
                else { return nil }
                bytes += byte
                index += 3
            } else {
                bytes.append(encoded[index])
                index += 1
            }
        }
        return bytes
    }
}
