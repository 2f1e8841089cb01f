import PorticoShell

/// Files of design tokens as a large design has them: colours, lengths, other names for them, and how text is set.
struct Tokens {
    private static let rounds = 11

    static func run(_ report: inout Report) throws {
        let (small, large) = (file(10_000), file(100_000))
        var ten = Samples()
        var hundred = Samples()
        var ratio = Samples()
        for round in 0..<rounds {
            // In turn, so that neither is always the one that finds the heap as the other left it.
            let isLargeFirst = round.isMultiple(of: 2)
            var milliseconds = isLargeFirst ? try read([large], 100_000) : []
            let single = try read(Array(repeating: small, count: 10), 10_000)
            if !isLargeFirst { milliseconds = try read([large], 100_000) }
            single.forEach { ten.add($0) }
            milliseconds.forEach { hundred.add($0) }
            ratio.add(milliseconds.reduce(0, +) / (single.reduce(0, +) / 10))
        }
        report.add(
            "tokens-10k-ms", ten.median, "ms", goal: .atMost(50),
            note: "\(ten.spread); \(small.count >> 10) KiB, the thread's own time")
        report.add(
            "tokens-100k-over-10k", ratio.median, "×", goal: .atMost(11),
            note: "\(ratio.spread); 100 000 in \(hundred.median.short) ms over the mean of ten times 10 000, all kept")
    }

    /// Milliseconds of each. What was read is kept until the last is: ten small ones and a large one fill the same
    /// memory, and the ratio tells how the work grows, not what a larger heap costs.
    private static func read(_ files: [[UInt8]], _ count: Int) throws -> [Double] {
        var kept: [DesignTokens] = []
        kept.reserveCapacity(files.count)
        return try files.map { file in
            let spent = try workMicroseconds { kept.append(try DesignTokens(parsing: file)) }
            precondition(kept.last?.tokens.count == count)
            return spent / 1_000
        }
    }

    /// So many tokens in groups of twenty: eight colours, five lengths, five other names, two ways to set text.
    private static func file(_ count: Int) -> [UInt8] {
        let groups = (0..<count / 20).map { group in
            let tokens = (0..<20).map { #""token\#($0)":{\#(token($0, of: group))}"# }
            return #""group\#(group)":{"$description":"Part \#(group).",\#(tokens.joined(separator: ","))}"#
        }
        return Array("{\(groups.joined(separator: ",\n"))}".utf8)
    }

    private static func token(_ number: Int, of group: Int) -> String {
        switch number {
        case 0..<8:
            let bytes = [group % 256, number * 31, (group + number) % 256]
            let parts = bytes.map { "\((Double($0) / 255 * 10_000).rounded() / 10_000)" }.joined(separator: ",")
            let hex = bytes.map { String($0 + 256, radix: 16).dropFirst() }.joined()
            return """
                "$type":"color","$description":"Colour \(number) of part \(group).",\
                "$value":{"colorSpace":"srgb","components":[\(parts)],"hex":"#\(hex)"}
                """
        case 8..<13: return #""$type":"dimension","$value":{"value":\#(number * 2),"unit":"px"}"#
        case 13..<18: return #""$value":"{group\#(group).token\#(number - 10)}""#
        default:
            return """
                "$type":"typography","$description":"Text \(number) of part \(group).","$value":{"fontFamily":["Inter",\
                "sans-serif"],"fontSize":"{group\(group).token8}","fontWeight":"semi-bold","lineHeight":1.25,\
                "letterSpacing":{"value":0.5,"unit":"px"}}
                """
        }
    }
}
