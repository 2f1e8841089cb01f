import Portico
import PorticoPOSIX

extension Journal {
    /// Opens a folder to write: takes the lock, reads what is there, and repairs what a crash or damage left behind.
    static func open(
        _ folder: String, in fileSystem: any FileSystem, options: JournalOptions
    ) throws(EventStoreError) -> Journal {
        try storing { () throws(SystemError) in try fileSystem.createFolder(folder) }
        let lock = try FolderLock(folder, in: fileSystem)
        let loaded = try JournalLoader(folder: folder, fileSystem: fileSystem).load()
        let journal = Journal(loaded, folder: folder, fileSystem: fileSystem, options: options, lock: lock)
        try journal.repair(loaded)
        return journal
    }

    private func repair(_ loaded: LoadedJournal) throws(EventStoreError) {
        try removeUnfinished()
        var isDamaged = false
        for finding in loaded.findings {
            switch finding {
            case .torn(let segment, let range, let isEmpty):
                if !isEmpty { try setAside(range, of: segment) }
                try cut(segment, at: range.lowerBound)
                repairs.append(
                    "\(segment.name): \(range.count) bytes after the last whole record, at \(range.lowerBound), cut off"
                )
            case .damaged(let segment, let range):
                isDamaged = true
                try setAside(range, of: segment)
                repairs.append(
                    "\(segment.name): \(range.count) damaged bytes at \(range.lowerBound) set aside as "
                        + Self.quarantineName(segment, range.lowerBound))
            case .missing(let frames):
                isDamaged = true
                repairs.append("records \(frames.lowerBound) to \(frames.upperBound - 1) are missing")
            case .checkpointUnreadable:
                isDamaged = true
                repairs.append("\(Checkpoint.name) was damaged; everything was read again from the segments")
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

    /// Files that were being written at a crash; they were nothing yet.
    private func removeUnfinished() throws(EventStoreError) {
        try storing { () throws(SystemError) in
            for name in try fileSystem.list(folder) where name.hasSuffix(".new") {
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

    private func setAside(_ range: Range<Int64>, of segment: Segment) throws(EventStoreError) {
        let target = "\(folder)/\(Self.quarantineName(segment, range.lowerBound))"
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

    private static func quarantineName(_ segment: Segment, _ offset: Int64) -> String {
        "\(segment.name).\(offset).quarantine"
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
