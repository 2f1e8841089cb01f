import Portico
import PorticoShell
import Terminal

/// `shell tokens`: what is wrong in a file of tokens, and what is different between two.
enum TokensCommand {
    // MARK: check

    static func check(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let path = arguments.positional[0]
        let design: DesignFile
        do {
            design = try DesignFile(path)
        } catch let error as TokenError {
            if arguments.has("json") {
                terminal.say(jsonLine(["errors": .array(error.issues.map(json)), "passes": false]))
            } else {
                for issue in error.issues { terminal.say(terminal.coloured("error", .red) + "  \(inert("\(issue)"))") }
                terminal.complain("\(path): \(counted(error.issues.count, "error"))")
            }
            return ExitCode.failure
        }
        let pairs = design.system.contrast()
        let failing = pairs.count { !$0.passes }
        let sheet = try design.sheet()
        let unused = try design.unusedPrimitives(in: sheet)
        if arguments.has("json") {
            terminal.say(
                jsonLine([
                    "errors": [], "warnings": .array(design.system.warnings.map(json)),
                    "contrast": .array(pairs.map(json)), "unused": .array(unused.map { .string($0) }),
                    "passes": .bool(failing == 0),
                ]))
        } else {
            for warning in design.system.warnings {
                terminal.say(terminal.coloured("warning", .yellow) + "  \(inert("\(warning)"))")
            }
            for line in table(pairs) {
                terminal.say(line.fails ? terminal.coloured(line.text, .red) : line.text)
            }
            for name in unused { terminal.say("unused  \(inert(name)): no token refers to it") }
            terminal.say(
                "\(counted(sheet.entries.count, "token")), \(counted(pairs.count, "pair")) of colours, \(failing) below their need, "
                    + "\(counted(design.system.warnings.count, "warning")), \(unused.count) unused")
        }
        return failing == 0 ? ExitCode.success : ExitCode.failure
    }

    /// The contrast of every pair, one line a pair and one column an appearance; what fails comes first and is marked
    /// with what it needs.
    static func table(_ pairs: [ContrastPair]) -> [(text: String, fails: Bool)] {
        var order: [[ColorRole]] = []
        var groups: [[ColorRole]: [ContrastPair]] = [:]
        for pair in pairs {
            let key = [pair.foreground, pair.background]
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(pair)
        }
        let fails = order.filter { groups[$0, default: []].contains { !$0.passes } }
        let rows = (fails + order.filter { !fails.contains($0) }).map { key in
            ["\(key[0].rawValue) on \(key[1].rawValue)"]
                + Appearance.allCases.map { appearance in
                    groups[key]?.first { $0.appearance == appearance }.map(cell) ?? ""
                }
        }
        let all = [["contrast"] + Appearance.allCases.map(\.title)] + rows
        let widths = all[0].indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.enumerated().map { index, row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + space : space + cell.0
            }
            return (cells.joined(separator: "  "), 1...max(1, fails.count) ~= index && !fails.isEmpty)
        }
    }

    private static func cell(_ pair: ContrastPair) -> String {
        pair.passes ? "\(pair.contrast)" : "\(pair.contrast) < \(decimal(pair.need))"
    }

    private static func json(_ issue: TokenIssue) -> JSONValue {
        ["pointer": .string(issue.pointer), "message": .string(issue.message)]
    }

    private static func json(_ pair: ContrastPair) -> JSONValue {
        [
            "appearance": .string(pair.appearance.key), "foreground": .string(pair.foreground.rawValue),
            "background": .string(pair.background.rawValue), "ratio": .string("\(pair.contrast)"),
            "need": .number(pair.need), "passes": .bool(pair.passes),
        ]
    }

    // MARK: diff

    static func diff(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let sheets = try arguments.positional.map { try readable($0).sheet() }
        let changes = TokenChange.between(sheets[0], sheets[1])
        if arguments.has("json") {
            terminal.say(jsonLine(["changes": .array(changes.map(\.json))]))
        } else {
            for change in changes { terminal.say(inert(change.text)) }
            terminal.say(changes.isEmpty ? "no token differs" : counted(changes.count, "difference"))
        }
        return changes.isEmpty ? ExitCode.success : ExitCode.failure
    }
}

/// The design of a file, or all that is wrong in it as something that a person can act on.
func readable(_ path: String) throws -> DesignFile {
    do {
        return try DesignFile(path)
    } catch let error as TokenError {
        // A complaint is one line.
        let first = error.issues.first.map { "\($0)" } ?? ""
        throw Failure(
            "\(path) has \(counted(error.issues.count, "error")), all told by shell tokens check; the first: \(first)")
    }
}
