import Foundation

/// What a run found: printed as a table, and written as one JSON object a line.
struct Report {
    /// One figure. The goal is what is held to; a figure without one is there to be seen.
    struct Figure {
        let name: String
        let value: Double
        let unit: String
        var goal: Goal?
        /// The spread or the absolute figures behind it.
        var note = ""

        var holds: Bool? { goal.map { $0.holds(value) } }
    }

    enum Goal {
        case atMost(Double)
        case atLeast(Double)

        func holds(_ value: Double) -> Bool {
            switch self {
            case .atMost(let bound): value <= bound
            case .atLeast(let bound): value >= bound
            }
        }

        var text: String {
            switch self {
            case .atMost(let bound): "≤ \(bound.short)"
            case .atLeast(let bound): "≥ \(bound.short)"
            }
        }
    }

    private(set) var figures: [Figure] = []

    mutating func add(_ name: String, _ value: Double, _ unit: String, goal: Goal? = nil, note: String = "") {
        let figure = Figure(name: name, value: value, unit: unit, goal: goal, note: note)
        figures.append(figure)
        // At once, also into a file: a run takes minutes and somebody waits.
        FileHandle.standardOutput.write(Data((line(figure) + "\n").utf8))
    }

    /// Whether every figure that has a goal holds it.
    var holds: Bool { figures.allSatisfy { $0.holds ?? true } }

    private func line(_ figure: Figure) -> String {
        let verdict = figure.holds.map { $0 ? "ok  " : "MISS" } ?? "    "
        let value = "\(figure.value.short) \(figure.unit)"
        return
            "\(verdict) \(figure.name.padded(38)) \(value.padded(18)) \((figure.goal?.text ?? "").padded(10)) \(figure.note)"
    }

    func write(to path: String) throws {
        var text = ""
        for figure in figures {
            var fields = [
                "\"name\":\"\(figure.name)\"", "\"value\":\(figure.value)", "\"unit\":\"\(figure.unit)\"",
            ]
            fields.append("\"goal\":" + (figure.goal.map { "\"\($0.text)\"" } ?? "null"))
            fields.append("\"holds\":" + (figure.holds.map { "\($0)" } ?? "null"))
            text += "{" + fields.joined(separator: ",") + "}\n"
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}

extension Double {
    /// Three significant digits, as a person writes them.
    var short: String {
        guard isFinite else { return "\(self)" }
        if magnitude >= 1_000 { return String(Int(rounded())) }
        return String(format: magnitude >= 100 ? "%.0f" : magnitude >= 10 ? "%.1f" : "%.3f", self)
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// Samples of one measure.
struct Samples {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    func percentile(_ fraction: Double) -> Double {
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
    }

    var median: Double { percentile(0.5) }
    var mean: Double { values.reduce(0, +) / Double(values.count) }
    var spread: String { "\(percentile(0).short)–\(values.max().map(\.short) ?? "")" }
}

/// Nanoseconds of the monotonic clock.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Microseconds that one call takes.
func microseconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = nanoseconds()
    try await body()
    return Double(nanoseconds() - start) / 1_000
}

/// Microseconds of this thread's own work in one call that does not wait: what others do on the machine is not in it.
func workMicroseconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
    let start = now()
    try body()
    return now() - start
}
