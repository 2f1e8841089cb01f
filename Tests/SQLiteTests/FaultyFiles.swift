#if SQLite && os(Linux)
import CSQLite
import Foundation

/// SQLite's layer to the system, between SQLite and the real one: it keeps a log of what is written and synced in which
/// order, and fails where a test says so.
///
/// `@unchecked Sendable`: its variables are only touched under its lock; what is registered lives as long as the
/// process, as SQLite asks.
final class FaultyFiles: @unchecked Sendable {
    /// Which of a database's files.
    enum File: Hashable {
        case database, log
    }

    /// What happened, in its order.
    enum Operation {
        case write(File, offset: Int, bytes: [UInt8])
        case truncate(File, size: Int)
        case sync(File)
        case delete(File)
        /// A test was told that the event with this sequence is recorded.
        case acknowledged(Int64)
    }

    /// What fails.
    struct Fault {
        enum Operation { case write, sync }

        var operation: Operation
        var file: File = .log
        /// How many go well before.
        var skipping = 0
        /// What SQLite is told.
        var code: Int32
        /// What the system is said to have told.
        var systemError: Int32 = EIO
        /// Whether half of a write is written all the same.
        var isShort = false
        /// Whether it goes on failing until it is cleared.
        var isLasting = false
    }

    /// The name under which it is registered.
    let name: String

    private let lock = NSLock()
    private var operations: [Operation] = []
    private var fault: Fault?
    private var failures = 0

    init() {
        name = "faulty-\(UUID().uuidString)"
        register()
    }

    var log: [Operation] { lock.withLock { operations } }

    /// How often something failed.
    var failureCount: Int { lock.withLock { failures } }

    func arm(_ fault: Fault) { lock.withLock { self.fault = fault } }

    func disarm() { lock.withLock { fault = nil } }

    func note(_ operation: Operation) { lock.withLock { operations.append(operation) } }

    /// The fault that an operation meets, if any.
    fileprivate func meet(_ operation: Fault.Operation, _ file: File) -> Fault? {
        lock.withLock {
            guard var fault, fault.operation == operation, fault.file == file else { return nil }
            if fault.skipping > 0 {
                fault.skipping -= 1
                self.fault = fault
                return nil
            }
            if !fault.isLasting { self.fault = nil }
            failures += 1
            return fault
        }
    }
}

// MARK: - The layer

/// A file as SQLite sees it: its methods, then ours, then the real file.
private struct FileHeader {
    var base: sqlite3_file
    var owner: UnsafeMutableRawPointer?
}

/// What stands behind an open file.
private final class OpenFile {
    let files: FaultyFiles
    /// nil: shared memory or something temporary, of which nothing is kept.
    let kind: FaultyFiles.File?
    let real: UnsafeMutablePointer<sqlite3_file>
    /// What the system is said to have told last.
    private(set) var systemError: Int32 = 0

    init(_ files: FaultyFiles, _ kind: FaultyFiles.File?, _ real: UnsafeMutablePointer<sqlite3_file>) {
        self.files = files
        self.kind = kind
        self.real = real
    }

    static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile {
        guard let file, let owner = UnsafeMutableRawPointer(file).load(as: FileHeader.self).owner else {
            preconditionFailure("SQLite calls a method of a file that it did not open")
        }
        return Unmanaged<OpenFile>.fromOpaque(owner).takeUnretainedValue()
    }

    var methods: sqlite3_io_methods {
        guard let methods = real.pointee.pMethods else { preconditionFailure("the real file is not open") }
        return methods.pointee
    }

    func fail(_ fault: FaultyFiles.Fault) -> Int32 {
        systemError = fault.systemError
        return fault.code
    }
}

/// The real file begins where any C type may.
private let headerSize = (MemoryLayout<FileHeader>.size + 15) / 16 * 16

// SQLite's own, which it never frees.
nonisolated(unsafe) private let systemLayer: UnsafeMutablePointer<sqlite3_vfs> = {
    guard let found = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no layer to the system") }
    return found
}()

// The tables are written once, before anybody reads them, and never freed.
nonisolated(unsafe) private let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    // Version 2 has shared memory and no memory mapping, so that every write is seen.
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in
        let open = OpenFile.of(file)
        let code = open.methods.xClose(open.real)
        Unmanaged.passUnretained(open).release()
        return code
    }
    methods.pointee.xRead = { file, bytes, count, offset in
        let open = OpenFile.of(file)
        return open.methods.xRead(open.real, bytes, count, offset)
    }
    methods.pointee.xWrite = { file, bytes, count, offset in
        let open = OpenFile.of(file)
        guard let kind = open.kind else { return open.methods.xWrite(open.real, bytes, count, offset) }
        let fault = open.files.meet(.write, kind)
        let written = fault.map { $0.isShort ? count / 2 : 0 } ?? count
        if written > 0 {
            open.files.note(
                .write(
                    kind, offset: Int(offset),
                    bytes: Array(UnsafeRawBufferPointer(start: bytes, count: Int(written)))))
            let code = open.methods.xWrite(open.real, bytes, written, offset)
            if code != SQLITE_OK { return code }
        }
        return fault.map { open.fail($0) } ?? SQLITE_OK
    }
    methods.pointee.xTruncate = { file, size in
        let open = OpenFile.of(file)
        if let kind = open.kind { open.files.note(.truncate(kind, size: Int(size))) }
        return open.methods.xTruncate(open.real, size)
    }
    methods.pointee.xSync = { file, flags in
        let open = OpenFile.of(file)
        guard let kind = open.kind else { return open.methods.xSync(open.real, flags) }
        if let fault = open.files.meet(.sync, kind) { return open.fail(fault) }
        let code = open.methods.xSync(open.real, flags)
        if code == SQLITE_OK { open.files.note(.sync(kind)) }
        return code
    }
    methods.pointee.xFileSize = { file, size in
        let open = OpenFile.of(file)
        return open.methods.xFileSize(open.real, size)
    }
    methods.pointee.xLock = { file, level in
        let open = OpenFile.of(file)
        return open.methods.xLock(open.real, level)
    }
    methods.pointee.xUnlock = { file, level in
        let open = OpenFile.of(file)
        return open.methods.xUnlock(open.real, level)
    }
    methods.pointee.xCheckReservedLock = { file, result in
        let open = OpenFile.of(file)
        return open.methods.xCheckReservedLock(open.real, result)
    }
    methods.pointee.xFileControl = { file, operation, argument in
        let open = OpenFile.of(file)
        if operation == SQLITE_FCNTL_LAST_ERRNO, let argument {
            argument.storeBytes(of: open.systemError, as: Int32.self)
            return SQLITE_OK
        }
        return open.methods.xFileControl(open.real, operation, argument)
    }
    methods.pointee.xSectorSize = { file in
        let open = OpenFile.of(file)
        return open.methods.xSectorSize(open.real)
    }
    methods.pointee.xDeviceCharacteristics = { file in
        let open = OpenFile.of(file)
        return open.methods.xDeviceCharacteristics(open.real)
    }
    methods.pointee.xShmMap = { file, page, size, extend, result in
        let open = OpenFile.of(file)
        return open.methods.xShmMap(open.real, page, size, extend, result)
    }
    methods.pointee.xShmLock = { file, offset, count, flags in
        let open = OpenFile.of(file)
        return open.methods.xShmLock(open.real, offset, count, flags)
    }
    methods.pointee.xShmBarrier = { file in
        let open = OpenFile.of(file)
        open.methods.xShmBarrier(open.real)
    }
    methods.pointee.xShmUnmap = { file, deletes in
        let open = OpenFile.of(file)
        return open.methods.xShmUnmap(open.real, deletes)
    }
    return methods
}()

extension FaultyFiles {
    private func register() {
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        // What is not replaced here does not look at which layer it was called through.
        layer.initialize(to: systemLayer.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.szOsFile = Int32(headerSize) + systemLayer.pointee.szOsFile
        layer.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
        layer.pointee.xOpen = { layer, path, file, flags, flagsOut in
            guard let file, let context = layer?.pointee.pAppData else { return SQLITE_CANTOPEN }
            let files = Unmanaged<FaultyFiles>.fromOpaque(context).takeUnretainedValue()
            let start = UnsafeMutableRawPointer(file)
            let real = (start + headerSize).assumingMemoryBound(to: sqlite3_file.self)
            let code = systemLayer.pointee.xOpen(systemLayer, path, real, flags, flagsOut)
            guard code == SQLITE_OK else {
                // SQLite closes what has methods; this was not opened.
                file.pointee.pMethods = nil
                return code
            }
            let kind: File? =
                if flags & SQLITE_OPEN_WAL != 0 { .log } else if flags & SQLITE_OPEN_MAIN_DB != 0 { .database } else {
                    nil
                }
            let open = OpenFile(files, kind, real)
            start.storeBytes(
                of: FileHeader(
                    base: sqlite3_file(pMethods: methods), owner: Unmanaged.passRetained(open).toOpaque()),
                as: FileHeader.self)
            return SQLITE_OK
        }
        layer.pointee.xDelete = { layer, path, syncsFolder in
            if let context = layer?.pointee.pAppData, let path, String(cString: path).hasSuffix("-wal") {
                Unmanaged<FaultyFiles>.fromOpaque(context).takeUnretainedValue().note(.delete(.log))
            }
            return systemLayer.pointee.xDelete(systemLayer, path, syncsFolder)
        }
        let code = sqlite3_vfs_register(layer, 0)
        precondition(code == SQLITE_OK, "the layer was not registered: \(code)")
    }
}
#endif
