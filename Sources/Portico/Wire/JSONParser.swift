extension JSONValue {
    /// Parses one JSON text in UTF-8.
    ///
    /// Strict RFC 8259 within I-JSON (RFC 7493 §2): no byte-order mark, no name twice in one object (compared after
    /// unescaping, as bytes), no lone surrogate, nothing but white space after the value. Integers that fit 64 bits
    /// become `.integer`; `-0` and every other number become `.number`, correctly rounded.
    /// - Parameters:
    ///   - bytes: the text.
    ///   - limits: what is accepted beyond the grammar.
    /// - Throws: the first thing that is wrong, with its place.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        self = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            guard bytes.count <= limits.maximumBytes else {
                throw JSONError(.tooManyBytes, offset: max(limits.maximumBytes, 0))
            }
            var parser = JSONParser(bytes, limits)
            return try parser.document()
        }
    }
}

/// A recursive descent over UTF-8, as deep as the limits allow and no deeper.
///
/// It holds a pointer and so must not outlive the closure that lent it; every read is at an index below the count.
private struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private let maximumDepth: Int
    private var position = 0
    private var membersLeft: Int
    /// The names of the open objects as far as they are searched one by one, by their first eight bytes.
    private var prefixes: [UInt64] = []
    /// The string in work, once it had an escape.
    private var unescaped: [UInt8] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        maximumDepth = min(limits.maximumDepth, JSONLimits.deepest)
        membersLeft = limits.maximumMembers
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { throw error(.byteOrderMark) }
        skipWhiteSpace()
        let value = try value(in: 0)
        skipWhiteSpace()
        guard position == bytes.count else { throw error(.textAfterEnd) }
        return value
    }

    // MARK: Values

    /// The value that begins here, inside containers of `depth`.
    private mutating func value(in depth: Int) throws(JSONError) -> JSONValue {
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        switch bytes[position] {
        case 0x22: return .string(try string())
        case 0x7B: return .object(try object(at: depth + 1))
        case 0x5B: return .array(try array(at: depth + 1))
        case 0x2D, 0x30...0x39: return try number()
        case 0x74:
            try literal("true")
            return .bool(true)
        case 0x66:
            try literal("false")
            return .bool(false)
        case 0x6E:
            try literal("null")
            return .null
        default: throw error(.unexpectedByte)
        }
    }

    private mutating func object(at depth: Int) throws(JSONError) -> JSONObject {
        try open(depth)
        guard !take(0x7D) else { return JSONObject() }
        var members: [JSONObject.Member] = []
        // A ticket fits at once; the many small objects of a configuration waste little.
        members.reserveCapacity(depth == 1 ? 12 : 4)
        var index: [ByteComparedText: Int]?
        let firstPrefix = prefixes.count
        repeat {
            skipWhiteSpace()
            let start = position
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            guard bytes[position] == 0x22 else { throw error(.unexpectedByte) }
            guard membersLeft > 0 else { throw error(.tooManyMembers) }
            membersLeft -= 1
            let name = try string()
            try claim(name, from: start, among: members, after: firstPrefix, &index)
            skipWhiteSpace()
            try expect(0x3A)
            skipWhiteSpace()
            members.append(JSONObject.Member(name: name, value: try value(in: depth)))
            skipWhiteSpace()
        } while take(0x2C)
        try expect(0x7D)
        prefixes.removeLast(prefixes.count - firstPrefix)
        return JSONObject(distinct: members, index: index)
    }

    private mutating func array(at depth: Int) throws(JSONError) -> [JSONValue] {
        try open(depth)
        guard !take(0x5D) else { return [] }
        var elements: [JSONValue] = []
        repeat {
            skipWhiteSpace()
            elements.append(try value(in: depth))
            skipWhiteSpace()
        } while take(0x2C)
        try expect(0x5D)
        return elements
    }

    private mutating func open(_ depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw error(.tooDeep) }
        position += 1
        skipWhiteSpace()
    }

    private mutating func literal(_ text: StaticString) throws(JSONError) {
        // A StaticString of several ASCII characters is stored as that many bytes.
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        for byte in expected { try expect(byte) }
    }

    // MARK: Members

    /// Refuses a name that the rule forbids or that the object already has, and remembers it.
    private mutating func claim(
        _ name: String, from start: Int, among members: [JSONObject.Member], after firstPrefix: Int,
        _ index: inout [ByteComparedText: Int]?
    ) throws(JSONError) {
        let isToken = limits.names == .token64
        let (isAllowed, prefix) = name.withUTF8Bytes { bytes in
            (!isToken || Self.isToken(bytes), Self.prefix(of: bytes))
        }
        guard isAllowed else { throw JSONError(.nameNotAllowed, offset: start) }
        if index != nil {
            guard index?.updateValue(members.count, forKey: ByteComparedText(name)) == nil else {
                throw JSONError(.duplicateMember, offset: start)
            }
            return
        }
        for (position, member) in members.enumerated()
        where prefixes[firstPrefix &+ position] == prefix && member.name.hasSameBytes(as: name) {
            throw JSONError(.duplicateMember, offset: start)
        }
        prefixes.append(prefix)
        if members.count == JSONObject.indexThreshold {
            var names: [ByteComparedText: Int] = [:]
            for (position, member) in members.enumerated() { names[ByteComparedText(member.name)] = position }
            names[ByteComparedText(name)] = members.count
            index = names
        }
    }

    private static func isToken(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard (1...64).contains(name.count) else { return false }
        for byte in name {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2E, 0x2D: continue
            default: return false
            }
        }
        return true
    }

    @inline(__always)
    private static func prefix(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        for index in 0..<min(8, name.count) { prefix = prefix &<< 8 | UInt64(name[index]) }
        return prefix
    }

    // MARK: Strings

    /// The string that begins at the quote here.
    private mutating func string() throws(JSONError) -> String {
        position += 1
        var start = position
        var hasEscape = false
        while true {
            position = ByteLanes.firstSpecial(in: bytes, from: position, also: ByteLanes.high)
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            let byte = bytes[position]
            if byte == 0x22 { break }
            if byte >= 0x80 {
                try sequence()
            } else if byte == 0x5C {
                if !hasEscape { unescaped.removeAll(keepingCapacity: true) }
                hasEscape = true
                unescaped.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<position]))
                try escape()
                start = position
            } else {
                throw error(.controlCharacter)
            }
        }
        let last = UnsafeBufferPointer(rebasing: bytes[start..<position])
        position += 1
        guard hasEscape else { return String(decoding: last, as: UTF8.self) }
        unescaped.append(contentsOf: last)
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// One UTF-8 sequence of two to four bytes (Unicode, table 3-7).
    private mutating func sequence() throws(JSONError) {
        let lead = bytes[position]
        let length: Int
        var scalar: UInt32
        let second: ClosedRange<UInt8>
        switch lead {
        case 0xC2...0xDF: (length, scalar, second) = (2, UInt32(lead & 0x1F), 0x80...0xBF)
        case 0xE0: (length, scalar, second) = (3, 0, 0xA0...0xBF)
        case 0xED: (length, scalar, second) = (3, 0x0D, 0x80...0x9F)
        case 0xE1...0xEF: (length, scalar, second) = (3, UInt32(lead & 0x0F), 0x80...0xBF)
        case 0xF0: (length, scalar, second) = (4, 0, 0x90...0xBF)
        case 0xF1...0xF3: (length, scalar, second) = (4, UInt32(lead & 0x07), 0x80...0xBF)
        case 0xF4: (length, scalar, second) = (4, 4, 0x80...0x8F)
        default: throw error(.invalidUTF8)
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { throw error(.invalidUTF8) }
        for index in 1..<length {
            let byte = bytes[position + index]
            guard byte & 0xC0 == 0x80 else { throw error(.invalidUTF8) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        try check(scalar, from: position)
        position += length
    }

    /// The escape at the reverse solidus here, appended to `unescaped`.
    private mutating func escape() throws(JSONError) {
        let start = position
        position += 1
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        let letter = bytes[position]
        position += 1
        switch letter {
        case 0x22, 0x5C, 0x2F: unescaped.append(letter)
        case 0x62: unescaped.append(0x08)
        case 0x66: unescaped.append(0x0C)
        case 0x6E: unescaped.append(0x0A)
        case 0x72: unescaped.append(0x0D)
        case 0x74: unescaped.append(0x09)
        case 0x75: try append(escapedScalar(from: start), from: start)
        default: throw JSONError(.invalidEscape, offset: start)
        }
    }

    /// The scalar of the `\uXXXX`, or of the pair of them, whose digits begin here.
    private mutating func escapedScalar(from start: Int) throws(JSONError) -> UInt32 {
        let unit = try fourDigits(from: start)
        guard unit & 0xF800 == 0xD800 else { return unit }
        guard unit < 0xDC00, position + 1 < bytes.count, bytes[position] == 0x5C, bytes[position + 1] == 0x75 else {
            throw JSONError(.loneSurrogate, offset: start)
        }
        let second = position
        position += 2
        let trail = try fourDigits(from: second)
        guard trail & 0xFC00 == 0xDC00 else { throw JSONError(.loneSurrogate, offset: start) }
        return 0x10000 + (unit & 0x3FF) << 10 + (trail & 0x3FF)
    }

    private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            guard let digit = Hexadecimal.value(of: bytes[position]) else {
                throw JSONError(.invalidEscape, offset: start)
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    private mutating func append(_ scalar: UInt32, from start: Int) throws(JSONError) {
        try check(scalar, from: start)
        guard let scalar = Unicode.Scalar(scalar) else { throw JSONError(.loneSurrogate, offset: start) }
        unescaped.append(contentsOf: String(scalar).utf8)
    }

    @inline(__always)
    private func check(_ scalar: UInt32, from start: Int) throws(JSONError) {
        // U+FDD0–FDEF and the last two of each plane (Unicode §23.7).
        guard !limits.allowsNoncharacters else { return }
        guard scalar & 0xFFFE != 0xFFFE, !(0xFDD0...0xFDEF).contains(scalar) else {
            throw JSONError(.noncharacter, offset: start)
        }
    }

    // MARK: Numbers

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = take(0x2D)
        let firstDigit = position
        var magnitude: UInt64 = 0
        var overflows = false
        while position < bytes.count, case let digit = bytes[position] &- 0x30, digit <= 9 {
            let (tenfold, product) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit))
            magnitude = sum
            overflows = overflows || product || carry
            position += 1
        }
        guard position > firstDigit, position == firstDigit + 1 || bytes[firstDigit] != 0x30 else {
            throw JSONError(.invalidNumber, offset: start)
        }
        let isInteger = try !fractionAndExponent(from: start)
        if limits.numbers == .integersOnly {
            guard isInteger, !(isNegative && magnitude == 0 && !overflows) else {
                throw JSONError(.numberNotAllowed, offset: start)
            }
            guard !overflows, magnitude < 1 << 53 else { throw JSONError(.numberOutOfRange, offset: start) }
        }
        if isInteger, !overflows, magnitude <= UInt64(Int64.max) + (isNegative ? 1 : 0) {
            if !isNegative { return .integer(Int64(magnitude)) }
            // Wrapping: the magnitude of the lowest integer has no positive counterpart.
            if magnitude > 0 { return .integer(0 &- Int64(truncatingIfNeeded: magnitude)) }
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        guard let number = Double(text), number.isFinite else { throw JSONError(.numberOutOfRange, offset: start) }
        return .number(number)
    }

    /// Whether a fraction or an exponent follows, and has its digits.
    private mutating func fractionAndExponent(from start: Int) throws(JSONError) -> Bool {
        var isThere = false
        if take(0x2E) {
            isThere = true
            guard digits() else { throw JSONError(.invalidNumber, offset: start) }
        }
        if take(0x65) || take(0x45) {
            isThere = true
            if !take(0x2B) { _ = take(0x2D) }
            guard digits() else { throw JSONError(.invalidNumber, offset: start) }
        }
        return isThere
    }

    private mutating func digits() -> Bool {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 <= 9 { position += 1 }
        return position > start
    }

    // MARK: Bytes

    @inline(__always)
    private mutating func skipWhiteSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        guard bytes[position] == byte else { throw error(.unexpectedByte) }
        position += 1
    }

    private func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason, offset: position)
    }
}
