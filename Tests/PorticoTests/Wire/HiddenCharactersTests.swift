import Portico
import Testing

@Suite("What is not seen where text is shown")
struct HiddenCharactersTests {
    @Test(
        "Controls, directions, joiners, ends of lines, blank letters and what has no meaning are hidden",
        arguments: [
            0x00, 0x09, 0x0A, 0x1B, 0x1F, 0x7F, 0x85, 0x9F, 0xAD, 0x61C, 0x115F, 0x3164, 0x200B, 0x200D, 0x200E, 0x2028,
            0x2029, 0x202E, 0x2066, 0xE000, 0xFEFF, 0xFFA0, 0xFFFE, 0xE0001, 0xE0041, 0xE0FFF,
        ])
    func hidden(_ value: UInt32) throws {
        #expect(try #require(Unicode.Scalar(value)).isHidden)
    }

    @Test(
        "Letters, spaces, marks, pictures and what chooses a picture are not",
        arguments: [
            0x20, 0x21, 0x7E, 0xA0, 0xE9, 0x301, 0x5D0, 0x627, 0x3042, 0x3000, 0xFE0F, 0xFFFD, 0x1F600, 0x1F3FD,
        ])
    func visible(_ value: UInt32) throws {
        #expect(try !#require(Unicode.Scalar(value)).isHidden)
    }
}
