extension JSONValue {
    /// The compact text in UTF-8, members in their order, with no escape that RFC 8259 does not demand.
    ///
    /// Parsing it gives an equal value: a `.number` without a fraction is written with `.0`. A double that is not
    /// finite, which only a value built in code can hold, is written as `null`.
    public func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(self, to: &bytes)
        return bytes
    }

    /// The canonical form of RFC 8785 in UTF-8: members sorted by the UTF-16 code units of their names, numbers as
    /// ECMAScript writes the double (an integer beyond ±2^53 is rounded to one), minimal escapes.
    ///
    /// RFC 8785 has no form for a double that is not finite; it is written as `null`.
    public func canonical() -> [UInt8] {
        var bytes: [UInt8] = []
        appendCanonical(to: &bytes, omitting: nil)
        return bytes
    }

    /// Appends the canonical form, without the member of that name which this object itself has; members of that name
    /// further inside stay.
    package func appendCanonical(to bytes: inout [UInt8], omitting topLevelMember: String?) {
        JSONWriter.appendCanonical(self, omitting: topLevelMember, to: &bytes)
    }
}

private enum JSONWriter {
    static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .array(let elements):
            bytes.append(0x5B)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                append(element, to: &bytes)
            }
            bytes.append(0x5D)
        case .object(let object):
            bytes.append(0x7B)
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                append(member.name, to: &bytes)
                bytes.append(0x3A)
                append(member.value, to: &bytes)
            }
            bytes.append(0x7D)
        case .integer(let integer):
            append(integer, to: &bytes)
        case .number(let number):
            append(number, to: &bytes)
        case .null, .bool, .string:
            appendScalar(value, to: &bytes)
        }
    }

    static func appendCanonical(_ value: JSONValue, omitting omitted: String? = nil, to bytes: inout [UInt8]) {
        switch value {
        case .array(let elements):
            bytes.append(0x5B)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                appendCanonical(element, to: &bytes)
            }
            bytes.append(0x5D)
        case .object(let object):
            bytes.append(0x7B)
            var isFirst = true
            for key in SortKey.sorted(object.members) {
                let member = object.members[key.position]
                if let omitted, member.name.hasSameBytes(as: omitted) { continue }
                if !isFirst { bytes.append(0x2C) }
                isFirst = false
                append(member.name, to: &bytes)
                bytes.append(0x3A)
                appendCanonical(member.value, to: &bytes)
            }
            bytes.append(0x7D)
        case .integer(let integer):
            if integer.magnitude <= 1 << 53 {
                append(integer, to: &bytes)
            } else {
                ECMAScriptNumber.append(Double(integer), to: &bytes)
            }
        case .number(let number):
            if number.isFinite {
                ECMAScriptNumber.append(number, to: &bytes)
            } else {
                bytes.append(contentsOf: "null".utf8)
            }
        case .null, .bool, .string:
            appendScalar(value, to: &bytes)
        }
    }

    private static func appendScalar(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .string(let text): append(text, to: &bytes)
        default: bytes.append(contentsOf: "null".utf8)
        }
    }

    private static func append(_ integer: Int64, to bytes: inout [UInt8]) {
        if integer < 0 { bytes.append(0x2D) }
        let start = bytes.count
        var rest = integer.magnitude
        repeat {
            bytes.append(0x30 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// As ECMAScript writes it, and still told apart from an integer by a parser.
    private static func append(_ number: Double, to bytes: inout [UInt8]) {
        guard number.isFinite else {
            bytes.append(contentsOf: "null".utf8)
            return
        }
        if number.sign == .minus, number == 0 { bytes.append(0x2D) }
        let start = bytes.count
        ECMAScriptNumber.append(number, to: &bytes)
        let isPlain = bytes[start...].allSatisfy { $0 != 0x2E && $0 != 0x65 }
        if isPlain, number.magnitude <= 0x1p63 { bytes.append(contentsOf: ".0".utf8) }
    }

    /// A quoted string with the escapes of RFC 8785 §3.2.2.2.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(0x22)
        text.withUTF8Bytes { text in
            var start = 0
            while true {
                let stop = ByteLanes.firstSpecial(in: text, from: start, also: 0)
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<stop]))
                guard stop < text.count else { break }
                appendEscape(of: text[stop], to: &bytes)
                start = stop + 1
            }
        }
        bytes.append(0x22)
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(0x5C)
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x08: bytes.append(0x62)
        case 0x09: bytes.append(0x74)
        case 0x0A: bytes.append(0x6E)
        case 0x0C: bytes.append(0x66)
        case 0x0D: bytes.append(0x72)
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(Hexadecimal.digit(byte >> 4))
            bytes.append(Hexadecimal.digit(byte & 15))
        }
    }
}

/// Where a member stands, with the beginning of its name as a number that sorts alike.
private struct SortKey {
    let prefix: UInt64
    let position: Int

    static func sorted(_ members: [JSONObject.Member]) -> [SortKey] {
        var keys: [SortKey] = []
        keys.reserveCapacity(members.count)
        var isSorted = true
        for (position, member) in members.enumerated() {
            let key = SortKey(prefix: member.name.withUTF8Bytes { prefix(of: $0) }, position: position)
            if let last = keys.last, last.prefix >= key.prefix { isSorted = false }
            keys.append(key)
        }
        if isSorted { return keys }
        if keys.count <= JSONObject.indexThreshold {
            insertionSort(&keys, members)
        } else {
            keys.sort { precedes($0, $1, members) }
        }
        return keys
    }

    /// A handful of keys is sorted in their place, faster than a general sort begins.
    private static func insertionSort(_ keys: inout [SortKey], _ members: [JSONObject.Member]) {
        for end in 1..<keys.count {
            let key = keys[end]
            var hole = end
            while hole > 0, precedes(key, keys[hole - 1], members) {
                keys[hole] = keys[hole - 1]
                hole -= 1
            }
            keys[hole] = key
        }
    }

    @inline(__always)
    private static func precedes(_ left: SortKey, _ right: SortKey, _ members: [JSONObject.Member]) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return precedes(members[left.position].name, members[right.position].name)
    }

    /// UTF-8 sorts by scalars, UTF-16 puts U+10000 and above (leads F0 to F4) before U+E000 to U+FFFF (leads EE, EF);
    /// nothing else differs, and the first bytes in which two texts differ are of that kind only when both are leads.
    @inline(__always)
    private static func rank(_ byte: UInt8) -> UInt8 {
        byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte
    }

    @inline(__always)
    private static func prefix(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        let count = min(8, name.count)
        for index in 0..<count { prefix = prefix &<< 8 | UInt64(rank(name[index])) }
        return count == 0 ? 0 : prefix &<< UInt64(64 &- 8 &* count)
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.withUTF8Bytes { left in
            right.withUTF8Bytes { right in
                for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                    return rank(left[index]) < rank(right[index])
                }
                return left.count < right.count
            }
        }
    }
}

/// Number::toString of ECMAScript (ECMA-262 §6.1.6.1.20), as RFC 8785 §3.2.2.3 asks.
private enum ECMAScriptNumber {
    /// Appends a finite number.
    static func append(_ number: Double, to bytes: inout [UInt8]) {
        guard number != 0 else {
            bytes.append(0x30)
            return
        }
        if number < 0 { bytes.append(0x2D) }
        let (digits, point) = decimal(number.magnitude)
        if point > 21 || point < -5 {
            appendScientific(digits, exponent: point - 1, to: &bytes)
        } else if point <= 0 {
            bytes.append(contentsOf: "0.".utf8)
            bytes.append(contentsOf: repeatElement(0x30, count: -point))
            bytes.append(contentsOf: digits)
        } else if point >= digits.count {
            bytes.append(contentsOf: digits)
            bytes.append(contentsOf: repeatElement(0x30, count: point - digits.count))
        } else {
            bytes.append(contentsOf: digits[..<point])
            bytes.append(0x2E)
            bytes.append(contentsOf: digits[point...])
        }
    }

    private static func appendScientific(_ digits: [UInt8], exponent: Int, to bytes: inout [UInt8]) {
        bytes.append(digits[0])
        if digits.count > 1 {
            bytes.append(0x2E)
            bytes.append(contentsOf: digits[1...])
        }
        bytes.append(0x65)
        bytes.append(exponent < 0 ? 0x2D : 0x2B)
        bytes.append(contentsOf: String(exponent.magnitude).utf8)
    }

    /// The shortest digits that read back as `number`, without zeros at either end, and where the decimal point stands
    /// counted from the first of them.
    ///
    /// The standard library's description has the digits that ECMAScript asks for, the nearest of the shortest; only
    /// its layout differs.
    private static func decimal(_ number: Double) -> (digits: [UInt8], point: Int) {
        var digits: [UInt8] = []
        var point: Int?
        var exponent: Int?
        var exponentIsNegative = false
        for byte in number.description.utf8 {
            switch byte {
            case 0x2E: point = digits.count
            case 0x65: exponent = 0
            case 0x2D: exponentIsNegative = true
            case 0x2B: continue
            default:
                if let known = exponent {
                    exponent = known * 10 + Int(byte - 0x30)
                } else {
                    digits.append(byte)
                }
            }
        }
        let shift = exponent ?? 0
        let first = (point ?? digits.count) + (exponentIsNegative ? -shift : shift)
        let zeros = digits.prefix { $0 == 0x30 }.count
        digits.removeFirst(zeros)
        while digits.last == 0x30 { digits.removeLast() }
        return (digits, first - zeros)
    }
}
