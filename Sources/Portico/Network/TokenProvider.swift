/// Gives the token with which a recipient's requests are authorized.
///
/// ## Why it exists
/// A recipient's token is made by the host's own backend, which knows who is logged in, and it expires. Only the host
/// knows how to get one and whether the one it has will still do.
///
/// ## Guarantees
/// - TP-1: each call returns a token that is good now, as far as the host knows: not empty, and
///   visible ASCII without white space.
/// - TP-2: cancelling the task ends the call soon.
///
/// ## Errors
/// Any error of the host's; its description is shown to people, so it holds no secret.
///
/// ## Concurrency
/// A client has one call under way at a time, and callers that wait at the same time share it.
///
/// ## Write your own
/// ```swift
/// struct HostTokens: TokenProvider {
///     let fetch: @Sendable () async throws -> String
///     func token() async throws -> String { try await fetch() }
/// }
/// ```
public protocol TokenProvider: Sendable {
    /// A token that is good now.
    func token() async throws -> String
}
