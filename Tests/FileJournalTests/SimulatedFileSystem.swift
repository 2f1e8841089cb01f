import PorticoPOSIX

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Files in memory that know what a power cut would leave, fail on demand, and keep the order of what was done.
///
/// What was written is visible at once and durable only after a sync; a name is durable only after a sync of its
/// folder. A sync that fails drops what it should have kept, and garbles the page where that began: a later one does
/// not bring it back.
///
/// `@unchecked Sendable`: every variable is touched only inside `lock`.
final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
    enum Kind: String, Sendable {
        case open, read, write, size, truncate, synchronize, lock, rename, remove, list, createFolder, synchronizeFolder
    }

    enum Fault: Sendable, CaseIterable {
        case noSpace
        case inputOutput
        case permission
        /// A write takes half; any other operation fails.
        case short
    }

    /// One thing that was done; `path` is that of the file.
    struct Entry: Sendable, Equatable {
        var kind: Kind
        var name: String
    }

    private final class Inode {
        var durable: [UInt8] = []
        var current: [UInt8] = []
        var pending: [Change] = []
        var holder: Int32?
    }

    private enum Change {
        case write(Int, [UInt8])
        case truncate(Int)
    }

    private enum NameChange {
        case bind(String, Inode)
        case unbind(String)
        case folder(String)

        /// The folder in which the name stands.
        var folder: String {
            switch self {
            case .bind(let path, _), .unbind(let path), .folder(let path): SimulatedFileSystem.folder(of: path)
            }
        }
    }

    /// The names as they are, or as the disk has them.
    private struct Tree {
        var files: [String: Inode] = [:]
        var folders: Set<String> = ["/"]

        mutating func apply(_ change: NameChange) {
            switch change {
            case .bind(let path, let inode): files[path] = inode
            case .unbind(let path): files[path] = nil
            case .folder(let path): folders.insert(path)
            }
        }

        /// Nothing is found below a folder whose own name is not there.
        var reachable: [String: Inode] {
            files.filter { path, _ in
                var folder = SimulatedFileSystem.folder(of: path)
                while folders.contains(folder) {
                    if folder == "/" { return true }
                    folder = SimulatedFileSystem.folder(of: folder)
                }
                return false
            }
        }
    }

    private let lock = Lock()
    private var names = Tree()
    private var durableNames = Tree()
    private var pendingNames: [NameChange] = []
    private var files: [Int32: Inode] = [:]
    private var nextDescriptor: Int32 = 100
    private var operations = 0
    private var entries: [Entry] = []
    private var fault: (@Sendable (Int, Kind) -> Fault?)?
    private var beforeSync: (@Sendable () -> Void)?

    // MARK: For tests

    /// How many operations there were.
    var count: Int { lock.withLock { operations } }

    /// What was done, in order.
    var log: [Entry] { lock.withLock { entries } }

    /// Makes operations fail from now on: by their number, counted from 1, and their kind.
    func fail(_ fault: (@Sendable (Int, Kind) -> Fault?)?) {
        lock.withLock {
            operations = 0
            self.fault = fault
        }
    }

    /// Calls back before each sync takes effect.
    func observeSyncs(_ body: (@Sendable () -> Void)?) {
        lock.withLock { beforeSync = body }
    }

    /// What a test says between the operations.
    func note(_ text: String) {
        lock.withLock { entries.append(Entry(kind: .size, name: text)) }
    }

    /// The bytes of a file as they are now.
    func contents(_ path: String) -> [UInt8]? {
        lock.withLock { names.files[path]?.current }
    }

    /// Puts bytes in the place of a file's, durably.
    func replace(_ path: String, with bytes: [UInt8]) {
        lock.withLock {
            let inode = names.files[path] ?? Inode()
            inode.current = bytes
            inode.durable = bytes
            inode.pending = []
            for change in [NameChange.folder(Self.folder(of: path)), .bind(path, inode)] {
                names.apply(change)
                durableNames.apply(change)
            }
        }
    }

    func paths() -> [String] {
        lock.withLock { names.files.keys.sorted() }
    }

    /// The same files without their openers, as after the end of the process.
    func killed() -> SimulatedFileSystem {
        lock.withLock {
            let image = SimulatedFileSystem()
            image.names.folders = names.folders
            image.durableNames.folders = names.folders
            for (path, inode) in names.files { image.replace(path, with: inode.current) }
            return image
        }
    }

    /// What the disk may hold after a power cut now: what was synced, and of the rest whatever the generator picks:
    /// whole, not at all, or torn.
    func afterPowerCut(using generator: inout some RandomNumberGenerator) -> SimulatedFileSystem {
        lock.withLock {
            let image = SimulatedFileSystem()
            var kept = durableNames
            for change in pendingNames.prefix(Int.random(in: 0...pendingNames.count, using: &generator)) {
                kept.apply(change)
            }
            image.names.folders = kept.folders
            image.durableNames.folders = kept.folders
            for (path, inode) in kept.reachable.sorted(by: { $0.key < $1.key }) {
                var bytes = inode.durable
                for change in inode.pending {
                    switch (change, Int.random(in: 0..<3, using: &generator)) {
                    case (_, 0): break
                    case (.write(let offset, let content), 1):
                        let torn = content.prefix(Int.random(in: 0...content.count, using: &generator))
                        Self.apply(.write(offset, Array(torn)), to: &bytes)
                    default: Self.apply(change, to: &bytes)
                    }
                }
                image.replace(path, with: bytes)
            }
            return image
        }
    }

    // MARK: FileSystem

    func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> OpenFile {
        try perform(.open, path) { () throws(SystemError) in
            if names.files[path] == nil {
                guard mode == .create || mode == .replace, names.folders.contains(Self.folder(of: path)) else {
                    throw SystemError("open", path, code: ENOENT)
                }
                change(.bind(path, Inode()))
            }
            guard let inode = names.files[path] else { throw SystemError("open", path, code: ENOENT) }
            if mode == .replace, !inode.current.isEmpty {
                inode.current = []
                inode.pending.append(.truncate(0))
            }
            nextDescriptor += 1
            files[nextDescriptor] = inode
            return OpenFile(descriptor: nextDescriptor, path: path)
        }
    }

    func close(_ file: OpenFile) {
        lock.withLock {
            if files[file.descriptor]?.holder == file.descriptor { files[file.descriptor]?.holder = nil }
            files[file.descriptor] = nil
        }
    }

    func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Int {
        try perform(.read, file.path) { () throws(SystemError) in
            let bytes = try inode(file).current
            guard offset < bytes.count else { return 0 }
            let slice = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: slice)
            return slice.count
        }
    }

    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try perform(.write, file.path) { (isShort) throws(SystemError) in
            let inode = try inode(file)
            let content = Array(isShort ? bytes.prefix(bytes.count / 2) : bytes.prefix(bytes.count))
            inode.pending.append(.write(Int(offset), content))
            Self.apply(.write(Int(offset), content), to: &inode.current)
            return content.count
        }
    }

    func size(_ file: OpenFile) throws(SystemError) -> Int64 {
        try perform(.size, file.path) { () throws(SystemError) in Int64(try inode(file).current.count) }
    }

    func truncate(_ file: OpenFile, to length: Int64) throws(SystemError) {
        try perform(.truncate, file.path) { () throws(SystemError) in
            let inode = try inode(file)
            inode.pending.append(.truncate(Int(length)))
            Self.apply(.truncate(Int(length)), to: &inode.current)
        }
    }

    func synchronize(_ file: OpenFile) throws(SystemError) {
        observe()
        do throws(SystemError) {
            try perform(.synchronize, file.path) { () throws(SystemError) in
                let inode = try inode(file)
                for change in inode.pending { Self.apply(change, to: &inode.durable) }
                inode.pending = []
            }
        } catch {
            lock.withLock { files[file.descriptor].map(Self.losePages) }
            throw error
        }
    }

    func lock(_ file: OpenFile) throws(SystemError) -> Bool {
        try perform(.lock, file.path) { () throws(SystemError) in
            let inode = try inode(file)
            if let holder = inode.holder, holder != file.descriptor { return false }
            inode.holder = file.descriptor
            return true
        }
    }

    func unlock(_ file: OpenFile) throws(SystemError) {
        try perform(.lock, file.path) { () throws(SystemError) in try inode(file).holder = nil }
    }

    /// In earnest: who waits without letting time pass runs out of patience before the holder has had its turn.
    func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1_000) }

    func rename(_ path: String, to target: String) throws(SystemError) {
        try perform(.rename, path) { () throws(SystemError) in
            guard let inode = names.files[path] else { throw SystemError("rename", path, code: ENOENT) }
            // One step: the journal of a file system keeps both halves or none, so they are one change here too.
            change(.bind(target, inode))
            change(.unbind(path))
        }
    }

    func remove(_ path: String) throws(SystemError) {
        try perform(.remove, path) { () throws(SystemError) in
            guard names.files[path] != nil else { throw SystemError("remove", path, code: ENOENT) }
            change(.unbind(path))
        }
    }

    func isInPlace(_ file: OpenFile) -> Bool {
        lock.withLock { files[file.descriptor].map { $0 === names.files[file.path] } ?? false }
    }

    func list(_ folder: String) throws(SystemError) -> [String] {
        try perform(.list, folder) { () throws(SystemError) in
            guard names.folders.contains(folder) else { throw SystemError("list", folder, code: ENOENT) }
            return names.files.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
        }
    }

    func createFolder(_ path: String) throws(SystemError) -> Bool {
        try perform(.createFolder, path) { () throws(SystemError) in
            if names.folders.contains(path) { return false }
            guard names.folders.contains(Self.folder(of: path)) else {
                throw SystemError("create", path, code: ENOENT)
            }
            change(.folder(path))
            return true
        }
    }

    func synchronizeFolder(_ path: String) throws(SystemError) {
        observe()
        try perform(.synchronizeFolder, path) { () throws(SystemError) in
            for change in pendingNames where change.folder == path { durableNames.apply(change) }
            pendingNames.removeAll { $0.folder == path }
        }
    }

    // MARK: Machinery

    private func observe() {
        lock.withLock { beforeSync }?()
    }

    /// What is visible at once, and durable with the next sync of its folder.
    private func change(_ change: NameChange) {
        names.apply(change)
        pendingNames.append(change)
    }

    private static func folder(of path: String) -> String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    private func inode(_ file: OpenFile) throws(SystemError) -> Inode {
        guard let inode = files[file.descriptor] else { throw SystemError("use", file.path, code: EBADF) }
        return inode
    }

    private func perform<Value>(
        _ kind: Kind, _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        try perform(kind, path) { (isShort) throws(SystemError) in
            if isShort { throw SystemError(kind.rawValue, path, code: EIO) }
            return try body()
        }
    }

    private func perform<Value>(
        _ kind: Kind, _ path: String, _ body: (Bool) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        let result = lock.withLock { () -> Result<Value, SystemError> in
            operations += 1
            do throws(SystemError) {
                let fault = fault?(operations, kind)
                switch fault {
                case .noSpace: throw SystemError(kind.rawValue, path, code: ENOSPC)
                case .inputOutput: throw SystemError(kind.rawValue, path, code: EIO)
                case .permission: throw SystemError(kind.rawValue, path, code: EACCES)
                case .short, nil: break
                }
                let value = try body(fault == .short)
                entries.append(Entry(kind: kind, name: path.split(separator: "/").last.map(String.init) ?? path))
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// What ext4 does when a write-back fails: the pages count as clean, and what was on the disk may be gone.
    private static func losePages(_ inode: Inode) {
        for case .write(let offset, _) in inode.pending {
            let page = offset & ~4_095
            for index in page..<max(page, inode.durable.count) { inode.durable[index] = 0xAA }
        }
        inode.pending = []
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let content):
            let missing = offset + content.count - bytes.count
            if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
            bytes.replaceSubrange(offset..<offset + content.count, with: content)
        case .truncate(let length):
            if length <= bytes.count {
                bytes.removeLast(bytes.count - length)
            } else {
                bytes += [UInt8](repeating: 0, count: length - bytes.count)
            }
        }
    }
}

/// A small generator with a seed, so that a failure can be repeated (SplitMix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
