#if SQLite && (os(Linux) || canImport(SQLite3))
import Portico
import PorticoPOSIX

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// What broke beneath a store: which step, and what SQLite or the system said of it.
struct StorageFailure: Error, Hashable {
    /// Who said it.
    enum Cause: Hashable {
        /// SQLite: its extended result code, and the system's error behind it or 0.
        case sqlite(code: Int32, systemError: Int32)
        /// The system, outside SQLite.
        case system(Int32)
        /// What was read is not what a store wrote.
        case damaged(String)
        /// What stands in the way, and what to do about it.
        case refused(String)
        /// Another writer holds the storage.
        case held(by: String?)
        /// The store was closed.
        case closed
        /// It is open for reading.
        case notForWriting
        /// The file was removed, moved or replaced beneath the connection.
        case moved(String)
    }

    /// What a caller can make of it; the ports' errors are made from these.
    enum Kind: Hashable {
        case full, readOnly, locked, corrupt, closed, failed
    }

    let step: String
    let cause: Cause

    init(_ step: String, _ cause: Cause) {
        self.step = step
        self.cause = cause
    }

    /// The one place where result codes and system errors get their meaning (<https://sqlite.org/rescode.html>).
    var kind: Kind {
        switch cause {
        case .sqlite(let code, let systemError): Self.kind(code: code, systemError: systemError)
        case .system(let error): Self.kind(systemError: error) ?? .failed
        case .damaged: .corrupt
        case .refused: .failed
        case .held: .locked
        case .closed: .closed
        case .notForWriting: .readOnly
        case .moved: .failed
        }
    }

    /// Whether SQLite needs a file that it can neither open nor make: the system's reason decides which code it gives.
    var lacksFile: Bool {
        guard case .sqlite(let code, _) = cause else { return false }
        return [SQLITE_CANTOPEN, SQLITE_READONLY].contains(code & 0xFF)
    }

    private static func kind(code: Int32, systemError: Int32) -> Kind {
        // Extended codes that say more than the primary code in their low byte; their macros are expressions in C,
        // which are not imported.
        switch code {
        case SQLITE_READONLY | 4 << 8: return .failed  // _DBMOVED: the file was renamed beneath us
        case SQLITE_IOERR | 2 << 8: return .corrupt  // _SHORT_READ: the file ends where a page should be
        case SQLITE_IOERR | 32 << 8, SQLITE_IOERR | 33 << 8: return .corrupt  // _DATA, _CORRUPTFS: a checksum is wrong
        default: break
        }
        switch code & 0xFF {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM: return .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .locked
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return .corrupt
        case SQLITE_IOERR, SQLITE_CANTOPEN: return kind(systemError: systemError) ?? .failed
        default: return .failed
        }
    }

    private static func kind(systemError: Int32) -> Kind? {
        switch systemError {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS, EACCES, EPERM: .readOnly
        default: nil
        }
    }

    /// One line, without a path and without anything of what was stored.
    var text: String {
        switch cause {
        case .sqlite(let code, let systemError):
            "\(step): \(String(cString: sqlite3_errstr(code))) (SQLite \(code)"
                + (systemError == 0 ? ")" : ", \(Self.text(of: systemError)))")
        case .system(let error): "\(step): \(Self.text(of: error))"
        case .damaged(let detail), .refused(let detail): "\(step): \(detail)"
        case .held(let holder): "\(step): held by \(holder ?? "another process")"
        case .closed: "\(step): closed"
        case .notForWriting: "\(step): open for reading"
        case .moved(let file):
            "\(step): \(file) or its log was removed, moved or replaced while the store was open: stop, and put back "
                + "what was there"
        }
    }

    private static func text(of systemError: Int32) -> String {
        "\(String(cString: strerror(systemError))), errno \(systemError)"
    }
}

extension StorageFailure {
    init(_ error: SystemError) {
        self.init("\(error.operation) \(error.name)", .system(error.code))
    }
}

extension EventStoreError {
    init(_ failure: StorageFailure) {
        switch failure.kind {
        case .full: self = .full
        case .readOnly: self = .readOnly
        case .locked:
            if case .held(let holder) = failure.cause { self = .locked(by: holder) } else { self = .locked(by: nil) }
        case .corrupt: self = .corrupt(failure.text)
        case .closed: self = .closed
        case .failed: self = .failed(failure.text)
        }
    }
}

extension DocumentStoreError {
    init(_ failure: StorageFailure) {
        switch failure.kind {
        case .full: self = .full
        case .readOnly: self = .readOnly
        case .corrupt: self = .corrupt(failure.text)
        case .closed: self = .closed
        // Documents have many writers: who finds the lock taken for longer than the timeout may try again.
        case .locked, .failed: self = .failed(failure.text)
        }
    }
}
#endif
