import Foundation
import Portico
import PorticoLines
import Testing

@Suite("Lines")
struct LineTests {
    @Test("CR, LF and CRLF end a line, and empty lines are passed over")
    func endings() {
        #expect(lines("a\nb\r\nc\rd") == ["1 a", "2 b", "3 c", "4 d"])
        #expect(lines("\n\r\n\r\ra\n\n\r\nb\n") == ["5 a", "8 b"])
        #expect(lines("a\r\r\nb\n\r\nc") == ["1 a", "3 b", "5 c"])
        #expect(lines("") == [])
        #expect(lines("\n") == [])
        #expect(lines(" \t\u{0} \n") == ["1  \t\u{0} "])
    }

    @Test("It does not matter where the pieces of the stream are cut", arguments: 1...7)
    func cuts(size: Int) {
        let text = "one\r\ntwo\n\r\n\rthree\r\n\nfour"
        #expect(lines(text, pieces: size) == lines(text))
        #expect(lines(text) == ["1 one", "2 two", "5 three", "7 four"])
    }

    @Test(
        "Of an overlong line the first 16 KiB are given once, and the next line is whole",
        arguments: [1, 1_000, 1 << 20])
    func overlong(size: Int) {
        let longest = String(repeating: "x", count: 16_384)
        #expect(lines(longest + "\nb", pieces: size) == ["1 \(longest)", "2 b"])
        #expect(lines(longest + "y\nb", pieces: size) == ["1 \(longest)", "2 b"])
        #expect(lines(longest + longest + longest + "\r\nb", pieces: size) == ["1 \(longest)", "2 b"])
        #expect(lines(longest + "yyy", pieces: size) == ["1 \(longest)"])
    }

    @Test("A stream that never ends its line is given up to the limit, before it ends")
    func endless() {
        var splitter = LineSplitter()
        let piece = [UInt8](repeating: 0, count: 10_000)
        let given = (0..<1_000).flatMap { _ in splitter.receive(piece[...]) }
        #expect(given.map(\.bytes.count) == [LineSplitter.longestLine])
        #expect(splitter.isInsideLine)
        #expect(splitter.finish() == nil)
    }

    @Test("A scanner gives the lines of a pipe, the unfinished last one too, and then nil")
    func pipe() async throws {
        let pipe = Pipe()
        let scanner = LineScanner(descriptor: pipe.fileHandleForReading.fileDescriptor, time: ManualTime())
        try pipe.fileHandleForWriting.write(contentsOf: Data("a\r\n\nb\0\u{ff}\rlast".utf8))
        try pipe.fileHandleForWriting.close()
        let sightings = try await all(scanner)
        #expect(sightings.map(\.bytes) == [Array("a".utf8), Array("b\0\u{ff}".utf8), Array("last".utf8)])
        #expect(sightings.map(\.origin) == ["line 1", "line 3", "line 4"])
        #expect(try await scanner.next() == nil)
    }

    @Test("What was waited for with no line begun is the empty time, and nothing else is", .timeLimit(.minutes(1)))
    func empty() async throws {
        let time = ManualTime()
        let pipe = Pipe()
        let scanner = LineScanner(descriptor: pipe.fileHandleForReading.fileDescriptor, time: time)
        func shown(after milliseconds: Int64, _ text: String) async throws -> ScannedCode? {
            let readings = time.readings
            let waiting = Task { try await scanner.next() }
            // The scanner reads the clock as it begins to wait.
            while time.readings == readings { await Task.yield() }
            time.advance(milliseconds)
            try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            return try await waiting.value
        }
        #expect(try await shown(after: 1_500, "first\nsecond\n")?.emptyMilliseconds == 1_500)
        #expect(try await scanner.next()?.emptyMilliseconds == 0)
        // A pause of the consumer is no time in which nothing was seen.
        time.advance(60_000)
        #expect(try await shown(after: 200, "third\n")?.emptyMilliseconds == 200)
        await scanner.close()
    }

    @Test("A file that is not there is unavailable, on every call", arguments: ["/nonexistent/reader", "/tmp"])
    func missing(path: String) async {
        let scanner = LineScanner(path: path, time: ManualTime())
        for _ in 0..<2 {
            await #expect {
                try await scanner.next()
            } throws: { error in
                guard case .unavailable(let cause) = error as? CodeScannerError else { return false }
                return cause.hasPrefix(path)
            }
        }
        await scanner.close()
    }

    @Test("A descriptor that is not open is unavailable")
    func notOpen() async {
        let scanner = LineScanner(descriptor: 9_999, time: ManualTime())
        await #expect(throws: CodeScannerError.self) { try await scanner.next() }
    }

    @Test("A FIFO is read from the moment that something writes to it", .timeLimit(.minutes(1)))
    func fifo() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("reader")
        #expect(mkfifo(path, 0o600) == 0)
        let time = ManualTime()
        let scanner = LineScanner(path: path, time: time)
        let waiting = Task { try await scanner.next() }
        while time.readings == 0 { await Task.yield() }
        let writer = try #require(FileHandle(forWritingAtPath: path))
        try writer.write(contentsOf: Data("code\r".utf8))
        #expect(try await waiting.value?.bytes == Array("code".utf8))
        try writer.close()
        #expect(try await scanner.next() == nil)
    }

    @Test("Sixty-four scanners that wait leave one that has something to give to itself", .timeLimit(.minutes(1)))
    func manyWaiting() async throws {
        let quiet = Pipe()
        let waiting = (0..<64).map { _ in
            let scanner = LineScanner(descriptor: quiet.fileHandleForReading.fileDescriptor, time: ManualTime())
            return Task { try await scanner.next() }
        }
        for _ in 0..<1_000 { await Task.yield() }
        let pipe = Pipe()
        let scanner = LineScanner(descriptor: pipe.fileHandleForReading.fileDescriptor, time: ManualTime())
        try pipe.fileHandleForWriting.write(contentsOf: Data("code\n".utf8))
        #expect(try await scanner.next()?.bytes == Array("code".utf8))
        for task in waiting { task.cancel() }
        for task in waiting {
            await #expect(throws: CodeScannerError.cancelled) { try await task.value }
        }
        try quiet.fileHandleForWriting.close()
    }

    #if os(Linux)
    @Test("A hundred scanners, opened, read, cancelled and closed, leave no descriptor behind", .timeLimit(.minutes(1)))
    func descriptors() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("lines")
        try Data("a\nb\n".utf8).write(to: URL(fileURLWithPath: path))
        try await leavesNoDescriptor {
            let scanner = LineScanner(path: path, time: ManualTime())
            let first = try await scanner.next()
            #expect(first?.bytes == Array("a".utf8))
            await scanner.close()
        }
        try await leavesNoDescriptor {
            let scanner = LineScanner(path: path, time: ManualTime())
            let cancelled = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await scanner.next()
            }
            cancelled.cancel()
            await #expect(throws: CodeScannerError.cancelled) { try await cancelled.value }
        }
        try await leavesNoDescriptor {
            let scanner = LineScanner(path: folder.url.path, time: ManualTime())
            await #expect(throws: CodeScannerError.unavailable("\(folder.url.path): a folder")) {
                try await scanner.next()
            }
        }
    }
    #endif

    private func lines(_ text: String, pieces size: Int = 1 << 30) -> [String] {
        let bytes = Array(text.utf8)
        var splitter = LineSplitter()
        var lines: [LineSplitter.Line] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines += splitter.receive(bytes[start..<min(start + size, bytes.count)])
        }
        if let last = splitter.finish() { lines.append(last) }
        return lines.map { "\($0.number) \(String(decoding: $0.bytes, as: UTF8.self))" }
    }
}
