extension Task where Failure == Never {
    /// The value of this task, or nil where the caller's own task is cancelled first; this task goes on either way.
    ///
    /// `value` alone waits for the end of a task whatever becomes of the one that waits.
    package func valueUnlessCancelled() async -> Success? {
        // Of the end and the cancellation the first is taken; one place in the buffer is enough.
        let (ends, continuation) = AsyncStream.makeStream(of: Success?.self, bufferingPolicy: .bufferingOldest(1))
        let watching = Task<Void, Never> { continuation.yield(await value) }
        defer { watching.cancel() }
        return await withTaskCancellationHandler {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next() ?? nil
        } onCancel: {
            continuation.yield(nil)
        }
    }
}
