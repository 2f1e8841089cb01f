/// Keeps which theme somebody chose, by its name.
///
/// ## Why it exists
/// The choice has to be there before the first frame, or the app flashes in the wrong colours. Some hosts keep it with
/// their other documents, some in UserDefaults, where an extension and the system's settings reach it, some in an
/// account that follows a person from device to device.
///
/// ## Guarantees
/// - TH-1: `load` gives what the last `save` was given; nil where nothing was saved.
/// - TH-2: `save` returns only when the name is durable: whoever opens the storage again reads it.
/// - TH-3: any name of 1 to 64 bytes of visible ASCII (U+0021–007E) comes back byte for byte, one that no version
///   knows included: what it means is for the caller.
/// - TH-4: any other name fails with `failed`, and what was saved before stays.
/// - TH-5: of several that save at once all succeed, and the last one stays, whole.
///
/// ## Errors
/// `corrupt`: what is stored is no such name. It is not nothing: nothing means that nobody chose. `full`, `readOnly`,
/// `failed` may pass. A choice that could not be saved still holds for the run.
///
/// ## Concurrency
/// Called from any task. Cancelling a task does not undo a call that has begun.
///
/// ## Write your own
/// ```swift
/// actor HostThemes: ThemeStore {
///     private var account: [String: String] = [:]
///     func load() async throws(DocumentStoreError) -> String? { account["theme"] }
///     func save(_ name: String) async throws(DocumentStoreError) {
///         guard DocumentThemeStore.isName(name) else { throw .failed("theme refused: not a name") }
///         account["theme"] = name
///     }
/// }
///
/// let subject = Subject<any ThemeStore>(name: "HostThemes") {
///     let themes = HostThemes()
///     return { themes }
/// }
/// for clause in ThemeStoreContract.clauses {
///     print(await clause.check(subject))
/// }
/// ```
public protocol ThemeStore: Sendable {
    /// The name that was saved last; nil where none was.
    func load() async throws(DocumentStoreError) -> String?

    /// Saves the name in place of the one before.
    func save(_ name: String) async throws(DocumentStoreError)
}

/// The chosen theme as a document, `theme`, in any document store.
///
/// ```swift
/// let themes = DocumentThemeStore(documents)
/// try await themes.save("dark")
/// ```
///
/// The documents stay the host's to close.
public struct DocumentThemeStore: ThemeStore {
    private static let document = "theme"
    /// More writers at once than a device has; so a store that always says `changed` ends the call.
    private static let mostAttempts = 100

    private let documents: any DocumentStore

    /// A store over these documents.
    public init(_ documents: any DocumentStore) {
        self.documents = documents
    }

    /// Whether a name is one that a theme store takes (TH-3).
    public static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The name that was saved last; nil where none was.
    public func load() async throws(DocumentStoreError) -> String? {
        guard let document = try await documents.read(Self.document) else { return nil }
        // What is not UTF-8 is repaired with a character that no name has.
        let name = String(decoding: document.bytes.prefix(65), as: UTF8.self)
        guard Self.isName(name) else {
            throw .corrupt("the theme is no name, \(document.bytes.count) bytes: choose one anew")
        }
        return name
    }

    /// Saves the name in place of the one before.
    public func save(_ name: String) async throws(DocumentStoreError) {
        guard Self.isName(name) else {
            throw .failed("theme refused: \(name.utf8.count) bytes; 1 to 64 of visible ASCII")
        }
        for _ in 1...Self.mostAttempts {
            let revision = try await documents.revision(Self.document)
            do throws(DocumentStoreError) {
                _ = try await documents.replace(Self.document, with: Array(name.utf8), if: revision)
                return
            } catch {
                // Somebody else chose meanwhile; this choice is the later one.
                if case .changed = error { continue }
                throw error
            }
        }
        throw .failed("theme not saved: replaced by others \(Self.mostAttempts) times in a row; choose again")
    }
}
