import Portico

/// Recorded events whose repeats still grow: presentations that go on, and bursts of noise that are counted as one.
///
/// A value without a clock: times are milliseconds of uptime that the gate passes in.
struct OpenEvents: Sendable {
    private struct Open: Sendable {
        var repeats: Int
        var closesAfter: Int64
        /// Closing an event that the store does not have yet would be lost.
        var isRecorded: Bool
    }

    private var events: [EventID: Open] = [:]

    /// The uptime after which the next event closes; nil where none is open.
    var nextClosing: Int64? { events.values.lazy.filter(\.isRecorded).map(\.closesAfter).min() }

    mutating func open(_ id: EventID, closesAfter: Int64, isRecorded: Bool) {
        events[id] = Open(repeats: 0, closesAfter: closesAfter, isRecorded: isRecorded)
    }

    mutating func markRecorded(_ id: EventID) {
        events[id]?.isRecorded = true
    }

    mutating func forget(_ id: EventID) {
        events[id] = nil
    }

    /// Counts one more sighting.
    ///
    /// - Parameter closesAfter: The new end of the presentation; nil leaves it.
    /// - Returns: False where the event is closed already, or is not recorded yet and may never be.
    mutating func sightedAgain(_ id: EventID, closesAfter: Int64?) -> Bool {
        guard events[id]?.isRecorded == true else { return false }
        events[id]?.repeats += 1
        if let closesAfter { events[id]?.closesAfter = closesAfter }
        return true
    }

    /// Takes out what is over, and `ending` in any case, with the final repeats.
    mutating func takeClosures(at uptime: Int64, ending: EventID? = nil) -> [EventID: Int] {
        guard !events.isEmpty else { return [:] }
        var closures: [EventID: Int] = [:]
        for (id, open) in events where open.isRecorded && (uptime > open.closesAfter || id == ending) {
            closures[id] = open.repeats
            events[id] = nil
        }
        return closures
    }

    mutating func takeAll() -> [EventID: Int] {
        takeClosures(at: .max)
    }

    /// Puts back closures that were not stored.
    ///
    /// - Parameter closesAfter: When they are due again.
    mutating func putBack(_ closures: [EventID: Int], closesAfter: Int64) {
        for (id, repeats) in closures {
            events[id] = Open(repeats: repeats, closesAfter: closesAfter, isRecorded: true)
        }
    }
}

/// Keeps noise from flooding the store: of codes that are no ticket at most ten a second and lane are recorded one by
/// one, the rest of the second as one event with its count.
struct NoiseMeter: Sendable {
    /// One lane's noise of one reason.
    struct Source: Sendable, Hashable {
        var lane: Identifier?
        var reason: Reason
    }

    enum Verdict: Sendable, Hashable {
        /// Record it by itself.
        case record
        /// Record it as the event that stands for the rest of the second, until that uptime.
        case summarise(closesAfter: Int64)
        /// Count it with that event.
        case count(EventID)
    }

    private struct Second: Sendable {
        var start: Int64
        var recorded = 0
        var summary: EventID?
    }

    static let recordedPerSecond = 10

    private var seconds: [Source: Second] = [:]

    mutating func judge(_ source: Source, id: EventID, at uptime: Int64) -> Verdict {
        var second = seconds[source] ?? Second(start: uptime)
        if uptime - second.start >= 1_000 || uptime < second.start { second = Second(start: uptime) }
        defer { seconds[source] = second }
        if second.recorded < Self.recordedPerSecond {
            second.recorded += 1
            return .record
        }
        if let summary = second.summary { return .count(summary) }
        second.summary = id
        return .summarise(closesAfter: second.start + 999)
    }

    /// Forgets a summary that could not be recorded: the next noise tries again.
    mutating func forget(_ id: EventID, of source: Source) {
        if seconds[source]?.summary == id { seconds[source]?.summary = nil }
    }
}
