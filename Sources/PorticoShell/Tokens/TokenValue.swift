/// What a token stands for (Format Module 2025.10 §8 and §9).
public enum TokenValue: Sendable, Hashable {
    /// A colour.
    case color(DesignColor)
    /// A length.
    case dimension(Dimension)
    /// Font families, the first that is installed.
    case fontFamily([String])
    /// The weight of a font, 1 to 1000.
    case fontWeight(Double)
    /// A time, in milliseconds.
    case duration(milliseconds: Double)
    /// An easing curve by its two control points.
    case cubicBezier(x1: Double, y1: Double, x2: Double, y2: Double)
    /// A number.
    case number(Double)
    /// How a line is drawn.
    case strokeStyle(LineStyle)
    // In a box of its own: it is the largest by far, and every other value would take as much room.
    /// A line around something.
    indirect case border(color: DesignColor, width: Dimension, style: LineStyle)
    /// How one state becomes another; times in milliseconds.
    case transition(duration: Double, delay: Double, timing: [Double])
    /// Shadows, the first on top.
    case shadow([Shadow])
    /// A gradient, as stops from 0 to 1.
    case gradient([GradientStop])
    /// How text is set.
    case typography(Typography)

    /// The name of its type in a file.
    public var type: String {
        switch self {
        case .color: "color"
        case .dimension: "dimension"
        case .fontFamily: "fontFamily"
        case .fontWeight: "fontWeight"
        case .duration: "duration"
        case .cubicBezier: "cubicBezier"
        case .number: "number"
        case .strokeStyle: "strokeStyle"
        case .border: "border"
        case .transition: "transition"
        case .shadow: "shadow"
        case .gradient: "gradient"
        case .typography: "typography"
        }
    }
}

/// A length.
public struct Dimension: Sendable, Hashable {
    /// What it is measured in.
    public enum Unit: String, Sendable, Hashable {
        /// Points, which the format calls pixels.
        case px
        /// Multiples of the base size of text, which is 16 points.
        case rem
    }

    /// How many.
    public var value: Double
    /// Of what.
    public var unit: Unit

    /// Puts a length together.
    public init(_ value: Double, _ unit: Unit = .px) {
        self.value = value
        self.unit = unit
    }

    /// In points, at the default size of text.
    public var points: Double { unit == .px ? value : value * 16 }
}

/// How a line is drawn.
public enum LineStyle: Sendable, Hashable {
    /// A style by its name: solid, dashed, dotted, double, groove, ridge, outset, inset.
    case named(String)
    /// Lengths drawn and left out in turn, and how their ends look: round, butt, square.
    case dashes([Dimension], cap: String)
}

/// One shadow.
public struct Shadow: Sendable, Hashable {
    /// Its colour.
    public var color: DesignColor
    /// How far it is moved to the right and down.
    public var offsetX, offsetY: Dimension
    /// How soft it is, and how much larger than what casts it.
    public var blur, spread: Dimension
    /// Whether it falls inside.
    public var isInset: Bool
}

/// One colour of a gradient.
public struct GradientStop: Sendable, Hashable {
    /// The colour.
    public var color: DesignColor
    /// Where it is, from 0 to 1.
    public var position: Double
}

/// How text is set.
public struct Typography: Sendable, Hashable {
    /// Families, the first that is installed.
    public var families: [String]
    /// The size of the font.
    public var size: Dimension
    /// The weight, 1 to 1000.
    public var weight: Double
    /// The space between letters.
    public var letterSpacing: Dimension
    /// The height of a line as a multiple of the size.
    public var lineHeight: Double
}
