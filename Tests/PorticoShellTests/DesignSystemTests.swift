import Foundation
import Testing

@testable import PorticoShell

@Suite("The design of the example")
struct DesignSystemTests {
    static func file() throws -> [UInt8] {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: root.appendingPathComponent("Examples/Shell/Design/shieldai.resolver.json")))
    }

    @Test("The file has every role of a theme in every appearance, and nothing to be warned of")
    func whole() throws {
        let design = try DesignSystem(parsing: Self.file())
        #expect(design.warnings.isEmpty)
        for appearance in Appearance.allCases {
            let theme = design.theme(in: appearance)
            #expect(theme.appearance == appearance)
            #expect(theme.colors.count == ColorRole.allCases.count)
            #expect(theme.text.count == TextRole.allCases.count)
            #expect(SpacingRole.allCases.map { theme.spacing[$0] } == [4, 8, 16, 24, 32, 48])
        }
        let backgrounds = Appearance.allCases.map { design.theme(in: $0).colors[.bgPrimary]?.hex }
        #expect(backgrounds == ["#fafbfc", "#111827", "#fafbfc", "#111827"])
        #expect(design.tokens(in: Appearance(isDark: true))["color.bgPrimary"]?.alias == "palette.ink.900")
        let strong = Appearance(isDark: true, hasIncreasedContrast: true)
        #expect(design.tokens(in: strong)["color.textPrimary"]?.alias == "strong.textPrimary")
    }

    @Test("Every pair of text, border or state and background stands out enough")
    func contrast() throws {
        let pairs = try DesignSystem(parsing: Self.file()).contrast()
        // Seven foregrounds on three backgrounds in four appearances.
        #expect(pairs.count == 84)
        for pair in pairs {
            #expect(
                pair.passes, "\(pair.appearance): \(pair.foreground) on \(pair.background): \(pair.contrast)")
        }
        let needs = pairs.filter { $0.foreground == .textTertiary && $0.background == .bgPrimary }.map(\.need)
        #expect(needs == [4.5, 4.5, 7, 7])
        #expect(pairs.filter { $0.foreground == .border }.allSatisfy { $0.need == 3 })
    }

    @Test("Every role that is missing or of another type is told at once, with the appearances")
    func missing() throws {
        let error = #expect(throws: TokenError.self) {
            try DesignSystem(
                parsing: Array(#"{"color": {"$type": "number", "border": {"$value": 1}}, "spacing": {}}"#.utf8))
        }
        let issues = try #require(error?.issues)
        #expect(issues.count == 16 + 5 + 6)
        #expect(
            issues.map(\.description).contains {
                $0 == "/color/border: is a number, and a theme needs a color (in every appearance)"
            })
        #expect(issues.map(\.pointer).contains("/spacing/xxl"))
        let text = String(decoding: try Self.file(), as: UTF8.self)
            .replacingOccurrences(of: #""error": { "$value": "{palette.red.400}""#, with: #""mistake": { "$value": 1"#)
        #expect(text.contains("mistake"))
        let one = #expect(throws: TokenError.self) { try DesignSystem(parsing: Array(text.utf8)) }
        #expect(one?.issues.map(\.pointer) == ["/modifiers/theme/contexts/dark/0/color/mistake/$value"])
        let gone = text.replacingOccurrences(
            of: #""mistake": { "$value": 1"#, with: #""mistake": { "$value": "{palette.white}""#)
        let role = #expect(throws: TokenError.self) { try DesignSystem(parsing: Array(gone.utf8)) }
        #expect(
            role?.description
                == "/color/error: is missing; a theme needs a color there (in dark)")
    }

    @Test("A plain file serves all appearances")
    func plain() throws {
        var groups = ["color", "spacing", "typography"].map { _ in [String]() }
        groups[0] = ColorRole.allCases.map { ##""\##($0.rawValue)": {"$type": "color", "$value": "#123456"}"## }
        groups[1] = SpacingRole.allCases.map {
            #""\#($0.rawValue)": {"$type": "dimension", "$value": {"value": 2, "unit": "rem"}}"#
        }
        groups[2] = TextRole.allCases.map {
            #""\#($0.rawValue)": {"$type": "typography", "$value": {"fontFamily": "A", "fontSize": "#
                + #"{"value": 17, "unit": "px"}, "fontWeight": "bold", "letterSpacing": {"value": 0, "unit": "px"}, "#
                + #""lineHeight": 1.5}}"#
        }
        let text = zip(["color", "spacing", "typography"], groups)
            .map { "\"\($0)\": {\($1.joined(separator: ","))}" }.joined(separator: ",")
        let design = try DesignSystem(parsing: Array("{\(text)}".utf8))
        #expect(Set(Appearance.allCases.map { design.theme(in: $0).colors }).count == 1)
        #expect(design.theme(in: Appearance()).spacing[.xs] == 32)
        #expect(design.theme(in: Appearance()).text[.body]?.weight == 700)
        #expect(design.warnings.count == 16)
        #expect(design.contrast().allSatisfy { !$0.passes })
    }
}
