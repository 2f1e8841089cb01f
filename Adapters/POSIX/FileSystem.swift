/// The file operations that durable storage needs, as one seam: what was written and made durable, in which order, can
/// be watched, and each operation can be made to fail.
///
/// An operation is one step: a write may be short, and what follows from that is the caller's.
package protocol FileSystem: Sendable {
    /// Opens a file; without `.create` or `.replace` it must be there.
    func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> OpenFile
    /// Lets go of a file, and of its lock.
    func close(_ file: OpenFile)
    /// Reads at most the buffer's length from `offset` on; 0 at the end.
    func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Int
    /// Writes at `offset`; the number of bytes that were taken, perhaps fewer than given.
    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int
    /// The length in bytes.
    func size(_ file: OpenFile) throws(SystemError) -> Int64
    /// Cuts or extends to a length.
    func truncate(_ file: OpenFile, to length: Int64) throws(SystemError)
    /// Whether the path by which a file was opened still names it: false once it was moved, removed or replaced.
    func isInPlace(_ file: OpenFile) throws(SystemError) -> Bool
    /// Returns when what was written to the file survives a power cut.
    func synchronize(_ file: OpenFile) throws(SystemError)
    /// Takes the exclusive lock that ends with the file or with the process; false while another has it.
    func lock(_ file: OpenFile) throws(SystemError) -> Bool
    /// Gives the lock back while the file stays open.
    func unlock(_ file: OpenFile) throws(SystemError)
    /// Waits, for another process to give its lock back.
    func pause(milliseconds: Int)
    /// Puts a file in the place of another, in one step.
    func rename(_ path: String, to target: String) throws(SystemError)
    /// Removes a file's name.
    func remove(_ path: String) throws(SystemError)
    /// The names in a folder, in no order.
    func list(_ folder: String) throws(SystemError) -> [String]
    /// Makes a folder for this user alone (0700); false where one is there, which is left as it is.
    func createFolder(_ path: String) throws(SystemError) -> Bool
    /// Returns when the names in a folder survive a power cut.
    func synchronizeFolder(_ path: String) throws(SystemError)
}

/// How a file is opened; new files are for this user alone (0600).
package enum OpenMode: Sendable, Hashable {
    /// To read.
    case read
    /// To read and write.
    case write
    /// To read and write, made where it is missing.
    case create
    /// To read and write, empty.
    case replace
}

/// A file that was opened: the system's descriptor and the path, for messages.
package struct OpenFile: Sendable, Hashable {
    /// The descriptor.
    package let descriptor: Int32
    /// The path that it was opened by.
    package let path: String

    /// A file by its descriptor.
    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

extension FileSystem {
    /// Makes a folder, and those above it, where they are missing; their names survive a power cut when this returns.
    ///
    /// The name of a folder that is there is made durable too: whoever made it may have ended before that.
    package func makeFolder(_ path: String) throws(SystemError) {
        let parent = Self.parent(of: path)
        // The root has no name, and that of the working folder is not this process's to keep.
        guard parent != path else { return }
        let isNew: Bool
        do throws(SystemError) {
            isNew = try createFolder(path)
        } catch {
            guard error.cause == .missing else { throw error }
            try makeFolder(parent)
            isNew = try createFolder(path)
        }
        if isNew { try makeFolder(parent) }
        do throws(SystemError) {
            try synchronizeFolder(parent)
        } catch {
            // Who may not read the folder above did not make one in it: its name is somebody else's to keep.
            if isNew || error.cause != .readOnly { throw error }
        }
    }

    private static func parent(of path: String) -> String {
        let utf8 = Array(path.utf8)
        let trimmed = utf8[..<((utf8.lastIndex { $0 != UInt8(ascii: "/") } ?? 0) + 1)]
        guard let slash = trimmed.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == 0 ? "/" : String(decoding: trimmed[..<slash], as: UTF8.self)
    }

    /// Reads exactly the bytes in `range`, fewer only where the file ends.
    package func bytes(_ file: OpenFile, _ range: Range<Int64>) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(range.count))
        var filled = 0
        while filled < bytes.count {
            let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, SystemError> in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                do throws(SystemError) {
                    return .success(try read(file, into: rest, at: range.lowerBound + Int64(filled)))
                } catch {
                    return .failure(error)
                }
            }
            let count = try result.get()
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    /// Writes all of `bytes` from `offset` on, in as many steps as it takes.
    package func writeAll(_ file: OpenFile, _ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes { buffer -> Result<Int, SystemError> in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                do throws(SystemError) {
                    return .success(try write(file, rest, at: offset + Int64(written)))
                } catch {
                    return .failure(error)
                }
            }
            written += try result.get()
        }
    }
}
