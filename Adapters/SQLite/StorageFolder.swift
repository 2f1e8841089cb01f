#if SQLite && (os(Linux) || canImport(SQLite3))
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A folder of a store, for its owner's eyes alone.
struct StorageFolder {
    let path: String

    func file(_ name: String) -> String { path + "/" + name }

    /// Makes the folder (mode 0700) and those above it where they are missing, and makes their names durable.
    func make() throws(StorageFailure) {
        guard !Self.isFolder(path) else { return }
        let parent = StorageFolder(path: Self.parent(of: path))
        if parent.path != path { try parent.make() }
        guard mkdir(path, 0o700) == 0 else {
            let error = errno
            // Somebody else may have made it meanwhile.
            if error == EEXIST, Self.isFolder(path) { return }
            throw StorageFailure("make folder", .system(error))
        }
        try parent.sync()
    }

    /// Sets the mode of a file of ours to 0600, by its name: closing a descriptor of a database file would drop the
    /// locks that SQLite holds on it in this process (<https://sqlite.org/howtocorrupt.html> §2.2).
    func protect(_ name: String) throws(StorageFailure) {
        guard chmod(file(name), 0o600) == 0 else { throw StorageFailure("protect \(name)", .system(errno)) }
    }

    private func sync() throws(StorageFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageFailure("open folder", .system(errno)) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StorageFailure("sync folder", .system(errno)) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String {
        let utf8 = Array(path.utf8)
        let trimmed = utf8[..<((utf8.lastIndex { $0 != UInt8(ascii: "/") } ?? 0) + 1)]
        guard let slash = trimmed.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == 0 ? "/" : String(decoding: trimmed[..<slash], as: UTF8.self)
    }
}

/// A lock on a storage by a file beside it: the system lets go of it when its holder ends, however it ends.
final class FileLock {
    let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Parameter isPatient: Whether to wait for who has it; otherwise it fails with the holder's name.
    init(_ path: String, isPatient: Bool) throws(StorageFailure) {
        // Closed in a program that this one starts: else that one would hold the lock on.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageFailure("open lock", .system(errno)) }
        self.descriptor = descriptor
        var result: Int32
        repeat {
            result = flock(descriptor, isPatient ? LOCK_EX : LOCK_EX | LOCK_NB)
        } while result != 0 && errno == EINTR
        guard result == 0 else {
            // The object is whole by now: its deinit closes the descriptor.
            throw StorageFailure("lock", errno == EWOULDBLOCK ? .held(by: holder) : .system(errno))
        }
        sign()
    }

    deinit {
        // Said aloud, not left to closing: a process that is just being started by another thread has a copy of the
        // descriptor until it runs its program, and with it the lock.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// Writes who holds it. It is for people: on a full volume the holder stays nameless, and holds it all the same.
    private func sign() {
        let name = Array("process \(getpid())".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, name, name.count, 0) }
    }

    private var holder: String? {
        var name = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &name, name.count, 0)
        return count > 0 ? String(decoding: name[..<count], as: UTF8.self) : nil
    }
}
#endif
