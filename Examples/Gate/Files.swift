import Foundation

/// The bytes of a file, or why they cannot be read.
func readBytes(_ path: String, limit: Int) throws -> [UInt8] {
    guard let handle = FileHandle(forReadingAtPath: path) else { throw Failure("\(path) cannot be opened") }
    do {
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        try handle.close()
        guard data.count <= limit else { throw Failure("\(path) is longer than \(limit) bytes") }
        return Array(data)
    } catch let failure as Failure {
        throw failure
    } catch {
        throw Failure("\(path) cannot be read: \(error.localizedDescription)")
    }
}

/// The text of a file.
func readFile(_ path: String, limit: Int) throws -> String {
    String(decoding: try readBytes(path, limit: limit), as: UTF8.self)
}
