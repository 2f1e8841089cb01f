import Terminal

@main
struct Main {
    static func main() async {
        await Tool(name: "inbox", overview: InboxCommand.command.help(of: "inbox"), commands: [InboxCommand.command])
            .main()
    }
}
