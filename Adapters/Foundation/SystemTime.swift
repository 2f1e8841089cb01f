import Portico

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The clocks of the device it runs on.
///
/// Linux: CLOCK_REALTIME, CLOCK_BOOTTIME (both read without a system call) and the kernel's boot id. Apple: CLOCK_REALTIME,
/// mach_continuous_time and the boot session's UUID. The boot id is read once in a process.
///
/// ```swift
/// let time = SystemTime()
/// let before = time.uptime
/// try await time.sleep(milliseconds: 250)
/// print(time.uptime - before >= 250)  // true
/// ```
public struct SystemTime: TimeSource {
    /// The longest single wait: what a sleep is late by, at most, when the device was suspended meanwhile, since the
    /// runtime's timers may stand still with it.
    private static let longestWait: Int64 = 60_000

    /// The clocks; there is nothing to configure.
    public init() {}

    /// The wall clock, to the millisecond.
    public var now: Instant {
        Instant(milliseconds: milliseconds(of: CLOCK_REALTIME))
    }

    /// Milliseconds since the boot, time asleep included.
    public var uptime: Int64 {
        #if canImport(Darwin)
        continuousMilliseconds()
        #else
        milliseconds(of: CLOCK_BOOTTIME)
        #endif
    }

    /// The system's identifier of this boot.
    public var bootID: String { Boot.id }

    /// Waits that many milliseconds of `uptime`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the span is over.
    public func sleep(milliseconds span: Int64) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        let (sum, overflow) = uptime.addingReportingOverflow(max(span, 0))
        let end = overflow ? .max : sum
        var left = max(span, 0)
        while left > 0 {
            do {
                try await Task.sleep(nanoseconds: UInt64(min(left, Self.longestWait)) * 1_000_000)
            } catch {
                // The runtime's sleep throws nothing else.
                throw CancellationError()
            }
            left = end - uptime
        }
    }
}

/// A clock's reading in milliseconds; only clocks that every supported system has are asked, so it cannot fail.
private func milliseconds(of clock: clockid_t) -> Int64 {
    var reading = timespec()
    clock_gettime(clock, &reading)
    return Int64(reading.tv_sec) * 1_000 + Int64(reading.tv_nsec) / 1_000_000
}

#if canImport(Darwin)
/// What a tick of mach_continuous_time is worth: numer / denom nanoseconds.
private let timebase: mach_timebase_info_data_t = {
    var timebase = mach_timebase_info_data_t()
    mach_timebase_info(&timebase)
    return timebase
}()

private func continuousMilliseconds() -> Int64 {
    // In full width: ticks times numer passes 64 bits after some years on devices where numer is 125.
    let nanoseconds = mach_continuous_time().multipliedFullWidth(by: UInt64(timebase.numer))
    return Int64((UInt64(timebase.denom) * 1_000_000).dividingFullWidth(nanoseconds).quotient)
}
#endif

/// What the system calls this boot.
private enum Boot {
    static let id: String = {
        let read = systemID()
        return read.isEmpty ? unknown : read
    }()

    /// Where the system does not say (no /proc): every process counts as a boot of its own, which is the careful reading,
    /// since nothing is then concluded from `uptime` across processes.
    private static var unknown: String {
        let time = SystemTime()
        return "process-\(getpid())-\(time.uptime)-\(time.now.milliseconds)"
    }

    #if canImport(Darwin)
    private static func systemID() -> String {
        var text = [UInt8](repeating: 0, count: 64)
        var count = text.count
        guard sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0 else { return "" }
        return visible(text.prefix(count))
    }
    #else
    private static func systemID() -> String {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        return count > 0 ? visible(text.prefix(count)) : ""
    }
    #endif

    /// The text before its line feed or its terminating zero.
    private static func visible(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.prefix { $0 > 0x20 && $0 < 0x7f }, as: UTF8.self)
    }
}
