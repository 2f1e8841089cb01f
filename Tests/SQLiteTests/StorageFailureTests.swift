#if SQLite && os(Linux)
import CSQLite
import Foundation
import Portico
import Testing

@testable import PorticoSQLite

@Suite("What SQLite and the system say is mapped in one place")
struct StorageFailureTests {
    @Test(
        "Result codes of SQLite",
        arguments: [
            (SQLITE_FULL, 0, StorageFailure.Kind.full),
            (SQLITE_READONLY, 0, .readOnly),
            (SQLITE_READONLY | 1 << 8, 0, .readOnly),  // _RECOVERY
            (SQLITE_READONLY | 4 << 8, 0, .failed),  // _DBMOVED
            (SQLITE_READONLY | 6 << 8, 0, .readOnly),  // _DIRECTORY
            (SQLITE_PERM, 0, .readOnly),
            (SQLITE_BUSY, 0, .locked),
            (SQLITE_BUSY | 1 << 8, 0, .locked),  // _RECOVERY
            (SQLITE_BUSY | 2 << 8, 0, .locked),  // _SNAPSHOT
            (SQLITE_LOCKED, 0, .locked),
            (SQLITE_LOCKED | 1 << 8, 0, .locked),  // _SHAREDCACHE
            (SQLITE_PROTOCOL, 0, .locked),
            (SQLITE_CORRUPT, 0, .corrupt),
            (SQLITE_CORRUPT | 3 << 8, 0, .corrupt),  // _INDEX
            (SQLITE_NOTADB, 0, .corrupt),
            (SQLITE_FORMAT, 0, .corrupt),
            (SQLITE_IOERR | 1 << 8, EIO, .failed),  // _READ
            (SQLITE_IOERR | 2 << 8, 0, .corrupt),  // _SHORT_READ
            (SQLITE_IOERR | 3 << 8, EIO, .failed),  // _WRITE
            (SQLITE_IOERR | 3 << 8, ENOSPC, .full),
            (SQLITE_IOERR | 3 << 8, EDQUOT, .full),
            (SQLITE_IOERR | 3 << 8, EROFS, .readOnly),
            (SQLITE_IOERR | 4 << 8, EIO, .failed),  // _FSYNC
            (SQLITE_IOERR | 4 << 8, ENOSPC, .full),
            (SQLITE_IOERR | 6 << 8, EIO, .failed),  // _TRUNCATE
            (SQLITE_IOERR | 12 << 8, ENOMEM, .failed),  // _NOMEM
            (SQLITE_IOERR | 19 << 8, ENOSPC, .full),  // _SHMSIZE
            (SQLITE_IOERR | 32 << 8, 0, .corrupt),  // _DATA
            (SQLITE_IOERR | 33 << 8, 0, .corrupt),  // _CORRUPTFS
            (SQLITE_CANTOPEN, ENOENT, .failed),
            (SQLITE_CANTOPEN, EACCES, .readOnly),
            (SQLITE_CANTOPEN, EROFS, .readOnly),
            (SQLITE_CANTOPEN, ENOSPC, .full),
            (SQLITE_CANTOPEN, EMFILE, .failed),
            (SQLITE_ERROR, 0, .failed),
            (SQLITE_INTERNAL, 0, .failed),
            (SQLITE_ABORT, 0, .failed),
            (SQLITE_NOMEM, 0, .failed),
            (SQLITE_INTERRUPT, 0, .failed),
            (SQLITE_NOTFOUND, 0, .failed),
            (SQLITE_SCHEMA, 0, .failed),
            (SQLITE_TOOBIG, 0, .failed),
            (SQLITE_CONSTRAINT | 8 << 8, 0, .failed),  // _UNIQUE
            (SQLITE_MISMATCH, 0, .failed),
            (SQLITE_MISUSE, 0, .failed),
            (SQLITE_NOLFS, 0, .failed),
            (SQLITE_AUTH, 0, .failed),
            (SQLITE_RANGE, 0, .failed),
            (12_345, 0, .failed),
        ] as [(Int32, Int32, StorageFailure.Kind)])
    func codes(_ code: Int32, _ systemError: Int32, _ kind: StorageFailure.Kind) {
        #expect(StorageFailure("step", .sqlite(code: code, systemError: systemError)).kind == kind)
    }

    @Test("Everything else, and the errors of the ports")
    func causes() {
        let full = StorageFailure("write", .system(ENOSPC))
        #expect(EventStoreError(full) == .full)
        #expect(DocumentStoreError(full) == .full)
        let readOnly = StorageFailure("write", .system(EROFS))
        #expect(EventStoreError(readOnly) == .readOnly)
        #expect(DocumentStoreError(readOnly) == .readOnly)
        let held = StorageFailure("lock", .held(by: "process 7"))
        #expect(EventStoreError(held) == .locked(by: "process 7"))
        #expect(DocumentStoreError(held) == .failed("lock: held by process 7"))
        let closed = StorageFailure("open", .closed)
        #expect(EventStoreError(closed) == .closed)
        #expect(DocumentStoreError(closed) == .closed)
        let damaged = StorageFailure("head", .damaged("its row is missing"))
        #expect(EventStoreError(damaged) == .corrupt("head: its row is missing"))
        #expect(DocumentStoreError(damaged) == .corrupt("head: its row is missing"))
        #expect(
            EventStoreError(StorageFailure("COMMIT", .sqlite(code: SQLITE_IOERR | 4 << 8, systemError: EIO)))
                == .failed("COMMIT: disk I/O error (SQLite 1034, Input/output error, errno 5)"))
    }
}
#endif
