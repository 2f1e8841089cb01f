#if SQLite && (os(Linux) || canImport(SQLite3))
import PorticoPOSIX

extension FileLock {
    /// Makes a folder where it is missing, and takes a lock in it.
    convenience init(
        making folder: String, _ name: String, waiting milliseconds: Int = 0
    ) throws(StorageFailure) {
        let fileSystem = POSIXFileSystem()
        do throws(SystemError) { try fileSystem.makeFolder(folder) } catch { throw StorageFailure(error) }
        do throws(Failure) {
            try self.init("\(folder)/\(name)", in: fileSystem, waiting: milliseconds)
        } catch {
            switch error {
            case .held(let holder): throw StorageFailure("lock \(name)", .held(by: holder))
            case .system(let error): throw StorageFailure(error)
            }
        }
    }
}
#endif
