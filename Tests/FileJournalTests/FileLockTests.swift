#if os(Linux)
import Foundation
import PorticoPOSIX
import Testing

@testable import PorticoFileJournal

@Suite("The lock on a storage")
struct FileLockTests {
    /// Copies of this process's descriptors of a file, as a process has them that is just being started by another
    /// thread.
    private func copies(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).filter { number in
            var target = [CChar](repeating: 0, count: 4_096)
            let length = readlink("/proc/self/fd/\(number)", &target, target.count)
            return length > 0
                && String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
        }
        .map { dup($0) }
    }

    @Test("It is let go also while a process that is being started has a copy of its descriptor")
    func copiedDescriptor() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/lock"
        let lock = try FileLock(path, in: POSIXFileSystem())
        let copies = try copies(of: path)
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        #expect(throws: FileLock.Failure.held(by: "process \(getpid())")) {
            try FileLock(path, in: POSIXFileSystem())
        }
        lock.release()
        let next = try FileLock(path, in: POSIXFileSystem())
        lock.release()
        #expect(throws: FileLock.Failure.self, "what was released twice is released once") {
            try FileLock(path, in: POSIXFileSystem())
        }
        next.release()
    }

    @Test("A journal that was closed can be opened, also while a process is being started")
    func closedJournal() async throws {
        let folder = try TemporaryFolder()
        let store = try await FileJournalEventStore(folder: folder.path)
        let copies = try copies(of: folder.path + "/LOCK")
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        await store.close()
        await (try FileJournalEventStore(folder: folder.path)).close()
    }

    @Test("Who waits for it waits so long and no longer, and is told by whom it is held")
    func patience() throws {
        let fileSystem = SimulatedFileSystem()
        try fileSystem.makeFolder("/storage")
        let lock = try FileLock("/storage/lock", in: fileSystem)
        let before = fileSystem.count
        #expect(throws: FileLock.Failure.held(by: "process \(getpid())")) {
            try FileLock("/storage/lock", in: fileSystem, waiting: 100)
        }
        #expect((50...60).contains(fileSystem.count - before))
        lock.release()
        try FileLock("/storage/lock", in: fileSystem, waiting: 100).release()
    }
}
#endif
