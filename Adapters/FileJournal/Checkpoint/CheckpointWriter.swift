import Portico
import PorticoPOSIX

/// What a checkpoint is made from: a state that no longer changes.
struct CheckpointInput: Sendable {
    var folder: String
    var state: JournalState
    var device: DeviceCode
    var lastSegment: UInt32
}

/// Writes a checkpoint: the old snapshot and what changed since, merged in order into a new file.
///
/// Blocks into which nothing changed are copied as they are.
struct CheckpointWriter {
    private let fileSystem: any FileSystem
    private let file: OpenFile
    private var buffer: [UInt8] = []
    private var written: Int64 = 0

    private var ledgerIndex = ByteWriter()
    private var ledgerBlocks: UInt32 = 0
    private var eventIndex = ByteWriter()
    private var eventBlocks: UInt32 = 0
    private var tickets = 0
    private var conflicts = 0

    /// The block of the ledger that is being filled, and its first key.
    private var block: [UInt8] = []
    private var firstKey: [UInt8] = []
    private var info = LedgerSnapshot.Block()

    private static let bufferLength = 1 << 20
    /// A block below this length is not closed for the sake of copying the next: small blocks would add up.
    private static let leastLength = LedgerBlock.targetLength / 2

    /// Writes, makes durable, and puts in the place of the old one; a crash anywhere leaves the old or the new.
    static func write(
        _ input: CheckpointInput, in fileSystem: any FileSystem
    ) throws(EventStoreError) -> LedgerSnapshot {
        let temporary = "\(input.folder)/\(Checkpoint.temporaryName)"
        let target = "\(input.folder)/\(Checkpoint.name)"
        let file = try storing { () throws(SystemError) in try fileSystem.open(temporary, .replace) }
        defer { fileSystem.close(file) }
        var writer = CheckpointWriter(fileSystem: fileSystem, file: file)
        try writer.put(input)
        try storing { () throws(SystemError) in
            try fileSystem.synchronize(file)
            try fileSystem.rename(temporary, to: target)
            try fileSystem.synchronizeFolder(input.folder)
        }
        do throws(Checkpoint.ReadingError) {
            return try Checkpoint.load(target, in: fileSystem, withEvents: false).snapshot
        } catch {
            throw .failed("\(Checkpoint.name) cannot be read after it was written: \(error)")
        }
    }

    private init(fileSystem: any FileSystem, file: OpenFile) {
        self.fileSystem = fileSystem
        self.file = file
    }

    private mutating func put(_ input: CheckpointInput) throws(EventStoreError) {
        var header = ByteWriter(bytes: Checkpoint.magic)
        header.put(Checkpoint.version)
        header.bytes += [UInt8](repeating: 0, count: 6)
        try put(header.bytes)
        try putLedger(input.state.ledger)
        try putEvents(input.state.events.slots)
        let summary = Checkpoint.Summary(
            head: input.state.head, device: input.device, lastFrame: input.state.lastFrame,
            lastSegment: input.lastSegment, tickets: tickets, conflicts: conflicts,
            events: input.state.events.slots.count, refusals: input.state.events.refusals)
        let index = ledgerIndex.bytes + eventIndex.bytes
        let closing = summary.encoded
        let footer = Checkpoint.Footer(
            indexOffset: written, indexLength: UInt32(index.count), summaryLength: UInt32(closing.count),
            ledgerBlocks: ledgerBlocks, eventBlocks: eventBlocks, sum: CRC32C.checksum(index + closing))
        try put(index)
        try put(closing)
        try put(footer.encoded)
        try flush()
    }

    // MARK: The ledger

    private mutating func putLedger(_ ledger: Ledger) throws(EventStoreError) {
        let changes = ledger.frozen.merging(ledger.recent) { _, newer in newer }.sorted { $0.key < $1.key }
        var waiting = changes[...]
        if let snapshot = ledger.snapshot {
            for index in snapshot.blocks.indices {
                let isLast = index == snapshot.blocks.count - 1
                let touches = waiting.first.map { isLast || snapshot.isFirstKey(ofBlock: index + 1, after: $0.key) }
                if touches == true || !block.isEmpty && block.count < Self.leastLength {
                    try merge(snapshot.contents(index), with: &waiting)
                } else {
                    try closeBlock()
                    try copy(snapshot.contents(index), snapshot.blocks[index], from: snapshot.key(ofBlock: index))
                }
            }
        }
        for (ticket, entry) in waiting { try put(ticket, entry) }
        try closeBlock()
    }

    private mutating func copy(
        _ contents: LedgerBlock, _ old: LedgerSnapshot.Block, from key: [UInt8]
    ) throws(EventStoreError) {
        block = contents.bytes
        firstKey = key
        info = old
        try closeBlock()
    }

    private mutating func merge(
        _ contents: LedgerBlock, with waiting: inout ArraySlice<(key: TicketKey, value: LedgerEntry)>
    ) throws(EventStoreError) {
        var offset = 0
        while offset < contents.bytes.count {
            let item = try contents.item(at: offset)
            offset = item.all.upperBound
            var isReplaced = false
            while let change = waiting.first {
                let order = contents.bytes.withUnsafeBytes {
                    LedgerBlock.compare(change.key, with: $0, at: item.key.lowerBound)
                }
                if order > 0 { break }
                isReplaced = order == 0
                try put(change.key, change.value)
                waiting.removeFirst()
                if isReplaced { break }
            }
            if isReplaced { continue }
            if block.isEmpty { firstKey = Array(contents.bytes[item.key]) }
            block += contents.bytes[item.all]
            try count(isInside: item.isInside, isConflict: item.isConflict)
        }
    }

    private mutating func put(_ ticket: TicketKey, _ entry: LedgerEntry) throws(EventStoreError) {
        if block.isEmpty { firstKey = LedgerBlock.encoded(ticket) }
        LedgerBlock.append(ticket, entry, to: &block)
        try count(isInside: entry.isInside, isConflict: entry.isConflict)
    }

    private mutating func count(isInside: Bool, isConflict: Bool) throws(EventStoreError) {
        info.entries += 1
        if isInside { info.insides += 1 }
        if isConflict { info.conflicts += 1 }
        if block.count >= LedgerBlock.targetLength { try closeBlock() }
    }

    private mutating func closeBlock() throws(EventStoreError) {
        guard !block.isEmpty else { return }
        Self.put(info, of: block, at: written, to: &ledgerIndex)
        ledgerIndex.bytes += firstKey
        ledgerBlocks += 1
        tickets += Int(info.entries)
        conflicts += Int(info.conflicts)
        try put(block)
        block.removeAll(keepingCapacity: true)
        info = LedgerSnapshot.Block()
    }

    // MARK: The events

    private mutating func putEvents(_ slots: [EventSlot]) throws(EventStoreError) {
        let slotsPerBlock = 4_096
        for start in stride(from: 0, to: slots.count, by: slotsPerBlock) {
            var writer = ByteWriter()
            writer.bytes.reserveCapacity(slotsPerBlock * Checkpoint.eventLength)
            for slot in slots[start..<min(start + slotsPerBlock, slots.count)] { writer.put(slot) }
            Self.put(LedgerSnapshot.Block(), of: writer.bytes, at: written, to: &eventIndex)
            eventBlocks += 1
            try put(writer.bytes)
        }
    }

    // MARK: Bytes

    /// Static, because a method of `self` beside a part of it that changes would copy that part each time.
    private static func put(
        _ info: LedgerSnapshot.Block, of content: [UInt8], at offset: Int64, to index: inout ByteWriter
    ) {
        index.put(offset)
        index.put(UInt32(content.count))
        index.put(CRC32C.checksum(content))
        index.put(info.entries)
        index.put(info.conflicts)
        index.put(info.insides)
    }

    private mutating func put(_ bytes: [UInt8]) throws(EventStoreError) {
        buffer += bytes
        written += Int64(bytes.count)
        if buffer.count >= Self.bufferLength { try flush() }
    }

    private mutating func flush() throws(EventStoreError) {
        let start = written - Int64(buffer.count)
        do throws(SystemError) { try fileSystem.writeAll(file, buffer, at: start) } catch {
            throw EventStoreError(error)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
