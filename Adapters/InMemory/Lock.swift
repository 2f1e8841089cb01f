import Foundation

/// A mutual exclusion for a few instructions at a time; `Mutex` of Synchronization asks for iOS 18.
struct Lock: Sendable {
    private let lockOfFoundation = NSLock()

    func lock() {
        lockOfFoundation.lock()
    }

    func unlock() {
        lockOfFoundation.unlock()
    }

    func withLock<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        lock()
        defer { unlock() }
        return try body()
    }
}
