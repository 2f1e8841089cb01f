/// Reads a PGM picture (Netpbm's portable grey map): P5, binary, and P2, decimal numbers.
///
/// Only the first picture of a file is read. 16-bit samples are scaled down to 8.
package struct PGMParser {
    private var rest: ArraySlice<UInt8>

    /// The picture in these bytes.
    ///
    /// - Throws: `PictureError` for whatever is not a PGM, is cut short, or claims too much.
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(PictureError) -> LumaPicture {
        var parser = PGMParser(rest: bytes)
        return try parser.picture()
    }

    private mutating func picture() throws(PictureError) -> LumaPicture {
        let magic = rest.prefix(2)
        rest = rest.dropFirst(2)
        let isBinary = magic.elementsEqual("P5".utf8)
        guard isBinary || magic.elementsEqual("P2".utf8) else { throw PictureError("not a PGM") }
        let width = try number("width")
        let height = try number("height")
        let white = try number("largest value")
        guard let pixels = LumaPicture.pixels(width: width, height: height) else { throw .size(width, height) }
        guard (1...65_535).contains(white) else { throw PictureError("the largest value is \(white)") }
        let luma = isBinary ? try binary(pixels, white) : try decimal(pixels, white)
        return LumaPicture(width: width, height: height, luma: luma)
    }

    private mutating func binary(_ pixels: Int, _ white: Int) throws(PictureError) -> [UInt8] {
        // One white space ends the header; a sample may look like more of it.
        guard let end = rest.popFirst(), isSpace(end) else { throw PictureError("no white space ends the header") }
        let width = white > 255 ? 2 : 1
        guard rest.count >= pixels * width else { throw PictureError("cut short: \(rest.count) bytes of samples") }
        let samples = rest.prefix(pixels * width)
        if white == 255 { return Array(samples) }
        var luma: [UInt8] = []
        luma.reserveCapacity(pixels)
        var index = samples.startIndex
        while index < samples.endIndex {
            let value = width == 1 ? Int(samples[index]) : Int(samples[index]) << 8 | Int(samples[index + 1])
            luma.append(UInt8(min(value, white) * 255 / white))
            index += width
        }
        return luma
    }

    private mutating func decimal(_ pixels: Int, _ white: Int) throws(PictureError) -> [UInt8] {
        // A digit and the white space before it are the least that a sample takes.
        guard rest.count >= pixels * 2 else { throw PictureError("cut short: \(rest.count) bytes of samples") }
        var luma: [UInt8] = []
        luma.reserveCapacity(pixels)
        for _ in 0..<pixels { luma.append(UInt8(min(try number("sample"), white) * 255 / white)) }
        return luma
    }

    /// A decimal number after white space and comments, which begin with `#` and end with the line.
    private mutating func number(_ what: String) throws(PictureError) -> Int {
        let before = rest.count
        skip()
        guard rest.count < before else { throw PictureError("no white space before the \(what)") }
        var value = 0
        var digits = 0
        while let byte = rest.first, byte >= 0x30, byte <= 0x39 {
            rest = rest.dropFirst()
            digits += 1
            guard digits <= 9 else { throw PictureError("the \(what) has too many digits") }
            value = value * 10 + Int(byte - 0x30)
        }
        guard digits > 0 else { throw PictureError("no \(what)") }
        return value
    }

    private mutating func skip() {
        while let byte = rest.first {
            if byte == UInt8(ascii: "#") {
                rest = rest.drop { $0 != 0x0a && $0 != 0x0d }
            } else if isSpace(byte) {
                rest = rest.dropFirst()
            } else {
                return
            }
        }
    }

    /// White space as C's isspace has it, which Netpbm goes by.
    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }
}
