#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file descriptor to read from, closed with its owner where it is the owner's.
package final class Descriptor {
    /// What a read gave.
    package enum Piece: Sendable {
        /// So many bytes.
        case bytes(Int)
        /// Nothing, and there is nothing more.
        case end
        /// Nothing for now.
        case nothingYet
    }

    /// The system's number for it.
    package let number: Int32
    /// What a person calls it: its path, `standard input`.
    package let name: String
    private let isOwned: Bool

    /// Somebody else's descriptor: it is read and left open.
    package init(borrowing number: Int32, name: String) throws(SourceError) {
        guard fcntl(number, F_GETFD) >= 0 else { throw .unavailable("\(name): \(systemMessage())") }
        self.number = number
        self.name = name
        isOwned = false
    }

    /// The file, FIFO or device at `path`, closed with this object.
    package init(opening path: String) throws(SourceError) {
        // Not blocking, since opening a FIFO without a writer or a line without a carrier would wait beyond the reach
        // of the stop signal; and never the terminal of this process.
        number = sysopen(path)
        name = path
        isOwned = true
        guard number >= 0 else { throw .unavailable("\(path): \(systemMessage())") }
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .unavailable("\(path): \(systemMessage())") }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .unavailable("\(path): a folder") }
    }

    deinit {
        if isOwned, number >= 0 { close(number) }
    }

    /// Reads what is there, at most as much as `buffer` holds.
    package func read(into buffer: inout [UInt8]) throws(SourceError) -> Piece {
        while true {
            let count = sysread(number, &buffer)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .nothingYet
            default: throw .failed("\(name): \(systemMessage())")
            }
        }
    }
}

private func sysopen(_ path: String) -> Int32 {
    while true {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if number >= 0 || errno != EINTR { return number }
    }
}

private func sysread(_ number: Int32, _ buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
}

/// What the system says about its last error on this thread.
package func systemMessage() -> String {
    String(cString: strerror(errno))
}
