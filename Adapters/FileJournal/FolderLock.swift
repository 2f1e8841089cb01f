import Portico
import PorticoPOSIX

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The writer's exclusive hold on a folder; it ends when it is released, with this object, or with the process.
///
/// `@unchecked Sendable`: `isHeld` is touched only inside `lock`.
final class FolderLock: @unchecked Sendable {
    static let name = "LOCK"

    private let fileSystem: any FileSystem
    private let file: OpenFile
    private let lock = Lock()
    private var isHeld = true

    /// - Throws: `locked` with the holder's process id, where another writer has the folder.
    init(_ folder: String, in fileSystem: any FileSystem) throws(EventStoreError) {
        self.fileSystem = fileSystem
        let file = try storing { () throws(SystemError) in try fileSystem.open("\(folder)/\(Self.name)", .create) }
        self.file = file
        if try !(storing { () throws(SystemError) in try fileSystem.lock(file) }) {
            // An object that was not made has no deinit.
            defer { fileSystem.close(file) }
            throw .locked(by: Self.holder(file, in: fileSystem))
        }
        let pid = Array("\(getpid())\n".utf8)
        do throws(SystemError) {
            try fileSystem.truncate(file, to: 0)
            try fileSystem.writeAll(file, pid, at: 0)
        } catch {
            // The lock is held all the same: the number is there for people, and a full volume must not close a gate.
        }
    }

    deinit {
        release()
    }

    /// Lets another writer in; a second time is fine.
    func release() {
        let wasHeld = lock.withLock { () -> Bool in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { fileSystem.close(file) }
    }

    private static func holder(_ file: OpenFile, in fileSystem: any FileSystem) -> String? {
        do throws(SystemError) {
            let digits = try fileSystem.bytes(file, 0..<20).prefix { $0 >= 0x30 && $0 <= 0x39 }
            return digits.isEmpty ? nil : "process \(String(decoding: digits, as: UTF8.self))"
        } catch {
            // Who it is cannot be told; that somebody is, is what matters.
            return nil
        }
    }
}
