// Adapters/Lines and Adapters/ZBar each have this file, since an adapter imports no other; a test holds the two equal.
import Dispatch
import Portico

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A source of codes that holds its thread until it has one.
protocol BlockingSource: AnyObject {
    /// The next sighting. It waits with `stop`, so that a raised signal ends the wait.
    func next(_ stop: StopSignal) throws(CodeScannerError) -> Pulled
}

/// What a pull gave.
enum Pulled {
    case code(ScannedCode)
    case ended
    case stopped
}

/// Pulls a blocking source from async code: one pull at a time, on a serial queue of its own.
///
/// Nothing is read ahead of demand, so a slow consumer holds the source back and nothing is dropped. The source is
/// opened by the first pull and let go of at its end, on an error, on cancellation and by `close`.
///
/// `@unchecked Sendable`: `state` is touched only by work on `queue`, which is serial; the rest is constant.
final class SourceQueue: @unchecked Sendable {
    private enum State {
        case unopened
        case open(any BlockingSource)
        case over(CodeScannerError?)
    }

    private enum Outcome: Sendable {
        case value(ScannedCode?)
        case error(CodeScannerError)
        case stopped
    }

    private let queue: DispatchQueue
    private let stop = StopSignal()
    private let open: @Sendable () throws(CodeScannerError) -> any BlockingSource
    private var state = State.unopened

    init(_ label: String, open: @escaping @Sendable () throws(CodeScannerError) -> any BlockingSource) {
        queue = DispatchQueue(label: label)
        self.open = open
    }

    func next() async throws(CodeScannerError) -> ScannedCode? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                queue.async { continuation.resume(returning: self.pull()) }
            }
        } onCancel: {
            stop.raise()
        }
        switch outcome {
        case .value(let code): return code
        case .error(let error): throw error
        case .stopped:
            // The signal is one for both: it was the task's cancellation or a `close` beside it.
            if Task.isCancelled { throw .cancelled }
            return nil
        }
    }

    func close() async {
        stop.raise()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.state = .over(nil)
                continuation.resume()
            }
        }
    }

    private func pull() -> Outcome {
        if case .over(let error) = state { return error.map { .error($0) } ?? .value(nil) }
        do throws(CodeScannerError) {
            guard try !stop.isRaised() else { return over(.stopped) }
            let source = try opened()
            switch try source.next(stop) {
            case .code(let code): return .value(code)
            case .ended: return over(.value(nil))
            case .stopped: return over(.stopped)
            }
        } catch {
            return over(.error(error))
        }
    }

    private func opened() throws(CodeScannerError) -> any BlockingSource {
        if case .open(let source) = state { return source }
        let source = try open()
        state = .open(source)
        return source
    }

    /// Drops the source, whose descriptors go with it.
    private func over(_ outcome: Outcome) -> Outcome {
        if case .error(let error) = outcome { state = .over(error) } else { state = .over(nil) }
        return outcome
    }
}

/// A signal that, once raised, stays raised and ends every wait for a descriptor: a pipe with a byte in it.
///
/// A pipe and not a flag, since only a descriptor wakes `poll`; and it needs no lock.
final class StopSignal: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32
    private let failure: CodeScannerError?

    init() {
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

    func raise() {
        // A pipe that is full has been raised often enough.
        var byte: UInt8 = 1
        while write(writeEnd, &byte, 1) < 0, errno == EINTR {}
    }

    func isRaised() throws(CodeScannerError) -> Bool {
        try !wait(for: nil, milliseconds: 0)
    }

    /// Waits until `descriptor` can be read or has ended; false where the signal was raised first.
    func wait(for descriptor: Descriptor) throws(CodeScannerError) -> Bool {
        try wait(for: descriptor, milliseconds: -1)
    }

    private func wait(for descriptor: Descriptor?, milliseconds: Int32) throws(CodeScannerError) -> Bool {
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

/// A file descriptor to read from, closed with its owner where it is the owner's.
final class Descriptor {
    enum Piece {
        case bytes(Int)
        case end
        case nothingYet
    }

    let number: Int32
    let name: String
    private let isOwned: Bool

    /// Somebody else's descriptor: it is read and left open.
    init(borrowing number: Int32, name: String) throws(CodeScannerError) {
        guard fcntl(number, F_GETFD) >= 0 else { throw .unavailable("\(name): \(systemMessage())") }
        self.number = number
        self.name = name
        isOwned = false
    }

    init(opening path: String) throws(CodeScannerError) {
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
    func read(into buffer: inout [UInt8]) throws(CodeScannerError) -> Piece {
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
func systemMessage() -> String {
    String(cString: strerror(errno))
}
