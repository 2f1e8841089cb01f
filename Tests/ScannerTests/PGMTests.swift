import PorticoZBar
import Testing

@Suite("PGM")
struct PGMTests {
    @Test("Binary samples are read as they are")
    func binary() throws {
        let picture = try parse("P5\n2 3\n255\n", [0, 10, 32, 255, 128, 9])
        #expect(picture.width == 2 && picture.height == 3)
        #expect(picture.luma == [0, 10, 32, 255, 128, 9])
    }

    @Test("Decimal samples are read over any white space, and comments are passed over")
    func decimal() throws {
        let picture = try parse("P2 # a comment 9 9\n#another\r3\t2\u{b}255\n0 1 2\n\n  254 # last\n255 7")
        #expect(picture.width == 3 && picture.height == 2)
        #expect(picture.luma == [0, 1, 2, 254, 255, 7])
    }

    @Test("Samples are scaled to 255, sixteen bits too, and none passes it")
    func scaled() throws {
        #expect(try parse("P2 3 1 3 0 1 3").luma == [0, 85, 255])
        #expect(try parse("P2 2 1 10 9 99").luma == [229, 255])
        #expect(try parse("P5 3 1 65535 ", [0, 0, 0x80, 0, 0xff, 0xff]).luma == [0, 127, 255])
        #expect(try parse("P5 2 1 1 ", [0, 1]).luma == [0, 255])
    }

    @Test("The first sample may be a white space's byte")
    func firstSample() throws {
        #expect(try parse("P5 1 1 255\n", [0x0a]).luma == [0x0a])
    }

    @Test(
        "What is not a whole PGM of a decent size is refused",
        arguments: [
            "", "P", "P5", "P6 1 1 255 aaa", "P5 1 1 255", "P5 2 2 255 abc", "P5 0 5 255 ", "P5 5 0 255 ", "P5 1 1 0 a",
            "P5 1 1 65536 aa", "P5 -1 1 255 a", "P5 8001 8000 255 a", "P5 999999999 999999999 255 a",
            "P5 99999999999999999999 1 255 a", "P51 1 255 a", "P5 1 1 # 255 a", "P2 2 2 255 1 2 3",
            "P2 2 2 255 1 2 3 x",
            "P2 1 1 255 9999999999", "P2 3 1 255 12 3",
        ])
    func refused(text: String) {
        #expect(throws: PictureError.self) { try parse(text) }
    }

    private func parse(_ header: String, _ samples: [UInt8] = []) throws -> LumaPicture {
        try PGMParser.parse((Array(header.utf8) + samples)[...])
    }
}
