import Terminal

/// Every command, and the page that lists them.
enum Help {
    private static let json = Command.Option(name: "json", help: "one JSON object, for scripts")
    private static let out = Command.Option(name: "out", value: "DIR", help: "where the files go")
    private static let brand = Command.Option(
        name: "brand", value: "NAME", help: "what types, catalogue and page are named after (ShieldAI)")
    private static let check = Command.Option(
        name: "check", help: "write nothing; exit 1 naming the files that are not as they would be written")

    static let commands: [Command] = [
        Command(
            words: ["tokens", "check"],
            summary: "Reads tokens and says what is wrong, and how well every pair of colours can be told apart.",
            positional: ["FILE"], options: [json], run: TokensCommand.check),
        Command(
            words: ["tokens", "diff"],
            summary: "Says which tokens were added, removed, renamed or changed; exit 1 where some were.",
            positional: ["OLD", "NEW"], options: [json], run: TokensCommand.diff),
        Command(
            words: ["export"],
            summary: "Writes the tokens as Swift, CSS, an asset catalogue and a page that shows them.",
            positional: ["FILE"],
            options: [
                out,
                .init(name: "swift", help: "colours, text styles and distances for SwiftUI and UIKit, from iOS 15"),
                .init(name: "css", help: "custom properties for light, dark and increased contrast"),
                .init(name: "xcassets", help: "a colour set for each colour, as Xcode writes it"),
                .init(name: "html", help: "a page with every token and the app's tabs in two frames"), brand, check,
            ], run: ExportCommand.run),
        Command(
            words: ["icons"], summary: "Draws every size of the app's icon from one SVG, by rsvg-convert.",
            positional: ["LOGO.svg"],
            options: [
                out,
                .init(
                    name: "tokens", value: "FILE",
                    help: "the tokens that the background is from (\(DesignFile.standard))"),
                .init(name: "background", value: "ROLE", help: "the colour behind the logo (bgPrimary)"),
                .init(name: "inset", value: "PERCENT", help: "what stays free on each side (12)"), brand, check,
            ], run: IconsCommand.run),
        Command(
            words: ["plist"], summary: "Prints what an Info.plist needs for the app's links and its launch screen.",
            options: [
                .init(name: "scheme", value: "NAME", help: "the scheme of its links (shieldai)"),
                .init(name: "identifier", value: "ID", help: "its bundle identifier (com.example.shieldai)"),
                .init(name: "color", value: "NAME", help: "the named colour of the launch screen (bgPrimary)"),
                .init(name: "image", value: "NAME", help: "the named image on it (none)"),
            ], run: PlistCommand.run),
        Command(
            words: ["links", "check"],
            summary:
                "Says of each link what it is in the app: the route, its tab and how it is shown, or why it is none.",
            positional: ["URL…"], options: [.init(name: "json", help: "one JSON object a line, for scripts")],
            run: LinksCommand.run),
    ]

    static var overview: String {
        let names = commands.map { $0.words.joined(separator: " ") }
        let width = (names.map(\.count).max() ?? 0) + 2
        let lines = zip(names, commands).map { name, command in
            "  " + name + String(repeating: " ", count: width - name.count) + command.summary
        }
        return """
            shell: an app's frame from one file of design tokens.

            \(lines.joined(separator: "\n"))

            `shell COMMAND --help` lists a command's options. Exit codes: 0 done, 1 something is wrong or differs, 64 the
            command line is wrong, 69 a program that it needs is missing.
            """
    }
}
