import Portico

/// What was called so far, in order, and a way to wait for the next call.
///
/// `@unchecked Sendable`: every access to its variables is between `lock` and `unlock` of its own lock.
final class CallLog<Call: Sendable>: @unchecked Sendable {
    private struct Observer {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private let lock = Lock()
    private var logged: [Call] = []
    private var observers: [UInt64: Observer] = [:]
    private var tickets: UInt64 = 0

    var calls: [Call] { lock.withLock { logged } }

    /// Adds a call and returns its number, from 1.
    @discardableResult
    func append(_ call: Call) -> Int {
        let (number, satisfied) = lock.withLock {
            logged.append(call)
            let satisfied = observers.filter { $0.value.count <= logged.count }
            for ticket in satisfied.keys { observers[ticket] = nil }
            return (logged.count, satisfied)
        }
        for observer in satisfied.values { observer.continuation.resume() }
        return number
    }

    /// Returns when that many were called in all, or when its own task is cancelled.
    func wait(for count: Int) async {
        let ticket = lock.withLock {
            tickets += 1
            return tickets
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = lock.withLock {
                    // The handler may have run before the observer was entered, so cancellation is looked at here.
                    if Task.isCancelled || logged.count >= count { return true }
                    observers[ticket] = Observer(count: count, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            lock.withLock { observers.removeValue(forKey: ticket) }?.continuation.resume()
        }
    }
}

/// Waits until the task is cancelled.
func waitForCancellation() async {
    // An iteration over a stream that nobody feeds ends when its task is cancelled.
    let silence = AsyncStream<Never>(bufferingPolicy: .bufferingOldest(0)) { _ in }
    for await _ in silence {}
}
