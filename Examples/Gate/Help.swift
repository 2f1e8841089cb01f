import Terminal

/// Every command, and the page that lists them.
enum Help {
    private static let data = Command.Option(
        name: "data", value: "DIR", help: "where this device keeps events and configuration (./gate-data)")
    private static let store = Command.Option(
        name: "store", value: "sqlite|journal", help: "how events are kept (sqlite where it is built in)")
    private static let json = Command.Option(name: "json", help: "one JSON object a line, for scripts")
    private static let insecure = Command.Option(name: "insecure-http", help: "allow plain http")
    private static let token = Command.Option(
        name: "token-file", value: "FILE", help: "a file with the bearer token for the server")

    static let commands: [Command] = [
        Command(
            words: ["scan"], summary: "Reads codes, admits or refuses, and records every attempt. Needs no network.",
            options: [
                .init(name: "lines", help: "codes from standard input, one a line: keyboard-wedge readers"),
                .init(
                    name: "images", value: "DIR", help: "codes from the PNG, JPEG and PGM files of a folder, by name"),
                .init(name: "video", value: "FILE|-", help: "codes from a YUV4MPEG2 stream: a camera through ffmpeg"),
                .init(
                    name: "event", value: "ID", help: "an event to admit to; may be repeated (as last time)",
                    isRepeatable: true),
                .init(name: "zone", value: "ID", help: "the zone that this gate stands at (as last time)"),
                .init(name: "gate", value: "NAME", help: "this gate's name in the records (as last time)"),
                .init(name: "lane", value: "NAME", help: "this lane's name in the records"),
                .init(name: "config", value: "FILE", help: "apply this configuration first"),
                data, store,
                .init(name: "verifier", value: "sodium|openssl", help: "the signature engine (sodium where built in)"),
                .init(
                    name: "durability", value: "power-cut|killed",
                    help: "what a recorded scan survives (power-cut)"),
                .init(name: "sync", value: "URL", help: "upload while scanning"), token, insecure, json,
            ], run: ScanCommand.run),
        Command(
            words: ["sync"], summary: "Uploads what was recorded and takes in what other devices redeemed.",
            options: [
                .init(name: "url", value: "URL", help: "the server's address, for example https://host/v1/scans"), data,
                store, token, insecure, json,
            ], run: SyncCommand.run),
        Command(
            words: ["status"],
            summary: "Shows what waits, what is old and what went wrong; also beside a running scan.",
            options: [data, store, json], run: StatusCommand.run),
        Command(
            words: ["config", "check"], summary: "Reads a configuration and says what it holds, or why it is refused.",
            positional: ["FILE"],
            options: [
                .init(
                    name: "previous", value: "FILE", help: "the version before: what would be carried over is an error"),
                json,
            ], run: ConfigCommand.check),
        Command(
            words: ["config", "apply"],
            summary: "Applies a configuration; a running scan on the same data takes it up within a second.",
            positional: ["FILE"], options: [data, json], run: ConfigCommand.apply),
        Command(
            words: ["clock", "confirm"],
            summary: "Records that a supervisor vouches for this device's clock as it stands now.",
            options: [
                .init(name: "operator", value: "NAME", help: "who vouches"), data, store,
            ], run: ClockCommand.confirm),
        Command(
            words: ["export"], summary: "Writes every recorded event, oldest first; also beside a running scan.",
            options: [
                .init(name: "csv", help: "a table for spreadsheets"), json,
                .init(name: "out", value: "FILE", help: "where to (standard output)"), data, store,
            ], run: ExportCommand.run),
        Command(
            words: ["doctor"],
            summary:
                "Checks every adapter of this build against its port's contract, and names those that are missing.",
            options: [json], run: DoctorCommand.run),
    ]

    static var overview: String {
        let width = commands.map { $0.words.joined(separator: " ").count }.max() ?? 0
        let lines = commands.map { command in
            let name = command.words.joined(separator: " ")
            return "  \(name)\(String(repeating: " ", count: width - name.count))  \(command.summary)"
        }
        return """
            gate admits ticket holders offline.

            \(lines.joined(separator: "\n"))

            `gate COMMAND --help` lists a command's options. Exit codes: 0 done, 1 something is wrong, 64 the command
            line is wrong, 69 something is missing or held by another process, 75 not now, try again later.
            """
    }
}
