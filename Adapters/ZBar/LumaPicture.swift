/// A picture in shades of grey, one byte a pixel, row by row from the top left; 0 is black.
package struct LumaPicture: Sendable, Hashable {
    /// The most pixels that a picture may claim: about what the largest phone cameras make. Whoever writes a header
    /// chooses its numbers, so they are held to this before any memory is asked for.
    package static let mostPixels = 64 * 1_000_000

    package let width: Int
    package let height: Int
    package let luma: [UInt8]

    package init(width: Int, height: Int, luma: [UInt8]) {
        self.width = width
        self.height = height
        self.luma = luma
    }

    /// The number of pixels of a picture of these sides; nil where a side is not positive or the picture too large.
    package static func pixels(width: Int, height: Int) -> Int? {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        return width > 0 && height > 0 && !overflow && pixels <= mostPixels ? pixels : nil
    }
}

/// Why a picture cannot be had from its bytes; the text is for people.
package struct PictureError: Error, Sendable, Hashable {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    static func size(_ width: Int, _ height: Int) -> PictureError {
        PictureError("\(width) × \(height) pixels are none or too many")
    }
}
