import Portico
import PorticoPOSIX

/// How a journal behaves; tests make the lengths small.
struct JournalOptions: Sendable {
    var durability = FileJournalEventStore.Durability.powerCut
    /// A segment that has reached this length is followed by another.
    var segmentLength: Int64 = 16 << 20
    /// That many entries in memory are merged into a new checkpoint.
    var entriesInMemory = 32_768
    /// So is what would take that many bytes to read again.
    var bytesToReplay: Int64 = 64 << 20
    /// At closing less is enough: the next opening is then quick. But a checkpoint writes the whole ledger, and whoever
    /// closes waits for it, so that a few thousand scans are rather read again.
    var bytesToReplayAfterClosing: Int64 = 32 << 20
}

/// The writer: one segment that grows, the state in memory, and what becomes of both when a write fails.
///
/// Not safe to share: the store uses it on its queue alone.
final class Journal {
    let folder: String
    let fileSystem: any FileSystem
    let options: JournalOptions
    let lock: FileLock
    let device: DeviceCode

    var state: JournalState
    var segments: [Segment]
    var lastSegment: UInt32
    var repairs: [String] = []
    var unreadable = UnreadableEvents()
    var reader: SegmentReader
    var checkpoints: CheckpointSchedule
    /// Called from any thread when a checkpoint that was started is done; `finishCheckpoint` takes it up.
    var whenCheckpointed: @Sendable () -> Void = {}

    /// The segment that grows; nil while the next has to be begun first.
    private var active: ActiveSegment?
    /// A segment of which it is not known what the disk holds, since a write to it could not be undone or made durable.
    private var suspect: ActiveSegment?
    /// Frames of a suspect segment that the next one repeats.
    private var carried: [CarriedFrame] = []
    /// Said in front of the next transaction: opening ended presentations.
    private var endsPresentations: Bool

    struct ActiveSegment {
        var segment: Segment
        var file: OpenFile
        /// What is acknowledged ends here.
        var end: Int64
    }

    struct CarriedFrame {
        var number: UInt64
        var payload: [UInt8]
    }

    /// A journal over what was loaded; nothing is written yet.
    init(
        _ loaded: LoadedJournal, folder: String, fileSystem: any FileSystem, options: JournalOptions,
        lock: FileLock
    ) {
        self.folder = folder
        self.fileSystem = fileSystem
        self.options = options
        self.lock = lock
        device = loaded.device
        state = loaded.state
        segments = loaded.segments
        lastSegment = loaded.lastSegment
        reader = SegmentReader(folder: folder, fileSystem: fileSystem)
        checkpoints = CheckpointSchedule(options)
        endsPresentations = loaded.state.events.counts[.open] > 0
        state.events.endPresentations()
    }

    deinit {
        reader.close()
        if let file = active?.file { fileSystem.close(file) }
        if let file = suspect?.file { fileSystem.close(file) }
    }

    // MARK: Transactions

    /// Operations on their way to the disk: applied in memory, and taken back if they do not arrive.
    struct Batch {
        fileprivate(set) var bytes: [UInt8] = []
        fileprivate var undo: JournalState.Undo
        fileprivate let place: JournalState.Place
        fileprivate let salt: UInt64
        fileprivate var opening: [Operation]
    }

    /// Begins a batch, and a segment for it where one is needed.
    func begin() throws(EventStoreError) -> Batch {
        let active = try writableSegment()
        return Batch(
            undo: JournalState.Undo(state),
            place: JournalState.Place(segment: active.segment.number, offset: UInt32(active.end)),
            salt: active.segment.header.salt, opening: endsPresentations ? [.reopening] : [])
    }

    /// Adds a transaction to a batch; later ones see what it changes.
    ///
    /// - Parameter applying: Whether it is applied in memory at once; else by `apply`, when it is durable.
    func add(
        _ operations: [Operation], to batch: inout Batch, applying: Bool = true
    ) throws(EventStoreError) {
        let payload = Transaction(batch.opening + operations).encoded
        guard payload.count <= Frame.longestPayload, batch.bytes.count <= Frame.longestPayload else {
            throw .failed("a transaction of \(payload.count) bytes, and \(Frame.longestPayload) is the most")
        }
        let place = JournalState.Place(
            segment: batch.place.segment, offset: batch.place.offset + UInt32(batch.bytes.count))
        if applying {
            for operation in operations { state.apply(operation, at: place, undo: &batch.undo) }
        }
        state.lastFrame += 1
        Frame.append(payload, number: state.lastFrame, salt: batch.salt, to: &batch.bytes)
        batch.opening = []
    }

    /// Applies a removal that is durable.
    func apply(_ scope: RemovalScope) {
        var undo = JournalState.Undo(state)
        state.apply(.removal(scope), at: JournalState.Place(segment: 0, offset: 0), undo: &undo)
    }

    /// Writes a batch and makes it durable, or leaves everything as it was before `begin`.
    func commit(_ batch: Batch) throws(EventStoreError) {
        guard !batch.bytes.isEmpty else { return }
        do throws(EventStoreError) {
            try write(batch.bytes)
        } catch {
            state.revert(batch.undo)
            abandonSuspect()
            throw error
        }
        endsPresentations = false
        checkpoints.bytes += Int64(batch.bytes.count)
    }

    private func write(_ bytes: [UInt8]) throws(EventStoreError) {
        guard var active else { throw .failed("no segment to write to") }
        try checkPlace(of: active)
        do throws(SystemError) {
            try fileSystem.writeAll(active.file, bytes, at: active.end)
        } catch {
            do throws(SystemError) {
                try fileSystem.truncate(active.file, to: active.end)
            } catch {
                distrust(active)
            }
            throw EventStoreError(error)
        }
        if options.durability == .powerCut {
            do throws(SystemError) {
                try fileSystem.synchronize(active.file)
            } catch {
                // The system may have dropped the pages and call the next sync a success.
                distrust(active)
                throw EventStoreError(error)
            }
        }
        active.end += Int64(bytes.count)
        self.active = active
    }

    /// What is acknowledged must be found again: files that were removed, moved or replaced beneath the store keep nothing.
    private func checkPlace(of active: ActiveSegment) throws(EventStoreError) {
        let isInPlace = try storing { () throws(SystemError) in
            try fileSystem.isInPlace(active.file)
        }
        guard isInPlace else { throw .failed("\(active.segment.name) \(Self.gone)") }
        guard try storing({ () throws(SystemError) in try lock.isInPlace() }) else {
            throw .failed("the lock's file \(Self.gone), and another process may write here")
        }
    }

    private static let gone =
        "was removed, moved or replaced while the store was open: stop, and put back what was there"

    // MARK: Segments

    private func writableSegment() throws(EventStoreError) -> ActiveSegment {
        if let active, active.end < options.segmentLength { return active }
        if let full = active {
            // From here on nothing is written to it: frames of the next segment's numbers would be void in it.
            active = nil
            fileSystem.close(full.file)
        }
        try examineSuspect()
        return try startSegment()
    }

    /// Goes on in a segment whose good end is known.
    func continueSegment(_ segment: Segment, end: Int64) throws(EventStoreError) {
        let file = try storing { () throws(SystemError) in
            try fileSystem.open("\(folder)/\(segment.name)", .write)
        }
        active = ActiveSegment(segment: segment, file: file, end: end)
    }

    /// Begins the next segment, whole under its name or not there at all.
    @discardableResult
    private func startSegment() throws(EventStoreError) -> ActiveSegment {
        lastSegment += 1
        let header = SegmentHeader(
            segment: lastSegment, firstFrame: carried.first?.number ?? state.lastFrame + 1,
            salt: .random(in: .min ... .max), device: device, nextSequence: state.head.nextSequence,
            repeats: !carried.isEmpty)
        let segment = Segment(header: header)
        var bytes = header.encoded
        var places: [(CarriedFrame, UInt32)] = []
        for frame in carried {
            places.append((frame, UInt32(bytes.count)))
            Frame.append(frame.payload, number: frame.number, salt: header.salt, to: &bytes)
        }
        let path = "\(folder)/\(segment.name)"
        let file = try storing { () throws(SystemError) in
            let file = try fileSystem.open(path + Segment.temporarySuffix, .replace)
            do throws(SystemError) {
                try fileSystem.writeAll(file, bytes, at: 0)
                try fileSystem.synchronize(file)
                try fileSystem.rename(path + Segment.temporarySuffix, to: path)
                try fileSystem.synchronizeFolder(folder)
                return OpenFile(descriptor: file.descriptor, path: path)
            } catch {
                fileSystem.close(file)
                throw error
            }
        }
        let started = ActiveSegment(segment: segment, file: file, end: Int64(bytes.count))
        for (frame, offset) in places { move(frame, to: segment, at: offset) }
        carried = []
        segments.append(segment)
        active = started
        return started
    }

    private func move(_ frame: CarriedFrame, to segment: Segment, at offset: UInt32) {
        for case .event(let event) in frame.operations {
            state.events.move(event.sequence, toSegment: segment.number, offset: offset)
        }
    }

    // MARK: What cannot be trusted

    /// What a disk or a file system writes at once, and so may lose at once.
    private static let pageLength = 4_096

    private func distrust(_ segment: ActiveSegment) {
        active = nil
        suspect = segment
    }

    /// Tries at once to go on in another segment, which makes void what the failed write may have left.
    private func abandonSuspect() {
        guard suspect != nil else { return }
        do throws(EventStoreError) {
            _ = try writableSegment()
        } catch {
            // The write's own error is the one that is told; the next transaction begins with this again.
        }
    }

    /// Reads a suspect segment again. What was acknowledged and shares the last page with the failed write is written
    /// once more into the next segment: the disk may have kept neither the old page nor the new.
    private func examineSuspect() throws(EventStoreError) {
        guard let suspect else { return }
        do throws(SystemError) {
            try fileSystem.truncate(suspect.file, to: suspect.end)
        } catch {
            // The next segment's first number makes void what stays behind.
        }
        let file = try storing { () throws(SystemError) in
            try fileSystem.open("\(folder)/\(suspect.segment.name)", .read)
        }
        defer { fileSystem.close(file) }
        let bytes = try storing { () throws(SystemError) in try fileSystem.bytes(file, 0..<suspect.end) }
        let lastPage = Int(suspect.end) / Self.pageLength * Self.pageLength
        bytes.withUnsafeBytes { bytes in
            let recovery = JournalRecovery(
                bytes, from: SegmentHeader.length, salt: suspect.segment.header.salt)
            for damage in recovery.damaged + (recovery.tail.isEmpty ? [] : [recovery.tail]) {
                repairs.append(
                    "\(suspect.segment.name): \(damage.count) bytes at \(damage.lowerBound) were damaged by a failed write"
                )
            }
            carried = recovery.frames.filter { $0.range.upperBound > lastPage }.map {
                CarriedFrame(number: $0.number, payload: Array(bytes[$0.payload]))
            }
        }
        fileSystem.close(suspect.file)
        self.suspect = nil
    }

    // MARK: The end

    /// Makes what was written durable.
    func synchronize() throws(EventStoreError) {
        guard let active else { return }
        try storing { () throws(SystemError) in try fileSystem.synchronize(active.file) }
    }

    /// The segment that must not be removed.
    var activeSegment: UInt32? { active?.segment.number ?? suspect?.segment.number }
}

extension Journal.CarriedFrame {
    /// What it changes, without the events themselves.
    fileprivate var operations: [Operation] {
        payload.withUnsafeBytes { payload in
            do throws(Malformed) {
                return try Transaction(decoding: payload, withBodies: false).operations
            } catch {
                // It was written by this store; what is none of its operations moves nothing.
                return []
            }
        }
    }
}
