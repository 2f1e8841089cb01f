/// Reads the tokens of several contexts of the same files, and gathers what is wrong in any of them.
struct TokenContexts {
    private let arena: TokenArena
    private var found: [TokenArena.Finding]
    private var remarks: [TokenArena.Finding]
    private var known: [[Int]: DesignTokens] = [:]

    init(_ arena: TokenArena) {
        self.arena = arena
        found = arena.errors
        remarks = arena.warnings
    }

    /// What is wrong, in the order of the files, each thing once.
    var errors: [TokenIssue] { Self.inOrder(found) }
    /// What should be otherwise, in the order of the files, each thing once.
    var warnings: [TokenIssue] { Self.inOrder(remarks) }

    /// The tokens of a context; worth something only while there are no errors.
    ///
    /// - Parameter roots: The outermost groups of its files, the one that decides last.
    mutating func tokens(_ roots: [Int]) -> DesignTokens {
        if let tokens = known[roots] { return tokens }
        let tree = TokenTree(arena, roots: roots)
        let evaluation = TokenEvaluation(arena, tree)
        found += tree.errors + evaluation.errors
        remarks += evaluation.warnings
        // Every leaf is a token, or there is an error and nobody asks.
        let isWhole = evaluation.tokens.count == tree.leaves.count
        let tokens = DesignTokens(evaluation.tokens, places: isWhole ? tree.entries : [:])
        known[roots] = tokens
        return tokens
    }

    private static func inOrder(_ findings: [TokenArena.Finding]) -> [TokenIssue] {
        var seen: Set<TokenIssue> = []
        return findings.enumerated()
            .sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
            .compactMap { seen.insert($0.element.issue).inserted ? $0.element.issue : nil }
    }
}
