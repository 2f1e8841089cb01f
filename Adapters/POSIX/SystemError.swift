#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the system refused: which operation, on which file, and its error number.
package struct SystemError: Error, Sendable, Hashable {
    /// What a caller can do about it.
    package enum Cause: Sendable, Hashable {
        /// There is no room, or none left for this user.
        case full
        /// The place cannot be written.
        case readOnly
        /// There is no such file.
        case missing
        /// Anything else.
        case other
    }

    /// What was tried, as a verb: `write`.
    package let operation: String
    /// The file's name without its folder, which may tell whose device it is.
    package let name: String
    /// The system's error number.
    package let code: Int32

    /// An error by its number; of `path` only the last component is kept.
    package init(_ operation: String, _ path: String, code: Int32) {
        self.operation = operation
        name = path.split(separator: "/").last.map(String.init) ?? path
        self.code = code
    }

    /// What a caller can do about it.
    package var cause: Cause {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS, EACCES, EPERM: .readOnly
        case ENOENT: .missing
        default: .other
        }
    }
}

extension SystemError: CustomStringConvertible {
    /// One line: the operation, the file and the system's words.
    package var description: String {
        // The returned text is copied at once; on both platforms it belongs to this thread or is constant.
        "\(operation) \(name): \(String(cString: strerror(code))) (\(code))"
    }
}
