import Portico

/// Refuses what engines judge differently, before any of them is asked, so that the verdict is one.
///
/// After RFC 8032 §5.1.7 and "Taming the many EdDSAs" (Chalkias, Garillot, Nikolaenko, 2020): S below the group's order,
/// A and R in their canonical encoding, neither of small order.
enum Ed25519PreCheck {
    /// Whether a signature of 64 bytes under a key of 32 bytes may be put to an engine.
    static func admits(signature: [UInt8], publicKey: [UInt8]) -> Bool {
        signature.count == 64 && isBelow(order, signature[32...]) && isUsable(point: signature[..<32])
            && isUsable(publicKey: publicKey)
    }

    /// Whether 32 bytes are a key that tickets may be signed with: canonical and not of small order.
    static func isUsable(publicKey: [UInt8]) -> Bool {
        publicKey.count == 32 && isUsable(point: publicKey[...])
    }

    private static func isUsable(point: ArraySlice<UInt8>) -> Bool {
        isCanonical(point) && !isSmallOrder(point)
    }

    /// y < p = 2^255 − 19, the sign bit aside.
    private static func isCanonical(_ point: ArraySlice<UInt8>) -> Bool {
        // All but the lowest byte of p are 0xFF (0x7F at the top), so almost every point is decided by its first look.
        let last = point[point.endIndex - 1] & 0x7F
        guard last == 0x7F else { return true }
        guard point[(point.startIndex + 1)..<(point.endIndex - 1)].allSatisfy({ $0 == 0xFF }) else { return true }
        return point[point.startIndex] < 0xED
    }

    private static func isSmallOrder(_ point: ArraySlice<UInt8>) -> Bool {
        let start = point.startIndex
        return smallOrder.contains { candidate in
            // The sign bit aside: both encodings of each point are in the list.
            (0..<31).allSatisfy { candidate[$0] == point[start + $0] } && candidate[31] == point[start + 31] & 0x7F
        }
    }

    private static func isBelow(_ bound: [UInt8], _ number: ArraySlice<UInt8>) -> Bool {
        for offset in stride(from: 31, through: 0, by: -1) {
            let digit = number[number.startIndex + offset]
            if digit != bound[offset] { return digit < bound[offset] }
        }
        return false
    }

    /// L = 2^252 + 27742317777372353535851937790883648493, little endian.
    private static let order: [UInt8] = [
        0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]

    /// The y of the eight points of small order, and of their encodings that are not canonical, without the sign bit.
    private static let smallOrder: [[UInt8]] = {
        let zeros = [UInt8](repeating: 0, count: 31)
        let ones = [UInt8](repeating: 0xFF, count: 30)
        let order8: [UInt8] = [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ]
        let order8Other: [UInt8] = [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ]
        return [
            zeros + [0], [1] + zeros, order8, order8Other,
            [0xEC] + ones + [0x7F], [0xED] + ones + [0x7F], [0xEE] + ones + [0x7F],
        ]
    }()
}
