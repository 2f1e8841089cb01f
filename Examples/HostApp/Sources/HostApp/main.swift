import Foundation
import HostAdapters
import Portico
import PorticoFoundation
import PorticoInMemory
import PorticoLines
import PorticoTickets

/// Usage: `HostApp ISSUED SERVER STORE`: the folder of issued tickets, the service's address, a folder for events.
guard CommandLine.arguments.count == 4 else {
    print("usage: HostApp ISSUED SERVER STORE")
    exit(2)
}
do {
    try await evening(
        issue: try Issue(folder: CommandLine.arguments[1]), server: CommandLine.arguments[2],
        folder: CommandLine.arguments[3])
} catch {
    print("✗ \(error)")
    exit(1)
}

/// From a started scanner to a receipt, each step asserted.
func evening(issue: Issue, server: String, folder: String) async throws {
    let (event, zone): (Identifier, Identifier) = ("summer-night", "main")
    let time = SystemTime()
    let documents = InMemoryDocumentStore(InMemoryDocumentStore.Storage())
    var store = try HostEventStore(folder: folder)
    let gate = try await TicketGate(
        serving: [event], zone: zone, gateID: "north", verifier: HostVerifier(), store: store, documents: documents,
        time: time, random: SystemRandomNumberGenerator())
    try await gate.apply(issue.configuration)

    let reader = Pipe()
    let scanner = LineScanner(descriptor: reader.fileHandleForReading.fileDescriptor, time: time)
    var decisions = gate.decisions(from: scanner, lane: "1").makeAsyncIterator()
    func present(_ ticket: Issue.Ticket) async throws -> ScanDecision {
        try reader.fileHandleForWriting.write(contentsOf: Data("\(ticket.text)\n".utf8))
        guard let decision = try await decisions.next() else { throw Failed(step: "a decision on \(ticket.id)") }
        return decision
    }
    try step("scanner started at gate north, zone \(zone)", await gate.configuration != nil)

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
    let (when, gateName) = (use.map { issue.clock($0.at) } ?? "?", use?.gateID?.text ?? "?")
    try step("used at \(when), at gate \(gateName)", use?.eventID == first.eventID && use?.at == first.scannedAt)

    try reader.fileHandleForWriting.close()
    try step("scanner ended", try await decisions.next() == nil)
    await scanner.close()
    let before = try await store.status()
    try step("three events wait for upload", before.pending == 3)

    let transport = HostSyncTransport(network: HostNetwork(base: server), deviceID: before.head.deviceID)
    let uploader = ScanUploader(
        store: store, documents: documents, transport: transport, time: time, random: SystemRandomNumberGenerator())
    let report = await uploader.upload()
    try step("sync: \(report.delivered) events sent, \(report.ending)", report.ending == .drained)
    let states = try await store.events(EventQuery()).map(\.state)
    try step(
        "receipt: the server has all three", report.delivered == 3 && states == [.delivered, .delivered, .delivered])
    try step("nothing is sent twice", await uploader.upload().delivered == 0)

    await gate.close()
    await store.close()
    store = try HostEventStore(folder: folder)
    let restarted = try await TicketGate(
        serving: [event], zone: zone, verifier: HostVerifier(), store: store, documents: documents, time: time,
        random: SystemRandomNumberGenerator())
    let later = await restarted.validate(issue.tickets[0].text)
    try step("after a restart: \(later.reason?.rawValue ?? "?")", later.reason == .alreadyUsed && later.sequence == 4)
    await restarted.close()
    await store.close()
}

/// Prints a step that was done; one that does not hold ends the evening.
func step(_ what: String, _ holds: Bool) throws {
    guard holds else { throw Failed(step: what) }
    print("✓ \(what)")
}
