import Foundation
import Portico
import PorticoContracts
import PorticoLines
import PorticoZBar
import Testing

@Suite("Scanners keep the guarantees of CodeScanner")
struct ScannerContractTests {
    @Test("A clause is kept", .timeLimit(.minutes(1)), arguments: subjects, CodeScannerContract.clauses)
    func kept(subject: Subject<ScannerStage>, clause: Clause<ScannerStage>) async {
        switch await clause.check(subject) {
        case .kept: break
        case .skipped(let missing): #expect(!missing.isSubset(of: subject.capabilities))
        case .broken(let how): Issue.record("\(how)")
        }
    }

    @Test("Every guarantee of the port has a clause, and every clause a guarantee")
    func numbers() throws {
        let port = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Portico/Tickets/CodeScanner.swift").standardizedFileURL
        let guarantees = try String(contentsOf: port, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.hasPrefix("/// - CS-") ? line.dropFirst(6).prefix { $0 != ":" }.description : nil
        }
        #expect(guarantees.count == 6)
        #expect(Set(guarantees) == Set(CodeScannerContract.clauses.map(\.id)))
    }

    @Test("A scanner that breaks a guarantee breaks its clause", .timeLimit(.minutes(1)), arguments: Fault.allCases)
    func broken(fault: Fault) async {
        let subject = Subject(scanner: "faulty", capabilities: FaultyScanner.capabilities) { scene in
            FaultyScanner(scene, fault)
        }
        var broken: Set<String> = []
        for clause in CodeScannerContract.clauses {
            if case .broken = await clause.check(subject) { broken.insert(clause.id) }
        }
        #expect(fault.breaks.isEmpty ? broken.isEmpty : !broken.isDisjoint(with: fault.breaks), "\(broken)")
    }
}

private let subjects: [Subject<ScannerStage>] = {
    var subjects = [
        Subject(scanner: "LineScanner over a pipe", capabilities: [.ends, .idle, .anyBytes]) { scene in
            let pipe = Pipe()
            for item in scene.items {
                if case .code(let bytes) = item {
                    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes + [0x0d]))
                }
            }
            if !scene.goesOn { try pipe.fileHandleForWriting.close() }
            let descriptor = pipe.fileHandleForReading.fileDescriptor
            return HoldingScanner(LineScanner(descriptor: descriptor, time: ManualTime()), pipe)
        }
    ]
    #if ZBar && os(Linux)
    if Tool.qrencode.isThere { subjects += [pictures, video] }
    #endif
    return subjects
}()

#if ZBar && os(Linux)
private let pictures = Subject(
    scanner: "ZBarScanner over pictures", capabilities: [.ends, .unreadable, .anyBytes, .lineBreaks]
) { scene in
    let folder = try TemporaryFolder()
    for (number, item) in scene.items.enumerated() {
        let name = "\(1_000 + number).png"
        switch item {
        case .code(let bytes): try Tool.draw(bytes, to: folder.path(name))
        case .unreadable: try folder.write(Array("no picture".utf8), name)
        }
    }
    return HoldingScanner(ZBarScanner(pictures: folder.url.path), folder)
}

private let video = Subject(
    scanner: "ZBarScanner over video", capabilities: [.ends, .idle, .anyBytes, .lineBreaks]
) { scene in
    var frames = try scene.items.map { item in
        if case .code(let bytes) = item { try canvas(bytes) } else { try canvas(nil) }
    }
    frames.insert(try canvas(nil), at: 0)
    let stream = Data(mono("F30:1", frames))
    let pipe = Pipe()
    // A scanner that is let go of leaves the rest of the stream unread.
    signal(SIGPIPE, SIG_IGN)
    let writer = pipe.fileHandleForWriting
    Thread.detachNewThread {
        do {
            try writer.write(contentsOf: stream)
            if !scene.goesOn { try writer.close() }
        } catch {
            print("the rest of the stream was not read: \(error)")
        }
    }
    return HoldingScanner(ZBarScanner(videoDescriptor: pipe.fileHandleForReading.fileDescriptor), pipe)
}
#endif

/// A scanner with what has to live as long as it does.
struct HoldingScanner: CodeScanner {
    private let scanner: any CodeScanner
    private let held: any Sendable

    init(_ scanner: any CodeScanner, _ held: any Sendable) {
        self.scanner = scanner
        self.held = held
    }

    func next() async throws(CodeScannerError) -> ScannedCode? { try await scanner.next() }
    func close() async { await scanner.close() }
}

/// Ways to break the contract.
enum Fault: CaseIterable, Sendable {
    case none, merging, reversing, trimming, repeatingAtEnd, ignoringCancellation, goingOnAfterClose, endingAtUnreadable

    var breaks: Set<String> {
        switch self {
        case .none: []
        case .merging, .reversing: ["CS-1"]
        case .trimming: ["CS-2"]
        case .repeatingAtEnd: ["CS-3"]
        case .ignoringCancellation: ["CS-4"]
        case .goingOnAfterClose: ["CS-5"]
        case .endingAtUnreadable: ["CS-6"]
        }
    }
}

/// A scanner over a scene that breaks one guarantee.
private actor FaultyScanner: CodeScanner {
    static let capabilities: Set<Capability> = [.ends, .idle, .anyBytes, .lineBreaks, .unreadable]

    private var items: [ScannerScene.Item]
    private let goesOn: Bool
    private let fault: Fault
    private var last: ScannedCode?
    private var isClosed = false

    init(_ scene: ScannerScene, _ fault: Fault) {
        items = fault == .reversing ? scene.items.reversed() : scene.items
        goesOn = scene.goesOn
        self.fault = fault
    }

    func next() async throws(CodeScannerError) -> ScannedCode? {
        while true {
            if isClosed { return fault == .goingOnAfterClose ? last : nil }
            guard !items.isEmpty else {
                if !goesOn { return fault == .repeatingAtEnd ? last : nil }
                if Task.isCancelled {
                    isClosed = true
                    if fault == .ignoringCancellation { return nil }
                    throw .cancelled
                }
                await Task.yield()
                continue
            }
            switch items.removeFirst() {
            case .unreadable:
                if fault == .endingAtUnreadable { items = [] }
            case .code(var bytes):
                if fault == .trimming, bytes.first == 0x20 { bytes.removeFirst() }
                if fault == .merging, bytes == last?.bytes { continue }
                last = ScannedCode(bytes: bytes)
                return last
            }
        }
    }

    func close() async { isClosed = true }
}
