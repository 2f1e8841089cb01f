import Portico

/// The guarantees of `TokenProvider`, as checks that a host's own can be put to.
///
/// They read no clock: a provider that breaks one by waiting for ever holds the clause up, so run them with a time limit.
///
/// ```swift
/// let subject = Subject<any TokenProvider>(name: "HostTokens") { { HostTokens { try await backend.inboxToken() } } }
/// for clause in TokenProviderContract.clauses {
///     if case .broken(let why) = await clause.check(subject) { print(why) }
/// }
/// ```
public enum TokenProviderContract {
    /// One clause for each guarantee of the port's documentation, in its order.
    public static let clauses: [Clause<any TokenProvider>] = [
        Clause("TP-1", "each call returns a token: not empty, and one line of visible ASCII") { subject in
            let provider = try await subject.fresh()()
            for call in 1...3 {
                let token = try await provider.token()
                try require(!token.isEmpty, "call \(call) gives no token")
                // The token itself is a secret: a report of what broke does not hold it.
                try require(
                    token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "call \(call) gives what no header field can hold"
                )
            }
        },
        Clause("TP-2", "cancelling the task ends the call") { subject in
            let provider = try await subject.fresh()()
            let call = Task { try await provider.token() }
            call.cancel()
            // Whether it still gives a token does not matter, only that it ends.
            _ = await call.result
            try require(!(try await provider.token()).isEmpty, "after a call that was cancelled there is no token")
        },
    ]
}
