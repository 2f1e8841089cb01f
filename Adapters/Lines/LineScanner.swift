import Portico
import PorticoPOSIX

/// Reads codes as lines of text: from a reader that types like a keyboard, from a serial one, or from standard input.
///
/// A line is a sighting; what ends a line and what becomes of long and empty ones is told at `LineSplitter`: CR, LF and
/// CRLF end one, empty ones are passed over, and of one longer than 16 KiB the first 16 KiB are given. The bytes are not
/// looked at otherwise.
///
/// How long nothing was seen before a line is how long the scanner waited for it with no line begun; while nobody calls
/// `next` it does not wait and so counts nothing. A reader that repeats a code while it is held to it thus reports small
/// gaps, and a second reading by hand a larger one.
///
/// ```swift
/// let scanner = LineScanner(descriptor: 0, time: SystemTime())  // standard input
/// while let code = try await scanner.next() {
///     print(code.origin ?? "", code.bytes.count)                // "line 1" 402
/// }
/// await scanner.close()
/// ```
public final class LineScanner: CodeScanner {
    private let source: SourceQueue<ScannedCode>

    /// Lines from a descriptor of the caller's, who keeps it open until `close` returned and closes it.
    ///
    /// - Parameters:
    ///   - descriptor: an open file descriptor; 0 is standard input.
    ///   - time: the clock that measures how long nothing was seen.
    public init(descriptor: Int32, time: any TimeSource) {
        let name = descriptor == 0 ? "standard input" : "descriptor \(descriptor)"
        source = SourceQueue("portico.lines") { () throws(SourceError) in
            LineSource(try Descriptor(borrowing: descriptor, name: name), time).next
        }
    }

    /// Lines from a file or a device, which is opened by the first call of `next`.
    ///
    /// - Parameters:
    ///   - path: a file, a FIFO, or a device such as `/dev/ttyACM0`.
    ///   - time: the clock that measures how long nothing was seen.
    public init(path: String, time: any TimeSource) {
        source = SourceQueue("portico.lines") { () throws(SourceError) in
            LineSource(try Descriptor(opening: path), time).next
        }
    }

    /// The next line; nil when the input ended, after `close`, and after a cancellation.
    ///
    /// - Throws: `CodeScannerError`: `unavailable` where the input cannot be opened, `failed` where reading breaks (a
    ///   reader that was pulled out), both again on every later call; `cancelled` when the task is cancelled.
    public func next() async throws(CodeScannerError) -> ScannedCode? {
        do {
            return try await source.next()
        } catch {
            throw CodeScannerError(error)
        }
    }

    /// Ends a waiting `next` and lets go of the input.
    public func close() async {
        await source.close()
    }
}

/// A descriptor, read as lines.
private final class LineSource {
    private let descriptor: Descriptor
    private let time: any TimeSource
    private var splitter = LineSplitter()
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var ready: ArraySlice<LineSplitter.Line> = []
    private var hasEnded = false
    private var emptyMilliseconds: Int64 = 0

    init(_ descriptor: Descriptor, _ time: any TimeSource) {
        self.descriptor = descriptor
        self.time = time
    }

    func next(_ stop: StopSignal) throws(SourceError) -> Pulled<ScannedCode> {
        while true {
            if let line = ready.popFirst() { return .element(sighting(line)) }
            if hasEnded { return .ended }
            guard try wait(stop) else { return .stopped }
            switch try descriptor.read(into: &buffer) {
            case .bytes(let count): ready = splitter.receive(buffer[..<count])[...]
            case .nothingYet: continue
            case .end:
                hasEnded = true
                if let line = splitter.finish() { ready = [line] }
            }
        }
    }

    private func wait(_ stop: StopSignal) throws(SourceError) -> Bool {
        let before = time.uptime
        guard try stop.wait(for: descriptor) else { return false }
        // While a line is being typed something is seen.
        if !splitter.isInsideLine { emptyMilliseconds += max(time.uptime - before, 0) }
        return true
    }

    private func sighting(_ line: LineSplitter.Line) -> ScannedCode {
        defer { emptyMilliseconds = 0 }
        return ScannedCode(bytes: line.bytes, emptyMilliseconds: emptyMilliseconds, origin: "line \(line.number)")
    }
}

extension CodeScannerError {
    fileprivate init(_ error: SourceError) {
        switch error {
        case .unavailable(let cause): self = .unavailable(cause)
        case .failed(let cause): self = .failed(cause)
        case .cancelled: self = .cancelled
        }
    }
}
