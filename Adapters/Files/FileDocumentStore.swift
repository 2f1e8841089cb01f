import Dispatch
import Portico
import PorticoPOSIX

/// A document store in a folder: a file a document (0600), replaced whole by renaming.
///
/// Several processes may have the folder open; `documents.lock` in it keeps their replacements apart. An event store may
/// be in it too: the files of one are not touched by the other.
///
/// ```swift
/// let documents = try await FileDocumentStore(folder: "/var/lib/gate/documents")
/// let revision = try await documents.revision("configuration")
/// _ = try await documents.replace("configuration", with: bytes, if: revision)
/// await documents.close()
/// ```
///
/// `@unchecked Sendable`: `folder` is touched on `queue` alone.
public final class FileDocumentStore: DocumentStore, @unchecked Sendable {
    private let queue = DispatchQueue(label: "portico.documents", qos: .userInitiated)
    /// Nil before it was opened, and once it was closed.
    private var folder: DocumentFolder?

    /// Opens a folder; it and those above it are made (0700) where they are missing.
    public convenience init(folder: String) async throws(DocumentStoreError) {
        try await self.init(folder: folder, fileSystem: POSIXFileSystem())
    }

    /// Opens a folder of a file system that may fail and be watched.
    package init(folder: String, fileSystem: any FileSystem) async throws(DocumentStoreError) {
        try await onQueue { (store) throws(DocumentStoreError) in
            store.folder = try DocumentFolder(folder, in: fileSystem)
        }
    }

    /// The document of that name; nil where there is none.
    public func read(_ name: String) async throws(DocumentStoreError) -> Document? {
        try await open(name) { (folder) throws(DocumentStoreError) in try folder.read(name) }
    }

    /// The revision of the document of that name, from the file's header; nil where there is none.
    public func revision(_ name: String) async throws(DocumentStoreError) -> UInt64? {
        try await open(name) { (folder) throws(DocumentStoreError) in try folder.revision(name) }
    }

    /// Replaces the document whole, if its revision is still `revision`.
    ///
    /// After an error of the last step, making the folder durable, the new document may be there: read it again.
    public func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) async throws(DocumentStoreError) -> UInt64 {
        try await open(name) { (folder) throws(DocumentStoreError) in
            try folder.replace(name, with: bytes, if: revision)
        }
    }

    /// Removes the document; its revision is kept for the next one of that name.
    public func remove(_ name: String) async throws(DocumentStoreError) {
        try await open(name) { (folder) throws(DocumentStoreError) in try folder.remove(name) }
    }

    /// The names that have a document, ascending by bytes.
    public func names() async throws(DocumentStoreError) -> [String] {
        try await open { (folder) throws(DocumentStoreError) in try folder.names() }
    }

    /// Ends what was begun and lets go of the folder.
    public func close() async {
        do throws(DocumentStoreError) {
            try await onQueue { $0.folder = nil }
        } catch {
            // Letting go of files does not fail.
        }
    }

    private func open<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable (DocumentFolder) throws(DocumentStoreError) -> Value
    ) async throws(DocumentStoreError) -> Value {
        _ = try Self.key(name)
        return try await open(body)
    }

    private func open<Value: Sendable>(
        _ body: @escaping @Sendable (DocumentFolder) throws(DocumentStoreError) -> Value
    ) async throws(DocumentStoreError) -> Value {
        try await onQueue { (store) throws(DocumentStoreError) in
            guard let folder = store.folder else { throw .closed }
            return try body(folder)
        }
    }

    /// File operations may wait for the disk, so they never run on a thread that tasks share.
    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (FileDocumentStore) throws(DocumentStoreError) -> Value
    ) async throws(DocumentStoreError) -> Value {
        let result: Result<Value, DocumentStoreError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(DocumentStoreError) in try body(self) })
            }
        }
        return try result.get()
    }
}
