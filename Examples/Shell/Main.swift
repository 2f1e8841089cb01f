import Terminal

@main
struct Main {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        await Tool(name: "shell", overview: Help.overview, commands: Help.commands(for: words)).main()
    }
}
