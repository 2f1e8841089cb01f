import Portico
import PorticoPOSIX

/// What a folder holds, as it was read; nothing was changed by reading.
struct LoadedJournal {
    var state: JournalState
    var device: DeviceCode
    var segments: [Segment] = []
    /// The highest number that a segment had.
    var lastSegment: UInt32 = 0
    /// Where the last segment's good frames end.
    var end: Int64 = 0
    var findings: [Finding] = []
    /// What earlier openings set aside, for people: it stays told until somebody has looked at it and removed it.
    var setAside: [String] = []

    static let quarantineSuffix = ".quarantine"
    /// What follows from records that are gone.
    static let consequence = "; tickets that were used in what is gone may be admitted again"

    static func told(damagedBlocks blocks: Int) -> String {
        "\(Checkpoint.name): \(blocks) blocks of the ledger are damaged; their tickets are refused, and the segments that "
            + "held them are gone"
    }

    /// Something that is not as it was written.
    enum Finding: Equatable {
        /// The end of the last segment is unfinished.
        case torn(Segment, Range<Int64>, isEmpty: Bool)
        /// Bytes between good frames are damaged.
        case damaged(Segment, Range<Int64>)
        /// Frames are missing, and no damage that explains it was found.
        case missing(Range<UInt64>)
        /// The checkpoint was unreadable, and all of its content was in the segments.
        case checkpointUnreadable
        /// That many blocks of the checkpoint's ledger are damaged, and not all that it holds is in the segments.
        case ledgerDamaged(Int)
    }
}

/// Reads a folder: the checkpoint, then what was recorded since.
///
/// Nothing is changed, so that a folder of a later version, or one that is no journal, stays as it was.
struct JournalLoader {
    let folder: String
    let fileSystem: any FileSystem
    /// Whether the ledger of the checkpoint is read through, which is not needed to look tickets up in it.
    var verifiesLedger = true

    func load() throws(EventStoreError) -> LoadedJournal {
        let names = try storing { () throws(SystemError) in try fileSystem.list(folder) }
        let segments = try names.compactMap(Segment.number).sorted().map { (number) throws(EventStoreError) in
            try segment(number)
        }
        var journal = try start(segments)
        for segment in segments where segment.header.device != journal.device {
            throw .corrupt("\(segment.name) is of another device")
        }
        journal.segments = segments
        journal.setAside = names.filter { $0.hasSuffix(LoadedJournal.quarantineSuffix) }.sorted().map {
            "\($0): damaged bytes that were set aside earlier" + LoadedJournal.consequence + "; remove the file when "
                + "that is dealt with"
        }
        journal.lastSegment = max(journal.lastSegment, segments.last?.number ?? 0)
        for (index, segment) in segments.enumerated() {
            let limit = index + 1 < segments.count ? segments[index + 1].header.firstFrame : .max
            let isLast = index == segments.count - 1
            // A segment whose last frame is in the checkpoint has nothing new, unless events were moved to it; of the
            // last one the end is needed.
            if isLast || segment.header.repeats || limit > journal.state.lastFrame &+ 1 {
                try replay(segment, before: limit, isLast: isLast, into: &journal)
            }
            journal.state.head.nextSequence = max(
                journal.state.head.nextSequence, segment.header.nextSequence)
        }
        return journal
    }

    // MARK: Where it starts

    private func segment(_ number: UInt32) throws(EventStoreError) -> Segment {
        let name = Segment.name(number)
        let start = try storing { () throws(SystemError) in
            let file = try fileSystem.open("\(folder)/\(name)", .read)
            defer { fileSystem.close(file) }
            return try fileSystem.bytes(file, 0..<Int64(SegmentHeader.length))
        }
        switch start.withUnsafeBytes({ SegmentHeader.read($0) }) {
        case .header(let header):
            guard header.segment == number else { throw .corrupt("\(name) is segment \(header.segment), renamed") }
            guard start.count == SegmentHeader.length else { throw .corrupt("\(name) ends in its header") }
            return Segment(header: header)
        case .newer(let version):
            throw .failed("\(name) has format version \(version), and this version knows \(SegmentHeader.version)")
        case .damaged: throw .corrupt("\(name): both copies of its header are damaged")
        case .foreign: throw .corrupt("\(name) is no journal")
        }
    }

    private func start(_ segments: [Segment]) throws(EventStoreError) -> LoadedJournal {
        do throws(Checkpoint.ReadingError) {
            let checkpoint = try Checkpoint.load("\(folder)/\(Checkpoint.name)", in: fileSystem)
            let damaged = verifiesLedger ? try checkpoint.snapshot.damagedBlocks() : 0
            guard damaged > 0 else { return LoadedJournal(checkpoint) }
            // Everything is in the segments where the first is still there.
            guard segments.first?.header.firstFrame != 1 else { throw .damaged }
            var journal = LoadedJournal(checkpoint)
            journal.findings.append(.ledgerDamaged(damaged))
            return journal
        } catch {
            switch error {
            case .missing: break
            case .newer(let version):
                throw .failed(
                    "\(Checkpoint.name) has format version \(version), and this version knows \(Checkpoint.version)")
            case .system(let error): throw EventStoreError(error)
            case .damaged:
                // Without it the journal is whole only if its first segment is still there.
                guard segments.first?.header.firstFrame == 1 else {
                    throw .corrupt("\(Checkpoint.name) is damaged, and earlier segments are gone")
                }
                return LoadedJournal(new: segments.first?.header.device, findings: [.checkpointUnreadable])
            }
        }
        guard segments.first.map({ $0.header.firstFrame == 1 }) ?? true else {
            throw .corrupt("\(Checkpoint.name) is missing, and earlier segments are gone")
        }
        return LoadedJournal(new: segments.first?.header.device, findings: [])
    }

    // MARK: What was recorded since

    private func replay(
        _ segment: Segment, before limit: UInt64, isLast: Bool, into journal: inout LoadedJournal
    ) throws(EventStoreError) {
        let first = segment.header.firstFrame
        if first > journal.state.lastFrame + 1 {
            journal.findings.append(.missing(journal.state.lastFrame + 1..<first))
            journal.state.lastFrame = first - 1
        }
        let bytes = try contents(segment)
        bytes.withUnsafeBytes { bytes in
            let recovery = JournalRecovery(bytes, from: SegmentHeader.length, salt: segment.header.salt)
            var replay = Replay(segment: segment, damaged: recovery.damaged[...])
            for frame in recovery.frames where frame.number < limit {
                replay.take(frame, of: bytes, into: &journal)
            }
            replay.finish(recovery.tail, of: bytes, before: limit, isLast: isLast, into: &journal)
        }
    }

    private func contents(_ segment: Segment) throws(EventStoreError) -> [UInt8] {
        let file = try storing { () throws(SystemError) in try fileSystem.open("\(folder)/\(segment.name)", .read) }
        defer { fileSystem.close(file) }
        let size = try storing { () throws(SystemError) in try fileSystem.size(file) }
        guard size <= Segment.longest else { throw .corrupt("\(segment.name) has \(size) bytes") }
        return try storing { () throws(SystemError) in try fileSystem.bytes(file, 0..<size) }
    }

    /// One segment on its way into the state.
    private struct Replay {
        let segment: Segment
        /// Damage before which no good frame was taken yet.
        var damaged: ArraySlice<Range<Int>>

        mutating func take(_ frame: Frame, of bytes: UnsafeRawBufferPointer, into journal: inout LoadedJournal) {
            let before = popDamage(before: frame.range.lowerBound)
            let expected = journal.state.lastFrame + 1
            // Contained in the checkpoint, or taken already; damage before it was reported when it was found.
            guard frame.number >= expected else {
                if segment.header.repeats { journal.state.move(frame, of: bytes, to: segment) }
                return
            }
            if frame.number > expected || !before.isEmpty {
                report(before, lost: expected..<frame.number, in: &journal)
            }
            journal.state.lastFrame = frame.number
            if !journal.state.replay(frame, of: bytes, in: segment) {
                journal.findings.append(.damaged(segment, frame.range.wide))
            }
        }

        mutating func finish(
            _ tail: Range<Int>, of bytes: UnsafeRawBufferPointer, before limit: UInt64, isLast: Bool,
            into journal: inout LoadedJournal
        ) {
            if isLast {
                journal.end = Int64(tail.lowerBound)
                guard !tail.isEmpty else { return }
                let isEmpty = bytes[tail].allSatisfy { $0 == 0 }
                journal.findings.append(.torn(segment, tail.wide, isEmpty: isEmpty))
            } else if journal.state.lastFrame + 1 < limit {
                // What follows the last good frame held what the next segment does not have.
                report(
                    Array(damaged) + (tail.isEmpty ? [] : [tail]), lost: journal.state.lastFrame + 1..<limit,
                    in: &journal)
                journal.state.lastFrame = limit - 1
            }
        }

        private mutating func popDamage(before offset: Int) -> [Range<Int>] {
            let before = damaged.prefix { $0.lowerBound < offset }
            damaged = damaged.dropFirst(before.count)
            return Array(before)
        }

        private func report(_ damage: [Range<Int>], lost: Range<UInt64>, in journal: inout LoadedJournal) {
            journal.findings += damage.map { .damaged(segment, $0.wide) }
            if damage.isEmpty, !lost.isEmpty { journal.findings.append(.missing(lost)) }
        }
    }
}

extension JournalState {
    /// Says that the events of a frame that was applied before stand here now.
    fileprivate mutating func move(_ frame: Frame, of bytes: UnsafeRawBufferPointer, to segment: Segment) {
        let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payload])
        do throws(Malformed) {
            for case .event(let event) in try Transaction(decoding: payload, withBodies: false).operations {
                events.move(event.sequence, toSegment: segment.number, offset: UInt32(frame.range.lowerBound))
            }
        } catch {
            // What no store wrote holds no event.
        }
    }

    /// Applies a frame that was read; false where its content is none that a store wrote, and then nothing is applied.
    fileprivate mutating func replay(_ frame: Frame, of bytes: UnsafeRawBufferPointer, in segment: Segment) -> Bool {
        let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payload])
        let operations: [Operation]
        do throws(Malformed) {
            operations = try Transaction(decoding: payload, withBodies: false).operations
        } catch {
            return false
        }
        var next = head.nextSequence
        for case .event(let event) in operations {
            // The index is in order, and so must be what comes in.
            guard event.sequence >= next, events.index(of: event.id) == nil else { return false }
            next = event.sequence + 1
        }
        let place = Place(segment: segment.number, offset: UInt32(frame.range.lowerBound))
        var undo = Undo(self)
        for operation in operations { apply(operation, at: place, undo: &undo) }
        return true
    }
}

extension LoadedJournal {
    init(new device: DeviceCode?, findings: [Finding]) {
        let device = device ?? .random()
        self.device = device
        self.findings = findings
        state = JournalState(head: StoreHead(deviceID: device.identifier))
    }

    init(_ checkpoint: LoadedCheckpoint) {
        let summary = checkpoint.summary
        device = summary.device
        lastSegment = summary.lastSegment
        state = JournalState(
            head: summary.head, lastFrame: summary.lastFrame, events: checkpoint.events,
            ledger: Ledger(checkpoint.snapshot, tickets: summary.tickets, conflicts: summary.conflicts))
    }
}

extension Range<Int> {
    /// As offsets in a file.
    var wide: Range<Int64> { Int64(lowerBound)..<Int64(upperBound) }
}
