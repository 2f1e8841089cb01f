#if SQLite && (os(Linux) || canImport(SQLite3))
#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A value bound to a parameter.
enum Value {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func optional(_ integer: Int64?) -> Value { integer.map { .integer($0) } ?? .null }
    static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
}

/// A prepared statement, kept for the life of its connection.
final class Statement {
    private let handle: OpaquePointer
    private unowned let connection: Connection

    init(_ sql: StaticString, _ connection: Connection) throws(StorageFailure) {
        self.connection = connection
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, Self.text(sql), -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.failure(code, in: Self.step(sql)) }
        handle = prepared
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Binds, runs over every row until the body returns false, and resets, whatever happens.
    func rows(
        _ values: [Value], _ body: (Statement) throws(StorageFailure) -> Bool
    ) throws(StorageFailure) {
        // The code of a failed step was reported by the step; reset gives it again.
        defer { sqlite3_reset(handle) }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
        while true {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_ROW: if try !body(self) { return }
            case SQLITE_DONE: return
            default: throw connection.failure(code, in: step)
            }
        }
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func blob(_ column: Int32) -> [UInt8] {
        // The pointer is read before the length: the first call may convert, and the length is then the converted one's.
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    private func bind(_ value: Value, at index: Int32) throws(StorageFailure) {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(handle, index)
        case .integer(let integer): code = sqlite3_bind_int64(handle, index, integer)
        case .text(var text):
            code = text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    // An empty text has no address, and that would bind null.
                    guard let start = characters.baseAddress else {
                        return sqlite3_bind_text(handle, index, "", 0, Self.copied)
                    }
                    return sqlite3_bind_text(handle, index, start, Int32(characters.count), Self.copied)
                }
            }
        case .blob(let bytes):
            code = bytes.withUnsafeBytes { buffer in
                // The address of nothing may be nil, and that would bind null.
                guard !buffer.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
                return sqlite3_bind_blob64(
                    handle, index, buffer.baseAddress, UInt64(buffer.count), Self.copied)
            }
        }
        guard code == SQLITE_OK else { throw connection.failure(code, in: step) }
    }

    private var step: String {
        sqlite3_sql(handle).map { Self.step(String(cString: $0)) } ?? "statement"
    }

    /// What a failure names: the statement's first words, never a value.
    private static func step(_ sql: String) -> String {
        sql.split(separator: " ", maxSplits: 3).prefix(3).joined(separator: " ")
    }

    private static func step(_ sql: StaticString) -> String { step(sql.description) }

    /// SQLITE_TRANSIENT: SQLite copies the bytes before it returns. Its macro is a cast, which is not imported.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// The bytes of a literal, which end with a zero.
    private static func text(_ sql: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
#endif
