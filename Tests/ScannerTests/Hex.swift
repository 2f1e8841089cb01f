/// The bytes of a text of hexadecimal digits; white space is passed over.
func hex(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
