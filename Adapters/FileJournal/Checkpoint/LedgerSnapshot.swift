import Portico
import PorticoPOSIX

/// The ledger as it was at a checkpoint: a sorted file of which only the first key of each block is in memory.
///
/// A look-up is a binary search and one read of a block of some kilobytes, so it costs the same few microseconds with
/// a million tickets as with a thousand, and opening reads the keys of the blocks alone.
final class LedgerSnapshot: Sendable {
    /// A run of entries, ascending by key.
    struct Block: Sendable {
        var offset: Int64 = 0
        var length: UInt32 = 0
        var sum: UInt32 = 0
        var entries: UInt32 = 0
        var conflicts: UInt32 = 0
        var insides: UInt32 = 0
        /// Where its first key stands in `keys`.
        var key: UInt32 = 0
    }

    private let fileSystem: any FileSystem
    private let file: OpenFile
    let blocks: [Block]
    private let keys: [UInt8]

    /// A snapshot that owns `file` from now on.
    init(_ file: OpenFile, in fileSystem: any FileSystem, blocks: [Block], keys: [UInt8]) {
        self.file = file
        self.fileSystem = fileSystem
        self.blocks = blocks
        self.keys = keys
    }

    deinit {
        fileSystem.close(file)
    }

    /// The entry of a ticket, nil where there is none.
    func entry(_ ticket: TicketKey) throws(EventStoreError) -> LedgerEntry? {
        let wanted = LedgerBlock.encoded(ticket)
        guard let block = block(for: ticket) else { return nil }
        return try contents(block).first(wanted)
    }

    /// The block in which a ticket's entry would stand; nil where it would stand before all.
    func block(for ticket: TicketKey) -> Int? {
        var low = 0
        var high = blocks.count
        while low < high {
            let middle = low + (high - low) / 2
            if isFirstKey(ofBlock: middle, after: ticket) { high = middle } else { low = middle + 1 }
        }
        return low > 0 ? low - 1 : nil
    }

    /// Whether a block begins after a ticket.
    func isFirstKey(ofBlock index: Int, after ticket: TicketKey) -> Bool {
        keys.withUnsafeBytes { LedgerBlock.compare(ticket, with: $0, at: Int(blocks[index].key)) < 0 }
    }

    /// The first key of a block, as it is written.
    func key(ofBlock index: Int) -> [UInt8] {
        let start = Int(blocks[index].key)
        let end = index + 1 < blocks.count ? Int(blocks[index + 1].key) : keys.count
        return Array(keys[start..<end])
    }

    /// How many blocks are not as they were written.
    ///
    /// They are read in order and in large pieces: a look-up would find the damage only when the ticket is presented, and
    /// could then do no more than refuse it.
    func damagedBlocks() throws(Checkpoint.ReadingError) -> Int {
        var damaged = 0
        var index = 0
        while index < blocks.count {
            var end = index + 1
            while end < blocks.count, isNext(end), blocks[end].offset - blocks[index].offset < 1 << 20 { end += 1 }
            let last = blocks[end - 1]
            let start = blocks[index].offset
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try fileSystem.bytes(file, start..<last.offset + Int64(last.length))
            } catch {
                throw .system(error)
            }
            bytes.withUnsafeBytes { bytes in
                for block in blocks[index..<end] {
                    let range = Int(block.offset - start)..<Int(block.offset - start) + Int(block.length)
                    guard range.upperBound <= bytes.count,
                        CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[range])) == block.sum
                    else {
                        damaged += 1
                        continue
                    }
                }
            }
            index = end
        }
        return damaged
    }

    /// Whether a block begins where the one before it ends.
    private func isNext(_ index: Int) -> Bool {
        blocks[index].offset == blocks[index - 1].offset + Int64(blocks[index - 1].length)
    }

    /// The bytes of a block, checked.
    func contents(_ index: Int) throws(EventStoreError) -> LedgerBlock {
        let block = blocks[index]
        let bytes: [UInt8]
        bytes = try storing { () throws(SystemError) in
            try fileSystem.bytes(file, block.offset..<block.offset + Int64(block.length))
        }
        guard bytes.count == block.length, CRC32C.checksum(bytes) == block.sum else {
            throw .corrupt("\(Checkpoint.name): the ledger is damaged at \(block.offset)")
        }
        return LedgerBlock(bytes: bytes)
    }
}

/// The entries of a block:
/// length of the key (16 bits), key, flags (1 inside, 2 conflict), length of the body (32 bits), body.
struct LedgerBlock: Sendable {
    var bytes: [UInt8]

    /// A new one is begun when a block has reached this length: a look-up reads and sums one block.
    static let targetLength = 2_048

    /// An entry in its place.
    struct Item {
        var key: Range<Int>
        var flags: UInt8
        var body: Range<Int>
        var all: Range<Int>

        var isInside: Bool { flags & 1 != 0 }
        var isConflict: Bool { flags & 2 != 0 }
    }

    static func encoded(_ ticket: TicketKey) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(ticket)
        return writer.bytes
    }

    static func append(_ ticket: TicketKey, _ entry: LedgerEntry, to bytes: inout [UInt8]) {
        let key = encoded(ticket)
        var writer = ByteWriter()
        writer.put(UInt16(key.count))
        writer.bytes += key
        writer.put(entry)
        bytes += writer.bytes
    }

    /// Where an entry stands that begins at `offset`.
    static func item(at offset: Int, in bytes: UnsafeRawBufferPointer) throws(EventStoreError) -> Item {
        do throws(Malformed) {
            var reader = ByteReader(bytes, at: offset)
            let key = try reader.skip(Int(try reader.integer(UInt16.self)))
            let flags: UInt8 = try reader.integer()
            let body = try reader.countedRange()
            return Item(key: key, flags: flags, body: body, all: offset..<reader.position)
        } catch {
            throw .corrupt("\(Checkpoint.name): the ledger holds what is no entry")
        }
    }

    /// The entry with that key, nil where there is none.
    func first(_ key: [UInt8]) throws(EventStoreError) -> LedgerEntry? {
        var offset = 0
        while offset < bytes.count {
            let item = try item(at: offset)
            if bytes[item.key].elementsEqual(key) { return entry(item) }
            offset = item.all.upperBound
        }
        return nil
    }

    func item(at offset: Int) throws(EventStoreError) -> Item {
        let result = bytes.withUnsafeBytes { bytes -> Result<Item, EventStoreError> in
            do throws(EventStoreError) { return .success(try Self.item(at: offset, in: bytes)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func entry(_ item: Item) -> LedgerEntry {
        LedgerEntry(body: Array(bytes[item.body]), isInside: item.isInside, isConflict: item.isConflict)
    }

    func ticket(_ item: Item) throws(EventStoreError) -> TicketKey {
        let result = bytes.withUnsafeBytes { bytes -> TicketKey? in
            var reader = ByteReader(bytes, at: item.key.lowerBound)
            do throws(Malformed) { return try reader.ticketKey() } catch { return nil }
        }
        guard let result else { throw .corrupt("\(Checkpoint.name): the ledger holds a key that is none") }
        return result
    }

    /// Below 0 where `ticket` orders before the key that stands at `offset`, above 0 where after, else 0.
    static func compare(_ ticket: TicketKey, with bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let event = offset + 1..<offset + 1 + Int(bytes[offset])
        let order = compare(ticket.event.utf8, with: bytes[event])
        if order != 0 { return order }
        let number = event.upperBound + 1..<event.upperBound + 1 + Int(bytes[event.upperBound])
        return compare(ticket.ticket.utf8, with: bytes[number])
    }

    private static func compare(_ left: [UInt8], with right: Slice<UnsafeRawBufferPointer>) -> Int {
        var index = right.startIndex
        for byte in left {
            guard index < right.endIndex else { return 1 }
            if byte != right[index] { return byte < right[index] ? -1 : 1 }
            index += 1
        }
        return index < right.endIndex ? -1 : 0
    }
}
