import Foundation
import Portico
import PorticoTickets

// Usage: HostApp ISSUED SERVER STORE: the folder of issued tickets, the service's address, a folder for events.
guard CommandLine.arguments.count == 4 else {
    print("usage: HostApp ISSUED SERVER STORE")
    exit(2)
}
do {
    let root = CompositionRoot(server: CommandLine.arguments[2], folder: CommandLine.arguments[3])
    try await evening(root, try Issue(folder: CommandLine.arguments[1]))
} catch {
    print("✗ \(error)")
    exit(1)
}

/// From a started scanner to a receipt, each step asserted.
func evening(_ root: CompositionRoot, _ issue: Issue) async throws {
    let store = try root.store()
    let gate = try await root.gate(over: store)
    try await gate.apply(issue.configuration)

    // The reader types what it reads, as a keyboard would.
    let reader = Pipe()
    let scanner = root.scanner(reading: reader.fileHandleForReading.fileDescriptor)
    var decisions = gate.decisions(from: scanner, lane: "1").makeAsyncIterator()
    func present(_ ticket: Issue.Ticket) async throws -> ScanDecision {
        try reader.fileHandleForWriting.write(contentsOf: Data("\(ticket.text)\n".utf8))
        guard let decision = try await decisions.next() else { throw Failed(step: "a decision on \(ticket.id)") }
        return decision
    }
    let isConfigured = await gate.configuration != nil
    try step("scanner started at gate \(root.gateName), zone \(root.zone)", isConfigured)

    let first = try await present(issue.tickets[0])
    try step("ticket \(issue.tickets[0].id) read and verified", first.ticket.verified?.ticketID == issue.tickets[0].id)
    try step("decision: admitted", first.isAdmitted)
    let recorded = try await store.events(EventQuery()).last?.event
    try step("recorded as event 1, before anybody was told", recorded?.id == first.eventID && recorded?.sequence == 1)
    let held = try await present(issue.tickets[0])
    try step(
        "held in front of the reader: the same presentation", held.outcome == first.eventID.map { .repeated(of: $0) })
    try step("ticket \(issue.tickets[1].id) admitted", try await present(issue.tickets[1]).isAdmitted)

    let again = try await present(issue.tickets[0])
    try step(
        "ticket \(issue.tickets[0].id) shown again: \(again.reason?.rawValue ?? "?")", again.reason == .alreadyUsed)
    let use = again.priorUses.first
    let (when, place) = (use.map { issue.clock($0.at) } ?? "?", use?.gateID?.text ?? "?")
    try step("used at \(when), at gate \(place)", use?.eventID == first.eventID && use?.at == first.scannedAt)

    try reader.fileHandleForWriting.close()
    try step("scanner ended", try await decisions.next() == nil)
    await scanner.close()
    try step("three events wait for upload", try await store.status().pending == 3)

    let uploader = try await root.uploader(over: store)
    let report = await uploader.upload()
    try step("sync: \(report.delivered) events sent, \(report.ending)", report.ending == .drained)
    let states = try await store.events(EventQuery()).map(\.state)
    try step(
        "receipt: the server has all three", report.delivered == 3 && states == [.delivered, .delivered, .delivered])
    try step("nothing is sent twice", await uploader.upload().delivered == 0)

    await gate.close()
    await store.close()
    let reopened = try root.store()
    let restarted = try await root.gate(over: reopened)
    try await restarted.apply(issue.configuration)
    let later = await restarted.validate(issue.tickets[0].text)
    try step("after a restart: \(later.reason?.rawValue ?? "?")", later.reason == .alreadyUsed && later.sequence == 4)
    await restarted.close()
    await reopened.close()
}

/// Prints a step that was done; one that does not hold ends the evening.
func step(_ what: String, _ holds: Bool) throws {
    guard holds else { throw Failed(step: what) }
    print("✓ \(what)")
}
