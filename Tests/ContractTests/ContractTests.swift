import Portico
import PorticoContracts
import Subjects
import Testing

/// Puts a subject to a clause; a broken one fails with its text, a skipped one passes.
func check<Port>(_ subject: Subject<Port>, _ clause: Clause<Port>) async {
    if case .broken(let why) = await clause.check(subject) { Issue.record(Comment(rawValue: why)) }
}

extension Subject: CustomTestStringConvertible {
    public var testDescription: String { name }
}

extension Clause: CustomTestStringConvertible {
    public var testDescription: String { id }
}

@Suite("Every adapter keeps its port's guarantees")
struct ContractTests {
    @Test("An event store keeps them", arguments: Subjects.eventStores(), EventStoreContract.clauses)
    func eventStore(_ subject: Subject<any EventStore>, _ clause: Clause<any EventStore>) async {
        await check(subject, clause)
    }
}
