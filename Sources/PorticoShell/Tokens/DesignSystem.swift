import Portico

/// The design of an app from its file of tokens: one theme an appearance, all of them checked to be whole.
///
/// ```swift
/// let design = try DesignSystem(parsing: bytes)
/// let dark = design.theme(in: Appearance(isDark: true))
/// ```
///
/// The file is a resolver document (Resolver Module 2025.10) with the modifiers `theme` (`light`, `dark`) and `contrast`
/// (`normal`, `increased`); one that is a plain file of tokens is the same in all appearances.
public struct DesignSystem: Sendable, Hashable {
    /// What could be read and should be written otherwise, in the order of the file.
    public let warnings: [TokenIssue]

    /// In the order of `Appearance.allCases`.
    private let all: [DesignTokens]
    private let themes: [Theme]

    /// Reads the design.
    ///
    /// - Parameters:
    ///   - bytes: The resolver document, or a plain file of tokens.
    ///   - file: Gives the files that it names, by the name that it gives them, and throws where there is none.
    /// - Throws: What is wrong in it, everything at once, a token that a theme needs and is not there included.
    public init(
        parsing bytes: [UInt8], file: @escaping (String) throws -> [UInt8] = { _ in throw NoFile() }
    ) throws(TokenError) {
        let files = DesignFiles(try DesignTokens.document(bytes), file)
        var contexts = TokenContexts(files.arena)
        let tokens = files.roots.map { contexts.tokens($0) }
        let errors = files.errors + contexts.errors
        // What a theme lacks shows only once the tokens are right; before, it may be there and broken.
        guard errors.isEmpty else { throw TokenError(errors) }
        let warnings = files.warnings + contexts.warnings
        self.warnings = warnings
        all = tokens.map { tokens in
            var tokens = tokens
            tokens.warnings = warnings
            return tokens
        }
        var gaps = ThemeGaps()
        themes = zip(Appearance.allCases, all).map { Theme($0, of: $1, &gaps) }
        guard gaps.issues.isEmpty else { throw TokenError(gaps.issues) }
    }

    /// All tokens in one appearance.
    public func tokens(in appearance: Appearance) -> DesignTokens { all[appearance.index] }

    /// What a theme needs of them.
    public func theme(in appearance: Appearance) -> Theme { themes[appearance.index] }

    /// Nobody gave the files that a document names.
    public struct NoFile: Error, CustomStringConvertible {
        /// For the issue that it becomes.
        public var description: String { "no other files were given" }

        /// Nothing is to be said of it.
        public init() {}
    }
}

/// Which parts of which files make up the four appearances.
private struct DesignFiles {
    let arena: TokenArena
    /// In the order of `Appearance.allCases`.
    let roots: [[Int]]
    private(set) var errors: [TokenIssue] = []
    private(set) var warnings: [TokenIssue] = []

    init(_ document: JSONValue, _ file: @escaping (String) throws -> [UInt8]) {
        guard ResolverDocument.isResolver(document) else {
            var arena = TokenArena()
            let root = arena.add(document, origin: "")
            self.arena = arena
            roots = Appearance.allCases.map { _ in [root] }
            return
        }
        let resolver = ResolverDocument(document, read: file)
        arena = resolver.arena
        errors = resolver.errors
        warnings = resolver.warnings
        roots = Appearance.allCases.map { resolver.roots($0.inputs) }
        for case .modifier(let modifier) in resolver.steps { check(modifier) }
    }

    private mutating func check(_ modifier: ResolverDocument.Modifier) {
        let names = Set(
            Appearance.allCases.compactMap { appearance in
                appearance.inputs.first { $0.key.isSameInput(modifier.name) }?.value
            })
        if names.isEmpty, modifier.standard == nil {
            errors.append(
                TokenIssue(
                    pointer: modifier.pointer,
                    message: "lacks a default; an app chooses a context only of 'theme' and 'contrast'"))
        }
        for name in names.sorted() where modifier.context(name) == nil {
            errors.append(
                TokenIssue(pointer: modifier.pointer + "/contexts", message: "lacks the context '\(name)'"))
        }
        guard !names.isEmpty else { return }
        for context in modifier.contexts where !names.contains(where: { $0.isSameInput(context.name) }) {
            warnings.append(
                TokenIssue(
                    pointer: modifier.pointer + "/contexts/" + JSONPointer.escaped(context.name),
                    message: "is never chosen; the contexts are \(names.sorted().joined(separator: " and "))"))
        }
    }
}

extension Appearance {
    /// The context of each modifier.
    var inputs: [String: String] {
        ["theme": isDark ? "dark" : "light", "contrast": hasIncreasedContrast ? "increased" : "normal"]
    }

    /// Its place among `allCases`.
    var index: Int { (isDark ? 1 : 0) + (hasIncreasedContrast ? 2 : 0) }

    /// For messages.
    fileprivate var name: String {
        (isDark ? "dark" : "light") + (hasIncreasedContrast ? " with increased contrast" : "")
    }
}

/// The tokens that themes need and do not find, each told once for all appearances.
private struct ThemeGaps {
    private var found: [(issue: TokenIssue, appearances: [Appearance])] = []

    var issues: [TokenIssue] {
        found.map { issue, appearances in
            let isEverywhere = appearances.count == Appearance.allCases.count
            let list = isEverywhere ? "every appearance" : appearances.map(\.name).joined(separator: ", ")
            return TokenIssue(pointer: issue.pointer, message: "\(issue.message) (in \(list))")
        }
    }

    mutating func report(_ group: String, _ name: String, _ message: String, _ appearance: Appearance) {
        let issue = TokenIssue(pointer: "/\(group)/\(name)", message: message)
        if let index = found.firstIndex(where: { $0.issue == issue }) {
            found[index].appearances.append(appearance)
        } else {
            found.append((issue, [appearance]))
        }
    }
}

extension Theme {
    fileprivate init(_ appearance: Appearance, of tokens: DesignTokens, _ gaps: inout ThemeGaps) {
        func roles<Role: RawRepresentable & CaseIterable & Hashable, Value>(
            _ group: String, _ type: TokenType, _ take: (TokenValue) -> Value?
        ) -> [Role: Value] where Role.RawValue == String {
            var values: [Role: Value] = [:]
            for role in Role.allCases {
                guard let token = tokens["\(group).\(role.rawValue)"] else {
                    gaps.report(group, role.rawValue, "is missing; a theme needs a \(type) there", appearance)
                    continue
                }
                values[role] = take(token.value)
                if values[role] == nil {
                    gaps.report(
                        group, role.rawValue, "is a \(token.value.type), and a theme needs a \(type)", appearance)
                }
            }
            return values
        }
        self.appearance = appearance
        colors = roles("color", .color) { if case .color(let color) = $0 { color } else { nil } }
        text = roles("typography", .typography) { if case .typography(let text) = $0 { text } else { nil } }
        spacing = roles("spacing", .dimension) { if case .dimension(let size) = $0 { size.points } else { nil } }
    }
}
