import Dispatch
import Portico
import PorticoPOSIX

/// Reads a folder beside its writer, or without one.
///
/// `@unchecked Sendable`: every variable is touched on `queue` alone.
final class JournalReader: JournalWorker, @unchecked Sendable {
    private let queue = DispatchQueue(label: "portico.journal.reader", qos: .utility)
    private let folder: String
    private let fileSystem: any FileSystem
    private var contents: Contents?
    private var unreadable = UnreadableEvents()
    /// Damage of the ledger; it is looked for once, since it takes a moment.
    private var ledgerDamage: LoadedJournal.Finding?
    private var isLedgerVerified = false

    /// What was read, and what the folder looked like then.
    private struct Contents {
        var journal: LoadedJournal
        var reader: SegmentReader
        var sizes: [String: Int64]
    }

    /// The writer replaces the checkpoint and removes segments while they are being read; then it is begun again.
    private static let attempts = 5

    private init(_ folder: String, in fileSystem: any FileSystem) {
        self.folder = folder
        self.fileSystem = fileSystem
    }

    deinit {
        contents?.reader.close()
    }

    static func open(_ folder: String, in fileSystem: any FileSystem) async throws(EventStoreError) -> JournalReader {
        let reader = JournalReader(folder, in: fileSystem)
        try await reader.onQueue { () throws(EventStoreError) in
            reader.contents = try reader.load()
        }
        return reader
    }

    func record(
        _ ticket: TicketKey?, _ decide: @escaping @Sendable (StoreHead, LedgerEntry?) -> ScanRecord
    ) async throws(EventStoreError) -> Recorded {
        throw try await refusal()
    }

    func settle(
        _ settlement: Settlement, _ merge: @escaping @Sendable (LedgerEntry?, Redemption) -> LedgerEntry
    ) async throws(EventStoreError) {
        throw try await refusal()
    }

    func remove(_ scope: RemovalScope) async throws(EventStoreError) -> Int {
        throw try await refusal()
    }

    func events(_ query: EventQuery) async throws(EventStoreError) -> [RawEvent] {
        let page = try await ask { (contents) throws(EventStoreError) in
            try storing { () throws(SystemError) in
                try EventPage(
                    query, of: contents.journal.state.events, in: contents.journal.segments, by: &contents.reader)
            }
        }
        var damaged = UnreadableEvents()
        for slot in page.unreadable {
            damaged.add(slot.sequence, "\(Segment.name(slot.segment)) is damaged at \(slot.offset)")
        }
        if !damaged.isEmpty { try await passOver(damaged) }
        return page.events
    }

    func passOver(_ events: UnreadableEvents) async throws(EventStoreError) {
        try await onQueue { self.unreadable.add(events) }
    }

    func entries(_ query: EntryQuery) async throws(EventStoreError) -> [StoredEntry] {
        try await ask { (contents) throws(EventStoreError) in try contents.journal.state.ledger.page(query) }
    }

    func status() async throws(EventStoreError) -> EventStoreStatus {
        try await ask { contents in
            contents.journal.state.status(
                repairs: contents.journal.setAside
                    + (contents.journal.findings.filter { $0 != self.ledgerDamage }
                    + [self.ledgerDamage].compactMap { $0 })
                    .compactMap(\.told) + self.unreadable.repairs)
        }
    }

    func close() async {
        do throws(EventStoreError) {
            try await onQueue { self.letGo() }
        } catch {
            // Letting go of files does not fail.
        }
    }

    // MARK: Reading

    private func letGo() {
        contents?.reader.close()
        contents = nil
    }

    private func refusal() async throws(EventStoreError) -> EventStoreError {
        try await ask { _ in EventStoreError.readOnly }
    }

    private func ask<Value: Sendable>(
        _ body: @escaping @Sendable (inout Contents) throws(EventStoreError) -> Value
    ) async throws(EventStoreError) -> Value {
        try await onQueue { () throws(EventStoreError) in
            guard self.contents != nil else { throw .closed }
            for _ in 1..<Self.attempts {
                do throws(EventStoreError) {
                    return try self.attempt(body)
                } catch {
                    // Something went away in the middle: the writer was faster.
                }
            }
            return try self.attempt(body)
        }
    }

    private func attempt<Value>(
        _ body: (inout Contents) throws(EventStoreError) -> Value
    ) throws(EventStoreError) -> Value {
        if contents?.sizes != (try sizes()) {
            contents?.reader.close()
            contents = try load()
        }
        guard var current = contents else { throw .closed }
        defer { contents = current }
        return try body(&current)
    }

    private func load() throws(EventStoreError) -> Contents {
        var attempt = 1
        while true {
            let before = try sizes()
            do throws(EventStoreError) {
                let journal = try JournalLoader(
                    folder: folder, fileSystem: fileSystem, verifiesLedger: !isLedgerVerified
                ).load()
                // What is missing because the folder changed in between is there at the next look.
                if !journal.hasGaps || attempt >= Self.attempts {
                    if !isLedgerVerified {
                        isLedgerVerified = true
                        ledgerDamage = journal.findings.first { if case .ledgerDamaged = $0 { true } else { false } }
                    }
                    return Contents(
                        journal: journal, reader: SegmentReader(folder: folder, fileSystem: fileSystem), sizes: before)
                }
            } catch {
                if attempt >= Self.attempts { throw error }
            }
            attempt += 1
        }
    }

    /// What tells one state of the folder from another.
    private func sizes() throws(EventStoreError) -> [String: Int64] {
        try storing { () throws(SystemError) in
            var sizes: [String: Int64] = [:]
            for name in try fileSystem.list(folder) where Segment.number(name) != nil || name == Checkpoint.name {
                do throws(SystemError) {
                    let file = try fileSystem.open("\(folder)/\(name)", .read)
                    defer { fileSystem.close(file) }
                    sizes[name] = try fileSystem.size(file)
                } catch {
                    // Removed since it was listed.
                    if error.cause != .missing { throw error }
                }
            }
            return sizes
        }
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable () throws(EventStoreError) -> Value
    ) async throws(EventStoreError) -> Value {
        let result: Result<Value, EventStoreError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}

extension LoadedJournal {
    fileprivate var hasGaps: Bool {
        findings.contains {
            switch $0 {
            case .torn, .ledgerDamaged: false
            case .damaged, .missing, .checkpointUnreadable: true
            }
        }
    }
}

extension LoadedJournal.Finding {
    /// What a reader says of it; a torn end is the writer's work in progress.
    fileprivate var told: String? {
        switch self {
        case .torn: nil
        case .damaged(let segment, let range):
            "\(segment.name): \(range.count) bytes at \(range.lowerBound) are damaged; a writer will set them aside"
        case .missing(let frames): "records \(frames.lowerBound) to \(frames.upperBound - 1) are missing"
        case .checkpointUnreadable: "\(Checkpoint.name) is damaged; a writer will write it again"
        case .ledgerDamaged(let blocks): LoadedJournal.told(damagedBlocks: blocks)
        }
    }
}
