import Portico

/// What a subject can do beyond the least that its port asks; a clause that needs more is skipped where it is missing.
public struct Capability: Sendable, Hashable {
    /// The name, for people.
    public let name: String

    /// A capability by its name; a host may have its own.
    public init(_ name: String) {
        self.name = name
    }

    /// What was written is there when the same storage is opened again.
    public static let durable = Capability("durable")
    /// Two openers can reach the same storage, and the second writer is told that it is locked.
    public static let exclusive = Capability("exclusive")
    /// Several may have the same storage open at once, each seeing what another wrote.
    public static let shared = Capability("shared")
    /// It can be closed, and then says so.
    public static let closable = Capability("closable")
}

/// An adapter to be checked: how to make a new, empty storage, and how to open it, again and again.
///
/// ```swift
/// let subject = Subject<any EventStore>(name: "InMemoryEventStore", capabilities: [.durable]) {
///     let storage = InMemoryEventStore.Storage()
///     return { try InMemoryEventStore(storage) }
/// }
/// ```
public struct Subject<Port: Sendable>: Sendable {
    /// Opens the one storage that it was made for.
    public typealias Opening = @Sendable () async throws -> Port

    /// The adapter's name, for reports.
    public let name: String
    /// What it can do beyond the least.
    public let capabilities: Set<Capability>
    /// Makes a new, empty storage at each call; its result opens that storage.
    public let fresh: @Sendable () async throws -> Opening

    /// Puts a subject together.
    public init(
        name: String, capabilities: Set<Capability> = [], fresh: @escaping @Sendable () async throws -> Opening
    ) {
        self.name = name
        self.capabilities = capabilities
        self.fresh = fresh
    }
}

/// What became of one check.
public enum ClauseResult: Sendable, Hashable {
    /// The guarantee held.
    case kept
    /// It was not checked: the subject lacks what the clause needs.
    case skipped(missing: Set<Capability>)
    /// It did not hold; the text names subject and clause and says what was seen.
    case broken(String)
}

/// One guarantee of a port, as a check that any adapter can be put to.
public struct Clause<Port: Sendable>: Sendable, CustomStringConvertible {
    /// The number of the guarantee in the port's documentation, `ES-1` …
    public let id: String
    /// The guarantee in one line.
    public let text: String
    /// What a subject must be capable of for the clause to apply.
    public let needs: Set<Capability>

    private let body: @Sendable (Subject<Port>) async throws -> Void

    /// A clause whose body throws, `Breach` or anything else, where the guarantee does not hold.
    public init(
        _ id: String, _ text: String, needs: Set<Capability> = [],
        body: @escaping @Sendable (Subject<Port>) async throws -> Void
    ) {
        self.id = id
        self.text = text
        self.needs = needs
        self.body = body
    }

    /// Puts a subject to the check.
    public func check(_ subject: Subject<Port>) async -> ClauseResult {
        let missing = needs.subtracting(subject.capabilities)
        guard missing.isEmpty else { return .skipped(missing: missing) }
        do {
            try await body(subject)
            return .kept
        } catch {
            return .broken("\(subject.name) breaks \(id) (\(text)): \(error)")
        }
    }

    /// Number and text.
    public var description: String { "\(id) \(text)" }
}

/// What a clause saw that it must not see.
public struct Breach: Error, CustomStringConvertible {
    /// What was seen.
    public let description: String

    /// A breach by what was seen.
    public init(_ description: String) {
        self.description = description
    }
}

/// Ends a clause with a breach unless the condition holds.
func require(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !condition { throw Breach(otherwise()) }
}

/// Ends a clause with a breach unless both are equal.
func requireEqual<Value: Equatable>(_ seen: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
    if seen != expected { throw Breach("\(what()): \(seen), expected \(expected)") }
}
