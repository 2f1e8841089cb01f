import Foundation
import Terminal

/// librsvg's rsvg-convert, looked for when it is needed: nothing else of the tool rests on it.
struct VectorRenderer {
    private let program: String
    private let logo: String
    /// Width and height of the logo, of which the larger one is 1.
    private let shape: (width: Double, height: Double)

    /// - Throws: Which package to install where the program is missing, and why a picture cannot be drawn.
    init(
        logo: String, path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
    ) throws {
        let places = path.split(separator: ":").map { "\($0)/rsvg-convert" }
        guard let program = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Failure(
                "rsvg-convert draws the icons and is not installed (Debian: librsvg2-bin; Homebrew: librsvg)",
                exitCode: ExitCode.unavailable)
        }
        self.program = program
        self.logo = logo
        let probe = try PNGHeader(Self.run(program, ["-w", "1024", "-h", "1024", "-a", logo]))
        let longer = Double(max(probe.width, probe.height, 1))
        shape = (Double(probe.width) / longer, Double(probe.height) / longer)
    }

    /// A square picture with the logo in its middle.
    ///
    /// - Parameters:
    ///   - pixels: The side of the square.
    ///   - inset: What stays free on each side, as a part of the whole.
    ///   - background: A colour of CSS behind it; nil leaves it clear.
    ///   - style: CSS for the logo.
    func png(pixels: Int, inset: Double, background: String?, style: String? = nil) throws -> [UInt8] {
        let room = Double(pixels) * (1 - 2 * inset)
        let width = max(1, (room * shape.width).rounded())
        let height = max(1, (room * shape.height).rounded())
        var arguments = [
            "--page-width=\(pixels)px", "--page-height=\(pixels)px",
            "--left=\(decimal((Double(pixels) - width) / 2))px", "--top=\(decimal((Double(pixels) - height) / 2))px",
            "-w", decimal(width), "-h", decimal(height),
        ]
        if let background { arguments.append("--background-color=\(background)") }
        guard let style else { return try Self.run(program, arguments + [logo]) }
        // It takes a style as a file alone.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("shell-\(UUID().uuidString).css")
        try Data(style.utf8).write(to: file)
        defer { unlink(file.path) }
        return try Self.run(program, arguments + ["--stylesheet=\(file.path)", logo])
    }

    /// The logo as a vector.
    func pdf() throws -> [UInt8] { try Self.run(program, ["-f", "pdf", logo]) }

    private static func run(_ program: String, _ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        let complaints = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        // A PDF has the time of its making in it, and the same logo is to be the same file (reproducible-builds.org).
        process.environment = ProcessInfo.processInfo.environment.merging(["SOURCE_DATE_EPOCH": "0"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaints
        do {
            try process.run()
            // Its complaints are a few lines, which a pipe holds; so what it draws can be read to its end first.
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            let complaint = try complaints.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                let reason = String(decoding: complaint, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                throw Failure("\(arguments.last ?? "") cannot be drawn: \(reason)")
            }
            return Array(data)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(program) cannot be run: \(cause(of: error))")
        }
    }
}

/// What a PNG says of itself at its beginning (PNG, third edition, §11.2.1).
struct PNGHeader {
    let width: Int
    let height: Int
    let colorType: UInt8

    /// Whether its pixels have alpha, by themselves (types 4 and 6); the store takes no such icon.
    var hasAlpha: Bool { colorType & 4 != 0 }

    init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 26, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw Failure("what was drawn is no PNG")
        }
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        width = number(16)
        height = number(20)
        colorType = bytes[25]
    }
}
