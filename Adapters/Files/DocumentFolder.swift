import Portico
import PorticoPOSIX

/// The documents of one folder, a file each; what may block is here.
///
/// Not safe to share: the store uses it on its queue alone.
final class DocumentFolder {
    private let path: String
    private let fileSystem: any FileSystem

    private static let lockName = "documents.lock"
    static let longestDocument = 64 << 20
    private static let temporarySuffix = ".new"
    /// Milliseconds. Another process holds the lock for one replacement; a stopped one must not hold this one up for ever.
    private static let patience = 10_000

    /// Opens a folder, which is made where it is missing.
    init(_ path: String, in fileSystem: any FileSystem) throws(DocumentStoreError) {
        self.path = path
        self.fileSystem = fileSystem
        do throws(SystemError) {
            try fileSystem.makeFolder(path)
        } catch {
            // A folder that cannot be written can still be read.
            guard error.cause == .readOnly else { throw DocumentStoreError(error) }
        }
    }

    func read(_ name: String) throws(DocumentStoreError) -> Document? {
        guard let bytes = try contents(name, atMost: nil) else { return nil }
        return try taking(name) { () throws(DocumentFile.Unreadable) in
            try checkName(DocumentFile.header(bytes), name)
            return try DocumentFile.document(bytes)
        }
    }

    func revision(_ name: String) throws(DocumentStoreError) -> UInt64? {
        guard let header = try header(name) else { return nil }
        return header.isPresent ? header.revision : nil
    }

    func replace(
        _ name: String, with bytes: [UInt8], if revision: UInt64?
    ) throws(DocumentStoreError) -> UInt64 {
        guard bytes.count <= Self.longestDocument else {
            throw .failed("a document of \(bytes.count) bytes, and \(Self.longestDocument) is the most")
        }
        return try exclusively { () throws(DocumentStoreError) in
            let header = try header(name)
            let current = header.flatMap { $0.isPresent ? $0.revision : nil }
            guard current == revision else { throw .changed(current) }
            let next = (header?.revision ?? 0) + 1
            try put(DocumentFile.encoded(bytes, name: name, revision: next), for: name)
            return next
        }
    }

    func remove(_ name: String) throws(DocumentStoreError) {
        try exclusively { () throws(DocumentStoreError) in
            guard let header = try header(name), header.isPresent else { return }
            try put(DocumentFile.encoded(nil, name: name, revision: header.revision), for: name)
        }
    }

    func names() throws(DocumentStoreError) -> [String] {
        let files = try system { () throws(SystemError) in try fileSystem.list(path) }
        var names: [[UInt8]] = []
        for file in files where file.hasSuffix(DocumentName.suffix) {
            guard let bytes = try contents(ofFile: file, atMost: DocumentFile.longestHeader) else { continue }
            let header = try taking(file) { () throws(DocumentFile.Unreadable) in try DocumentFile.header(bytes) }
            if header.isPresent { names.append(header.name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Files

    private func header(_ name: String) throws(DocumentStoreError) -> DocumentFile.Header? {
        guard let bytes = try contents(name, atMost: DocumentFile.longestHeader) else { return nil }
        return try taking(name) { () throws(DocumentFile.Unreadable) in
            let header = try DocumentFile.header(bytes)
            try checkName(header, name)
            return header
        }
    }

    private func checkName(_ header: DocumentFile.Header, _ name: String) throws(DocumentFile.Unreadable) {
        guard header.name.elementsEqual(name.utf8) else { throw .damaged }
    }

    private func contents(_ name: String, atMost length: Int?) throws(DocumentStoreError) -> [UInt8]? {
        try contents(ofFile: DocumentName.file(name), atMost: length)
    }

    /// A file's bytes, nil where there is no such file; an unreadable one is an error, never nil.
    private func contents(ofFile file: String, atMost length: Int?) throws(DocumentStoreError) -> [UInt8]? {
        do throws(SystemError) {
            let opened = try fileSystem.open("\(path)/\(file)", .read)
            defer { fileSystem.close(opened) }
            let size = try fileSystem.size(opened)
            let longest = Int64(Self.longestDocument + DocumentFile.longestHeader)
            return try fileSystem.bytes(opened, 0..<min(size, length.map(Int64.init) ?? longest + 1))
        } catch {
            if error.cause == .missing { return nil }
            // What cannot be read for want of permission is no matter of writing.
            throw error.cause == .readOnly ? .failed("\(error)") : DocumentStoreError(error)
        }
    }

    /// Writes beside the old file and puts the new one in its place, so that there is always a whole one.
    private func put(_ bytes: [UInt8], for name: String) throws(DocumentStoreError) {
        let target = "\(path)/\(DocumentName.file(name))"
        let temporary = target + Self.temporarySuffix
        try system { () throws(SystemError) in
            // One that a crash left behind is overwritten: only the holder of the lock writes here.
            let file = try fileSystem.open(temporary, .replace)
            do throws(SystemError) {
                defer { fileSystem.close(file) }
                try fileSystem.writeAll(file, bytes, at: 0)
                try fileSystem.synchronize(file)
            } catch {
                removeTemporary(temporary)
                throw error
            }
            try fileSystem.rename(temporary, to: target)
            try fileSystem.synchronizeFolder(path)
        }
    }

    private func removeTemporary(_ path: String) {
        do throws(SystemError) {
            try fileSystem.remove(path)
        } catch {
            // It takes room until the next replacement of the same name, and is never read.
        }
    }

    // MARK: Other writers

    private func exclusively<Value>(
        _ body: () throws(DocumentStoreError) -> Value
    ) throws(DocumentStoreError) -> Value {
        let lock = try takeLock()
        defer { lock.release() }
        return try body()
    }

    private func takeLock() throws(DocumentStoreError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock("\(path)/\(Self.lockName)", in: fileSystem, waiting: Self.patience)
        } catch {
            switch error {
            case .held(let holder):
                throw .failed("\(holder ?? "another process") holds \(Self.lockName) for too long; end it")
            case .system(let error): throw DocumentStoreError(error)
            }
        }
    }

    // MARK: Errors

    private func system<Value>(_ body: () throws(SystemError) -> Value) throws(DocumentStoreError) -> Value {
        do throws(SystemError) { return try body() } catch { throw DocumentStoreError(error) }
    }

    private func taking<Value>(
        _ name: String, _ body: () throws(DocumentFile.Unreadable) -> Value
    ) throws(DocumentStoreError) -> Value {
        do throws(DocumentFile.Unreadable) {
            return try body()
        } catch {
            switch error {
            case .damaged: throw .corrupt("document \(name) is not what was written")
            case .newer(let version):
                throw .failed(
                    "document \(name) has format version \(version), and this version knows \(DocumentFile.version)")
            }
        }
    }
}

extension DocumentStoreError {
    /// What a system's refusal means to who uses a store.
    init(_ error: SystemError) {
        switch error.cause {
        case .full: self = .full
        case .readOnly: self = .readOnly
        case .missing, .other: self = .failed("\(error)")
        }
    }
}
