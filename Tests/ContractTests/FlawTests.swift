import Portico
import PorticoContracts
import Subjects
import Testing

@Suite("A broken guarantee is noticed by the clause of its number")
struct FlawTests {
    @Test("An event store's", arguments: Flaw<any EventStore>.all)
    func eventStore(_ flaw: Flaw<any EventStore>) async {
        await expectBroken(flaw, EventStoreContract.clauses)
    }

    @Test("A document store's", arguments: Flaw<any DocumentStore>.all)
    func documentStore(_ flaw: Flaw<any DocumentStore>) async {
        await expectBroken(flaw, DocumentStoreContract.clauses)
    }

    @Test("A theme store's", arguments: Flaw<any ThemeStore>.all)
    func themeStore(_ flaw: Flaw<any ThemeStore>) async {
        await expectBroken(flaw, ThemeStoreContract.clauses)
    }

    @Test("A time source's", arguments: Flaw<any TimeSource>.all)
    func timeSource(_ flaw: Flaw<any TimeSource>) async {
        await expectBroken(flaw, TimeSourceContract.clauses)
    }

    @Test("A ticket verifier's", arguments: Flaw<any TicketVerifier>.all)
    func ticketVerifier(_ flaw: Flaw<any TicketVerifier>) async {
        await expectBroken(flaw, TicketVerifierContract.clauses)
    }

    @Test("A token provider's", arguments: Flaw<any TokenProvider>.all)
    func tokenProvider(_ flaw: Flaw<any TokenProvider>) async {
        await expectBroken(flaw, TokenProviderContract.clauses)
    }

    @Test("A sync transport's", arguments: Flaw.all(over: Subjects.syncTransports()[0]))
    func syncTransport(_ flaw: Flaw<SyncTransportContract.Exchange>) async {
        await expectBroken(flaw, SyncTransportContract.clauses)
    }

    @Test("Every clause has at least one flaw that it notices")
    func coverage() {
        #expect(
            Set(Flaw<any EventStore>.all.map(\.id)) == Set(EventStoreContract.clauses.map(\.id)))
        #expect(
            Set(Flaw<any DocumentStore>.all.map(\.id)) == Set(DocumentStoreContract.clauses.map(\.id)))
        #expect(Set(Flaw<any ThemeStore>.all.map(\.id)) == Set(ThemeStoreContract.clauses.map(\.id)))
        #expect(Set(Flaw<any TimeSource>.all.map(\.id)) == Set(TimeSourceContract.clauses.map(\.id)))
        #expect(Set(Flaw<any TicketVerifier>.all.map(\.id)) == Set(TicketVerifierContract.clauses.map(\.id)))
        #expect(Set(Flaw<any TokenProvider>.all.map(\.id)) == Set(TokenProviderContract.clauses.map(\.id)))
        #expect(
            Set(Flaw.all(over: Subjects.syncTransports()[0]).map(\.id))
                == Set(SyncTransportContract.clauses.map(\.id)))
    }

    private func expectBroken<Port>(_ flaw: Flaw<Port>, _ clauses: [Clause<Port>]) async {
        for clause in clauses where clause.id == flaw.id {
            guard case .broken(let why) = await clause.check(flaw.subject) else {
                Issue.record("\(flaw.id) does not notice a store that \(flaw.name)")
                continue
            }
            #expect(why.hasPrefix("\(flaw.name) breaks \(flaw.id) "))
        }
    }
}
