import Foundation

/// A QR code in the middle of a white square of grey pixels.
///
/// The tool `qrencode` says which modules are dark, so that a scanner is not checked by the library that it uses itself.
public struct QRDrawing: Sendable {
    private static let side = 320

    /// One byte a pixel, row by row; 0 is black.
    private let luma: [UInt8]

    /// Draws a code of these bytes.
    ///
    /// - Throws: `ToolFailure` where the tool is missing or fails, which it does for more bytes than a code can hold.
    init(_ bytes: [UInt8]) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/code"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        // Each module is two characters wide; the margin that a code needs (ISO/IEC 18004 §6.3.8) is among the lines.
        let text = try Tool.qrencode.output(["-8", "-r", file, "-l", "M", "-m", "4", "-t", "ASCII", "-o", "-"])
        let rows = text.split(separator: UInt8(ascii: "\n")).map { line in
            line.enumerated().compactMap { index, byte in index.isMultiple(of: 2) ? byte == UInt8(ascii: "#") : nil }
        }
        guard let width = rows.first?.count, (1...Self.side).contains(width), rows.count <= Self.side else {
            throw ToolFailure(description: "qrencode drew no code of \(bytes.count) bytes")
        }
        let pixels = min(4, Self.side / width)
        let (left, top) = ((Self.side - width * pixels) / 2, (Self.side - rows.count * pixels) / 2)
        var luma = Self.white
        for (y, row) in rows.enumerated() {
            for (x, isDark) in row.enumerated() where isDark {
                for line in 0..<pixels {
                    let start = (top + y * pixels + line) * Self.side + left + x * pixels
                    luma.replaceSubrange(start..<(start + pixels), with: repeatElement(0, count: pixels))
                }
            }
        }
        self.luma = luma
    }

    /// The tool, by its Debian package, where it is missing.
    public static func missingPackages() -> [String] {
        Tool.qrencode.path == nil ? ["qrencode"] : []
    }

    /// The picture as a portable graymap.
    var pgm: [UInt8] {
        Array("P5 \(Self.side) \(Self.side) 255\n".utf8) + luma
    }

    /// A YUV4MPEG2 stream of such pictures, 30 a second; nil is a frame with nothing to see.
    static func video(_ drawings: [QRDrawing?]) -> [UInt8] {
        Array("YUV4MPEG2 W\(side) H\(side) F30:1 Cmono\n".utf8)
            + drawings.flatMap { Array("FRAME\n".utf8) + ($0?.luma ?? white) }
    }

    private static let white = [UInt8](repeating: 255, count: side * side)
}
