#if ZBar && os(Linux)
import Glibc
import Portico
import PorticoPOSIX

/// The pictures of a folder, one after the other.
final class PictureFolder {
    /// How long nothing was seen before a picture: long enough that every picture is a presentation of its own.
    private static let gap: Int64 = 3_600_000
    /// The largest file that is read: the most pixels, as decimal numbers.
    private static let mostBytes = 4 * LumaPicture.mostPixels

    private let reader: QRReader
    private let folder: OpenFolder
    private var names: ArraySlice<[UInt8]>
    private var ready: ArraySlice<ScannedCode> = []

    init(_ path: String) throws(SourceError) {
        reader = try QRReader()
        folder = try OpenFolder(path)
        names = try folder.names().filter(isPicture).sorted { $0.lexicographicallyPrecedes($1) }[...]
    }

    func next(_ stop: StopSignal) throws(SourceError) -> Pulled<ScannedCode> {
        while true {
            if let code = ready.popFirst() { return .element(code) }
            guard let name = names.popFirst() else { return .ended }
            if try stop.isRaised() { return .stopped }
            ready = sightings(in: name)[...]
        }
    }

    /// One sighting for each code of the picture; where there is none, one of no bytes that says why.
    private func sightings(in name: [UInt8]) -> [ScannedCode] {
        let origin = String(decoding: name, as: UTF8.self)
        do throws(PictureError) {
            let picture = try PictureDecoder.decode(try contents(of: name))
            let codes = reader.codes(in: picture)
            guard !codes.isEmpty else { throw PictureError("no code found") }
            return codes.map { ScannedCode(bytes: $0, emptyMilliseconds: Self.gap, origin: origin) }
        } catch {
            return [ScannedCode(bytes: [], emptyMilliseconds: Self.gap, origin: "\(origin): \(error.description)")]
        }
    }

    private func contents(of name: [UInt8]) throws(PictureError) -> [UInt8] {
        let file = folder.open(name)
        guard file >= 0 else { throw PictureError(systemMessage()) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw PictureError(systemMessage()) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw PictureError("not a file") }
        guard (0...Self.mostBytes).contains(Int(status.st_size)) else { throw PictureError("too large a file") }
        return try read(file, Int(status.st_size))
    }

    /// The file's bytes, as many as it had when it was opened; fewer where it shrank meanwhile.
    private func read(_ file: Int32, _ size: Int) throws(PictureError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + filled, size - filled) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw PictureError(systemMessage()) }
            guard count > 0 else { break }
            filled += count
        }
        bytes.removeLast(size - filled)
        return bytes
    }
}

/// The owner of an open folder. Its files are opened relative to it and by the bytes of their names, which need not be
/// UTF-8.
private final class OpenFolder {
    private let path: String
    private let stream: OpaquePointer

    init(_ path: String) throws(SourceError) {
        guard let stream = opendir(path) else { throw .unavailable("\(path): \(systemMessage())") }
        self.path = path
        self.stream = stream
    }

    deinit {
        closedir(stream)
    }

    func names() throws(SourceError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        errno = 0
        while let entry = readdir(stream) {
            // Through the entry and not through a copy of it: a name ends where its zero is, and the type of the entry
            // says nothing about how much is there.
            let name = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name)!)
            let count = strlen(name.assumingMemoryBound(to: CChar.self))
            names.append(Array(UnsafeRawBufferPointer(start: name, count: count)))
            errno = 0
        }
        guard errno == 0 else { throw .unavailable("\(path): \(systemMessage())") }
        return names
    }

    /// A descriptor of one of its files, below 0 where there is none. Not blocking, for a FIFO that bears a picture's name.
    func open(_ name: [UInt8]) -> Int32 {
        openat(dirfd(stream), name.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
}

private func isPicture(_ name: [UInt8]) -> Bool {
    let lower = name.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
    return [".png", ".jpg", ".jpeg", ".pgm"].contains { lower.suffix($0.utf8.count).elementsEqual($0.utf8) }
}
#endif
