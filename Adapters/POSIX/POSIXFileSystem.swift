#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's own files.
package struct POSIXFileSystem: FileSystem {
    /// The system's own files.
    package init() {}

    /// open(2), closed at exec so that no child keeps the lock.
    package func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> OpenFile {
        let flags =
            switch mode {
            case .read: O_RDONLY
            case .write: O_RDWR
            case .create: O_RDWR | O_CREAT
            case .replace: O_RDWR | O_CREAT | O_TRUNC
            }
        let descriptor = try retrying("open", path) { posixOpen(path, flags | O_CLOEXEC, 0o600) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    /// close(2); its error says nothing about data, which `synchronize` answers for.
    package func close(_ file: OpenFile) {
        _ = posixClose(file.descriptor)
    }

    /// pread(2).
    package func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Int {
        guard buffer.count > 0 else { return 0 }
        return try retrying("read", file.path) {
            pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        }
    }

    /// pwrite(2).
    package func write(
        _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Int {
        guard bytes.count > 0 else { return 0 }
        let count = try retrying("write", file.path) {
            pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        }
        // A write that takes nothing and reports nothing would be repeated for ever.
        guard count > 0 else { throw SystemError("write", file.path, code: EIO) }
        return count
    }

    /// fstat(2).
    package func size(_ file: OpenFile) throws(SystemError) -> Int64 {
        var information = stat()
        _ = try retrying("inspect", file.path) { fstat(file.descriptor, &information) }
        return Int64(information.st_size)
    }

    /// ftruncate(2).
    package func truncate(_ file: OpenFile, to length: Int64) throws(SystemError) {
        _ = try retrying("truncate", file.path) { ftruncate(file.descriptor, off_t(length)) }
    }

    /// fstat(2) and stat(2).
    package func isInPlace(_ file: OpenFile) throws(SystemError) -> Bool {
        var opened = stat()
        _ = try retrying("inspect", file.path) { fstat(file.descriptor, &opened) }
        return FilePlace(opened) == FilePlace(file.path)
    }

    /// fdatasync(2); on Apple F_FULLFSYNC, because fsync leaves the data in the drive's cache there.
    package func synchronize(_ file: OpenFile) throws(SystemError) {
        #if canImport(Darwin)
        _ = try retrying("sync", file.path) { fcntl(file.descriptor, F_FULLFSYNC) }
        #else
        _ = try retrying("sync", file.path) { fdatasync(file.descriptor) }
        #endif
    }

    /// flock(2), which belongs to the open file and so also tells two openers in one process apart.
    package func lock(_ file: OpenFile) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try retrying("lock", file.path) { flock(file.descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// flock(2).
    package func unlock(_ file: OpenFile) throws(SystemError) {
        _ = try retrying("unlock", file.path) { flock(file.descriptor, LOCK_UN) }
    }

    /// usleep(3).
    package func pause(milliseconds: Int) {
        usleep(UInt32(milliseconds) * 1_000)
    }

    /// rename(2).
    package func rename(_ path: String, to target: String) throws(SystemError) {
        _ = try retrying("rename", path) { posixRename(path, target) }
    }

    /// unlink(2).
    package func remove(_ path: String) throws(SystemError) {
        _ = try retrying("remove", path) { unlink(path) }
    }

    /// readdir(3), without `.` and `..`.
    package func list(_ folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw SystemError("list", folder, code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                // The field is an array of characters that ends with a zero byte.
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw SystemError("list", folder, code: errno) }
        return names
    }

    /// mkdir(2).
    package func createFolder(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try retrying("create", path) { mkdir(path, 0o700) }
            return true
        } catch {
            // On Apple the root is a folder and nothing else that exists.
            if error.code == EEXIST || error.code == EISDIR { return false }
            throw error
        }
    }

    /// fsync(2) on the folder.
    package func synchronizeFolder(_ path: String) throws(SystemError) {
        let descriptor = try retrying("open", path) { posixOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        defer { _ = posixClose(descriptor) }
        _ = try retrying("sync", path) { fsync(descriptor) }
    }

    /// Runs a call until no signal interrupts it; -1 is its error.
    private func retrying<Value: SignedInteger>(
        _ operation: String, _ path: String, _ call: () -> Value
    ) throws(SystemError) -> Value {
        while true {
            let value = call()
            if value != -1 { return value }
            let code = errno
            if code != EINTR { throw SystemError(operation, path, code: code) }
        }
    }
}

// Inside a method of the same name the system's function is hidden.

private func posixOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

private func posixClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}

private func posixRename(_ path: String, _ target: String) -> Int32 {
    rename(path, target)
}
