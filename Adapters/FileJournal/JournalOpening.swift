import Portico
import PorticoPOSIX

extension Journal {
    private static let lockName = "LOCK"

    /// Opens a folder to write: takes the lock, reads what is there, and repairs what a crash or damage left behind.
    static func open(
        _ folder: String, in fileSystem: any FileSystem, options: JournalOptions
    ) throws(EventStoreError) -> Journal {
        try storing { () throws(SystemError) in try fileSystem.makeFolder(folder) }
        let lock = try takeLock(of: folder, in: fileSystem)
        let loaded = try JournalLoader(folder: folder, fileSystem: fileSystem).load()
        let journal = Journal(loaded, folder: folder, fileSystem: fileSystem, options: options, lock: lock)
        try journal.repair(loaded)
        return journal
    }

    private static func takeLock(
        of folder: String, in fileSystem: any FileSystem
    ) throws(EventStoreError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock("\(folder)/\(lockName)", in: fileSystem)
        } catch {
            switch error {
            case .held(let holder): throw .locked(by: holder)
            case .system(let error): throw EventStoreError(error)
            }
        }
    }

    private func repair(_ loaded: LoadedJournal) throws(EventStoreError) {
        try removeUnfinished()
        repairs += loaded.setAside
        var isDamaged = false
        for finding in loaded.findings {
            switch finding {
            case .torn(let segment, let range, let isEmpty):
                if !isEmpty { try setAside(range, of: segment, as: Self.tornName(segment, range.lowerBound)) }
                try cut(segment, at: range.lowerBound)
                repairs.append(
                    "\(segment.name): \(range.count) bytes after the last whole record, at \(range.lowerBound), cut off"
                )
            case .damaged(let segment, let range):
                isDamaged = true
                try setAside(range, of: segment, as: Self.quarantineName(segment, range.lowerBound))
                repairs.append(
                    "\(segment.name): \(range.count) damaged bytes at \(range.lowerBound) set aside as "
                        + Self.quarantineName(segment, range.lowerBound) + LoadedJournal.consequence)
            case .missing(let frames):
                isDamaged = true
                repairs.append(
                    "records \(frames.lowerBound) to \(frames.upperBound - 1) are missing" + LoadedJournal.consequence)
            case .checkpointUnreadable:
                isDamaged = true
                repairs.append("\(Checkpoint.name) was damaged; everything was read again from the segments")
            case .ledgerDamaged(let blocks):
                // Not written anew: what cannot be read would be left out, and its tickets admitted again.
                repairs.append(LoadedJournal.told(damagedBlocks: blocks))
            }
        }
        if let last = segments.last, loaded.end < options.segmentLength, !isDamaged {
            try continueSegment(last, end: loaded.end)
        }
        // The checkpoint contains what is left, so that the same damage is found, and told, once.
        if isDamaged { try checkpoint() }
        // A new journal begins with a segment: the device's id is in it.
        if segments.isEmpty { _ = try begin() }
    }

    /// Files that were being written at a crash; they were nothing yet. What others keep in the folder stays.
    private func removeUnfinished() throws(EventStoreError) {
        try storing { () throws(SystemError) in
            for name in try fileSystem.list(folder)
            where name == Checkpoint.temporaryName || Segment.isTemporary(name) {
                try fileSystem.remove("\(folder)/\(name)")
            }
        }
    }

    private func cut(_ segment: Segment, at end: Int64) throws(EventStoreError) {
        try storing { () throws(SystemError) in
            let file = try fileSystem.open("\(folder)/\(segment.name)", .write)
            defer { fileSystem.close(file) }
            try fileSystem.truncate(file, to: end)
            try fileSystem.synchronize(file)
        }
    }

    private func setAside(_ range: Range<Int64>, of segment: Segment, as name: String) throws(EventStoreError) {
        let target = "\(folder)/\(name)"
        try storing { () throws(SystemError) in
            let source = try fileSystem.open("\(folder)/\(segment.name)", .read)
            defer { fileSystem.close(source) }
            let bytes = try fileSystem.bytes(source, range)
            let file = try fileSystem.open(target, .replace)
            defer { fileSystem.close(file) }
            try fileSystem.writeAll(file, bytes, at: 0)
            try fileSystem.synchronize(file)
        }
    }

    /// An unfinished end is what a power cut leaves, and nobody was told of what it held: it is kept to be looked at, and
    /// told once.
    private static func tornName(_ segment: Segment, _ offset: Int64) -> String {
        "\(segment.name).\(offset).torn"
    }

    private static func quarantineName(_ segment: Segment, _ offset: Int64) -> String {
        "\(segment.name).\(offset)\(LoadedJournal.quarantineSuffix)"
    }

    /// Lets go of the folder; with a checkpoint where that makes the next opening quicker.
    func close() throws(EventStoreError) {
        checkpoints.isWanted = false
        finishCheckpoint()
        // Nothing runs in the background any more, so that the folder is free when this returns.
        defer { lock.release() }
        try synchronize()
        if checkpoints.bytes >= options.bytesToReplayAfterClosing { try checkpoint() }
    }
}
