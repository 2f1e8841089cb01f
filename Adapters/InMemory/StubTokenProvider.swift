import Portico

/// A token provider that gives what it is told: for tests of what uses tokens.
///
/// ```swift
/// let always = StubTokenProvider("token-1")
/// let broken = StubTokenProvider { _ in throw URLError(.cannotConnectToHost) }
/// let expired = StubTokenProvider { call in call == 1 ? "old" : "new" }
/// ```
public final class StubTokenProvider: TokenProvider {
    private let answer: @Sendable (_ call: Int) async throws -> String
    private let log = CallLog<Void>()

    /// One token for every call.
    public convenience init(_ token: String) {
        self.init { _ in token }
    }

    /// Tokens by a rule.
    ///
    /// - Parameter answer: From the number of the call, which begins at 1, to its token.
    public init(_ answer: @escaping @Sendable (_ call: Int) async throws -> String) {
        self.answer = answer
    }

    /// How often it was asked.
    public var calls: Int { log.calls.count }

    /// What the rule gives.
    public func token() async throws -> String {
        try await answer(log.append(()))
    }
}
