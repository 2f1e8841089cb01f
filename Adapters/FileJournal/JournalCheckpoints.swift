import Dispatch
import Portico
import PorticoPOSIX

/// When the next checkpoint is due, and the one that is being written.
struct CheckpointSchedule {
    /// What was written since the last one began, and would be read again at opening.
    var bytes: Int64 = 0
    /// Entries in memory that make the next one due.
    var entries: Int
    var running: CheckpointJob?
    /// Another is to follow the running one.
    var isWanted = false
    /// The ledger was removed while one was being written: its ledger is not to be taken up.
    var isStale = false
    /// Why the last one was not written.
    var failure: String?

    init(_ options: JournalOptions) {
        entries = options.entriesInMemory
    }
}

/// A checkpoint that is written beside the scans.
///
/// `@unchecked Sendable`: `result` is written once before the group is left, and read only after waiting for the group.
final class CheckpointJob: @unchecked Sendable {
    let input: CheckpointInput
    private let group = DispatchGroup()
    private var result: Result<LedgerSnapshot, EventStoreError> = .failure(.closed)

    /// Starts at once; `lock` is held until it is done, so that no other writer begins before.
    init(
        _ input: CheckpointInput, in fileSystem: any FileSystem, holding lock: FileLock,
        _ whenDone: @escaping @Sendable () -> Void
    ) {
        self.input = input
        DispatchQueue.global(qos: .utility).async(group: group) { [self] in
            result = withExtendedLifetime(lock) {
                do throws(EventStoreError) {
                    return .success(try CheckpointWriter.write(input, in: fileSystem))
                } catch {
                    return .failure(error)
                }
            }
        }
        group.notify(queue: .global(qos: .utility)) { whenDone() }
    }

    /// What became of it; waits until it is done.
    func wait() -> Result<LedgerSnapshot, EventStoreError> {
        group.wait()
        return result
    }
}

extension Journal {
    /// Starts a checkpoint where enough has come together since the last.
    func startCheckpointIfDue() {
        guard
            checkpoints.running == nil,
            state.ledger.inMemory >= checkpoints.entries || checkpoints.bytes >= options.bytesToReplay
        else { return }
        startCheckpoint()
    }

    /// Starts a checkpoint, where one is being written when that is done.
    func startCheckpoint() {
        guard checkpoints.running == nil else {
            checkpoints.isWanted = true
            return
        }
        let job = CheckpointJob(freeze(), in: fileSystem, holding: lock, whenCheckpointed)
        checkpoints.running = job
    }

    /// Writes a checkpoint now.
    func checkpoint() throws(EventStoreError) {
        finishCheckpoint()
        let input = freeze()
        do throws(EventStoreError) {
            take(try CheckpointWriter.write(input, in: fileSystem), of: input)
        } catch {
            fail(error)
            throw error
        }
    }

    /// Takes up the checkpoint that is being written, when it is done.
    func finishCheckpoint() {
        guard let job = checkpoints.running else { return }
        let result = job.wait()
        checkpoints.running = nil
        defer {
            if checkpoints.isWanted { startCheckpoint() }
        }
        switch result {
        case .success(let snapshot): take(snapshot, of: job.input)
        case .failure(let error): fail(error)
        }
    }

    private func freeze() -> CheckpointInput {
        checkpoints.bytes = 0
        checkpoints.isStale = false
        checkpoints.isWanted = false
        state.ledger.freeze()
        return CheckpointInput(folder: folder, state: state, device: device, lastSegment: lastSegment)
    }

    private func take(_ snapshot: LedgerSnapshot, of input: CheckpointInput) {
        checkpoints.failure = nil
        checkpoints.entries = options.entriesInMemory
        if !checkpoints.isStale { state.ledger.thaw(into: snapshot) }
        dropSegments(containedIn: input.state)
    }

    private func fail(_ error: EventStoreError) {
        checkpoints.failure = "\(error)"
        if !checkpoints.isStale { state.ledger.thaw() }
        // Not at once again: a full volume is not emptied by trying.
        checkpoints.entries = state.ledger.inMemory + options.entriesInMemory
    }

    /// Removes the segments of which nothing is needed: their frames are in the checkpoint, and their events are gone.
    private func dropSegments(containedIn checkpoint: JournalState) {
        // The checkpoint may still name a segment from which an event was moved since.
        var needed = Set(state.events.slots.map(\.segment)).union(checkpoint.events.slots.map(\.segment))
        if let activeSegment { needed.insert(activeSegment) }
        if let last = segments.last { needed.insert(last.number) }
        var kept: [Segment] = []
        for (index, segment) in segments.enumerated() {
            let isContained =
                index + 1 < segments.count && segments[index + 1].header.firstFrame <= checkpoint.lastFrame + 1
            guard isContained, !needed.contains(segment.number), remove(segment) else {
                kept.append(segment)
                continue
            }
        }
        if kept.count < segments.count { reader.close() }
        segments = kept
    }

    private func remove(_ segment: Segment) -> Bool {
        do throws(SystemError) {
            try fileSystem.remove("\(folder)/\(segment.name)")
            return true
        } catch {
            // It costs room and nothing else; the next checkpoint tries again.
            return error.cause == .missing
        }
    }
}
