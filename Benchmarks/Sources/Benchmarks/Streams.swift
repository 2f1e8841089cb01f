import Foundation
import PorticoInbox

/// Event streams as they come from a socket: in pieces of 16 KiB.
struct Streams {
    private static let piece = 16 << 10
    private static let rounds = 9

    static func run(_ report: inout Report) throws {
        var four = Samples()
        var eight = Samples()
        var ratio = Samples()
        var many = Samples()
        let (small, large, events) = (line(4 << 20), line(8 << 20), small(50_000))
        for _ in 0..<rounds {
            let (first, second) = try (seconds(small, events: 1), seconds(large, events: 1))
            four.add(first)
            eight.add(second)
            ratio.add(second / first)
            many.add(try seconds(events, events: 50_000))
        }
        report.add("sse-line-4mib-s", four.median, "s", goal: .atMost(0.05), note: four.spread)
        report.add(
            "sse-8mib-over-4mib", ratio.median, "×", goal: .atMost(2.1),
            note: "\(ratio.spread); 8 MiB \(eight.median.short) s")
        report.add("sse-50k-events-s", many.median, "s", goal: .atMost(0.1), note: many.spread)
        var memory = Samples()
        for _ in 0..<rounds { memory.add(try growth()) }
        report.add(
            "sse-memory-over-largest-event", memory.median, "×", goal: .atMost(3),
            note: "\(memory.spread); peak above the idle process, an event of \(Self.largest >> 20) MiB")
    }

    /// One event, in one line of that many bytes.
    private static func line(_ count: Int) -> [UInt8] {
        Array("data: ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: count) + Array("\n\n".utf8)
    }

    private static func small(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { number in
            Array("event: message\nid: 5f0c9a31-\(number)\ndata: {\"id\":\"m-\(number)\",\"unread\":3}\n\n".utf8)
        }
    }

    private static func seconds(_ stream: [UInt8], events: Int) throws -> Double {
        var parser = EventStreamParser(maximumEvent: .max)
        var found = 0
        let start = nanoseconds()
        for offset in stride(from: 0, to: stream.count, by: piece) {
            found += try parser.receive(stream[offset..<min(offset + piece, stream.count)]).count
        }
        let spent = Double(nanoseconds() - start) / 1e9
        precondition(found == events)
        return spent
    }

    // MARK: Memory

    private static let largest = 64 << 20

    /// Starts this program again, so that the memory is its own, and reads what it found.
    private static func growth() throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["stream"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0,
            let megabytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { preconditionFailure("reading a stream failed: \(text)") }
        return megabytes / Double(largest >> 20)
    }

    /// What the other process does: reads one large event, made a piece at a time.
    static func perform() throws {
        let before = try Memory.residentMegabytes()
        var parser = EventStreamParser(maximumEvent: .max)
        _ = try parser.receive(Array("data: ".utf8)[...])
        let filling = [UInt8](repeating: UInt8(ascii: "x"), count: piece)
        for _ in 0..<largest / piece { _ = try parser.receive(filling[...]) }
        let events = try parser.receive(Array("\n\n".utf8)[...])
        precondition(events.first?.data.count == largest)
        print(try Memory.peakMegabytes() - before)
    }
}
