#if Curl && os(Linux)
import CCurl
import Glibc

/// The library's state for the whole process.
enum CurlLibrary {
    /// The result of starting it, which happens once: the language initialises a static constant under a lock.
    static let state = ccurl_global_init()
}

/// The clock that deadlines are measured by: it counts through sleep, so that a request that slept is over at once.
enum CurlClock {
    /// Milliseconds since boot.
    static func milliseconds() -> Int64 {
        var time = timespec()
        // It fails only for a clock that the kernel lacks; Linux has this one since 2.6.39.
        guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { preconditionFailure("no CLOCK_BOOTTIME") }
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The reading that many milliseconds from now.
    static func milliseconds(after span: Int64) -> Int64 {
        saturating(milliseconds(), plus: span)
    }

    /// The sum, or the end of the range that it would leave.
    static func saturating(_ time: Int64, plus span: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(span)
        return overflow ? (span < 0 ? .min : .max) : sum
    }
}

/// A mutex that stays where it is.
final class CurlLock {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        // With default attributes it cannot fail on Linux.
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

/// Starts threads that take no signals.
enum CurlThread {
    private final class Body {
        let run: () -> Void

        init(_ run: @escaping () -> Void) {
            self.run = run
        }
    }

    /// Runs `body` on a new detached thread; false where there is none.
    ///
    /// All signals stay with the host's threads: its handlers do not run here, and a write to a connection that the
    /// peer closed gives an error, not SIGPIPE.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

        var every = sigset_t()
        var previous = sigset_t()
        sigfillset(&every)
        // A thread begins with the mask of the one that makes it.
        guard pthread_sigmask(SIG_SETMASK, &every, &previous) == 0 else { return false }
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

        let context = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { preconditionFailure("a thread starts without what it was given") }
                // It is the reference that `start` retained for the thread.
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return false
        }
        return true
    }
}
#endif
