/// Delivers the codes that a camera, a reader or a folder of pictures sees.
///
/// ## Why it exists
/// A gate reads codes from what it has: a camera on a phone, a reader that types, a video stream, a test's list. What
/// makes a presentation and what is only the same code seen again is the room's decision, so a scanner reports every
/// sighting and how long it saw nothing before.
///
/// ## Guarantees
/// - CS-1: sightings come in the order in which they were made; none is dropped and none is merged.
/// - CS-2: the bytes are those of the code: nothing is trimmed, folded or decoded.
/// - CS-3: nil ends the source, and every later call gives nil too.
/// - CS-4: cancelling the task that waits in `next` ends it soon with `cancelled`, and lets go of the device.
/// - CS-5: after `close` the device is free and `next` gives nil; closing twice is fine.
/// - CS-6: what a source cannot read (a picture that does not decode) does not end it: it is skipped, or given as a
///   sighting of no bytes, and the rest is still read.
///
/// ## Errors
/// `unavailable` at the first call where the source cannot be opened; `failed` where it breaks later. Both are final.
///
/// ## Concurrency
/// One consumer: `next` is not called again before it returned. It may wait for ever; blocking work runs on the
/// scanner's own thread.
///
/// ## Write your own
/// ```swift
/// actor ListScanner: CodeScanner {
///     private var codes: [ScannedCode]
///     init(_ codes: [ScannedCode]) { self.codes = codes.reversed() }
///     func next() async throws(CodeScannerError) -> ScannedCode? { codes.popLast() }
///     func close() async { codes = [] }
/// }
/// ```
/// `CodeScannerContract.clauses` of PorticoContracts checks it.
public protocol CodeScanner: Sendable {
    /// The next sighting; nil when the source ended.
    func next() async throws(CodeScannerError) -> ScannedCode?

    /// Lets go of the device.
    func close() async
}

/// One sighting of a code.
public struct ScannedCode: Sendable, Hashable {
    /// The bytes of the code, as they were read.
    public var bytes: [UInt8]
    /// For how many milliseconds before this sighting the scanner looked and saw no code; 0 where it cannot tell.
    public var emptyMilliseconds: Int64
    /// Where it was seen, for people: a file, a frame.
    public var origin: String?

    /// Puts a sighting together.
    public init(bytes: [UInt8], emptyMilliseconds: Int64 = 0, origin: String? = nil) {
        self.bytes = bytes
        self.emptyMilliseconds = emptyMilliseconds
        self.origin = origin
    }
}

/// Why a source cannot be read.
public enum CodeScannerError: Error, Sendable, Hashable {
    /// It cannot be opened: no such device, file or permission.
    case unavailable(String)
    /// It broke while it was read.
    case failed(String)
    /// The task was cancelled.
    case cancelled
}

extension CodeScannerError: CustomStringConvertible {
    /// One line: what failed.
    public var description: String {
        switch self {
        case .unavailable(let cause): "scanner unavailable: \(cause)"
        case .failed(let cause): "scanner failed: \(cause)"
        case .cancelled: "scanner cancelled"
        }
    }
}
