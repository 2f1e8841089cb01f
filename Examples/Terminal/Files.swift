import Foundation

/// The bytes of a file, or why they cannot be read.
package func readBytes(_ path: String, limit: Int) throws -> [UInt8] {
    guard let handle = FileHandle(forReadingAtPath: path) else {
        throw Failure("\(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    do {
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        try handle.close()
        guard data.count <= limit else { throw Failure("\(path) is longer than \(limit) bytes") }
        return Array(data)
    } catch let failure as Failure {
        throw failure
    } catch {
        throw Failure("\(path) cannot be read: \(cause(of: error))")
    }
}

/// The text of a file.
package func readFile(_ path: String, limit: Int) throws -> String {
    String(decoding: try readBytes(path, limit: limit), as: UTF8.self)
}

/// What the system says of an error of Foundation's, whose own sentence on Linux is a number.
package func cause(of error: any Error) -> String {
    let outer = error as NSError
    let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError ?? outer
    guard inner.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
    return String(cString: strerror(Int32(inner.code)))
}
