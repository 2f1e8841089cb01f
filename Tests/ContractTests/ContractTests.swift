import Portico
import PorticoContracts
import Subjects
import Testing

@Suite("Every adapter keeps its port's guarantees")
struct ContractTests {
    @Test("An event store keeps them", arguments: Subjects.eventStores(), EventStoreContract.clauses)
    func eventStore(_ subject: Subject<any EventStore>, _ clause: Clause<any EventStore>) async {
        await check(subject, clause)
    }

    @Test("A document store keeps them", arguments: Subjects.documentStores(), DocumentStoreContract.clauses)
    func documentStore(_ subject: Subject<any DocumentStore>, _ clause: Clause<any DocumentStore>) async {
        await check(subject, clause)
    }

    @Test("A theme store keeps them", arguments: Subjects.themeStores(), ThemeStoreContract.clauses)
    func themeStore(_ subject: Subject<any ThemeStore>, _ clause: Clause<any ThemeStore>) async {
        await check(subject, clause)
    }

    @Test("A ticket verifier keeps them", arguments: Subjects.ticketVerifiers(), TicketVerifierContract.clauses)
    func ticketVerifier(_ subject: Subject<any TicketVerifier>, _ clause: Clause<any TicketVerifier>) async {
        await check(subject, clause)
    }

    @Test("A time source keeps them", arguments: Subjects.timeSources(), TimeSourceContract.clauses)
    func timeSource(_ subject: Subject<any TimeSource>, _ clause: Clause<any TimeSource>) async {
        await check(subject, clause)
    }

    @Test("A sync transport keeps them", arguments: Subjects.syncTransports(), SyncTransportContract.clauses)
    func syncTransport(
        _ subject: Subject<SyncTransportContract.Exchange>, _ clause: Clause<SyncTransportContract.Exchange>
    ) async {
        await check(subject, clause)
    }

    // Its clauses read no clock: a scanner that breaks one by waiting for ever holds it up.
    @Test(
        "A code scanner keeps them", .timeLimit(.minutes(1)), arguments: Subjects.codeScanners(),
        CodeScannerContract.clauses)
    func codeScanner(_ subject: Subject<ScannerStage>, _ clause: Clause<ScannerStage>) async {
        await check(subject, clause)
    }

    @Test(
        "A token provider keeps them", .timeLimit(.minutes(1)), arguments: Subjects.tokenProviders(),
        TokenProviderContract.clauses)
    func tokenProvider(_ subject: Subject<any TokenProvider>, _ clause: Clause<any TokenProvider>) async {
        await check(subject, clause)
    }

    @Test("A clause that needs what a subject lacks is skipped and says what is missing")
    func skips() async {
        let subject = Subject<any EventStore>(name: "nothing") { throw Breach("a skipped clause opened a storage") }
        for clause in EventStoreContract.clauses where !clause.needs.isEmpty {
            #expect(await clause.check(subject) == .skipped(missing: clause.needs))
        }
        #expect(EventStoreContract.clauses.contains { !$0.needs.isEmpty })
    }

    @Test("A broken clause names subject, number and what was seen")
    func names() async {
        let subject = Subject<any EventStore>(name: "HostStore") { throw Breach("no folder") }
        let result = await EventStoreContract.clauses[0].check(subject)
        #expect(result == .broken("HostStore breaks ES-1 (\(EventStoreContract.clauses[0].text)): no folder"))
    }

    @Test("What this build lacks is named with the trait and the packages that bring it")
    func missing() {
        let missing = Subjects.missing()
        #expect(missing.allSatisfy { !$0.packages.isEmpty && $0.description.contains($0.trait) })
        let verifiers = Set(Subjects.ticketVerifiers().map(\.name))
        for name in ["SodiumTicketVerifier", "OpenSSLTicketVerifier"] {
            #expect(verifiers.contains(name) != missing.contains { $0.adapter == name })
        }
        let isDrawn = QRDrawing.missingPackages().isEmpty && !missing.contains { $0.adapter == "ZBarScanner" }
        #expect(Subjects.codeScanners().map(\.name).count { $0.hasPrefix("ZBarScanner") } == (isDrawn ? 2 : 0))
    }
}

/// Puts a subject to a clause; a broken one fails with its text, a skipped one passes.
private func check<Port>(_ subject: Subject<Port>, _ clause: Clause<Port>) async {
    if case .broken(let why) = await clause.check(subject) { Issue.record(Comment(rawValue: why)) }
}

extension Subject: CustomTestStringConvertible {
    /// The name, in the reports of a parameterised test.
    public var testDescription: String { name }
}

extension Clause: CustomTestStringConvertible {
    /// The number, in the reports of a parameterised test.
    public var testDescription: String { id }
}
