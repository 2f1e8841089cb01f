/// Every adapter of this machine as a subject of its port's contract: for the tests and for `gate doctor`.
///
/// One file a port lists that port's adapters; a new adapter is added there.
///
/// ```swift
/// for subject in Subjects.eventStores() {
///     for clause in EventStoreContract.clauses { print(await clause.check(subject)) }
/// }
/// ```
public enum Subjects {}
