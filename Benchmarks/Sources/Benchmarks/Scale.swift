import Foundation
import Portico
import PorticoFileJournal
import PorticoInMemory
import PorticoSQLite
import PorticoTickets

/// What a million redeemed tickets cost.
struct Scale {
    static let million = 1_000_000

    let scratch: Scratch

    /// Fills a store with redeemed tickets, as the redemptions of other devices.
    static func fill(_ store: any EventStore, _ count: Int) async throws {
        let body = [UInt8](repeating: 7, count: 110)
        for start in stride(from: 0, to: count, by: 1_000) {
            let redemptions = (start..<min(start + 1_000, count)).map { number in
                Redemption(
                    id: EventID(at: Instant(milliseconds: 0), random: (0, UInt64(number))),
                    ticket: TicketKey(event: "SUMMER-2026", ticket: Identifier("M-\(number)") ?? "M"),
                    deviceID: "other", at: Instant(milliseconds: 0))
            }
            try await store.settle(Settlement(redemptions: redemptions)) { _, _ in LedgerEntry(body: body) }
        }
    }

    /// Scans with a million redeemed tickets over scans with none; then how long opening takes, and what it holds.
    func run(_ report: inout Report) async throws {
        let full = try scratch.folder("million-sqlite")
        let store = try await SQLiteEventStore(folder: full, durability: .powerCut)
        try await Self.fill(store, Self.million)
        let empty = try await SQLiteEventStore(folder: scratch.folder("none-sqlite"), durability: .powerCut)
        let fixture = try Fixture()
        let gates = (try await fixture.gate(store), try await fixture.gate(empty))
        var ratios = Samples()
        var fulls = Samples()
        var empties = Samples()
        for round in 0..<15 {
            var with = Samples()
            var without = Samples()
            for number in 0..<100 {
                let ticket = try fixture.ticket(round * 100 + number)
                with.add(await admit(gates.0, ticket))
                without.add(await admit(gates.1, ticket))
            }
            fulls.add(with.median)
            empties.add(without.median)
            ratios.add(with.median / without.median)
        }
        report.add(
            "validate-1m-over-0", ratios.median, "x", goal: .atMost(1.2),
            note: "1,000,000 \(fulls.median.short) µs, none \(empties.median.short) µs; rounds \(ratios.spread)")
        await gates.0.close()
        await gates.1.close()
        await store.close()
        await empty.close()

        let journalFolder = try scratch.folder("million-journal")
        let journal = try await FileJournalEventStore(folder: journalFolder, durability: .powerCut)
        try await Self.fill(journal, Self.million)
        await journal.close()
        for (kind, folder) in [("sqlite", full), ("journal", journalFolder)] {
            var warm = Samples()
            var growth = Samples()
            for _ in 0..<9 {
                let opening = try Opening.measure(kind, folder)
                warm.add(opening.seconds)
                growth.add(opening.megabytes)
            }
            try dropCache(folder)
            let cold = try Opening.measure(kind, folder)
            report.add(
                "open-\(kind)-1m", warm.median, "s", goal: .atMost(1),
                note: "warm \(warm.spread); cold \(cold.seconds.short) s")
            report.add("open-\(kind)-1m-mb", growth.median, "MB", goal: .atMost(100), note: "above the empty process")
        }
    }

    private func admit(_ gate: TicketGate, _ ticket: Fixture.Ticket) async -> Double {
        var isAdmitted = false
        let spent = await microseconds { isAdmitted = await gate.validate(ticket.text).isAdmitted }
        precondition(isAdmitted)
        return spent
    }

    /// Asks the system to forget a folder's files, so that the next opening reads the disk.
    private func dropCache(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let descriptor = open("\(folder)/\(name)", O_RDONLY)
            guard descriptor >= 0 else { continue }
            fdatasync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            close(descriptor)
        }
    }
}

/// Opening a store in a process of its own, so that its memory is its own.
struct Opening {
    let seconds: Double
    let megabytes: Double

    /// Starts this program again to open a store, and reads what it found.
    static func measure(_ kind: String, _ folder: String) throws -> Opening {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["open", kind, folder]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        precondition(process.terminationStatus == 0 && numbers.count == 2, "opening failed: \(text)")
        return Opening(seconds: numbers[0], megabytes: numbers[1])
    }

    /// What the other process does: opens, asks for the status, and looks up one ticket.
    static func perform(_ kind: String, _ folder: String) async throws {
        let before = try Memory.residentMegabytes()
        let start = nanoseconds()
        let store: any EventStore =
            kind == "sqlite"
            ? try await SQLiteEventStore(folder: folder, durability: .powerCut)
            : try await FileJournalEventStore(folder: folder, durability: .powerCut)
        let status = try await store.status()
        let seconds = Double(nanoseconds() - start) / 1e9
        precondition(status.tickets >= Scale.million, "\(status)")
        print(seconds, try Memory.peakMegabytes() - before)
        await store.close()
    }
}

/// What this process holds, by the system's account.
enum Memory {
    static func residentMegabytes() throws -> Double { try field("VmRSS:") }
    static func peakMegabytes() throws -> Double { try field("VmHWM:") }

    private static func field(_ name: String) throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Double($0) }
        return (kilobytes ?? 0) / 1_024
    }
}
