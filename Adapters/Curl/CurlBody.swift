#if Curl && os(Linux)
import Portico

/// The part of a streamed body that has come and was not read yet, between the loop's thread and one reader.
///
/// `@unchecked Sendable`: everything mutable is reached under the lock alone.
final class CurlBody: @unchecked Sendable {
    /// What the reader gets for one call.
    typealias Piece = Result<[UInt8]?, NetworkError>

    /// How much may wait for the reader before the source is held back; libcurl hands over at most 16 KiB at a time.
    private static let mostWaiting = 64 << 10

    private enum Ending {
        case whole
        case broken(NetworkError)
    }

    private let lock = CurlLock()
    private var waiting: [UInt8] = []
    private var ending: Ending?
    private var reader: CheckedContinuation<Piece, Never>?
    private var isHeldBack = false

    /// Takes bytes from libcurl; false where it must hold on to them until `next` asks for more.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, wakes) = lock.withLock { () -> (Bool, CheckedContinuation<Piece, Never>?) in
            if let reader {
                self.reader = nil
                return (true, reader)
            }
            guard waiting.count + bytes.count <= Self.mostWaiting else {
                isHeldBack = true
                return (false, nil)
            }
            waiting += bytes
            return (true, nil)
        }
        wakes?.resume(returning: .success(Array(bytes)))
        return isTaken
    }

    /// Nothing more will come; the first ending stays.
    func end(_ error: NetworkError?) {
        let wakes = lock.withLock { () -> CheckedContinuation<Piece, Never>? in
            guard ending == nil else { return nil }
            // Who cancelled wants no more; after any other error what came before it is given first.
            if error == .cancelled { waiting = [] }
            ending = error.map { .broken($0) } ?? .whole
            defer { reader = nil }
            return reader
        }
        wakes?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    }

    /// Whether the source waits for the reader, and not the other way round.
    var isWaitingForReader: Bool {
        lock.withLock { isHeldBack }
    }

    /// The source goes on: from now on it is the server that is waited for.
    func goesOn() {
        lock.withLock { isHeldBack = false }
    }

    /// The next bytes.
    ///
    /// - Parameter release: Called where the source was held back and may go on.
    func next(_ release: @Sendable () -> Void) async -> Piece {
        await withCheckedContinuation { continuation in
            let (piece, releases) = lock.withLock { () -> (Piece?, Bool) in
                guard waiting.isEmpty else {
                    defer { waiting = [] }
                    return (.success(waiting), isHeldBack)
                }
                switch ending {
                case .whole: return (.success(nil), false)
                case .broken(let error): return (.failure(error), false)
                case nil:
                    guard reader == nil else {
                        return (.failure(.protocolViolation("two readers wait for one body")), false)
                    }
                    reader = continuation
                    return (nil, false)
                }
            }
            if releases { release() }
            if let piece { continuation.resume(returning: piece) }
        }
    }
}
#endif
