import Foundation
import Portico

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of changes in a folder, and the lock that keeps a second writer out.
///
/// It is used by one queue at a time; see `HostEventStore`.
final class HostChangeFile {
    /// Where the file is.
    let path: String
    /// How many bytes of it are durable.
    private(set) var length = 0

    private let folder: String
    private var lock: Int32
    private var descriptor: Int32 = -1
    /// Why nothing may be written any more: what the file holds beyond `length` is not known.
    private var damage: String?

    /// Takes the folder, which is made where it is missing.
    ///
    /// - Throws: `locked` while another has it.
    init(folder: String) throws(EventStoreError) {
        self.folder = folder
        path = "\(folder)/changes.jsonl"
        mkdir(folder, 0o700)
        // Also where the folder is there: who made it may have ended before its name was on the disk.
        try Self.syncFolder(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
        // The lock is a file of its own, since the other one is replaced.
        lock = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Self.failure("opening \(folder)/lock") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .locked(by: nil) : Self.failure("locking \(folder)")
        }
    }

    deinit {
        close()
    }

    /// Everything that the file holds; nil where there is no file.
    func read() throws(EventStoreError) -> [UInt8]? {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("opening \(path)")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Self.retried { pread(descriptor, &buffer, buffer.count, off_t(bytes.count)) }
            guard count >= 0 else { throw Self.failure("reading \(path)") }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        length = bytes.count
        return bytes
    }

    /// Adds a line; it is durable when this returns, and on an error it is not there.
    func append(_ line: [UInt8]) throws(EventStoreError) {
        if let damage { throw .failed(damage) }
        do throws(EventStoreError) {
            try Self.write(line, to: descriptor, at: length)
            try Self.sync(descriptor)
            length += line.count
        } catch {
            // What was written of the line must not be found when the file is read again.
            do throws(EventStoreError) {
                try cut(to: length)
            } catch let second {
                damage = "open the store again: \(second)"
            }
            throw error
        }
    }

    /// Shortens the file; durable when this returns.
    func cut(to length: Int) throws(EventStoreError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw Self.failure("cutting \(path)") }
        try Self.sync(descriptor)
        self.length = length
    }

    /// Puts another file in this one's place, whole or not at all.
    func replace(with lines: [[UInt8]]) throws(EventStoreError) {
        let partial = "\(path).partial"
        let new = open(partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard new >= 0 else { throw Self.failure("making \(partial)") }
        var written = 0
        do throws(EventStoreError) {
            for line in lines {
                try Self.write(line, to: new, at: written)
                written += line.count
            }
            try Self.sync(new)
            guard rename(partial, path) == 0 else { throw Self.failure("replacing \(path)") }
        } catch {
            Self.shut(new)
            unlink(partial)
            throw error
        }
        Self.shut(descriptor)
        descriptor = new
        length = written
        damage = nil
        try syncFolder()
    }

    /// Lets go of the folder; twice is fine.
    func close() {
        Self.shut(descriptor)
        Self.shut(lock)
        descriptor = -1
        lock = -1
    }

    /// Makes the new name durable; where that fails nobody knows which file a power cut leaves.
    private func syncFolder() throws(EventStoreError) {
        do throws(EventStoreError) {
            try Self.syncFolder(folder)
        } catch {
            damage = "open the store again: \(error)"
            throw error
        }
    }
}

// MARK: - System calls

extension HostChangeFile {
    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(EventStoreError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                // `written` is below the count of the buffer, and the rest of it is what is asked for.
                retried {
                    pwrite(
                        descriptor, buffer.baseAddress! + written, buffer.count - written, off_t(offset + written))
                }
            }
            guard count > 0 else { throw failure("writing") }
            written += count
        }
    }

    private static func syncFolder(_ path: String) throws(EventStoreError) {
        let directory = open(path, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { throw failure("opening \(path)") }
        defer { shut(directory) }
        try sync(directory)
    }

    private static func sync(_ descriptor: Int32) throws(EventStoreError) {
        #if canImport(Darwin)
        // fsync alone leaves the bytes in the drive's own memory.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw failure("syncing") }
    }

    /// Everything that matters was synced before, so what closing says is of no use.
    private static func shut(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
    }

    private static func retried(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// The error that `errno` stands for.
    private static func failure(_ what: String) -> EventStoreError {
        let code = errno
        switch code {
        case ENOSPC, EDQUOT, EFBIG: return .full
        case EROFS, EACCES, EPERM: return .readOnly
        default: return .failed("\(what): \(String(cString: strerror(code)))")
        }
    }
}
