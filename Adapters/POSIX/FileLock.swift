#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An exclusive hold on a storage, by a file in it; it ends when it is released, with this object, or with the process.
///
/// `@unchecked Sendable`: `isHeld` is touched only inside `lock`.
package final class FileLock: @unchecked Sendable {
    /// Why the lock was not taken.
    package enum Failure: Error, Sendable, Hashable {
        /// Another has it; the text names the process where that is known.
        case held(by: String?)
        /// The system refused.
        case system(SystemError)
    }

    private static let pause = 2

    private let fileSystem: any FileSystem
    private let file: OpenFile
    private let lock = Lock()
    private var isHeld = true

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - path: Of the lock's file, which is made where it is missing.
    ///   - milliseconds: How long to wait for another to give it back; it always ends, since a stopped process gives
    ///     nothing back.
    package init(_ path: String, in fileSystem: any FileSystem, waiting milliseconds: Int = 0) throws(Failure) {
        self.fileSystem = fileSystem
        do throws(SystemError) { file = try fileSystem.open(path, .create) } catch { throw .system(error) }
        do throws(Failure) {
            try take(waiting: milliseconds)
        } catch {
            // Not left to `deinit`, which would say that the lock was given back.
            isHeld = false
            fileSystem.close(file)
            throw error
        }
        sign()
    }

    deinit {
        release()
    }

    /// Lets another in; a second time is fine.
    package func release() {
        let wasHeld = lock.withLock { () -> Bool in
            defer { isHeld = false }
            return isHeld
        }
        guard wasHeld else { return }
        do throws(SystemError) {
            // Said aloud, not left to closing: a process that is just being started by another thread has a copy of the
            // descriptor until it runs its program, and with it the lock.
            try fileSystem.unlock(file)
        } catch {
            // Closing ends it too, only perhaps later.
        }
        fileSystem.close(file)
    }

    /// Whether the lock's file is still the one that others find: a lock on a file that was removed keeps nobody out.
    package func isInPlace() throws(SystemError) -> Bool {
        try fileSystem.isInPlace(file)
    }

    private func take(waiting milliseconds: Int) throws(Failure) {
        var left = milliseconds
        while try !isTaken() {
            guard left > 0 else { throw .held(by: holder) }
            left -= Self.pause
            fileSystem.pause(milliseconds: Self.pause)
        }
    }

    private func isTaken() throws(Failure) -> Bool {
        do throws(SystemError) { return try fileSystem.lock(file) } catch { throw .system(error) }
    }

    /// Writes who holds it. It is for people: on a full volume the holder stays nameless, and holds it all the same.
    private func sign() {
        do throws(SystemError) {
            try fileSystem.truncate(file, to: 0)
            try fileSystem.writeAll(file, Array("\(getpid())\n".utf8), at: 0)
        } catch {
            // A full volume must not close a gate.
        }
    }

    private var holder: String? {
        do throws(SystemError) {
            let digits = try fileSystem.bytes(file, 0..<20).prefix { $0 >= 0x30 && $0 <= 0x39 }
            return digits.isEmpty ? nil : "process \(String(decoding: digits, as: UTF8.self))"
        } catch {
            // Who it is cannot be told; that somebody is, is what matters.
            return nil
        }
    }
}
