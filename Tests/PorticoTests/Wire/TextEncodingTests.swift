import Portico
import Testing

@Suite("Base64url and hexadecimal")
struct TextEncodingTests {
    /// RFC 4648 §10, without its padding.
    @Test(
        "Base64url writes and reads the published vectors",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func published(plain: String, text: String) {
        #expect(Base64URL.encode([UInt8](plain.utf8)) == text)
        #expect(Base64URL.decode(text) == [UInt8](plain.utf8))
    }

    @Test("Base64url uses the minus and the low line")
    func alphabet() {
        #expect(Base64URL.encode([0xFB, 0xEF, 0xBE]) == "----")
        #expect(Base64URL.encode([0xFF, 0xFF, 0xFF]) == "____")
        #expect(Base64URL.decode("-_-_") == [0xFB, 0xFF, 0xBF])
    }

    @Test(
        "Base64url refuses every other spelling",
        arguments: [
            "QR", "QQ==", "QQ=", "Zm9", "Zm9=", "Z", "Zm9vY", "+/+/", "Zm 9", "Zm9v\n", " Zm9v", "Zm9v=", "Zg\u{0}",
            "Zé", "\u{FEFF}Zm9v", "====", "=", "Zm.v", "Zm9vQR", "Zm9vZm9", "ZZ", "__", "_w_", "Zm9@", "Zm9[", "Zm9`",
            "Zm9{", "Zm9/", "Zm9:", "Zm9^",
        ])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
        #expect(Base64URL.decode([UInt8](text.utf8)) == nil)
    }

    @Test("Of all texts of two and of three characters exactly the canonical ones are read, each as itself")
    func exhaustive() {
        var read = 0
        for first in UInt8(0)...255 {
            for second in UInt8(0)...255 {
                guard let bytes = Base64URL.decode([first, second]) else { continue }
                read += 1
                #expect([UInt8](Base64URL.encode(bytes).utf8) == [first, second])
            }
        }
        #expect(read == 256)
        for third in UInt8(0)...255 {
            let bytes = Base64URL.decode([0x51, 0x51, third])
            #expect((bytes != nil) == "AEIMQUYcgkosw048".utf8.contains(third), "third \(third)")
        }
    }

    @Test("Base64url survives the round trip at every length, from a slice too")
    func roundTrip() {
        var random = SeededGenerator(seed: 11)
        for length in 0..<100 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = [UInt8](Base64URL.encode(bytes).utf8)
            #expect(Base64URL.decode(text) == bytes)
            #expect(Base64URL.decode(([0x21] + text + [0x21])[1..<(text.count + 1)]) == bytes)
        }
    }

    @Test("Hexadecimal is written in lower case and read in either")
    func hexadecimal() {
        #expect(Hexadecimal.encode([0x00, 0x9A, 0xBC, 0xDE, 0xF0, 0x12]) == "009abcdef012")
        #expect(Hexadecimal.decode("009aBCdeF012") == [0x00, 0x9A, 0xBC, 0xDE, 0xF0, 0x12])
        #expect(Hexadecimal.decode("") == [])
        for text in ["0", "0g", "G0", "0x", " 0", "00 ", "/0", ":0", "@0", "`0", "٠٠"] {
            #expect(Hexadecimal.decode(text) == nil, "\(text)")
        }
    }
}

/// SplitMix64: the same numbers for the same seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
