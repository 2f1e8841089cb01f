#if Curl && Sodium && os(Linux)
import Foundation
import Glibc
import Subjects
import Testing

@Suite("gate scan, interrupted", .serialized)
struct InterruptTests {
    private static let scan = ["scan", "--lines", "--event", "E", "--zone", "Z"]
    /// Nothing listens there, so that an upload fails at once and tries again for about a minute.
    private static let unreachable = ["--sync", "http://127.0.0.1:9/v1/scans", "--insecure-http"]

    @Test(
        "Ctrl-C and a service manager's signal end it as the end of its source does", .timeLimit(.minutes(1)),
        arguments: [SIGINT, SIGTERM])
    func firstSignal(number: Int32) throws {
        let folder = try TemporaryFolder()
        let tool = try GateTool(Self.scan, in: folder)
        try tool.type("one\ntwo\n")
        for _ in 0..<2 { #expect(tool.line()?.hasPrefix("REFUSE") == true) }
        tool.signal(number)
        #expect(try tool.rest() == "0 admitted, 2 refused (2 notConfigured)\n")
        #expect(try tool.end() == (0, false))
        #expect(try tool.complained().hasSuffix("gate: interrupted; what was shown is recorded\n"))
        #expect(try open(folder) == 0)
    }

    @Test("What was not recorded is counted and is its exit code, however it ends", .timeLimit(.minutes(1)))
    func notRecorded() throws {
        let folder = try TemporaryFolder()
        let tool = try GateTool(Self.scan + ["--store", "journal"], in: folder)
        var lines: [String] = []
        for number in 0..<3 {
            // What is recorded into files without a name is gone with the process, and so is not recorded.
            if number == 2 {
                try FileManager.default.moveItem(
                    atPath: folder.path + "/data/journal", toPath: folder.path + "/data/away")
            }
            try tool.type("code \(number)\n")
            lines.append(try #require(tool.line()))
        }
        #expect(lines.map { $0.contains("NOT RECORDED") } == [false, false, true])
        tool.signal(SIGINT)
        let summary = try tool.rest()
        #expect(summary.hasPrefix("0 admitted, \(lines.count) refused ("), "\(summary)")
        #expect(try tool.end() == (1, false))
        #expect(try tool.complained().contains("NOT RECORDED: 1"))
    }

    @Test("The upload after the end of the source can be interrupted", .timeLimit(.minutes(1)))
    func lastUpload() throws {
        let folder = try TemporaryFolder()
        let tool = try GateTool(Self.scan + Self.unreachable, in: folder)
        try tool.type("one\n")
        try tool.endInput()
        #expect(tool.line()?.hasPrefix("REFUSE") == true)
        #expect(tool.line() == "0 admitted, 1 refused (1 notConfigured)")
        tool.signal(SIGINT)
        #expect(tool.line()?.hasSuffix("interrupted; what was not uploaded waits") == true)
        #expect(try tool.end() == (1, false))
        #expect(try open(folder) == 0)
    }

    @Test("A second signal ends it at once", .timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM])
    func secondSignal(number: Int32) throws {
        let folder = try TemporaryFolder()
        let tool = try GateTool(Self.scan + Self.unreachable, in: folder)
        try tool.type("one\n")
        #expect(tool.line()?.hasPrefix("REFUSE") == true)
        tool.signal(number)
        #expect(tool.line() == "0 admitted, 1 refused (1 notConfigured)")
        tool.signal(number)
        #expect(try tool.end() == (number, true))
    }

    @Test("A scanner that breaks ends it with what was decided, recorded and closed", .timeLimit(.minutes(1)))
    func brokenScanner() throws {
        let folder = try TemporaryFolder()
        let terminal = try PseudoTerminal()
        let tool = try GateTool(Self.scan, in: folder, standardInput: terminal.controlling)
        try terminal.device.write(contentsOf: Data("one\n".utf8))
        #expect(tool.line()?.hasPrefix("REFUSE") == true)
        // Reading a terminal whose other end is gone is an error (EIO), as is a reader that is pulled out.
        try terminal.device.close()
        #expect(try tool.rest() == "0 admitted, 1 refused (1 notConfigured)\n")
        #expect(try tool.end() == (1, false))
        #expect(try tool.complained().contains("gate: scanner failed: standard input"))
        #expect(try open(folder) == 0)
    }

    /// How many presentations are still open in the store.
    private func open(_ folder: TemporaryFolder) throws -> Int {
        let export = try GateTool.run(["export", "--json"], in: folder)
        #expect(export.status == 0)
        let lines = export.said.split(separator: "\n")
        #expect(!lines.isEmpty)
        return lines.count { $0.contains(#""state":"open""#) }
    }
}

/// Both ends of a terminal that no screen shows.
private struct PseudoTerminal {
    let controlling: FileHandle
    let device: FileHandle

    /// By hand, because posix_openpt and its like are hidden from Swift by a feature macro of glibc.
    init() throws {
        let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))  // TIOCSPTLCK, TIOCGPTN
        let controlling = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, index) = (Int32(0), UInt32(0))
        try #require(
            controlling >= 0 && ioctl(controlling, unlock, &isLocked) == 0 && ioctl(controlling, number, &index) == 0)
        let device = Glibc.open("/dev/pts/\(index)", O_RDWR | O_NOCTTY)
        try #require(device >= 0)
        self.controlling = FileHandle(fileDescriptor: controlling, closeOnDealloc: true)
        self.device = FileHandle(fileDescriptor: device, closeOnDealloc: true)
    }
}
#endif
