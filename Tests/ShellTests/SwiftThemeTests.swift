import Foundation
import PorticoShell
import Testing

@testable import Shell

/// What is generated for Apple's platforms is compiled here against stubs of SwiftUI and UIKit, and run.
@Suite("Generated Swift", .enabled(if: Compiler.path != nil, "swiftc is not on the PATH"))
struct SwiftThemeTests {
    @Test("It compiles, and resolves every colour to what the tokens say, in every appearance")
    func colours() throws {
        let sheet = try Self.design()
        let lines = try Self.output(
            of: sheet,
            """
            for style in [UIUserInterfaceStyle.light, .dark] {
                for contrast in [UIAccessibilityContrast.normal, .high] {
                    let traits = UITraitCollection(userInterfaceStyle: style, accessibilityContrast: contrast)
                    for color in ShieldAIColor.allCases {
                        let parts = color.color.uiColor.resolvedColor(with: traits).parts.map { Int(($0 * 255).rounded()) }
                        print(style == .dark, contrast == .high, color.rawValue, parts)
                    }
                }
            }
            """)
        var expected: [String] = []
        for isDark in [false, true] {
            for increased in [false, true] {
                let appearance = Appearance(isDark: isDark, hasIncreasedContrast: increased)
                for entry in sheet.colors {
                    let parts = try #require(entry.color(in: appearance)).bytes
                    expected.append("\(isDark) \(increased) \(entry.leaf) \(parts)")
                }
            }
        }
        #expect(lines == expected)
        #expect(lines.contains("false false bgPrimary [250, 251, 252, 255]"))
        #expect(lines.contains("true false bgPrimary [17, 24, 39, 255]"))
    }

    @Test("Text grows with a style of the system, and lengths and times are in points and seconds")
    func textAndLengths() throws {
        let lines = try Self.output(
            of: SampleDesign.sheet(),
            """
            for style in ShieldAITextStyle.allCases {
                let font = style.uiFont()
                print(style, style.size, style.lineHeight, font.pointSize, font.fontName, style.family ?? "system")
            }
            print(ShieldAISpacing.xs, ShieldAISpacing.md, ShieldAIMotion.quick)
            """)
        #expect(
            lines == [
                "body 17.0 1.5 34.0 UICTFontTextStyleBody system",
                "largeTitle 34.0 1.2 68.0 UICTFontTextStyleTitle0 Inter", "4.0 16.0 0.15",
            ])
    }

    @Test("Two tokens that would be one name in Swift are refused, with both names")
    func collisions() throws {
        let sheet = try DesignSheet { _ in
            ["a-b", "a b"].map { DesignToken(path: ["color", $0], value: SampleDesign.color(0)) }
        }
        #expect(throws: (any Error).self) { try SwiftTheme.text(of: sheet, brand: "ShieldAI") }
    }

    @Test("A description cannot leave its comment, and a name that Swift has for itself is quoted")
    func hostileNames() throws {
        let sheet = try DesignSheet { _ in
            [
                DesignToken(
                    path: ["spacing", "default"], value: .dimension(Dimension(8)),
                    description: "one\nlet broken = 1\r\u{2028}\u{B}more"),
                DesignToken(path: ["spacing", "2xl"], value: .dimension(Dimension(2, .rem))),
            ]
        }
        let text = try SwiftTheme.text(of: sheet, brand: "ShieldAI")
        #expect(text.contains("    /// one let broken = 1   more\n"))
        #expect(try Self.output(of: sheet, "print(ShieldAISpacing.default, ShieldAISpacing._2xl)") == ["8.0 32.0"])
    }

    private static func design() throws -> DesignSheet {
        try DesignFile(Project.folder.appendingPathComponent(DesignFile.standard).path).sheet()
    }

    /// The lines that a program prints which is built from the theme of a sheet.
    private static func output(of sheet: DesignSheet, _ program: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shell-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { Project.remove(folder) }
        let theme = try SwiftTheme.text(of: sheet, brand: "ShieldAI")
        try theme.write(to: folder.appendingPathComponent("Theme.swift"), atomically: true, encoding: .utf8)
        try "import SwiftUI\nimport UIKit\n\(program)\n".write(
            to: folder.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
        for module in ["UIKit", "SwiftUI"] {
            let stub = Project.folder.appendingPathComponent("Tests/ShellTests/Stubs/\(module)/\(module).swift")
            try Compiler.run(
                [
                    "-swift-version", "6", "-parse-as-library", "-emit-module", "-emit-object", "-module-name", module,
                    "-I", ".", stub.path, "-o", "\(module).o", "-emit-module-path", "\(module).swiftmodule",
                ], in: folder)
        }
        // Both modes: a host may still be in the older one.
        try Compiler.run(["-swift-version", "5", "-typecheck", "-I", ".", "Theme.swift"], in: folder)
        try Compiler.run(
            [
                "-swift-version", "6", "-warnings-as-errors", "-I", ".", "Theme.swift", "main.swift", "UIKit.o",
                "SwiftUI.o", "-o", "program",
            ], in: folder)
        return try Compiler.run(program: folder.appendingPathComponent("program").path, [], in: folder)
            .split(separator: "\n").map(String.init)
    }
}

/// The compiler that this was built with.
enum Compiler {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @discardableResult
    static func run(program: String? = path, _ arguments: [String], in folder: URL) throws -> String {
        let (status, text) = try result(program: program, arguments, in: folder)
        try #require(status == 0, "\(text)")
        return text
    }

    static func result(
        program: String? = path, _ arguments: [String], in folder: URL
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(program))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}

/// Where the sources are that the tests were built from.
enum Project {
    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            // What is left in the system's temporary folder is the system's to clean.
        }
    }
}
