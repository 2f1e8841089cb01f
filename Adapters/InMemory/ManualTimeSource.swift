import Portico

/// Clocks that a test moves by hand.
///
/// Nothing passes by itself: `advance` moves the wall clock and the uptime together and wakes the sleepers whose
/// deadline it reached, in the order of their deadlines.
///
/// ```swift
/// let time = ManualTimeSource(now: Instant(seconds: 1_783_188_000))
/// async let retried: Void = time.sleep(milliseconds: 5_000)
/// await time.sleepers(1)
/// time.advance(milliseconds: 5_000)
/// try await retried
/// ```
/// Where the length of waits does not matter, `advancesOnSleep` lets every sleep return at once, its time passed.
///
/// `@unchecked Sendable`: every access to its state is between `lock` and `unlock` of its own lock.
public final class ManualTimeSource: TimeSource, @unchecked Sendable {
    private let lock = Lock()
    private let advancesOnSleep: Bool
    private var state: State

    /// Clocks that stand where they are set.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - uptime: Milliseconds since the boot.
    ///   - bootID: The boot.
    ///   - advancesOnSleep: Whether a sleep moves the clocks by its span and returns at once.
    public init(
        now: Instant = Instant(seconds: 1_783_188_000), uptime: Int64 = 100_000, bootID: String = "boot-1",
        advancesOnSleep: Bool = false
    ) {
        self.advancesOnSleep = advancesOnSleep
        state = State(wall: now, uptime: uptime, bootID: bootID)
    }

    /// The wall clock.
    public var now: Instant { lock.withLock { state.wall } }

    /// Milliseconds since the boot.
    public var uptime: Int64 { lock.withLock { state.uptime } }

    /// The boot.
    public var bootID: String { lock.withLock { state.bootID } }

    /// Moves both clocks forward and wakes the sleepers whose deadline is reached, in the order of their deadlines.
    ///
    /// A sleeper that sleeps again sleeps from the new time on: for what repeats, move in steps.
    ///
    /// - Parameter milliseconds: The span; zero or less moves nothing.
    public func advance(milliseconds: Int64) {
        let woken = lock.withLock { state.advance(milliseconds) }
        for sleeper in woken { sleeper.resume(returning: true) }
    }

    /// Sets the wall clock, as a person or a time server does; the uptime stays and nobody wakes.
    public func setWall(_ instant: Instant) {
        lock.withLock { state.wall = instant }
    }

    /// Restarts the device: another boot, uptime from 0, the wall clock later by the time that it was off.
    ///
    /// Who slept through it ends with `CancellationError`: its process is gone.
    public func reboot(offMilliseconds: Int64 = 30_000) {
        let gone = lock.withLock { state.reboot(off: offMilliseconds) }
        for sleeper in gone { sleeper.resume(returning: false) }
    }

    /// Returns when at least that many are asleep, or when its own task is cancelled.
    public func sleepers(_ count: Int) async {
        let ticket = lock.withLock { state.newTicket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = lock.withLock {
                    state.await(count, ticket, continuation, isCancelled: Task.isCancelled)
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            lock.withLock { state.observers.removeValue(forKey: ticket) }?.continuation.resume()
        }
    }

    /// Waits until the clocks were advanced by that many milliseconds.
    public func sleep(milliseconds: Int64) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        if milliseconds <= 0 { return }
        if advancesOnSleep {
            advance(milliseconds: milliseconds)
            // Whoever polls in a loop of sleeps still lets others run.
            await Task.yield()
            return
        }
        let ticket = lock.withLock { state.newTicket() }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The handler may have run before the sleeper was entered, so cancellation is looked at once more.
                let observers = lock.withLock {
                    state.enter(milliseconds, ticket, continuation, isCancelled: Task.isCancelled)
                }
                guard let observers else { return continuation.resume(returning: false) }
                for observer in observers { observer.resume() }
            }
        } onCancel: {
            lock.withLock { state.sleepers.removeValue(forKey: ticket) }?.continuation.resume(returning: false)
        }
        if !isOver { throw CancellationError() }
    }
}

extension ManualTimeSource {
    private struct Sleeper {
        let deadline: Int64
        /// True where the deadline was reached, false where the sleep was cut short.
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Observer {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var wall: Instant
        var uptime: Int64
        var bootID: String
        let firstBootID: String
        var boots = 1
        var tickets: UInt64 = 0
        /// By ticket: of two sleepers with one deadline the earlier one wakes first.
        var sleepers: [UInt64: Sleeper] = [:]
        var observers: [UInt64: Observer] = [:]

        init(wall: Instant, uptime: Int64, bootID: String) {
            self.wall = wall
            self.uptime = uptime
            self.bootID = bootID
            firstBootID = bootID
        }

        mutating func newTicket() -> UInt64 {
            tickets += 1
            return tickets
        }

        /// Enters a sleeper and gives the observers that have now seen enough; nil where it was cancelled before.
        mutating func enter(
            _ milliseconds: Int64, _ ticket: UInt64, _ continuation: CheckedContinuation<Bool, Never>, isCancelled: Bool
        ) -> [CheckedContinuation<Void, Never>]? {
            if isCancelled { return nil }
            let (deadline, overflow) = uptime.addingReportingOverflow(milliseconds)
            sleepers[ticket] = Sleeper(deadline: overflow ? .max : deadline, continuation: continuation)
            let satisfied = observers.filter { $0.value.count <= sleepers.count }
            for ticket in satisfied.keys { observers[ticket] = nil }
            return satisfied.sorted { $0.key < $1.key }.map(\.value.continuation)
        }

        /// Enters an observer, unless there is nothing to wait for.
        mutating func await(
            _ count: Int, _ ticket: UInt64, _ continuation: CheckedContinuation<Void, Never>, isCancelled: Bool
        ) -> Bool {
            if isCancelled || sleepers.count >= count { return true }
            observers[ticket] = Observer(count: count, continuation: continuation)
            return false
        }

        mutating func advance(_ milliseconds: Int64) -> [CheckedContinuation<Bool, Never>] {
            guard milliseconds > 0 else { return [] }
            wall = wall.advanced(byMilliseconds: milliseconds)
            let (sum, overflow) = uptime.addingReportingOverflow(milliseconds)
            uptime = overflow ? .max : sum
            let due = sleepers.filter { $0.value.deadline <= uptime }
            for ticket in due.keys { sleepers[ticket] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
        }

        mutating func reboot(off milliseconds: Int64) -> [CheckedContinuation<Bool, Never>] {
            boots += 1
            bootID = "\(firstBootID).\(boots)"
            uptime = 0
            wall = wall.advanced(byMilliseconds: milliseconds)
            let gone = sleepers.sorted { $0.key < $1.key }.map(\.value.continuation)
            sleepers = [:]
            return gone
        }
    }
}
