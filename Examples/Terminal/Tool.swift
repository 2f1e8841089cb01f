import Foundation

/// A command-line tool: its name and its commands.
package struct Tool: Sendable {
    let name: String
    let overview: String
    let commands: [Command]

    /// - Parameters:
    ///   - name: What it is called.
    ///   - overview: The page that lists the commands.
    ///   - commands: What it can do; one without words is what it does when no other is named.
    package init(name: String, overview: String, commands: [Command]) {
        self.name = name
        self.overview = overview
        self.commands = commands
    }

    /// Does what the process's command line says, and ends the process.
    package func main() async -> Never {
        // Standard input, output and error that whoever started us closed would else be the next files that are opened.
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 { _ = open("/dev/null", O_RDWR) }
        // A reader of our output that goes away ends us by a failed write, not by a signal.
        signal(SIGPIPE, SIG_IGN)
        let terminal = Terminal(tool: name)
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

    private func run(_ words: [String], _ terminal: Terminal) async throws -> Int32 {
        let isHelp = words.first.map { ["help", "--help", "-h"].contains($0) } ?? false
        guard let command = isHelp ? nil : commands.first(where: { words.starts(with: $0.words) }) else {
            if let first = words.first, !isHelp { throw UsageError(complaint(about: first), help: overview) }
            terminal.say(overview)
            return ExitCode.success
        }
        let arguments = try Arguments(Array(words.dropFirst(command.words.count)), command: command, tool: name)
        if arguments.has("help") {
            terminal.say(command.help(of: name))
            return ExitCode.success
        }
        return try await command.run(arguments, terminal)
    }

    /// A word that begins commands of two words is known, and wants the second.
    private func complaint(about first: String) -> String {
        let begun = commands.filter { $0.words.count > 1 && $0.words[0] == first }
        guard !begun.isEmpty else { return "unknown command \(first)" }
        return "\(first) is \(begun.map { $0.words.joined(separator: " ") }.joined(separator: " or "))"
    }
}

/// The exit codes that a script can rest on.
package enum ExitCode {
    package static let success: Int32 = 0
    /// It ran and something is wrong: a refused configuration, a broken clause, a store that fails.
    package static let failure: Int32 = 1
    /// The command line is wrong (sysexits EX_USAGE).
    package static let usage: Int32 = 64
    /// Something that it needs is missing or held by another (EX_UNAVAILABLE).
    package static let unavailable: Int32 = 69
    /// Not now: try again later (EX_TEMPFAIL).
    package static let later: Int32 = 75
}

/// Something that a person can act on.
package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package var exitCode = ExitCode.failure

    package init(_ description: String, exitCode: Int32 = ExitCode.failure) {
        self.description = description
        self.exitCode = exitCode
    }
}
