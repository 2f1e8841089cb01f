@testable import PorticoShell
@testable import Shell

/// A small design made by hand, for tests of what is written from one.
enum SampleDesign {
    static func color(_ hex: UInt32, alpha: Double = 1) -> TokenValue { .color(designColor(hex, alpha: alpha)) }

    static func designColor(_ hex: UInt32, alpha: Double = 1) -> DesignColor {
        let components = [16, 8, 0].map { Double(hex >> $0 & 0xFF) / 255 }
        return DesignColor(.srgb, components, alpha: alpha)
    }

    /// The tokens of one appearance.
    static func tokens(in appearance: Appearance) -> [DesignToken] {
        let index = Appearance.allCases.firstIndex(of: appearance) ?? 0
        func color(_ name: String, _ hex: [UInt32], _ description: String? = nil) -> DesignToken {
            DesignToken(path: ["color", name], value: Self.color(hex[index]), description: description)
        }
        return [
            DesignToken(path: ["palette", "blue", "500"], value: Self.color(0x1D4ED8)),
            color("bgPrimary", [0xFAFBFC, 0x111827, 0xFFFFFF, 0x000000], "Behind everything"),
            color("textPrimary", [0x111827, 0xF9FAFB, 0x000000, 0xFFFFFF]),
            color("border", [0x6B7280, 0x9CA3AF, 0x374151, 0xD1D5DB]),
            DesignToken(path: ["color", "scrim"], value: Self.color(0x000000, alpha: 0.5)),
            DesignToken(path: ["spacing", "xs"], value: .dimension(Dimension(4))),
            DesignToken(path: ["spacing", "md"], value: .dimension(Dimension(1, .rem))),
            DesignToken(path: ["motion", "quick"], value: .duration(milliseconds: 150)),
            DesignToken(path: ["motion", "default"], value: .cubicBezier(x1: 0.2, y1: 0, x2: 0, y2: 1)),
            DesignToken(
                path: ["typography", "body"],
                value: .typography(
                    Typography(
                        families: ["system-ui", "Segoe UI"], size: Dimension(1.0625, .rem), weight: 400,
                        letterSpacing: Dimension(0), lineHeight: 1.5))),
            DesignToken(
                path: ["typography", "largeTitle"],
                value: .typography(
                    Typography(
                        families: ["Inter"], size: Dimension(34), weight: 700, letterSpacing: Dimension(-0.5),
                        lineHeight: 1.2))),
        ]
    }

    static func sheet() throws -> DesignSheet { try DesignSheet(tokens(in:)) }
}
