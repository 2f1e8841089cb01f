import Portico

/// The text of a code, cleaned the same way on every path.
///
/// Readers prefix what the room must not see: removed are, in this order, a byte-order mark, white space at both ends,
/// one AIM identifier (`]`, a letter, a digit; ISO/IEC 15424) and ECI marks (`\` and six digits; AIM ITS/04-001).
enum CodeText {
    /// The longest text of a ticket: version 40-L of a QR code holds 2,953 bytes (ISO/IEC 18004 §7.4).
    static let maximumLength = 2_953

    /// What is read at most before a code is called malformed: the longest text and some wrapping around it.
    static let maximumRawLength = maximumLength + 1_024

    /// The cleaned text; nil where the code is too long to be a ticket, decided without reading it.
    static func cleaned(_ code: [UInt8]) -> [UInt8]? {
        guard code.count <= maximumRawLength else { return nil }
        var rest = code[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while let first = rest.first, isWhiteSpace(first) { rest = rest.dropFirst() }
        while let last = rest.last, isWhiteSpace(last) { rest = rest.dropLast() }
        if isAIMIdentifier(rest.prefix(3)) { rest = rest.dropFirst(3) }
        while isECIMark(rest.prefix(7)) { rest = rest.dropFirst(7) }
        guard rest.count <= maximumLength else { return nil }
        return rest.count == code.count ? code : Array(rest)
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isAIMIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count == 3, bytes.first == UInt8(ascii: "]"), let last = bytes.last, isDigit(last) else {
            return false
        }
        let letter = bytes[bytes.startIndex + 1] | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
    }

    private static func isECIMark(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 7 && bytes.first == UInt8(ascii: "\\") && bytes.dropFirst().allSatisfy(isDigit)
    }
}
