import Foundation
import Portico
import PorticoShell
import Terminal
import Testing

@testable import Shell

@Suite("Exports")
struct ExportTests {
    /// What a file of Fixtures says; Fixtures/SOURCES.md says from where.
    private static func fixture(_ name: String) throws -> String {
        let file = Project.folder.appendingPathComponent("Tests/ShellTests/Fixtures/\(name)")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static func text(_ files: [OutputFile], _ path: String) throws -> String {
        String(decoding: try #require(files.first { $0.path == path }).bytes, as: UTF8.self)
    }

    private static func folder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("shell-\(UUID().uuidString)")
    }

    // MARK: The asset catalogue

    @Test("A catalogue and its colour sets are byte for byte as Xcode writes them")
    func catalogue() throws {
        let sheet = try DesignSheet { appearance in
            let hex: [UInt32] = [0xFAFBFC, 0x111827, 0xFFFFFF, 0x000000]
            let index = Appearance.allCases.firstIndex(of: appearance) ?? 0
            return [
                DesignToken(
                    path: ["color", "bgPrimary"], value: SampleDesign.color(hex[index], alpha: index == 3 ? 0.5 : 1)),
                DesignToken(path: ["palette", "ink"], value: SampleDesign.color(0)),
            ]
        }
        let files = try AssetCatalog.files(of: sheet, brand: "ShieldAI")
        #expect(
            files.map(\.path)
                == ["ShieldAI.xcassets/Contents.json", "ShieldAI.xcassets/bgPrimary.colorset/Contents.json"])
        #expect(try Self.text(files, files[0].path) == Self.fixture("catalogue.json"))
        #expect(try Self.text(files, files[1].path) == Self.fixture("bgPrimary.colorset.json"))
    }

    @Test(
        "Names that are one on a Mac's disk, and names that leave the catalogue, are refused",
        arguments: [
            ["bgPrimary", "BGPRIMARY"], ["../up"], ["a/b"], [""],
        ])
    func catalogueNames(_ names: [String]) throws {
        let sheet = try DesignSheet { _ in
            names.map { DesignToken(path: ["color", $0], value: SampleDesign.color(0)) }
        }
        #expect(throws: Failure.self) { try AssetCatalog.files(of: sheet, brand: "ShieldAI") }
    }

    @Test("A token that an appearance lacks is named with that appearance")
    func incomplete() throws {
        let failure = try #require(throws: Failure.self) {
            try DesignSheet { appearance in
                appearance.isDark ? [] : [DesignToken(path: ["color", "a"], value: SampleDesign.color(0))]
            }
        }
        #expect(failure.description.hasPrefix("color.a is missing in dark, dark, increased contrast"))
    }

    // MARK: Icons

    @Test("The icon sets and the vector's image set are byte for byte as Xcode writes them")
    func iconContents() throws {
        #expect(try AppIcon.current.contents == Self.fixture("AppIcon.appiconset.json"))
        #expect(try AppIcon.classic.contents == Self.fixture("AppIconClassic.appiconset.json"))
        #expect(try AppIcon.vector("Logo.pdf") == Self.fixture("Logo.imageset.json"))
    }

    @Test("Where rsvg-convert is missing, the package that has it is named")
    func missingRenderer() throws {
        let failure = try #require(throws: Failure.self) { try VectorRenderer(logo: "logo.svg", path: "/nowhere") }
        #expect(failure.description.contains("librsvg2-bin"))
        #expect(failure.exitCode == ExitCode.unavailable)
    }

    @Test(
        "Every picture has its size, only the dark one has alpha, and the same logo gives the same files",
        .enabled(if: Renderer.isInstalled, "rsvg-convert is not installed (Debian: librsvg2-bin)"))
    func icons() throws {
        let logo = Project.folder.appendingPathComponent("Examples/Shell/Design/logo.svg").path
        func draw() throws -> [OutputFile] {
            try IconsCommand.files(
                from: VectorRenderer(logo: logo), brand: "ShieldAI", background: SampleDesign.designColor(0xFAFBFC),
                inset: 0.12)
        }
        let files = try draw()
        let pictures = files.filter { $0.path.hasSuffix(".png") }
        #expect(pictures.count == 3 + 13)
        for picture in pictures {
            let header = try PNGHeader(picture.bytes)
            #expect(header.width == header.height)
            // 2 is red, green and blue, 6 the same with alpha.
            #expect(header.hasAlpha == picture.path.hasSuffix("Dark.png"))
            #expect(header.colorType == (picture.path.hasSuffix("Dark.png") ? 6 : 2), "\(picture.path)")
        }
        let marketing = try #require(pictures.first { $0.path.hasSuffix("AppIconClassic.appiconset/AppIcon-1024.png") })
        #expect(try PNGHeader(marketing.bytes).width == 1_024)
        #expect(files.contains { $0.path.hasSuffix(".pdf") && $0.bytes.starts(with: Array("%PDF".utf8)) })
        #expect(try draw().map(\.bytes) == files.map(\.bytes))
    }

    @Test("What is no picture is said to be none")
    func noPicture() {
        #expect(throws: Failure.self) { try PNGHeader(Array("not a picture at all, but long enough".utf8)) }
    }

    // MARK: Info.plist

    @Test("The fragment of an Info.plist is byte for byte as Xcode writes it")
    func plist() throws {
        let xml = try InfoPlist.xml(
            scheme: "shieldai", identifier: "com.example.shieldai", color: "bgPrimary", image: "Logo")
        #expect(try xml == Self.fixture("Info.plist"))
    }

    @Test(
        "What is no scheme, or one of the system's, is refused", arguments: ["", "1app", "my app", "https", "a_b", "ä"])
    func schemes(_ scheme: String) {
        #expect(throws: Failure.self) {
            try InfoPlist.xml(scheme: scheme, identifier: "a", color: "b", image: nil)
        }
    }

    @Test("Markup in a name stays text")
    func markup() throws {
        let xml = try InfoPlist.xml(scheme: "a", identifier: "<&\"'>", color: "b", image: nil)
        #expect(xml.contains("<string>&lt;&amp;&quot;&#39;&gt;</string>"))
    }

    // MARK: CSS

    @Test("Custom properties have the tokens' names and units, and only what differs is said again")
    func css() throws {
        let css = try StyleSheet.text(of: SampleDesign.sheet())
        let start = try #require(css.components(separatedBy: "\n\n").dropFirst().first)
        #expect(
            start == """
                :root {
                  color-scheme: light;
                  --palette-blue-500: #1d4ed8;
                  --color-bg-primary: #fafbfc;
                  --color-text-primary: #111827;
                  --color-border: #6b7280;
                  --color-scrim: #00000080;
                  --spacing-xs: 4px;
                  --spacing-md: 1rem;
                  --motion-quick: 150ms;
                  --motion-default: cubic-bezier(0.2, 0, 0, 1);
                  --typography-body-family: system-ui, "Segoe UI";
                  --typography-body-size: 1.0625rem;
                  --typography-body-weight: 400;
                  --typography-body-spacing: 0px;
                  --typography-body-line-height: 1.5;
                  --typography-body: 400 1.0625rem/1.5 system-ui, "Segoe UI";
                  --typography-large-title-family: Inter;
                  --typography-large-title-size: 34px;
                  --typography-large-title-weight: 700;
                  --typography-large-title-spacing: -0.5px;
                  --typography-large-title-line-height: 1.2;
                  --typography-large-title: 700 34px/1.2 Inter;
                }
                """)
        let dark = """
            :root[data-theme="dark"] {
              color-scheme: dark;
              --color-bg-primary: #111827;
              --color-text-primary: #f9fafb;
              --color-border: #9ca3af;
            }
            """
        #expect(css.contains("\n\n\(dark)\n\n"))
        #expect(css.contains("@media (prefers-color-scheme: dark) {\n  :root:not([data-theme=\"light\"]) {\n"))
        #expect(css.contains("@media (prefers-contrast: more) {\n  :root:not([data-contrast=\"normal\"]) {\n"))
    }

    @Test("The name of a font cannot end its string, its line or the element that it stands in")
    func fontNames() {
        let value = StyleSheet.text(.fontFamily(["a\"; } </style>\n", "sans-serif", "2 Fonts"]))
        #expect(value == "\"a\\22 ; } \\3c /style>\\a \", sans-serif, \"2 Fonts\"")
    }

    @Test(
        "Numbers have no exponent and no digits that say nothing",
        arguments: [
            (0.1 + 0.2, "0.3"), (-0.5, "-0.5"), (1e-9, "0"), (16, "16"), (1.0625, "1.0625"), (-0.00001, "0"),
        ])
    func numbers(_ number: Double, _ text: String) {
        #expect(decimal(number) == text)
    }

    @Test("The page has exactly the exported CSS in it, and nothing that is loaded from elsewhere")
    func page() throws {
        let sheet = try SampleDesign.sheet()
        let page = try Gallery.page(of: sheet, pairs: [], links: LinkTable(ShieldRoute.links()), brand: "ShieldAI")
        #expect(page.contains("<style id=\"tokens\">\n\(try StyleSheet.text(of: sheet))</style>"))
        for word in ["http://", "https://", "src=", "@import", "url("] {
            #expect(!page.contains(word), "\(word) loads something")
        }
    }

    @Test("A description is text on the page, and JSON within it ends no element")
    func pageMarkup() throws {
        let sheet = try DesignSheet { _ in
            [DesignToken(path: ["color", "a"], value: SampleDesign.color(0), description: "<script>alert(1)</script>")]
        }
        #expect(Gallery.colours(sheet).contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(Gallery.embedded(["a": "</script>"]) == "{\"a\":\"\\u003c/script>\"}")
    }

    // MARK: The folder

    @Test("What is as it should be is not touched, and the check names what is missing, differs or is left over")
    func folder() throws {
        let place = Self.folder()
        defer { Project.remove(place) }
        let folder = OutputFolder(path: place.path)
        let files = try AssetCatalog.files(of: SampleDesign.sheet(), brand: "ShieldAI")
        let differences = { try folder.differences(to: files).map { "\($0.difference.rawValue) \($0.path)" } }
        #expect(try differences().count == files.count)
        #expect(!FileManager.default.fileExists(atPath: place.path), "the check writes nothing")
        #expect(try folder.write(files) == files.map(\.path))
        #expect(try differences() == [])

        let old = Date(timeIntervalSince1970: 1_000_000)
        for file in files {
            try FileManager.default.setAttributes(
                [.modificationDate: old], ofItemAtPath: "\(place.path)/\(file.path)")
        }
        let changed = try #require(files.last)
        let kept = "\(place.path)/\(changed.path)"
        try Data("something else".utf8).write(to: URL(fileURLWithPath: kept))
        let stray = place.appendingPathComponent("ShieldAI.xcassets/gone.colorset")
        try FileManager.default.createDirectory(at: stray, withIntermediateDirectories: true)
        #expect(
            try differences() == [
                "differs \(changed.path)", "left over ShieldAI.xcassets/gone.colorset/Contents.json",
            ])
        #expect(try folder.write(files) == [changed.path])
        for file in files.dropLast() {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(place.path)/\(file.path)")
            #expect(attributes[.modificationDate] as? Date == old)
        }
        #expect(FileManager.default.fileExists(atPath: stray.path), "what a person may have put there stays")
    }
}

/// Whether icons can be drawn here.
enum Renderer {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/rsvg-convert") }
}
