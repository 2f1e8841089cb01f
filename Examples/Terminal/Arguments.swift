/// One command of the tool: its words, its options, its help and what it does.
package struct Command: Sendable {
    package struct Option: Sendable {
        let name: String
        /// What the value is called in the help; nil: the option is a switch.
        let value: String?
        let help: String
        let isRepeatable: Bool

        package init(name: String, value: String? = nil, help: String, isRepeatable: Bool = false) {
            self.name = name
            self.value = value
            self.help = help
            self.isRepeatable = isRepeatable
        }
    }

    package let words: [String]
    package let summary: String
    /// What the words are that are no option; of a last one that ends in `…` there may be more.
    package let positional: [String]
    package let options: [Option]
    /// Lines below the options.
    let notes: [String]
    let run: @Sendable (Arguments, Terminal) async throws -> Int32

    package init(
        words: [String], summary: String, positional: [String] = [], options: [Option],
        notes: [String] = [], run: @escaping @Sendable (Arguments, Terminal) async throws -> Int32
    ) {
        self.words = words
        self.summary = summary
        self.positional = positional
        self.options = options
        self.notes = notes
        self.run = run
    }

    func takes(_ count: Int) -> Bool {
        positional.last?.hasSuffix("…") == true ? count >= positional.count : count == positional.count
    }

    package func help(of tool: String) -> String {
        let usage = ([tool] + words + positional + ["[options]"]).joined(separator: " ")
        let names = options.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        let width = (names.map(\.count).max() ?? 0) + 2
        let lines = zip(names, options).map { name, option in
            "  " + name + String(repeating: " ", count: width - name.count) + option.help
        }
        let below = notes.isEmpty ? "" : "\n\n" + notes.joined(separator: "\n")
        return "\(summary)\n\nusage: \(usage)\n\n" + lines.joined(separator: "\n") + below
    }
}

/// What a command line says, checked against what its command takes.
package struct Arguments {
    package private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]

    package init(_ words: [String], command: Command, tool: String) throws {
        let help = command.help(of: tool)
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
                throw UsageError("unknown option --\(name)", help: help)
            }
            var value = parts.count > 1 ? String(parts[1]) : nil
            if option.value == nil {
                guard value == nil else { throw UsageError("--\(name) takes no value", help: help) }
                value = ""
            } else if value == nil {
                guard let next = rest.popFirst() else {
                    throw UsageError("--\(name) needs a value: \(option.value ?? "")", help: help)
                }
                value = next
            }
            if let value { values[name, default: []].append(value) }
            guard option.isRepeatable || values[name]?.count == 1 else {
                throw UsageError("--\(name) is given twice", help: help)
            }
        }
        guard has("help") || command.takes(positional.count) else {
            let wanted =
                command.positional.isEmpty ? "takes no arguments" : "takes \(command.positional.joined(separator: " "))"
            let name = command.words.isEmpty ? tool : command.words.joined(separator: " ")
            throw UsageError("\(name) \(wanted); \(positional.count) given", help: help)
        }
    }

    package func has(_ name: String) -> Bool { values[name] != nil }

    package func value(_ name: String) -> String? { values[name]?.last }

    package func all(_ name: String) -> [String] { values[name] ?? [] }
}

/// A command line that cannot be carried out.
package struct UsageError: Error {
    package let message: String
    package let help: String

    package init(_ message: String, help: String = "") {
        self.message = message
        self.help = help
    }
}
