#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Which file a path names now: another one after the file was moved, removed or replaced.
package struct FilePlace: Sendable, Hashable {
    private var device: UInt64?
    private var inode: UInt64?

    /// What the path names; all paths that name nothing are equal.
    package init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        self = FilePlace(status)
    }

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
