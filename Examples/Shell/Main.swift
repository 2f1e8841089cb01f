import Terminal

@main
struct Main {
    static func main() async {
        await Tool(name: "shell", overview: "", commands: []).main()
    }
}
