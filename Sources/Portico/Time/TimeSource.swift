/// The clocks of a device, and the ability to wait.
///
/// ## Why it exists
/// Rules that depend on time are pure: they are given a reading. The rooms read no clock, so that a test moves time by
/// hand and a gate notices when somebody moves it for him. Deadlines that matter to a person are measured by `uptime`,
/// which setting the wall clock does not move and which goes on while the device sleeps.
///
/// ## Guarantees
/// - TS-1: `uptime` never falls while `bootID` stays the same, and setting the wall clock does not move it.
/// - TS-2: `bootID` is the same for every reading of one boot and another one after a restart of the device; it is not
///   empty and has at most 128 UTF-8 bytes.
/// - TS-3: `sleep` returns no earlier than its span of `uptime`; a span of zero or less returns at once.
/// - TS-4: `sleep` ends with `CancellationError` soon after its task is cancelled, and at once where it was already.
///
/// ## Errors
/// Only `CancellationError`, from `sleep`; the readings cannot fail.
///
/// ## Concurrency
/// Called from any task at any time. Readings do not block. Any number of tasks may sleep at once.
///
/// ## Write your own
/// ```swift
/// struct FixedTime: TimeSource {
///     let now: Instant
///     let uptime: Int64
///     let bootID = "fixed"
///     func sleep(milliseconds: Int64) async throws(CancellationError) {
///         if Task.isCancelled { throw CancellationError() }
///         await Task.yield()
///     }
/// }
/// ```
/// `TimeSourceContract.clauses` of PorticoContracts checks one that runs.
public protocol TimeSource: Sendable {
    /// The wall clock: what the device takes for the time of day. It may be wrong and it may jump.
    var now: Instant { get }

    /// Milliseconds of a clock that counts through sleep and is not moved by setting the wall clock.
    ///
    /// It restarts with `bootID`. Linux: CLOCK_BOOTTIME. Apple: mach_continuous_time.
    var uptime: Int64 { get }

    /// What tells one boot of the device from the next.
    var bootID: String { get }

    /// Waits that many milliseconds of `uptime`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the span is over.
    func sleep(milliseconds: Int64) async throws(CancellationError)
}

/// The three readings of a device's clocks, taken together.
public struct ClockReading: Sendable, Hashable {
    /// The wall clock.
    public let wall: Instant
    /// Milliseconds of the clock that counts through sleep.
    public let uptime: Int64
    /// The boot in which `uptime` counts.
    public let bootID: String

    /// Puts readings together.
    public init(wall: Instant, uptime: Int64, bootID: String) {
        self.wall = wall
        self.uptime = uptime
        self.bootID = bootID
    }
}

extension TimeSource {
    /// The three readings, taken now.
    public var reading: ClockReading {
        ClockReading(wall: now, uptime: uptime, bootID: bootID)
    }
}
