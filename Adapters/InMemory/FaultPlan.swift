/// Which fault meets which call of which operation, and how often each was called.
///
/// `@unchecked Sendable`: every access to its variables is between `lock` and `unlock` of its own lock.
final class FaultPlan<Operation: Hashable & Sendable, Fault: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var counts: [Operation: Int] = [:]
    private var once: [Operation: [Int: Fault]] = [:]
    private var always: [Operation: Fault] = [:]

    /// Plans a fault for one call, by its number from 1, or for every call from now on.
    func add(_ fault: Fault, for operation: Operation, call: Int?) {
        lock.withLock {
            if let call { once[operation, default: [:]][call] = fault } else { always[operation] = fault }
        }
    }

    /// Forgets every plan; the counts go on.
    func clear() {
        lock.withLock {
            once = [:]
            always = [:]
        }
    }

    func count(of operation: Operation) -> Int {
        lock.withLock { counts[operation, default: 0] }
    }

    /// Counts a call and gives the fault that it meets.
    func begin(_ operation: Operation) -> Fault? {
        lock.withLock {
            let number = counts[operation, default: 0] + 1
            counts[operation] = number
            return once[operation]?.removeValue(forKey: number) ?? always[operation]
        }
    }
}
