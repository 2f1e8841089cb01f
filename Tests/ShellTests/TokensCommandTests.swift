import Foundation
import Portico
import PorticoShell
import Terminal
import Testing

@testable import Shell

@Suite("The command tokens")
struct TokensCommandTests {
    private static func sheet(_ tokens: [DesignToken]) throws -> DesignSheet { try DesignSheet { _ in tokens } }

    private static func color(_ name: String, _ hex: UInt32, alias: String? = nil) -> DesignToken {
        DesignToken(path: ["color", name], value: SampleDesign.color(hex), alias: alias)
    }

    @Test("Between two designs each token is added, removed, renamed, changed, or the same")
    func changes() throws {
        let old = try Self.sheet([
            Self.color("same", 1), Self.color("old", 2), Self.color("gone", 3), Self.color("other", 4),
            Self.color("way", 5, alias: "palette.a"),
        ])
        let new = try Self.sheet([
            Self.color("same", 1), Self.color("new", 2), Self.color("other", 0xFF), Self.color("more", 6),
            Self.color("way", 5, alias: "palette.b"),
        ])
        #expect(
            TokenChange.between(old, new).map(\.text) == [
                "> color.old is now color.new", "- color.gone: #000003",
                "~ color.other, everywhere: #000004 → #0000ff",
                "= color.way, by another way: palette.a → palette.b", "+ color.more: #000006",
            ])
        #expect(TokenChange.between(old, old).isEmpty)
    }

    @Test("A change is said once for the appearances that it is the same in")
    func changedAppearances() throws {
        func sheet(_ hex: UInt32) throws -> DesignSheet {
            try DesignSheet { [Self.color("a", $0.isDark ? hex : 0)] }
        }
        let changes = try TokenChange.between(sheet(1), sheet(2))
        #expect(changes.map(\.text) == ["~ color.a, dark and dark, increased contrast: #000001 → #000002"])
    }

    @Test("Where two that came have the value of one that went, none is taken for its new name")
    func ambiguousRename() throws {
        let changes = try TokenChange.between(
            Self.sheet([Self.color("old", 1)]), Self.sheet([Self.color("b", 1), Self.color("c", 1)]))
        #expect(changes.map(\.text) == ["- color.old: #000001", "+ color.b: #000001", "+ color.c: #000001"])
    }

    @Test("The table of contrast is aligned, with what fails first and what it needs beside it")
    func table() throws {
        let design = try DesignFile(Project.folder.appendingPathComponent(DesignFile.standard).path)
        let good = TokensCommand.table(design.system.contrast())
        #expect(good.count == 22)
        #expect(Set(good.map(\.text.count)).count == 1)
        #expect(good.allSatisfy { !$0.fails })

        var theme = design.system.theme(in: Appearance())
        theme.colors[.textTertiary] = SampleDesign.designColor(0x777777)
        theme.colors[.bgPrimary] = SampleDesign.designColor(0xFFFFFF)
        let bad = TokensCommand.table(theme.contrast())
        #expect(bad[1].text.hasPrefix("textTertiary on bgPrimary"))
        #expect(bad[1].text.contains("4.47 < 4.5"), "4.478 is not rounded up")
        #expect(bad[1].fails)
        #expect(!bad[0].fails)
    }

    @Test("A primitive that nothing refers to is named")
    func unused() throws {
        let design = try DesignFile(Project.folder.appendingPathComponent(DesignFile.standard).path)
        let unused = try design.unusedPrimitives(in: design.sheet())
        #expect(!unused.contains("palette.ink.25"))
        #expect(!unused.contains("shade.contact"), "a shadow refers to it")
        #expect(unused.allSatisfy { $0.hasPrefix("palette.") })
    }
}

@Suite("The command links")
struct LinksCommandTests {
    private static func reading(_ link: String) throws -> LinksCommand.Reading {
        LinksCommand.Reading(link, by: try ShieldRoute.links())
    }

    @Test("A link is said to be its route, with tab, place and parameters")
    func route() throws {
        let reading = try Self.reading("https://shieldai.example/alert/a%2Fb")
        #expect(
            reading.text == """
                https://shieldai.example/alert/a%2Fb
                    alertDetail(id = a/b), tab alerts, on the stack of its tab, for who is signed in, \
                written as shieldai://alert/a%2Fb
                """)
        #expect(reading.json["route"]?.stringValue == "alertDetail")
        #expect(reading.json["parameters"]?["id"]?.stringValue == "a/b")
        #expect(reading.json["canonical"]?.stringValue == "shieldai://alert/a%2Fb")
    }

    @Test("A link that is none is said to be none, and why, with nothing of it that moves a cursor")
    func refused() throws {
        let reading = try Self.reading("shieldai://nope\u{1B}[2J")
        #expect(!reading.isRoute)
        #expect(!reading.text.contains("\u{1B}"))
        #expect(reading.json["refused"]?.stringValue?.hasPrefix("link refused") == true)
    }

    @Test("The command takes as many links as there are")
    func count() throws {
        let command = try #require(Help.commands.first { $0.words == ["links", "check"] })
        #expect(try Arguments(["a", "--json", "b"], command: command, tool: "shell").positional.count == 2)
        #expect(throws: UsageError.self) { try Arguments(["--json"], command: command, tool: "shell") }
    }
}
