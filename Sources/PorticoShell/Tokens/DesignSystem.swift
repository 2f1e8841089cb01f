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
    private let appearances: [Appearance: (DesignTokens)]

    /// Reads the design.
    ///
    /// - Parameters:
    ///   - bytes: The resolver document.
    ///   - file: Gives the files that it names, by the name that it gives them.
    /// - Throws: What is wrong in it, everything at once, a token that a theme needs and is not there included.
    public init(
        parsing bytes: [UInt8], file: (String) throws -> [UInt8] = { _ in throw CancellationError() }
    ) throws(TokenError) {
        throw TokenError([])
    }

    /// All tokens in one appearance.
    public func tokens(in appearance: Appearance) -> DesignTokens { appearances[appearance]! }

    /// What a theme needs of them.
    public func theme(in appearance: Appearance) -> Theme { preconditionFailure() }
}
