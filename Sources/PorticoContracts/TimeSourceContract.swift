import Portico

/// The guarantees of `TimeSource`, as checks that any clock that runs can be put to.
///
/// It takes about as long as the spans that it sleeps: less than a second where the clock keeps its guarantees.
///
/// ```swift
/// let subject = Subject<any TimeSource>(name: "HostTime") { { HostTime() } }
/// for clause in TimeSourceContract.clauses {
///     if case .broken(let why) = await clause.check(subject) { print(why) }
/// }
/// ```
public enum TimeSourceContract {
    /// One clause for each guarantee of the port's documentation, in its order.
    public static let clauses: [Clause<any TimeSource>] = [uptime, boot, span, cancellation]

    private static let uptime = Clause<any TimeSource>(
        "TS-1", "uptime never falls in one boot"
    ) { subject in
        let time = try await subject.fresh()()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var last = time.uptime
                    for _ in 0..<2_000 {
                        let next = time.uptime
                        try require(next >= last, "uptime fell from \(last) to \(next)")
                        last = next
                    }
                }
            }
            try await group.waitForAll()
        }
        let before = time.reading
        try await time.sleep(milliseconds: 20)
        let after = time.reading
        try requireEqual(after.bootID, before.bootID, "the boot in which both readings were taken")
        try require(after.uptime > before.uptime, "uptime stood still over a sleep: \(before.uptime)")
    }

    private static let boot = Clause<any TimeSource>(
        "TS-2", "the boot id is the same for every reading of one boot, not empty, at most 128 bytes"
    ) { subject in
        let opening = try await subject.fresh()
        let time = try await opening()
        let boot = time.bootID
        try require((1...128).contains(boot.utf8.count), "a boot id of \(boot.utf8.count) bytes")
        let others = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask { time.bootID }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        try requireEqual(others, [boot], "boot ids of one boot")
        try requireEqual(try await opening().bootID, boot, "the boot id by another opener")
    }

    private static let span = Clause<any TimeSource>(
        "TS-3", "sleep returns no earlier than its span, and at once for zero or less"
    ) { subject in
        let time = try await subject.fresh()()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for milliseconds in [Int64(1), 5, 17, 40] {
                group.addTask {
                    let start = time.uptime
                    try await time.sleep(milliseconds: milliseconds)
                    let slept = time.uptime - start
                    try require(slept >= milliseconds, "a sleep of \(milliseconds) ms was over after \(slept)")
                }
            }
            try await group.waitForAll()
        }
        for milliseconds in [0, -1, Int64.min] {
            let start = time.uptime
            try await time.sleep(milliseconds: milliseconds)
            try require(time.uptime - start < 5_000, "a sleep of \(milliseconds) ms lasted \(time.uptime - start)")
        }
    }

    private static let cancellation = Clause<any TimeSource>(
        "TS-4", "sleep ends with CancellationError soon after its task is cancelled, at once where it was already"
    ) { subject in
        let time = try await subject.fresh()()
        let isVirtual = subject.capabilities.contains(.virtual)
        // Long enough to tell a clock that ignores cancellation, short enough to see the end of it.
        let long: Int64 = 120_000
        for isEarly in [true, false] {
            try await checkCancelled(time, long, isEarly: isEarly, isVirtual: isVirtual)
        }
        try await checkCancelled(time, .max, isEarly: true, isVirtual: isVirtual)
        try await checkCancelled(time, .max, isEarly: false, isVirtual: isVirtual)
    }

    private static func checkCancelled(
        _ time: any TimeSource, _ span: Int64, isEarly: Bool, isVirtual: Bool
    ) async throws {
        let start = time.uptime
        let ending = await withTaskGroup(of: Ending.self) { group in
            if isEarly { group.cancelAll() }
            group.addTask {
                do {
                    try await time.sleep(milliseconds: span)
                    return .returned(after: time.uptime - start)
                } catch {
                    return .cancelled(after: time.uptime - start)
                }
            }
            if !isEarly {
                // The sleeper is to be asleep when it is cancelled; where it is not yet, the check is the earlier one.
                for _ in 0..<1_000 { await Task.yield() }
                group.cancelAll()
            }
            return await group.next() ?? .returned(after: 0)
        }
        switch ending {
        case .cancelled(let elapsed):
            // Soon, on a machine that does much else, is before its time.
            try require(elapsed < span, "a cancelled sleep ended after \(elapsed) ms")
        case .returned(let elapsed):
            // A virtual clock has run through the whole span before the cancellation, unless that came first.
            try require(
                isVirtual && !isEarly && elapsed >= min(span, .max - start),
                "a cancelled sleep of \(span) ms returned after \(elapsed), without an error")
        }
    }

    /// How a sleep ended, and after how many milliseconds.
    private enum Ending {
        case cancelled(after: Int64)
        case returned(after: Int64)
    }
}

extension Capability {
    /// A clock that the sleeper moves: a sleep of any span returns at once, and its time has passed.
    public static let virtual = Capability("virtual")
}
