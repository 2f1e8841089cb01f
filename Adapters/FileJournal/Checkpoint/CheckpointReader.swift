import Portico
import PorticoPOSIX

/// A checkpoint as it was read: the summary, the events, and the ledger, which stays on disk.
struct LoadedCheckpoint {
    var summary: Checkpoint.Summary
    var events: EventIndex
    var snapshot: LedgerSnapshot
}

extension Checkpoint {
    /// Why a checkpoint was not read.
    enum ReadingError: Error {
        /// There is none.
        case missing
        /// A later version of the format wrote it.
        case newer(UInt16)
        /// It is not what was written, or not a checkpoint.
        case damaged
        case system(SystemError)
    }

    /// Reads a checkpoint; the events' blocks are read whole, of the ledger's only the index.
    ///
    /// - Parameter withEvents: Whether the events are wanted beside the ledger.
    static func load(
        _ path: String, in fileSystem: any FileSystem, withEvents: Bool = true
    ) throws(ReadingError) -> LoadedCheckpoint {
        let file: OpenFile
        do throws(SystemError) {
            file = try fileSystem.open(path, .read)
        } catch {
            throw error.cause == .missing ? .missing : .system(error)
        }
        do throws(ReadingError) {
            return try Reader(fileSystem: fileSystem, file: file, withEvents: withEvents).load()
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    private struct Reader {
        let fileSystem: any FileSystem
        let file: OpenFile
        let withEvents: Bool

        func load() throws(ReadingError) -> LoadedCheckpoint {
            let size: Int64
            do throws(SystemError) { size = try fileSystem.size(file) } catch { throw .system(error) }
            let start = try bytes(0..<min(size, Int64(Checkpoint.headerLength)))
            guard start.starts(with: Checkpoint.magic), start.count == Checkpoint.headerLength else {
                throw .damaged
            }
            let version = UInt16(start[8]) | UInt16(start[9]) << 8
            if version > Checkpoint.version { throw .newer(version) }
            let footerStart = size - Int64(Checkpoint.footerLength)
            guard footerStart >= start.count, let footer = Footer(try bytes(footerStart..<size)),
                footer.indexOffset <= footerStart,
                footerStart - footer.indexOffset == Int64(footer.indexLength) + Int64(footer.summaryLength)
            else { throw .damaged }
            let closing = try bytes(footer.indexOffset..<footerStart)
            guard CRC32C.checksum(closing) == footer.sum else { throw .damaged }
            return try load(footer, closing)
        }

        private func load(_ footer: Footer, _ closing: [UInt8]) throws(ReadingError) -> LoadedCheckpoint {
            let parts: Parts
            do throws(Malformed) { parts = try Parts(footer, closing) } catch { throw .damaged }
            var events = EventIndex()
            let blocks = withEvents ? parts.eventBlocks : []
            events.reserve(blocks.reduce(0) { $0 + Int($1.length) } / Checkpoint.eventLength)
            for block in blocks {
                let content = try bytes(block.offset..<block.offset + Int64(block.length))
                guard content.count == block.length, CRC32C.checksum(content) == block.sum else { throw .damaged }
                do throws(Malformed) {
                    try append(content, to: &events, refusals: parts.summary.refusals)
                } catch {
                    throw .damaged
                }
            }
            let snapshot = LedgerSnapshot(file, in: fileSystem, blocks: parts.ledgerBlocks, keys: parts.keys)
            return LoadedCheckpoint(summary: parts.summary, events: events, snapshot: snapshot)
        }

        private func append(
            _ content: [UInt8], to events: inout EventIndex, refusals: [Int64: EventIndex.Refusal]
        ) throws(Malformed) {
            let isWhole = content.withUnsafeBytes { content -> Bool in
                var reader = ByteReader(content)
                do throws(Malformed) {
                    while reader.remaining > 0 {
                        let slot = try reader.eventSlot()
                        events.append(slot, refusal: refusals[slot.sequence])
                    }
                    return true
                } catch {
                    return false
                }
            }
            if !isWhole { throw Malformed() }
        }

        private func bytes(_ range: Range<Int64>) throws(ReadingError) -> [UInt8] {
            do throws(SystemError) { return try fileSystem.bytes(file, range) } catch { throw .system(error) }
        }
    }

    /// Index and summary, taken apart.
    private struct Parts {
        var ledgerBlocks: [LedgerSnapshot.Block] = []
        var keys: [UInt8] = []
        var eventBlocks: [LedgerSnapshot.Block] = []
        var summary: Summary

        init(_ footer: Footer, _ closing: [UInt8]) throws(Malformed) {
            let result = closing.withUnsafeBytes { closing -> Result<Parts, Malformed> in
                do throws(Malformed) { return .success(try Parts(footer, in: closing)) } catch {
                    return .failure(error)
                }
            }
            self = try result.get()
        }

        private init(_ footer: Footer, in closing: UnsafeRawBufferPointer) throws(Malformed) {
            let indexLength = Int(footer.indexLength)
            summary = try Summary(decoding: UnsafeRawBufferPointer(rebasing: closing[indexLength...]))
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: closing[..<indexLength]))
            // Each block takes at least this much of the index: a count cannot ask for more than is there.
            guard Int(footer.ledgerBlocks) + Int(footer.eventBlocks) <= indexLength / 28 else { throw Malformed() }
            ledgerBlocks.reserveCapacity(Int(footer.ledgerBlocks))
            for _ in 0..<footer.ledgerBlocks {
                ledgerBlocks.append(try Self.block(&reader, key: UInt32(keys.count)))
                let start = reader.position
                _ = try reader.ticketKey()
                keys.append(contentsOf: reader.bytes[start..<reader.position])
            }
            for _ in 0..<footer.eventBlocks { eventBlocks.append(try Self.block(&reader, key: 0)) }
            guard reader.remaining == 0 else { throw Malformed() }
        }

        private static func block(_ reader: inout ByteReader, key: UInt32) throws(Malformed) -> LedgerSnapshot.Block {
            let block = LedgerSnapshot.Block(
                offset: try reader.integer(), length: try reader.integer(), sum: try reader.integer(),
                entries: try reader.integer(), conflicts: try reader.integer(), insides: try reader.integer(),
                key: key)
            guard block.offset >= 0, block.offset < .max - Int64(UInt32.max) else { throw Malformed() }
            return block
        }
    }
}
