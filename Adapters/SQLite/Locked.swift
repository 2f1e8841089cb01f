#if SQLite && (os(Linux) || canImport(SQLite3))
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A value that is reached under a lock, for a few instructions at a time; `Mutex` needs iOS 18.
///
/// `@unchecked Sendable`: the value is only reached between lock and unlock, and the mutex has an address of its own.
final class Locked<Content>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var content: Content

    init(_ content: Content) {
        self.content = content
        mutex = .allocate(capacity: 1)
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Content) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&content)
    }
}
#endif
