import Terminal

@main
struct Main {
    static func main() async {
        await Tool(name: "shell", overview: Help.overview, commands: Help.commands).main()
    }
}
