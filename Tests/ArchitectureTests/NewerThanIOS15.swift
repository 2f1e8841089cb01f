/// What the deployment floor does not have, as pieces of Swift.
///
/// The compiler checks availability on Apple platforms alone. For modules that need no Foundation `.ci/ios15` has it
/// check here too; this list stands in for it in the rest.
let newerThanIOS15: [String: [String]] = [
    "16": [
        "Clock", "Duration", "ContinuousClock", "SuspendingClock", "Task.sleep(for:", "Task.sleep(until:", "Regex",
        "RegexBuilder", ".firstMatch(of:", ".wholeMatch(of:", ".prefixMatch(of:", ".replacing(", ".trimmingPrefix(",
        ".appending(path", ".appending(component", ".appending(queryItems", "URL(filePath:", ".ranges(of:",
        "NavigationStack", "NavigationSplitView", "NavigationPath", "navigationDestination",
    ],
    "17": [
        "withDiscardingTaskGroup", "withThrowingDiscardingTaskGroup", "DiscardingTaskGroup",
        "ThrowingDiscardingTaskGroup", "SerialExecutor", "TaskExecutor", "unownedExecutor", "Observation",
        "Observable", "ObservationRegistrar", "<each", "any Actor.", "assumeIsolated(",
    ],
    "18": [
        "Synchronization", "Mutex", "Atomic", "AtomicLazyReference", "String(validating:", "AsyncSequence<",
        "UInt128", "Int128", "withTaskExecutorPreference", "_Volatile",
    ],
    "26": [
        "InlineArray", ".span", ".mutableSpan", ".utf8Span", "UTF8Span", "Task.immediate", "Task.name",
        "isolated deinit",
    ],
]

extension SwiftSource {
    /// What the file uses that the deployment floor lacks, outside `@available` and `#available`.
    func usesNewerThanIOS15() -> [Finding] {
        let guarded = guardedLines()
        return newerThanIOS15.sorted { $0.key < $1.key }.flatMap { version, patterns in
            patterns.flatMap { pattern in
                matches(of: pattern).filter { line in !guarded.contains { $0.contains(line) } }.map { line in
                    Finding(path, line, "'\(pattern)' needs iOS \(version); the floor is 15")
                }
            }
        }
    }

    /// The blocks that follow an availability of iOS 16 or later.
    private func guardedLines() -> [ClosedRange<Int>] {
        tokens.indices.compactMap { start in
            guard tokens[start].text == "available", start > 0, ["@", "#"].contains(tokens[start - 1].text),
                let close = tokens[start...].firstIndex(where: { $0.text == ")" })
            else { return nil }
            let condition = tokens[start...close].map(\.text)
            guard let platform = condition.firstIndex(of: "iOS"),
                let version = Int(condition[platform + 1]), version > 15,
                let open = tokens[close...].firstIndex(where: { $0.text == "{" }),
                let end = closing(of: open)
            else { return nil }
            return tokens[start].line...tokens[end].line
        }
    }

    private func closing(of open: Int) -> Int? {
        var depth = 0
        return tokens[open...].indices.first { index in
            if tokens[index].text == "{" { depth += 1 }
            if tokens[index].text == "}" { depth -= 1 }
            return depth == 0
        }
    }
}
