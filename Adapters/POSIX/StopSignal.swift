#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A signal that, once raised, stays raised and ends every wait for a descriptor: a pipe with a byte in it.
///
/// A pipe and not a flag, since only a descriptor wakes `poll`; and it needs no lock.
package final class StopSignal: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32
    private let failure: SourceError?

    /// A signal that is not raised.
    package init() {
        var ends: [Int32] = [-1, -1]
        let code = pipe(&ends)
        failure = code == 0 ? nil : .unavailable("pipe: \(systemMessage())")
        readEnd = ends[0]
        writeEnd = ends[1]
        for end in ends where code == 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        guard failure == nil else { return }
        close(readEnd)
        close(writeEnd)
    }

    /// Raises it, for good.
    package func raise() {
        // A pipe that is full has been raised often enough.
        var byte: UInt8 = 1
        while write(writeEnd, &byte, 1) < 0, errno == EINTR {}
    }

    /// Whether it has been raised.
    package func isRaised() throws(SourceError) -> Bool {
        try !wait(for: nil, milliseconds: 0)
    }

    /// Waits until `descriptor` can be read or has ended; false where the signal was raised first.
    package func wait(for descriptor: Descriptor) throws(SourceError) -> Bool {
        try wait(for: descriptor, milliseconds: -1)
    }

    private func wait(for descriptor: Descriptor?, milliseconds: Int32) throws(SourceError) -> Bool {
        if let failure { throw failure }
        // poll looks past an entry whose descriptor is negative.
        var entries = [
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, nfds_t(entries.count), milliseconds) < 0 {
            guard errno == EINTR else { throw .failed("poll: \(systemMessage())") }
        }
        return entries[0].revents == 0
    }
}
