import Portico

/// The guarantees of `DocumentStore`, as checks that any store can be put to.
///
/// ```swift
/// let subject = Subject<any DocumentStore>(name: "HostDocumentStore", capabilities: [.durable, .shared]) {
///     let folder = try makeEmptyFolder()
///     return { try HostDocumentStore(folder: folder) }
/// }
/// for clause in DocumentStoreContract.clauses {
///     if case .broken(let why) = await clause.check(subject) { print(why) }
/// }
/// ```
/// Capabilities: `durable` adds what must be there after closing and opening again, `shared` adds two openers of one
/// storage.
public enum DocumentStoreContract {
    /// One clause for each guarantee of the port's documentation, in its order.
    public static let clauses: [Clause<any DocumentStore>] = [
        replacement, comparison, revisions, reading, names, fidelity, removal, closing, refusedNames,
    ]
}

extension DocumentStoreContract {
    typealias Store = any DocumentStore

    private static let replacement = Clause<Store>(
        "DS-1", "replace writes all bytes or none, durable before it returns"
    ) { subject in
        let bench = try await DocumentBench(subject)
        let versions: [[UInt8]] = [
            Array("first".utf8), [UInt8](repeating: 7, count: 100_000), [1], [UInt8](repeating: 9, count: 4_096),
        ]
        for (index, bytes) in versions.enumerated() {
            let revision = try await bench.open { store in
                let before = bench.isDurable ? try await store.revision("state") : nil
                let revision = try await store.replace("state", with: bytes, if: before)
                try requireEqual(
                    try await store.read("state"), Document(bytes: bytes, revision: revision), "document \(index)")
                return revision
            }
            try await bench.reopen { store in
                try requireEqual(
                    try await store.read("state"), Document(bytes: bytes, revision: revision),
                    "document \(index) after opening again")
            }
            if !bench.isDurable { break }
        }
        try await bench.open { store in
            _ = try await store.replace("other", with: [5], if: nil)
            let before = try await store.read("other")
            try await requireFailure("a replacement of another revision", isChanged) {
                _ = try await store.replace("other", with: [6, 6], if: nil)
            }
            try requireEqual(try await store.read("other"), before, "the document after a replacement that failed")
        }
    }

    private static let comparison = Clause<Store>(
        "DS-2", "replace fails with changed unless the stored revision is the one given; of two at once one succeeds"
    ) { subject in
        let bench = try await DocumentBench(subject)
        try await bench.open { store in
            try await requireFailure("a replacement of an absent document", { isChanged($0, to: nil) }) {
                _ = try await store.replace("state", with: [0], if: 1)
            }
            try requireEqual(try await store.read("state"), nil, "the document after a refused first one")
            let first = try await store.replace("state", with: [1], if: nil)
            let second = try await store.replace("state", with: [2], if: first)
            for stale in [nil, first, second &+ 1, UInt64.max, 0] {
                try await requireFailure(
                    "a replacement of revision \(String(describing: stale))", { isChanged($0, to: second) }
                ) {
                    _ = try await store.replace("state", with: [9], if: stale)
                }
            }
            try requireEqual(
                try await store.read("state"), Document(bytes: [2], revision: second), "the document after stale ones")
            try await race([store], from: second)
        }
        guard subject.capabilities.contains(.shared) else { return }
        try await bench.openTwice { one, other in
            let revision = try await one.replace("shared", with: [1], if: nil)
            try requireEqual(
                try await other.read("shared"), Document(bytes: [1], revision: revision), "what another opener reads")
            let next = try await other.replace("shared", with: [2], if: revision)
            try await requireFailure("a replacement of what another replaced", { isChanged($0, to: next) }) {
                _ = try await one.replace("shared", with: [3], if: revision)
            }
            try requireEqual(try await one.read("shared")?.bytes, [2], "what another opener replaced")
            try await other.remove("shared")
            try requireEqual(try await one.read("shared"), nil, "what another opener removed")
            let start = try await one.replace("state", with: [0], if: try await one.revision("state"))
            try await race([one, other], from: start)
        }
    }

    /// Forty at once with the same revision, over and over: each time exactly one succeeds.
    private static func race(_ stores: [Store], from revision: UInt64) async throws {
        var revision = revision
        for round in 0..<5 {
            let from = revision
            let winners = try await withThrowingTaskGroup(of: (UInt64, UInt8)?.self) { group in
                for caller in 0..<40 {
                    let store = stores[caller % stores.count]
                    let mark = UInt8(round * 40 + caller)
                    group.addTask {
                        do {
                            return (try await store.replace("state", with: [mark], if: from), mark)
                        } catch {
                            guard isChanged(error) else { throw error }
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [(UInt64, UInt8)]()) { if let won = $1 { $0.append(won) } }
            }
            try requireEqual(winners.count, 1, "replacements that succeeded among forty of one revision")
            for store in stores {
                try requireEqual(
                    try await store.read("state"), Document(bytes: [winners[0].1], revision: winners[0].0),
                    "the document after a race")
            }
            revision = winners[0].0
        }
    }

    private static let revisions = Clause<Store>(
        "DS-3", "revisions of a name only rise, also across removal and reopening"
    ) { subject in
        let bench = try await DocumentBench(subject)
        let last = try await bench.open { store in
            var last: UInt64?
            for round in 0..<12 {
                if round % 4 == 3 {
                    try await store.remove("state")
                    try requireEqual(try await store.revision("state"), nil, "the revision of a removed document")
                }
                let next = try await store.replace("state", with: [1], if: round % 4 == 3 ? nil : last)
                if let last { try require(next > last, "revision \(next) follows \(last)") }
                last = next
            }
            try await store.remove("state")
            return last ?? 0
        }
        try await bench.reopen { store in
            try requireEqual(try await store.read("state"), nil, "a removed document after opening again")
            let next = try await store.replace("state", with: [2], if: nil)
            try require(next > last, "revision \(next) follows \(last), a removal and another opening")
        }
        try await bench.reopen { store in
            let before = try await store.revision("state")
            let next = try await store.replace("state", with: [3], if: before)
            try require(next > last + 1, "revision \(next) follows \(String(describing: before))")
        }
    }

    private static let reading = Clause<Store>(
        "DS-4", "read returns the bytes and the revision of one replace; an absent document is nil"
    ) { subject in
        let bench = try await DocumentBench(subject)
        try await bench.open { store in
            try requireEqual(try await store.read("state"), nil, "an absent document")
            try requireEqual(try await store.revision("state"), nil, "the revision of an absent document")
            let rounds = 60
            let written = try await withThrowingTaskGroup(of: [Document].self) { group in
                group.addTask {
                    var written: [Document] = []
                    for round in 1...rounds {
                        let bytes = bytes(ofRound: round)
                        let revision = try await store.replace("state", with: bytes, if: written.last?.revision)
                        written.append(Document(bytes: bytes, revision: revision))
                    }
                    return written
                }
                for _ in 0..<4 {
                    group.addTask {
                        var seen: [Document] = []
                        for _ in 0..<rounds {
                            if let document = try await store.read("state") { seen.append(document) }
                        }
                        for (earlier, later) in zip(seen, seen.dropFirst()) {
                            try require(later.revision >= earlier.revision, "a reader saw revisions fall")
                        }
                        return seen
                    }
                }
                return try await group.reduce(into: [UInt64: Set<[UInt8]>]()) { all, seen in
                    for document in seen { all[document.revision, default: []].insert(document.bytes) }
                }
            }
            try requireEqual(written.count, rounds, "revisions of \(rounds) replacements")
            try require(written.values.allSatisfy { $0.count == 1 }, "two contents were read under one revision")
            let last = try await store.read("state")
            try requireEqual(last?.bytes, bytes(ofRound: rounds), "the last replacement")
            try requireEqual(try await store.revision("state"), last?.revision, "the revision without the bytes")
        }
    }

    private static func bytes(ofRound round: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(round), count: round * 997 % 20_000)
    }

    private static let removal = Clause<Store>(
        "DS-7", "removing what is absent is no error"
    ) { subject in
        let bench = try await DocumentBench(subject)
        try await bench.open { store in
            try await store.remove("never")
            let kept = try await store.replace("kept", with: [1], if: nil)
            let gone = try await store.replace("gone", with: [1], if: nil)
            try await store.remove("gone")
            try await store.remove("gone")
            try requireEqual(try await store.read("gone"), nil, "a removed document")
            try requireEqual(try await store.names(), ["kept"], "names after a removal")
            try requireEqual(try await store.revision("kept"), kept, "the revision of another document")
            try await requireFailure("a replacement of a removed document", { isChanged($0, to: nil) }) {
                _ = try await store.replace("gone", with: [2], if: gone)
            }
        }
        try await bench.reopen { store in
            try requireEqual(try await store.names(), ["kept"], "names after a removal and opening again")
            try await store.remove("gone")
        }
    }

    private static let closing = Clause<Store>(
        "DS-8", "closing may be repeated, leaves a storage that can be opened, and later calls fail with closed"
    ) { subject in
        let opening = try await subject.fresh()
        let store = try await opening()
        let revision = try await store.replace("state", with: [1], if: nil)
        await store.close()
        await store.close()
        try await requireFailure("read after close", isClosed) { _ = try await store.read("state") }
        try await requireFailure("revision after close", isClosed) { _ = try await store.revision("state") }
        try await requireFailure("replace after close", isClosed) {
            _ = try await store.replace("state", with: [2], if: revision)
        }
        try await requireFailure("remove after close", isClosed) { try await store.remove("state") }
        try await requireFailure("names after close", isClosed) { _ = try await store.names() }
        let again = try await opening()
        await store.close()
        do {
            let expected = subject.capabilities.contains(.durable) ? Document(bytes: [1], revision: revision) : nil
            try requireEqual(try await again.read("state"), expected, "the document after opening again")
            _ = try await again.replace("state", with: [3], if: expected?.revision)
        } catch {
            await again.close()
            throw error
        }
        await again.close()
    }

    private static func isChanged(_ error: any Error) -> Bool {
        if case .changed = error as? DocumentStoreError { true } else { false }
    }

    private static func isChanged(_ error: any Error, to revision: UInt64?) -> Bool {
        error as? DocumentStoreError == .changed(revision)
    }

    private static func isClosed(_ error: any Error) -> Bool {
        error as? DocumentStoreError == .closed
    }
}

/// A storage of its own for one clause, opened as often as the clause asks.
struct DocumentBench {
    let isDurable: Bool
    private let opening: Subject<any DocumentStore>.Opening

    init(_ subject: Subject<any DocumentStore>) async throws {
        isDurable = subject.capabilities.contains(.durable)
        opening = try await subject.fresh()
    }

    /// Opens the storage for the body and closes it, also where the body fails.
    func open<Value>(_ body: (any DocumentStore) async throws -> Value) async throws -> Value {
        let store = try await opening()
        do {
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    /// Opens it twice at once.
    func openTwice(_ body: (any DocumentStore, any DocumentStore) async throws -> Void) async throws {
        try await open { one in
            try await open { other in try await body(one, other) }
        }
    }

    /// Opens it again, where it keeps what was written.
    func reopen(_ body: (any DocumentStore) async throws -> Void) async throws {
        if isDurable { try await open(body) }
    }
}
