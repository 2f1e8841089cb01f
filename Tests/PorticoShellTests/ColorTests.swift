import Testing

@testable import PorticoShell

@Suite("Colours")
struct ColorTests {
    @Test("Hex parsers take `0x`, five digits, non-ASCII digits, or put alpha first. → CSS Color 4 only.")
    func hexadecimal() {
        for (text, hex) in [
            ("#abc", "#aabbcc"), ("#ABCD", "#aabbccdd"), ("#a1B2c3", "#a1b2c3"), ("#11223344", "#11223344"),
            ("#112233ff", "#112233"), ("#f00f", "#ff0000"), ("#00000000", "#00000000"),
        ] { #expect(DesignColor(hex: text)?.hex == hex, "\(text)") }
        // Alpha is last: this is a red that is half there, not a color of which the first byte is alpha.
        #expect(DesignColor(hex: "#ff000080")?.srgb == DesignColor.SRGB(red: 1, green: 0, blue: 0))
        #expect(DesignColor(hex: "#ff000080").map { Int($0.alpha * 255) } == 128)
        for text in [
            "0xaabbcc", "#0xabc", "abc", "aabbcc", "#", "#a", "#ab", "#abcde", "#abcdef0", "#abcdef012", "#ggg", "#-12",
            "#+12", "# abc", "#abc ", "#１２３", "#１２３４５６", "#१२३", "##abc", "#ab\u{301}c", "＃abc", "#a%c", "", "red",
            "rgb(1,2,3)", "#abc\n", "\u{FEFF}#abc",
        ] { #expect(DesignColor(hex: text) == nil, "\(text)") }
    }

    @Test("A bare hexadecimal colour is read with a warning, another text is refused")
    func bare() throws {
        let found = try tokens(##"{"a": {"$type": "color", "$value": "#1238"}}"##)
        #expect(found.warnings.map(\.pointer) == ["/a/$value"])
        #expect(found["a"]?.value == DesignColor(hex: "#11223388").map { .color($0) })
        #expect(issues(##"{"a": {"$type": "color", "$value": "#12345"}}"##).count == 1)
        #expect(issues(#"{"a": {"$type": "color", "$value": "0x123456"}}"#).count == 1)
    }

    static func issuesOf(_ color: String) -> [String] { issues(#"{"a": {"$type": "color", "$value": \#(color)}}"#) }

    @Test("hex has six digits and agrees with the components of sRGB within the rounding of eight bits")
    func agreement() {
        for (components, hex) in [
            ("[0.44, 0.753, 1]", "#70c0ff"), ("[0.467, 0.467, 0.467]", "#777777"), ("[0.2, 0.533, 0.867]", "#3388DD"),
            (#"["none", 0, 1]"#, "#0000ff"), ("[0.9804, 0.9843, 0.9882]", "#fafbfc"),
        ] {
            #expect(
                Self.issuesOf(##"{"colorSpace": "srgb", "components": \##(components), "hex": "\##(hex)"}"##).isEmpty)
        }
        #expect(
            Self.issuesOf(##"{"colorSpace": "srgb", "components": [0.467, 0.467, 0.467], "hex": "#787777"}"##)
                == ["/a/$value/hex: does not agree with the components, which are #777777; correct one of the two"])
        for hex in ["#777", "777777", "#77777", "#77777777", "#77777g", "#７７７７７７", "0x777777"] {
            #expect(
                Self.issuesOf(##"{"colorSpace": "srgb", "components": [0.467, 0.467, 0.467], "hex": "\##(hex)"}"##)
                    == ["/a/$value/hex: is a text, and should be '#' and six hexadecimal digits"])
        }
        // The fallback of a colour that sRGB may not have cannot be held against it.
        #expect(Self.issuesOf(##"{"colorSpace": "display-p3", "components": [0, 1, 0], "hex": "#00f900"}"##).isEmpty)
    }

    @Test("Components are within the ranges of their space, three, numbers or none (Color Module §4.2)")
    func ranges() {
        for (space, components) in [
            ("srgb", "[1.01, 0, 0]"), ("srgb", "[0, -0.1, 0]"), ("srgb-linear", "[0, 0, 2]"), ("hsl", "[360, 0, 0]"),
            ("hsl", "[0, 101, 0]"), ("hwb", "[0, 0, -1]"), ("lab", "[101, 0, 0]"), ("lch", "[50, -1, 0]"),
            ("lch", "[50, 1, 360]"), ("oklab", "[1.1, 0, 0]"), ("oklch", "[0.5, 0.1, -1]"), ("display-p3", "[2, 0, 0]"),
            ("a98-rgb", "[2, 0, 0]"), ("prophoto-rgb", "[2, 0, 0]"), ("rec2020", "[2, 0, 0]"), ("xyz-d65", "[2, 0, 0]"),
            ("xyz-d50", "[0, 0, -1]"), ("srgb", #"["None", 0, 0]"#), ("srgb", "[null, 0, 0]"), ("lab", "[0, 1e300, 0]"),
        ] {
            let found = Self.issuesOf(#"{"colorSpace": "\#(space)", "components": \#(components)}"#)
            #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("/a/$value/components/") }, "\(found)")
        }
        for color in [
            #"{"colorSpace": "srgb", "components": [0, 0]}"#, #"{"colorSpace": "sRGB", "components": [0, 0, 0]}"#,
            #"{"colorSpace": "xyz", "components": [0, 0, 0]}"#, #"{"components": [0, 0, 0]}"#,
            #"{"colorSpace": "srgb"}"#, #"{"colorSpace": "srgb", "components": [0, 0, 0], "alpha": 1.1}"#,
            #"{"colorSpace": "srgb", "components": [0, 0, 0], "alpha": "none"}"#, "7", "[]",
            #"{"colorSpace": "srgb", "channels": [0, 0, 0]}"#,
        ] { #expect(!Self.issuesOf(color).isEmpty, "\(color)") }
        #expect(Self.issuesOf(#"{"colorSpace": "hsl", "components": ["none", 0, 100]}"#).isEmpty)
    }

    /// Pairs of CSS Color 4 and of the tests that CSS itself is held to (web-platform-tests, css/css-color).
    static let conversions: [(ColorSpace, [Double], String)] = [
        (.srgb, [0.2, 0.4, 0.6], "#336699"), (.srgbLinear, [0.215861, 0.215861, 0.215861], "#808080"),
        // §7: hsl(120 100% 25%) is green; hsl(30 100% 50%) and its lighter kin.
        (.hsl, [120, 100, 25], "#008000"), (.hsl, [30, 100, 50], "#ff8000"), (.hsl, [270, 50, 40], "#663399"),
        // §8: hwb(150 20% 10%) is hsl(150 77.78% 55%); white and black over 100 are gray.
        (.hwb, [150, 20, 10], "#33e68c"), (.hwb, [45, 40, 80], "#555555"), (.hwb, [0, 0, 0], "#ff0000"),
        // css-color/lab-*, lch-*, oklab-*, oklch-*: green and what the same pages hold beside it.
        (.lab, [46.2775, -47.5621, 48.5837], "#008000"), (.lab, [0, 0, 0], "#000000"), (.lab, [100, 0, 0], "#ffffff"),
        (.lab, [29.2345, 39.3825, 20.0664], "#7d2329"), (.lch, [46.2775, 67.9892, 134.3912], "#008000"),
        (.oklab, [0.51975, -0.1403, 0.10768], "#008000"), (.oklch, [0.51975, 0.17686, 142.495], "#008000"),
        (.oklch, [0.627966, 0.257704, 29.2346], "#ff0000"), (.oklab, [1, 0, 0], "#ffffff"),
        // css-color/predefined-*: all of them are the green #008000, but in other spaces.
        (.displayP3, [0.21604, 0.49418, 0.13151], "#008000"), (.a98RGB, [0.281363, 0.498012, 0.116746], "#008000"),
        (.prophotoRGB, [0.230479, 0.395789, 0.129968], "#008000"),
        (.rec2020, [0.235202, 0.431704, 0.085432], "#008000"),
        (.xyzD65, [0.07719, 0.15438, 0.02573], "#008000"), (.xyzD50, [0.08312, 0.154746, 0.020961], "#008000"),
        (.displayP3, [1, 1, 1], "#ffffff"), (.prophotoRGB, [1, 1, 1], "#ffffff"), (.rec2020, [1, 1, 1], "#ffffff"),
        (.a98RGB, [1, 1, 1], "#ffffff"),
        // What sRGB does not have is clipped, each component for itself.
        (.displayP3, [0, 1, 0], "#00ff00"), (.displayP3, [1, 0, 0], "#ff0000"),
    ]

    @Test("All fourteen spaces become sRGB as CSS Color 4 says", arguments: conversions.indices)
    func converted(index: Int) {
        let (space, components, hex) = Self.conversions[index]
        let color = DesignColor(space, components, alpha: 1)
        #expect(color.hex == hex, "\(space) \(components) \(color.srgb)")
    }

    @Test("Every space is converted in the test above, and none makes anything but numbers from 0 to 1")
    func total() {
        #expect(Set(Self.conversions.map(\.0)).count == ColorSpace.allCases.count)
        #expect(ColorSpace.allCases.count == 14)
        for space in ColorSpace.allCases {
            for first in [0, 1e-9, 0.5, 1, 100, 359.9, -1e12, 1e12] {
                for second in [0, 0.4, 1e12, -1e12] {
                    let color = DesignColor(space, [first, second, nil], alpha: 0.5)
                    let rgb = [color.srgb.red, color.srgb.green, color.srgb.blue]
                    #expect(rgb.allSatisfy { (0...1).contains($0) }, "\(space) \(first) \(second)")
                    #expect(color.hex.utf8.count == 9)
                }
            }
        }
    }
}
