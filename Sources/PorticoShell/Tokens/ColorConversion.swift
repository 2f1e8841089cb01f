import Foundation

/// The colour spaces of the Color Module 2025.10 §4.2, and how each becomes sRGB.
///
/// The formulas are those of CSS Color 4 §10 to §18. The matrices follow from the primaries and white points that it
/// gives there, with the Bradford adaptation between D50 and D65.
enum ColorSpace: String, CaseIterable {
    case srgb
    case srgbLinear = "srgb-linear"
    case hsl, hwb, lab, lch, oklab, oklch
    case displayP3 = "display-p3"
    case a98RGB = "a98-rgb"
    case prophotoRGB = "prophoto-rgb"
    case rec2020
    case xyzD65 = "xyz-d65"
    case xyzD50 = "xyz-d50"

    static let names = allCases.map(\.rawValue)

    /// What a component may be.
    enum Component {
        case unit, percentage, hue, chroma, signed

        func contains(_ value: Double) -> Bool {
            switch self {
            case .unit: (0...1).contains(value)
            case .percentage: (0...100).contains(value)
            case .hue: (0..<360).contains(value)
            case .chroma: value >= 0
            case .signed: true
            }
        }

        var description: String {
            switch self {
            case .unit: "from 0 to 1"
            case .percentage: "from 0 to 100"
            case .hue: "from 0 up to, not including, 360"
            case .chroma: "0 or more"
            case .signed: "a smaller number"
            }
        }
    }

    /// What the three components may be.
    var ranges: [Component] {
        switch self {
        case .hsl, .hwb: [.hue, .percentage, .percentage]
        case .lab: [.percentage, .signed, .signed]
        case .lch: [.percentage, .chroma, .hue]
        case .oklab: [.unit, .signed, .signed]
        case .oklch: [.unit, .chroma, .hue]
        default: [.unit, .unit, .unit]
        }
    }

    /// Encoded red, green and blue, which leave 0 to 1 where sRGB has no such colour.
    func srgb(_ components: Vector) -> Vector {
        switch self {
        case .srgb: components
        case .srgbLinear: components.map(Self.encoded)
        case .hsl: Self.hsl(components[0], components[1] / 100, components[2] / 100)
        case .hwb: Self.hwb(components[0], components[1] / 100, components[2] / 100)
        case .lab: Self.fromD50(Self.labToXYZ(components))
        case .lch: Self.fromD50(Self.labToXYZ(Self.rectangular(components)))
        case .oklab: Self.oklab(components)
        case .oklch: Self.oklab(Self.rectangular(components))
        case .displayP3: Self.fromD65(Self.displayP3ToXYZ * components.map(Self.linear))
        case .a98RGB: Self.fromD65(Self.a98RGBToXYZ * components.map { Self.power($0, 563 / 256) })
        case .prophotoRGB: Self.fromD50(Self.prophotoRGBToXYZ * components.map(Self.linearProphoto))
        case .rec2020: Self.fromD65(Self.rec2020ToXYZ * components.map(Self.linearRec2020))
        case .xyzD65: Self.fromD65(components)
        case .xyzD50: Self.fromD50(components)
        }
    }

    // MARK: Transfer functions

    /// Linear light of an encoded component of sRGB or Display P3 (CSS Color 4 §10.2).
    static func linear(_ value: Double) -> Double {
        let size = abs(value)
        return size <= 0.04045 ? value / 12.92 : copysign(pow((size + 0.055) / 1.055, 2.4), value)
    }

    private static func encoded(_ value: Double) -> Double {
        let size = abs(value)
        return size > 0.0031308 ? copysign(1.055 * pow(size, 1 / 2.4) - 0.055, value) : 12.92 * value
    }

    private static func power(_ value: Double, _ exponent: Double) -> Double {
        copysign(pow(abs(value), exponent), value)
    }

    private static func linearProphoto(_ value: Double) -> Double {
        abs(value) <= 16.0 / 512 ? value / 16 : power(value, 1.8)
    }

    private static func linearRec2020(_ value: Double) -> Double {
        let alpha = 1.09929682680944
        let beta = 0.018053968510807
        let size = abs(value)
        return size < beta * 4.5 ? value / 4.5 : copysign(pow((size + alpha - 1) / alpha, 1 / 0.45), value)
    }

    // MARK: Models over sRGB (CSS Color 4 §7 and §8)

    private static func hsl(_ hue: Double, _ saturation: Double, _ lightness: Double) -> Vector {
        func channel(_ number: Double) -> Double {
            let k = (number + hue / 30).truncatingRemainder(dividingBy: 12)
            return lightness - saturation * min(lightness, 1 - lightness) * max(-1, min(k - 3, 9 - k, 1))
        }
        return Vector(channel(0), channel(8), channel(4))
    }

    private static func hwb(_ hue: Double, _ white: Double, _ black: Double) -> Vector {
        guard white + black < 1 else {
            let gray = white / (white + black)
            return Vector(gray, gray, gray)
        }
        return hsl(hue, 1, 0.5).map { $0 * (1 - white - black) + white }
    }

    // MARK: Lab and Oklab (CSS Color 4 §9)

    private static func rectangular(_ polar: Vector) -> Vector {
        let angle = polar[2] * .pi / 180
        return Vector(polar[0], polar[1] * cos(angle), polar[1] * sin(angle))
    }

    private static func labToXYZ(_ lab: Vector) -> Vector {
        let kappa = 24_389.0 / 27
        let epsilon = 216.0 / 24_389
        let y = (lab[0] + 16) / 116
        let x = y + lab[1] / 500
        let z = y - lab[2] / 200
        func cubed(_ value: Double) -> Double {
            let cube = value * value * value
            return cube > epsilon ? cube : (116 * value - 16) / kappa
        }
        return Vector(
            cubed(x) * 0.3457 / 0.3585, lab[0] > kappa * epsilon ? y * y * y : lab[0] / kappa,
            cubed(z) * (1 - 0.3457 - 0.3585) / 0.3585)
    }

    private static func oklab(_ components: Vector) -> Vector {
        fromD65(lmsToXYZ * (oklabToLMS * components).map { $0 * $0 * $0 })
    }

    // MARK: CIE XYZ (CSS Color 4 §10 and §11)

    private static func fromD65(_ xyz: Vector) -> Vector {
        (xyzToSRGB * xyz).map(encoded)
    }

    private static func fromD50(_ xyz: Vector) -> Vector {
        fromD65(d50ToD65 * xyz)
    }

    private static let xyzToSRGB = Matrix(
        Vector(3.2409699419045213, -1.5373831775700935, -0.4986107602930033),
        Vector(-0.9692436362808798, 1.8759675015077206, 0.04155505740717561),
        Vector(0.05563007969699361, -0.20397695888897657, 1.0569715142428786))
    private static let d50ToD65 = Matrix(
        Vector(0.9554734214880752, -0.023098454948764523, 0.06325924320057066),
        Vector(-0.028369709333863583, 1.0099953980813041, 0.021041441191917306),
        Vector(0.012314014864481996, -0.02050764929889898, 1.330365926242124))
    private static let displayP3ToXYZ = Matrix(
        Vector(0.48657094864821626, 0.26566769316909294, 0.1982172852343625),
        Vector(0.22897456406974884, 0.6917385218365062, 0.079286914093745),
        Vector(0, 0.045113381858902575, 1.0439443689009757))
    private static let a98RGBToXYZ = Matrix(
        Vector(0.5766690429101308, 0.18555823790654627, 0.18822864623499472),
        Vector(0.29734497525053616, 0.627363566255466, 0.07529145849399789),
        Vector(0.027031361386412378, 0.07068885253582714, 0.9913375368376389))
    private static let prophotoRGBToXYZ = Matrix(
        Vector(0.7977666449006423, 0.13518129740053308, 0.0313477341283922),
        Vector(0.2880748288194013, 0.711835234241873, 8.99369387256457e-05),
        Vector(0, 0, 0.8251046025104602))
    private static let rec2020ToXYZ = Matrix(
        Vector(0.6369580483012913, 0.14461690358620838, 0.16888097516417205),
        Vector(0.26270021201126703, 0.677998071518871, 0.059301716469861945),
        Vector(0, 0.028072693049087508, 1.0609850577107909))
    private static let oklabToLMS = Matrix(
        Vector(1, 0.3963377773761749, 0.2158037573099136),
        Vector(1, -0.1055613458156586, -0.0638541728258133),
        Vector(1, -0.0894841775298119, -1.2914855480194092))
    private static let lmsToXYZ = Matrix(
        Vector(1.2268798758459243, -0.5578149944602171, 0.2813910456659647),
        Vector(-0.0405757452148008, 1.1122868032803170, -0.0717110580655164),
        Vector(-0.0763729366746601, -0.4214933324022432, 1.5869240198367816))
}

/// Three numbers.
struct Vector {
    let values: (Double, Double, Double)

    init(_ first: Double, _ second: Double, _ third: Double) {
        values = (first, second, third)
    }

    subscript(index: Int) -> Double {
        index == 0 ? values.0 : index == 1 ? values.1 : values.2
    }

    func map(_ transform: (Double) -> Double) -> Vector {
        Vector(transform(values.0), transform(values.1), transform(values.2))
    }

    func dot(_ other: Vector) -> Double {
        values.0 * other.values.0 + values.1 * other.values.1 + values.2 * other.values.2
    }
}

/// Three rows.
private struct Matrix {
    let rows: (Vector, Vector, Vector)

    init(_ first: Vector, _ second: Vector, _ third: Vector) {
        rows = (first, second, third)
    }

    static func * (matrix: Matrix, vector: Vector) -> Vector {
        Vector(matrix.rows.0.dot(vector), matrix.rows.1.dot(vector), matrix.rows.2.dot(vector))
    }
}
