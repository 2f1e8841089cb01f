import Portico

/// Judges whether the wall clock can be believed.
///
/// The simple rule "never below the highest wall clock seen" closes a gate for good after one scan in the year 2099. So
/// three readings are anchored together: within one boot the wall may only move as the clock that counts through sleep
/// moves; after a restart it may be ahead of the highest trusted wall (the mark) and not behind it. A reading later than
/// the ceiling, when every event of the gate is long over, moves neither.
///
/// What cannot be found, and is said so: a restart into a wrong time that is later and still plausible.
struct ClockGuard: Sendable, Hashable {
    /// How far readings may depart from each other, in milliseconds.
    var tolerance: Int64
    /// The latest end among the gate's events and a day: a later reading moves nothing.
    var ceiling: Instant?
    /// What no trusted reading can be below; set by signed configurations.
    var floor: Instant?

    /// What became of a reading.
    struct Judgement: Sendable, Hashable {
        var trust: ScanEvent.ClockTrust
        /// The new anchor and mark; nil leaves them.
        var anchor: ClockAnchor?
        var mark: Instant?
    }

    func judge(_ reading: ClockReading, head: StoreHead) -> Judgement {
        let wall = reading.wall
        if let floor, wall < floor { return Judgement(trust: .untrusted) }
        // An honest clock is set back by a second now and then, so the mark has the tolerance too.
        if let mark = head.mark, wall < mark.advanced(byMilliseconds: -tolerance) {
            return Judgement(trust: .untrusted)
        }
        var isConfirmed = false
        if let anchor = head.clock, anchor.reading.bootID == reading.bootID {
            // Below zero where a scan that read the clocks later was recorded first: many lanes, one store.
            let elapsed = reading.uptime - anchor.reading.uptime
            let expected = anchor.reading.wall.advanced(byMilliseconds: elapsed)
            guard wall.milliseconds(since: expected).magnitude <= UInt64(tolerance) else {
                return Judgement(trust: .untrusted)
            }
            isConfirmed = anchor.isConfirmed
            if elapsed < 0 { return Judgement(trust: isConfirmed ? .confirmed : .trusted) }
        }
        let trust: ScanEvent.ClockTrust = isConfirmed ? .confirmed : .trusted
        if let ceiling, wall > ceiling { return Judgement(trust: trust) }
        return Judgement(
            trust: trust, anchor: ClockAnchor(reading: reading, isConfirmed: isConfirmed),
            mark: max(wall, head.mark ?? wall))
    }

    /// Whether a reading may become anchor and mark on somebody's word: a supervisor's, or a server's that agrees.
    func mayAnchor(_ reading: ClockReading) -> Bool {
        if let floor, reading.wall < floor { return false }
        if let ceiling, reading.wall > ceiling { return false }
        return true
    }
}
