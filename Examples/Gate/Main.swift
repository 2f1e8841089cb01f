import Terminal

@main
struct Main {
    static func main() async {
        await Tool(name: "gate", overview: Help.overview, commands: Help.commands).main()
    }
}
