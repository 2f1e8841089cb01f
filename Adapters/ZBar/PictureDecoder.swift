#if ZBar && os(Linux)
import CZBar

/// Makes a grey picture of the bytes of a file: PNG by libpng, JPEG by libturbojpeg, PGM by `PGMParser`.
///
/// The kind is told by the first bytes and not by the file's name.
package enum PictureDecoder {
    /// The picture in these bytes.
    ///
    /// - Throws: `PictureError`, in the library's words where it was a library that refused.
    package static func decode(_ bytes: [UInt8]) throws(PictureError) -> LumaPicture {
        if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return try png(bytes) }
        if bytes.starts(with: [0xff, 0xd8, 0xff]) { return try jpeg(bytes) }
        if bytes.starts(with: "P5".utf8) || bytes.starts(with: "P2".utf8) { return try PGMParser.parse(bytes[...]) }
        throw PictureError("neither PNG, JPEG nor PGM")
    }

    /// By libpng's simplified API, which catches the library's long jumps before they reach Swift.
    private static func png(_ bytes: [UInt8]) throws(PictureError) -> LumaPicture {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, bytes, bytes.count) == 1 else {
            throw PictureError(message(image))
        }
        let (width, height) = (Int(image.width), Int(image.height))
        guard let pixels = LumaPicture.pixels(width: width, height: height) else { throw .size(width, height) }
        image.format = png_uint_32(PNG_FORMAT_GRAY)
        // What is transparent shows what was in the buffer: white paper.
        var luma = [UInt8](repeating: 255, count: pixels)
        guard png_image_finish_read(&image, nil, &luma, png_int_32(width), nil) == 1 else {
            throw PictureError(message(image))
        }
        return LumaPicture(width: width, height: height, luma: luma)
    }

    private static func message(_ image: png_image) -> String {
        withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func jpeg(_ bytes: [UInt8]) throws(PictureError) -> LumaPicture {
        guard let decoder = tjInitDecompress() else { throw PictureError("libturbojpeg does not start") }
        defer { tjDestroy(decoder) }
        var (width, height, subsampling, colours) = (CInt(0), CInt(0), CInt(0), CInt(0))
        let size = CUnsignedLong(bytes.count)
        guard tjDecompressHeader3(decoder, bytes, size, &width, &height, &subsampling, &colours) == 0 else {
            throw PictureError(String(cString: tjGetErrorStr2(decoder)))
        }
        guard let pixels = LumaPicture.pixels(width: Int(width), height: Int(height)) else {
            throw .size(Int(width), Int(height))
        }
        var luma = [UInt8](repeating: 255, count: pixels)
        // A few bytes can ask for any number of passes over the picture.
        let flags = TJFLAG_LIMITSCANS
        let code = tjDecompress2(decoder, bytes, size, &luma, width, 0, height, CInt(TJPF_GRAY.rawValue), flags)
        // A warning is a picture with a damaged part, in which the code may be whole.
        guard code == 0 || tjGetErrorCode(decoder) == CInt(TJERR_WARNING.rawValue) else {
            throw PictureError(String(cString: tjGetErrorStr2(decoder)))
        }
        return LumaPicture(width: Int(width), height: Int(height), luma: luma)
    }
}
#endif
