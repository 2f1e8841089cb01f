import Foundation

@main
struct Main {
    static func main() async {
        // Standard input, output and error that whoever started us closed would else be the next files that are opened.
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 { _ = open("/dev/null", O_RDWR) }
        // A reader of our output that goes away ends us by a failed write, not by a signal.
        signal(SIGPIPE, SIG_IGN)
        let terminal = Terminal()
        do {
            exit(try await run(Array(CommandLine.arguments.dropFirst()), terminal))
        } catch let error as UsageError {
            terminal.complain(error.message, help: error.help)
            exit(ExitCode.usage)
        } catch let error as Failure {
            terminal.complain("\(error)")
            exit(error.exitCode)
        } catch {
            terminal.complain("\(error)")
            exit(ExitCode.failure)
        }
    }

    private static func run(_ words: [String], _ terminal: Terminal) async throws -> Int32 {
        guard let command = Command.find(words) else {
            if let first = words.first, !["help", "--help", "-h"].contains(first) {
                throw UsageError("unknown command \(first)", help: Help.overview)
            }
            terminal.say(Help.overview)
            return ExitCode.success
        }
        let arguments = try Arguments(Array(words.dropFirst(command.words.count)), command: command)
        if arguments.has("help") {
            terminal.say(command.help)
            return ExitCode.success
        }
        return try await command.run(arguments, terminal)
    }
}

/// The exit codes that a script can rest on.
enum ExitCode {
    static let success: Int32 = 0
    /// It ran and something is wrong: a refused configuration, a broken clause, a store that fails.
    static let failure: Int32 = 1
    /// The command line is wrong (sysexits EX_USAGE).
    static let usage: Int32 = 64
    /// Something that it needs is missing or held by another (EX_UNAVAILABLE).
    static let unavailable: Int32 = 69
    /// Not now: try again later (EX_TEMPFAIL).
    static let later: Int32 = 75
}

/// Something that a person can act on.
struct Failure: Error, CustomStringConvertible {
    let description: String
    var exitCode = ExitCode.failure

    init(_ description: String, exitCode: Int32 = ExitCode.failure) {
        self.description = description
        self.exitCode = exitCode
    }
}
