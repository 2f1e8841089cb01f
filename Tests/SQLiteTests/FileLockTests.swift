#if SQLite && os(Linux)
import Foundation
import Testing

@testable import PorticoSQLite

@Suite("The lock beside a storage")
struct FileLockTests {
    @Test("It is let go also while a process that is being started has a copy of its descriptor")
    func copiedDescriptor() throws {
        let folder = try TemporaryFolder()
        var lock: FileLock? = try FileLock(folder.path + "/lock", isPatient: false)
        let copy = dup(try #require(lock?.descriptor))
        defer { close(copy) }
        #expect(throws: StorageFailure("lock", .held(by: "process \(getpid())"))) {
            try FileLock(folder.path + "/lock", isPatient: false)
        }
        lock = nil
        withExtendedLifetime(try FileLock(folder.path + "/lock", isPatient: false)) {}
    }
}
#endif
