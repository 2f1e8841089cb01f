import Portico
import PorticoContracts
import Subjects
import Testing

/// What the tests that speak TLS share.
enum TestTLS {
    /// Made once for the process.
    static let made: Result<LoopbackTLS?, any Error> = Result { try LoopbackTLS() }

    /// Nil where a tool is missing or fails; a test of its own tells the two apart.
    static let shared: LoopbackTLS? = {
        guard case .success(let tls) = made else { return nil }
        return tls
    }()
}

@Suite("HTTP transports keep their guarantees")
struct HTTPTransportContractTests {
    static let clauses = HTTPTransportContract.clauses(server: LoopbackServer(tls: TestTLS.shared))
    static let subjects = HTTPTransportSubjects.all(tls: TestTLS.shared)

    @Test("a transport keeps each guarantee", arguments: subjects.map(\.name), clauses.map(\.id))
    func keeps(_ name: String, _ id: String) async throws {
        let subject = try #require(Self.subjects.first { $0.name == name })
        let clause = try #require(Self.clauses.first { $0.id == id })
        if case .broken(let what) = await clause.check(subject) { Issue.record("\(what)") }
    }

    @Test("the certificates are made, or it is said which packages that takes")
    func certificates() throws {
        if try TestTLS.made.get() == nil {
            print("skipped: https; missing packages: \(LoopbackTLS.missingPackages().joined(separator: ", "))")
        }
    }
}
