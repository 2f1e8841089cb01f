import Portico

/// The guarantees of `ThemeStore`, as checks that any adapter can be put to.
///
/// ```swift
/// let subject = Subject<any ThemeStore>(name: "DocumentThemeStore", capabilities: [.durable]) {
///     let storage = InMemoryDocumentStore.Storage()
///     return { DocumentThemeStore(InMemoryDocumentStore(storage)) }
/// }
/// for clause in ThemeStoreContract.clauses {
///     if case .broken(let why) = await clause.check(subject) { print(why) }
/// }
/// ```
public enum ThemeStoreContract {
    /// One clause for each guarantee of the port's documentation, in its order.
    public static let clauses: [Clause<any ThemeStore>] = [
        Clause("TH-1", "what was saved last is loaded, and nothing where nothing was saved") { subject in
            try await withStorage(subject) { open in
                let store = try await open()
                try requireEqual(try await store.load(), nil, "a new storage has a theme")
                for name in ["dark", "light", "light", "system"] {
                    try await store.save(name)
                    try requireEqual(try await store.load(), name, "loaded after it was saved")
                }
                try await withStorage(subject) { openOther in
                    try requireEqual(try await openOther().load(), nil, "another new storage has a theme")
                }
            }
        },
        Clause("TH-2", "what was saved is there when the storage is opened again", needs: [.durable]) { subject in
            try await withStorage(subject) { open in
                for name in ["dark", "light"] {
                    try await open().save(name)
                    try requireEqual(try await open().load(), name, "loaded by the next opener")
                }
            }
        },
        Clause("TH-3", "any name of 1 to 64 bytes of visible ASCII comes back") { subject in
            try await withStorage(subject) { open in
                let store = try await open()
                // Bytes, because equality of text merges what only looks alike.
                for name in names {
                    try await store.save(name)
                    let loaded = try await store.load()
                    try requireEqual(loaded.map { Array($0.utf8) }, Array(name.utf8), "bytes of a name")
                }
            }
        },
        Clause("TH-4", "any other name fails, and what was saved stays") { subject in
            try await withStorage(subject) { open in
                let store = try await open()
                try await store.save("dark")
                for name in badNames {
                    do {
                        try await store.save(name)
                        throw Breach("a name of \(name.utf8.count) bytes was taken")
                    } catch let error as DocumentStoreError {
                        guard case .failed = error else { throw Breach("refused with \(error), not with failed") }
                    }
                    try requireEqual(try await store.load(), "dark", "after a refused name")
                }
            }
        },
        Clause("TH-5", "of several that save at once all succeed, and one name stays whole") { subject in
            try await withStorage(subject) { open in
                let store = try await open()
                let saved = (1...8).map { "theme-\($0)-" + long($0 * 4) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for name in saved { group.addTask { try await store.save(name) } }
                    try await group.waitForAll()
                }
                let loaded = try await store.load()
                try require(saved.contains { $0 == loaded }, "what stays is none of the names: \(loaded ?? "nothing")")
                try await store.save("last")
                try requireEqual(try await store.load(), "last", "after all the others")
            }
        },
    ]

    private static let names: [String] =
        ["x", "true", "0", "-1", "null", "2026-01-01", "<data>&quot;", "\"", "\\", "dark", "DARK", long(64)]
        + (0x21...0x7E).map { String(UnicodeScalar(UInt8($0))) }

    private static let badNames = [
        "", " ", "dark ", "da\nrk", "da\u{0}rk", "dark\u{7F}", "d\u{E4}rk", "dar\u{212A}", long(65),
    ]

    /// A new storage, which is held until the body is done: it may go with its last opening.
    private static func withStorage(
        _ subject: Subject<any ThemeStore>, _ body: (Subject<any ThemeStore>.Opening) async throws -> Void
    ) async throws {
        let opening = try await subject.fresh()
        defer { withExtendedLifetime(opening) {} }
        try await body(opening)
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }
}
