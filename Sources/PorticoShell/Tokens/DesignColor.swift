/// A colour as a token gives it (Color Module 2025.10).
public struct DesignColor: Sendable, Hashable {
    /// The colour space by its name in the format: `srgb`, `display-p3`, `oklch` ….
    public var space: String
    /// The three components in the units of the space; nil where a component is `none`.
    public var components: [Double?]
    /// How much it covers, from 0 to 1.
    public var alpha: Double
    /// The colour in sRGB, each from 0 to 1, gamut-mapped by clipping where the space has more.
    public var srgb: SRGB

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
}
