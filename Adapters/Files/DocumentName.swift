/// A document's name as the name of its file.
///
/// Lower-case letters, digits, `-` and `_` stay, every other byte is `%` and two digits: upper-case letters too, since
/// file systems exist that take them for the lower-case ones. A name that becomes too long for a file that way is
/// written in base 32 instead, after an `=`; 128 bytes are 205 letters then.
enum DocumentName {
    static let suffix = ".document"
    private static let longestEscaped = 200
    private static let digits = Array("0123456789abcdef".utf8)
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    static func file(_ name: String) -> String {
        var escaped: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                escaped.append(byte)
            default: escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        let text = escaped.count <= longestEscaped ? escaped : [UInt8(ascii: "=")] + base32(Array(name.utf8))
        return String(decoding: text, as: UTF8.self) + suffix
    }

    private static func base32(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(letters[Int(bits >> UInt32(count) & 31)])
            }
        }
        if count > 0 { text.append(letters[Int(bits << UInt32(5 - count) & 31)]) }
        return text
    }
}
