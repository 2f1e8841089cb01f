import Portico

/// A colour as a token gives it (Color Module 2025.10).
///
/// ```swift
/// let amber = DesignColor(hex: "#b45309")
/// print(amber?.hex ?? "")  // #b45309
/// ```
public struct DesignColor: Sendable, Hashable {
    /// The colour space by its name in the format: `srgb`, `display-p3`, `oklch` ….
    public let space: String
    /// The three components in the units of the space; nil where a component is `none`.
    public let components: [Double?]
    /// How much it covers, from 0 to 1.
    public let alpha: Double
    /// The colour in sRGB, each from 0 to 1, gamut-mapped by clipping where the space has more.
    public let srgb: SRGB

    /// Red, green and blue, encoded, from 0 to 1.
    public struct SRGB: Sendable, Hashable {
        /// One component.
        public var red, green, blue: Double

        /// Puts a colour together.
        public init(red: Double, green: Double, blue: Double) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// Reads a colour in the hexadecimal notation of CSS Color 4 §5.2: `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`.
    ///
    /// Nil for every other text: there is no `0x`, alpha comes last, and digits are those of ASCII.
    public init?(hex: String) {
        let text = [UInt8](hex.utf8)
        guard text.first == UInt8(ascii: "#"), [4, 5, 7, 9].contains(text.count) else { return nil }
        let digits = Array(text.dropFirst())
        // Of the short forms each digit counts twice.
        let doubled = digits.count < 6 ? digits.flatMap { [$0, $0] } : digits
        guard let bytes = Hexadecimal.decode(doubled) else { return nil }
        let values = bytes.map { Double($0) / 255 }
        self.init(.srgb, [values[0], values[1], values[2]], alpha: values.count == 4 ? values[3] : 1)
    }

    /// - Parameter components: Within the ranges of the space, or nil for `none`.
    init(_ space: ColorSpace, _ components: [Double?], alpha: Double) {
        self.space = space.rawValue
        self.components = components
        self.alpha = alpha
        // `none` is 0 wherever a colour is shown (CSS Color 4 §4.4).
        let values = components.map { $0 ?? 0 }
        let rgb = space.srgb(Vector(values[0], values[1], values[2])).map { min(max($0, 0), 1) }
        srgb = SRGB(red: rgb[0], green: rgb[1], blue: rgb[2])
    }

    /// The colour in sRGB with eight bits a component, `#rrggbb`; with two digits more where it is translucent.
    public var hex: String {
        alpha < 1 ? "#" + Hexadecimal.encode(bytes) : opaqueHex
    }

    /// Red, green, blue of sRGB and alpha, eight bits each.
    package var bytes: [UInt8] { srgb.bytes + [Self.byte(alpha)] }

    /// The same without alpha.
    var opaqueHex: String { "#" + Hexadecimal.encode(srgb.bytes) }

    /// The byte nearest to a value from 0 to 1.
    static func byte(_ value: Double) -> UInt8 { UInt8((value * 255).rounded()) }
}

extension DesignColor.SRGB {
    /// Eight bits a component.
    var bytes: [UInt8] { [red, green, blue].map(DesignColor.byte) }
}
