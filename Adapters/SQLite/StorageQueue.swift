#if SQLite && (os(Linux) || canImport(SQLite3))
import Dispatch

extension DispatchQueue {
    /// Runs on the queue what may wait for the disk, so that no thread that tasks share waits for it.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        // The one closure that is queued answers exactly once.
        await withUnsafeContinuation { continuation in
            async { continuation.resume(returning: body()) }
        }
    }

    /// Runs on the queue what may wait for the disk, and fail.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StorageFailure) -> Value
    ) async -> Result<Value, StorageFailure> {
        await run { Result(catching: body) }
    }
}
#endif
