/// Keeps small things that must survive: a configuration, cookies, a theme, an installation id.
///
/// ## Why it exists
/// A configuration that was half written is worse than an old one, and two writers that both "check, then save" undo
/// each other. A document is replaced whole, or not at all, and only by who saw its last revision. Files, SQLite,
/// UserDefaults and the Keychain can all do that, and a host keeps its documents where it keeps its other secrets.
///
/// ## Guarantees
/// - DS-1: `replace` writes all bytes or none, also when the process is killed, and returns only when they are durable.
/// - DS-2: `replace` fails with `changed` unless the stored revision is the one that was given (nil: no document), and
///   then nothing is written. Of two at once with the same revision exactly one succeeds.
/// - DS-3: revisions of a name only rise, also across removal and reopening.
/// - DS-4: `read` returns the bytes and the revision of one `replace`, never a mixture; `revision` the same number
///   without the bytes. An absent document is nil, an unreadable one is an error: the two are never confused.
/// - DS-5: names are told apart by bytes. `names` lists those that have a document, ascending by bytes.
/// - DS-6: any bytes come back as they were, the empty ones too, up to 64 MiB.
/// - DS-7: removing what is absent is no error.
/// - DS-8: `close` may be called twice; afterwards the same storage can be opened, and other calls fail with `closed`.
/// - DS-9: a name that is empty, longer than 128 UTF-8 bytes, or has `/` or a control character (U+0000–001F,
///   U+007F–009F) fails with `invalidName`. Any other is taken, `.` and `..` too.
///
/// ## Errors
/// `changed`: read again and decide anew. `full`, `readOnly`, `failed` may pass. `corrupt` does not pass by itself.
///
/// ## Concurrency
/// Called from any task; several processes may open the same documents at once, and each sees what another replaced.
/// Cancelling a task does not undo a call that has begun.
///
/// ## Write your own
/// ```swift
/// let subject = Subject<any DocumentStore>(name: "HostDocumentStore", capabilities: [.durable, .shared]) {
///     let folder = try makeEmptyFolder()
///     return { try HostDocumentStore(folder: folder) }
/// }
/// for clause in DocumentStoreContract.clauses {
///     print(await clause.check(subject))
/// }
/// ```
public protocol DocumentStore: Sendable {
    /// The document of that name; nil where there is none.
    func read(_ name: String) async throws(DocumentStoreError) -> Document?

    /// The revision of the document of that name, without reading it; nil where there is none.
    func revision(_ name: String) async throws(DocumentStoreError) -> UInt64?

    /// Replaces the document whole, if its revision is still `revision` (nil: if there is none).
    ///
    /// - Returns: The new revision.
    func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) async throws(DocumentStoreError) -> UInt64

    /// Removes the document.
    func remove(_ name: String) async throws(DocumentStoreError)

    /// The names that have a document, ascending by bytes.
    func names() async throws(DocumentStoreError) -> [String]

    /// Lets go of the storage.
    func close() async
}

extension DocumentStore {
    /// The bytes by which a name is told from others (DS-5).
    ///
    /// - Throws: `invalidName` where it is not one that a store takes (DS-9).
    package static func key(_ name: String) throws(DocumentStoreError) -> [UInt8] {
        let isTaken = name.unicodeScalars.allSatisfy {
            $0 != "/" && $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        guard isTaken, (1...128).contains(name.utf8.count) else { throw .invalidName(name) }
        return Array(name.utf8)
    }
}

/// A document as it was read.
public struct Document: Sendable, Hashable {
    /// The bytes.
    public var bytes: [UInt8]
    /// What `replace` must be given to follow this one.
    public var revision: UInt64

    /// Puts a document together.
    public init(bytes: [UInt8], revision: UInt64) {
        self.bytes = bytes
        self.revision = revision
    }
}

/// What broke in a document store.
public enum DocumentStoreError: Error, Sendable, Hashable {
    /// Somebody replaced or removed the document since; the number is the revision now, nil where there is none.
    case changed(UInt64?)
    /// The name is not one that a store takes.
    case invalidName(String)
    /// There is no room; nothing was written.
    case full
    /// The storage cannot be written.
    case readOnly
    /// The storage is not what a store wrote; the text says where.
    case corrupt(String)
    /// The store was closed.
    case closed
    /// Anything else; the text says what and gives the system's cause.
    case failed(String)
}

extension DocumentStoreError: CustomStringConvertible {
    /// One line: what failed and what to do.
    public var description: String {
        switch self {
        case .changed: "document changed meanwhile: read it again"
        case .invalidName(let name):
            "document name refused: \(name.utf8.count) bytes; 1 to 128 without control characters and `/`"
        case .full: "document store full: nothing was written; make room on the volume"
        case .readOnly: "document store read-only: nothing was written; check the permissions of the folder"
        case .corrupt(let detail): "document store corrupt: \(detail)"
        case .closed: "document store closed"
        case .failed(let detail): "document store failed: \(detail)"
        }
    }
}
