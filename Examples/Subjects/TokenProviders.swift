import Portico
import PorticoContracts
import PorticoInMemory

extension Subjects {
    /// Every token provider of this package: a real one is always the host's.
    public static func tokenProviders() -> [Subject<any TokenProvider>] {
        [
            Subject(name: "StubTokenProvider") { { StubTokenProvider { call in "token-\(call)" } } },
            Subject(name: "slow StubTokenProvider") {
                {
                    StubTokenProvider { call in
                        if call == 1 { try await Task.sleep(nanoseconds: 50_000_000) }
                        return "token"
                    }
                }
            },
        ]
    }
}
