import Portico
import PorticoInbox
import Terminal

/// What the tool does: the whole screen, or lines for scripts.
enum InboxCommand {
    static let command = Command(
        words: [],
        summary:
            "Shows a recipient's notifications as they arrive. Without a network: as they were when there was one.",
        options: [
            .init(name: "url", value: "URL", help: "where the service is, https://notify.example"),
            .init(name: "account", value: "ID", help: "whose inbox; what is kept is kept apart for each"),
            .init(name: "token-file", value: "FILE", help: "a file with the recipient's token, read for each request"),
            .init(name: "token-command", value: "COMMAND", help: "a command that prints the token, run by sh"),
            .init(name: "data", value: "DIR", help: "where the last state is kept (./inbox-data)"),
            .init(name: "insecure-http", help: "allow plain http"),
            .init(
                name: "plain",
                help: "for scripts: commands come in as lines of words, answers and updates go out as JSON"),
            .init(name: "follow", help: "with --plain: go on after the last command, until interrupted"),
        ], notes: ["commands of --plain, a line each:"] + Plain.commands.map { "  \($0)" }, run: run)

    private static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let root = try await CompositionRoot(arguments)
        let code: Int32
        if arguments.has("plain") {
            code = await Plain(root.client, terminal).run(isFollowing: arguments.has("follow"))
        } else {
            code = try await fullScreen(root)
        }
        await root.close()
        return code
    }

    private static func fullScreen(_ root: CompositionRoot) async throws -> Int32 {
        #if Ncurses && os(Linux)
        guard let screen = await Screen() else {
            await root.close()
            throw Failure(
                "this is no terminal that a screen can be drawn on; use --plain", exitCode: ExitCode.unavailable)
        }
        await FullScreen(root.client, screen).run()
        return ExitCode.success
        #else
        await root.close()
        throw Failure(
            "this build has no screen: build with the trait Ncurses (libncurses-dev), or use --plain",
            exitCode: ExitCode.unavailable)
        #endif
    }
}
