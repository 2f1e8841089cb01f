import Foundation
import Portico
import PorticoFoundation
import Testing

@Suite("The system's clocks")
struct SystemTimeTests {
    let time = SystemTime()

    @Test("The wall clock is the one that Foundation reads")
    func wall() {
        let before = Int64(Date().timeIntervalSince1970 * 1_000) - 1
        let now = time.now.milliseconds
        let after = Int64(Date().timeIntervalSince1970 * 1_000) + 1
        #expect((before...after).contains(now))
    }

    @Test("Uptime never falls")
    func uptime() {
        var last = time.uptime
        #expect(last > 0)
        for _ in 0..<100_000 {
            let reading = time.uptime
            #expect(reading >= last)
            last = reading
        }
    }

    @Test("The boot id is one for every reading and is the kernel's")
    func bootID() throws {
        let id = time.bootID
        #expect(!id.isEmpty && id.utf8.count <= 128)
        #expect(SystemTime().bootID == id)
        #if os(Linux)
        let kernel = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(id == kernel.trimmingCharacters(in: .whitespacesAndNewlines))
        #endif
    }

    @Test("A sleep is no shorter than its span, and none for zero and less")
    func sleep() async throws {
        let before = time.uptime
        try await time.sleep(milliseconds: 30)
        let after = time.uptime
        #expect(after - before >= 30)
        try await time.sleep(milliseconds: 0)
        try await time.sleep(milliseconds: -5)
        try await time.sleep(milliseconds: .min)
    }

    @Test(
        "A cancelled sleep ends with CancellationError, however long its span",
        .timeLimit(.minutes(1)), arguments: [60_000, Int64.max])
    func cancelledSleep(span: Int64) async {
        let time = time
        let sleeping = Task { try await time.sleep(milliseconds: span) }
        for _ in 0..<1_000 { await Task.yield() }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }

    @Test("A sleep of a task that was cancelled already ends at once", .timeLimit(.minutes(1)), arguments: [0, 60_000])
    func cancelledBefore(span: Int64) async {
        let time = time
        let sleeping = Task {
            while !Task.isCancelled { await Task.yield() }
            try await time.sleep(milliseconds: span)
        }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }
}

@Suite("Dates and instants")
struct DateTests {
    @Test("A date and an instant are the same point in time, to the millisecond below")
    func conversion() {
        let instant = Instant(milliseconds: 1_783_188_000_123)
        for span: Int64 in 0..<5_000 {
            let other = instant.advanced(byMilliseconds: span * 7_919)
            #expect(Instant(Date(other)) == other)
        }
        #expect(Date(instant).timeIntervalSince1970 == 1_783_188_000.123)
        #expect(Instant(Date(timeIntervalSince1970: -0.0005)) == Instant(milliseconds: -1))
        #expect("\(instant)" == "2026-07-04T18:00:00.123Z")
    }

    @Test("A date beyond the range is at its end")
    func clamped() {
        #expect(Instant(Date(timeIntervalSince1970: 1e30)).milliseconds == .max)
        #expect(Instant(Date(timeIntervalSince1970: -1e30)).milliseconds == .min)
        #expect(Instant(Date(timeIntervalSince1970: .nan)).milliseconds == .max)
    }
}
