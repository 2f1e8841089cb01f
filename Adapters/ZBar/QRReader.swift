#if ZBar && os(Linux)
import CZBar
import PorticoPOSIX

/// Finds QR codes in grey pictures: the owner of ZBar's scanner and of the image that it looks at.
package final class QRReader {
    /// ZBar's name for one byte of luma a pixel: the characters Y800, the first in the lowest byte.
    private static let luma: CUnsignedLong = 0x3030_3859

    private let scanner: OpaquePointer
    private let image: OpaquePointer

    /// - Throws: `SourceError.unavailable` where ZBar does not start or cannot give the bytes of a code as they are.
    package init() throws(SourceError) {
        guard let scanner = zbar_image_scanner_create() else { throw .unavailable("ZBar gives no scanner") }
        guard let image = zbar_image_create() else {
            zbar_image_scanner_destroy(scanner)
            throw .unavailable("ZBar gives no image")
        }
        self.scanner = scanner
        self.image = image
        zbar_image_set_format(image, Self.luma)
        // Other kinds of codes are found in noise, where QR codes are not. Binary: otherwise ZBar guesses an encoding
        // and gives UTF-8 in place of the code's bytes.
        let settings = [
            (ZBAR_NONE, ZBAR_CFG_ENABLE, CInt(0)), (ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1), (ZBAR_QRCODE, ZBAR_CFG_BINARY, 1),
        ]
        for (symbology, setting, value) in settings
        where zbar_image_scanner_set_config(scanner, symbology, setting, value) != 0 {
            throw .unavailable("ZBar does not know a setting that is needed; 0.23 does")
        }
    }

    deinit {
        zbar_image_destroy(image)
        zbar_image_scanner_destroy(scanner)
    }

    /// The bytes of the codes in a picture, the first found first.
    package func codes(in picture: LumaPicture) -> [[UInt8]] {
        zbar_image_set_size(image, CUnsignedInt(picture.width), CUnsignedInt(picture.height))
        return picture.luma.withUnsafeBytes { luma in
            // The image borrows the pixels (no cleanup handler) and gives them back before they go.
            zbar_image_set_data(image, luma.baseAddress, CUnsignedLong(luma.count), nil)
            defer { zbar_image_set_data(image, nil, 0, nil) }
            guard zbar_scan_image(scanner, image) > 0 else { return [] }
            return symbols()
        }
    }

    private func symbols() -> [[UInt8]] {
        var codes: [[UInt8]] = []
        var next = zbar_image_first_symbol(image)
        while let symbol = next {
            if zbar_symbol_get_type(symbol) == ZBAR_QRCODE, let data = zbar_symbol_get_data(symbol) {
                let count = Int(zbar_symbol_get_data_length(symbol))
                codes.append(Array(UnsafeRawBufferPointer(start: data, count: count)))
            }
            next = zbar_symbol_next(symbol)
        }
        return codes
    }
}
#endif
