/// One command of the tool: its words, its options, its help and what it does.
struct Command: Sendable {
    struct Option: Sendable {
        let name: String
        /// What the value is called in the help; nil: the option is a switch.
        var value: String?
        var help: String
        var isRepeatable = false
    }

    let words: [String]
    let summary: String
    var positional: [String] = []
    let options: [Option]
    let run: @Sendable (Arguments, Terminal) async throws -> Int32

    /// The command whose words a command line begins with.
    static func find(_ words: [String]) -> Command? {
        Help.commands.first { words.starts(with: $0.words) }
    }

    var help: String {
        let usage = (["gate"] + words + positional + ["[options]"]).joined(separator: " ")
        let names = options.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        let width = (names.map(\.count).max() ?? 0) + 2
        let lines = zip(names, options).map { name, option in
            "  " + name + String(repeating: " ", count: width - name.count) + option.help
        }
        return "\(summary)\n\nusage: \(usage)\n\n" + lines.joined(separator: "\n")
    }
}

/// What a command line says, checked against what its command takes.
struct Arguments {
    private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]

    init(_ words: [String], command: Command) throws {
        let options = command.options + [Command.Option(name: "help", help: "")]
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word != "--" else {
                positional.append(word)
                continue
            }
            // Both `--name value` and `--name=value`.
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError("unknown option --\(name)", help: command.help)
            }
            var value = parts.count > 1 ? String(parts[1]) : nil
            if option.value == nil {
                guard value == nil else { throw UsageError("--\(name) takes no value", help: command.help) }
                value = ""
            } else if value == nil {
                guard let next = rest.popFirst() else {
                    throw UsageError("--\(name) needs a value: \(option.value ?? "")", help: command.help)
                }
                value = next
            }
            if let value { values[name, default: []].append(value) }
            guard option.isRepeatable || values[name]?.count == 1 else {
                throw UsageError("--\(name) is given twice", help: command.help)
            }
        }
        guard has("help") || positional.count == command.positional.count else {
            let wanted =
                command.positional.isEmpty ? "takes no arguments" : "takes \(command.positional.joined(separator: " "))"
            throw UsageError("gate \(command.words.joined(separator: " ")) \(wanted)", help: command.help)
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func value(_ name: String) -> String? { values[name]?.last }

    func all(_ name: String) -> [String] { values[name] ?? [] }
}

/// A command line that cannot be carried out.
struct UsageError: Error {
    let message: String
    let help: String

    init(_ message: String, help: String = "") {
        self.message = message
        self.help = help
    }
}
