#if ZBar && os(Linux)
import Portico
import PorticoPOSIX

/// Reads QR codes with ZBar, from the pictures of a folder or from a video stream, so from any camera that ffmpeg knows.
///
/// Only QR codes are looked for, and their bytes are given as they are.
///
/// Pictures (PNG, JPEG, PGM by the ends of their names `.png`, `.jpg`, `.jpeg`, `.pgm`) are taken in the order of their
/// names' bytes, as the folder has them at the first call. Each is a presentation of its own: the time before it in which
/// nothing was seen is given as an hour. All codes of a picture are given, the first found first. A picture that does not
/// decode, has more than 64 million pixels or holds no code is one sighting of no bytes, whose origin says why.
///
/// Video is YUV4MPEG2 with 8 bits a sample. Every frame is looked at; a stream that is read slower than it is made waits
/// in its pipe. A frame gives one sighting at most: of several codes the one that was seen last, if it is among them,
/// else the first found. How long nothing was seen is counted in frames, at the rate that the header names; 0 without.
///
/// ```swift
/// let scanner = ZBarScanner(pictures: "tickets")
/// while let code = try await scanner.next() {
///     print(code.origin ?? "", code.bytes.count)  // "0001.png" 402
/// }
/// await scanner.close()
/// ```
public final class ZBarScanner: CodeScanner {
    private let source: SourceQueue<ScannedCode>

    /// The pictures of a folder.
    public init(pictures folder: String) {
        source = SourceQueue("portico.zbar") { () throws(SourceError) in try PictureFolder(folder).next }
    }

    /// A video from a file, a FIFO or a device, which is opened by the first call of `next`.
    public init(video path: String) {
        source = SourceQueue("portico.zbar") { () throws(SourceError) in
            try VideoStream(try Descriptor(opening: path)).next
        }
    }

    /// A video from a descriptor of the caller's, who keeps it open until `close` returned and closes it.
    ///
    /// - Parameter descriptor: an open file descriptor; 0 is standard input.
    public init(videoDescriptor descriptor: Int32) {
        let name = descriptor == 0 ? "standard input" : "descriptor \(descriptor)"
        source = SourceQueue("portico.zbar") { () throws(SourceError) in
            try VideoStream(try Descriptor(borrowing: descriptor, name: name)).next
        }
    }

    /// The next sighting; nil when the pictures or the stream ended, after `close`, and after a cancellation.
    ///
    /// - Throws: `CodeScannerError`: `unavailable` where the source cannot be opened, `failed` where the stream is not
    ///   YUV4MPEG2, breaks off within a frame or cannot be read, both again on every later call; `cancelled` when the
    ///   task is cancelled.
    public func next() async throws(CodeScannerError) -> ScannedCode? {
        do {
            return try await source.next()
        } catch {
            throw CodeScannerError(error)
        }
    }

    /// Ends a waiting `next` and lets go of the source.
    public func close() async {
        await source.close()
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
#endif
