import Foundation
import Portico
import PorticoContracts
import PorticoInMemory
import PorticoLines

#if ZBar && os(Linux)
import PorticoZBar
#endif

extension Subjects {
    /// Every scanner of this build; those of pictures only where the tool that draws them is there, see `QRDrawing`.
    public static func codeScanners() -> [Subject<ScannerStage>] {
        [stub, lines] + (QRDrawing.missingPackages().isEmpty ? pictures : [])
    }

    private static let stub = Subject(
        scanner: "StubCodeScanner", capabilities: [.ends, .idle, .anyBytes, .lineBreaks]
    ) { scene in
        StubCodeScanner(codes(of: scene).map { ScannedCode(bytes: $0) }, isEnded: !scene.goesOn)
    }

    private static let lines = Subject(
        scanner: "LineScanner over a pipe", capabilities: [.ends, .idle, .anyBytes]
    ) { scene in
        let pipe = Pipe()
        for code in codes(of: scene) { try pipe.fileHandleForWriting.write(contentsOf: Data(code + [0x0d])) }
        if !scene.goesOn { try pipe.fileHandleForWriting.close() }
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        return HoldingScanner(LineScanner(descriptor: descriptor, time: ManualTimeSource()), pipe)
    }

    private static func codes(of scene: ScannerScene) -> [[UInt8]] {
        scene.items.compactMap { if case .code(let bytes) = $0 { bytes } else { nil } }
    }

    #if ZBar && os(Linux)
    private static let pictures = [
        Subject(
            scanner: "ZBarScanner over pictures", capabilities: [.ends, .unreadable, .anyBytes, .lineBreaks]
        ) { scene in
            let folder = try TemporaryFolder()
            for (number, item) in scene.items.enumerated() {
                let picture: [UInt8] =
                    switch item {
                    case .code(let bytes): try QRDrawing(bytes).pgm
                    case .unreadable: Array("no picture".utf8)
                    }
                try Data(picture).write(to: URL(fileURLWithPath: "\(folder.path)/\(1_000 + number).pgm"))
            }
            return HoldingScanner(ZBarScanner(pictures: folder.path), folder)
        },
        Subject(scanner: "ZBarScanner over video", capabilities: [.ends, .idle, .anyBytes, .lineBreaks]) { scene in
            let stream = Data(QRDrawing.video(try [nil] + codes(of: scene).map(QRDrawing.init)))
            let pipe = Pipe()
            // A scanner that is let go of leaves the rest of the stream unread.
            signal(SIGPIPE, SIG_IGN)
            let writer = pipe.fileHandleForWriting
            // Longer than a pipe holds, so that writing it waits for the scanner.
            Thread.detachNewThread {
                do {
                    try writer.write(contentsOf: stream)
                    if !scene.goesOn { try writer.close() }
                } catch {
                    // The scanner was let go of, as some clauses do.
                }
            }
            return HoldingScanner(ZBarScanner(videoDescriptor: pipe.fileHandleForReading.fileDescriptor), pipe)
        },
    ]
    #else
    private static let pictures: [Subject<ScannerStage>] = []
    #endif
}

/// A scanner with what has to live as long as it does.
private struct HoldingScanner: CodeScanner {
    private let scanner: any CodeScanner
    private let held: any Sendable

    init(_ scanner: any CodeScanner, _ held: any Sendable) {
        self.scanner = scanner
        self.held = held
    }

    func next() async throws(CodeScannerError) -> ScannedCode? { try await scanner.next() }
    func close() async { await scanner.close() }
}
