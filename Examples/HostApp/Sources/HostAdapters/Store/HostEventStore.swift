import Foundation
import Portico

/// This host's event store: values in memory, and one file that tells how they came about, a line a change.
///
/// A call plans its change, writes it as one line, waits until the disk has it, and only then changes what the store
/// answers. Opening reads the lines again.
///
/// It promises what `EventStore` asks for: a change is there whole or not at all, after a kill and after a power cut,
/// and one writer at a time has the folder. It does not promise more: each change waits for a sync of its own, all
/// events and the ledger are held in memory, and a byte that went bad on the disk is found only where a line no longer
/// reads. The stores of PorticoFileJournal and PorticoSQLite do better at each of these.
///
/// `@unchecked Sendable`: what is mutable is touched on `queue` alone.
package final class HostEventStore: EventStore, @unchecked Sendable {
    /// Syncs block, so they have a queue of their own and no task's thread waits in one.
    private let queue = DispatchQueue(label: "host.events")
    private var opened: Opened?

    private struct Opened {
        let file: HostChangeFile
        var contents: HostContents
        let repairs: [String]
    }

    /// Opens the store in a folder, which is made where it is missing.
    ///
    /// - Throws: `locked` while another store has it open, `corrupt` where a line in the middle does not read.
    package init(folder: URL) throws(EventStoreError) {
        let file = try HostChangeFile(folder: folder.path)
        guard let lines = try file.read() else {
            let contents = HostContents.new()
            try file.replace(with: contents.changes.map(\.line))
            opened = Opened(file: file, contents: contents, repairs: [])
            return
        }
        let (changes, readable) = try HostChange.readable(lines)
        guard let contents = HostContents(replaying: changes) else {
            throw .corrupt("\(file.path) has no readable line")
        }
        var repairs: [String] = []
        if readable < file.length {
            // Only the last line can be unreadable here, and nobody was told that it was written.
            repairs.append("the last line was not whole: \(file.length - readable) bytes cut off")
            try file.cut(to: readable)
        }
        opened = Opened(file: file, contents: contents, repairs: repairs)
    }

    /// Decides and records one attempt; `decide` runs on the store's queue.
    package func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        try await perform { opened throws(EventStoreError) in
            let (recorded, change) = try opened.contents.recording(ticket, decide)
            try opened.file.append(change.line)
            opened.contents.apply(change)
            return recorded
        }
    }

    /// Applies what an upload learned; `merge` runs on the store's queue.
    package func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        try await perform { opened throws(EventStoreError) in
            let change = opened.contents.settling(settlement, merge)
            try opened.file.append(change.line)
            opened.contents.apply(change)
        }
    }

    /// Events by a query, ascending by sequence.
    package func events(_ query: EventQuery) async throws(EventStoreError) -> [StoredEvent] {
        try await perform { $0.contents.events(query) }
    }

    /// Entries of the ledger by a query, ascending by key.
    package func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        try await perform { $0.contents.entries(query) }
    }

    /// Counts, the head, and what opening cut off.
    package func status() async throws(EventStoreError) -> EventStoreStatus {
        try await perform { opened in
            var status = opened.contents.status()
            status.repairs = opened.repairs
            return status
        }
    }

    /// Removes events and gives their room back: what is left is written to a new file in the old one's place.
    package func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        try await perform { opened throws(EventStoreError) in
            let left = opened.contents.removing(scope)
            let count = opened.contents.count - left.count
            try opened.file.replace(with: left.changes.map(\.line))
            opened.contents = left
            return count
        }
    }

    /// Lets go of the folder, after what was begun.
    package func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.opened?.file.close()
                self.opened = nil
                continuation.resume()
            }
        }
    }

    /// Runs a call on the queue, one after the other; a continuation is not cancelled, and so neither is a call.
    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout Opened) throws(EventStoreError) -> Value
    ) async throws(EventStoreError) -> Value {
        let result: Result<Value, EventStoreError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.onQueue(body)) }
        }
        return try result.get()
    }

    private func onQueue<Value>(
        _ body: (inout Opened) throws(EventStoreError) -> Value
    ) -> Result<Value, EventStoreError> {
        guard opened != nil else { return .failure(.closed) }
        // Changed in place: a copy taken out and put back would copy every event.
        return Result { () throws(EventStoreError) in try body(&opened!) }
    }
}
