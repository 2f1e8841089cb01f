#if ZBar && os(Linux)
import Foundation
import Portico
import PorticoZBar
import Testing

@Suite("ZBar", .enabled(if: Tool.qrencode.isThere, Tool.qrencode.missing))
struct ZBarTests {
    /// About what a ticket is: 500 characters of base64url.
    static let ticket = (0..<500).map { Array("eyJ0aWNrZXRJZCI6IjEi_-Q".utf8)[$0 * 7 % 23] }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Pictures come in the order of their names' bytes, each as long after nothing as a presentation needs")
    func order() async throws {
        for name in ["b.png", "a10.png", "a9.PNG", "Z.png", "é.png"] {
            try Tool.draw(Array(name.utf8), to: folder.path(name))
        }
        try folder.write(Array("not a picture".utf8), "notes.txt")
        try FileManager.default.createDirectory(atPath: folder.path("c.png.d"), withIntermediateDirectories: true)
        let sightings = try await all(ZBarScanner(pictures: folder.url.path))
        let names = ["Z.png", "a10.png", "a9.PNG", "b.png", "é.png"]
        #expect(sightings.map(\.origin) == names)
        #expect(sightings.map(\.bytes) == names.map { Array($0.utf8) })
        #expect(sightings.allSatisfy { $0.emptyMilliseconds >= 3_600_000 })
    }

    @Test("A ticket is read from PNG and PGM, binary and decimal")
    func kinds() async throws {
        try Tool.draw(Self.ticket, to: folder.path("1.png"))
        let picture = try PictureDecoder.decode(try bytes("1.png"))
        let size = "\(picture.width) \(picture.height) 255\n"
        try folder.write(Array("P5 \(size)".utf8) + picture.luma, "2.pgm")
        try folder.write(Array("P2 \(size)\(picture.luma.map(String.init).joined(separator: " "))".utf8), "3.pgm")
        // The first bytes decide, not the name.
        try folder.write(try bytes("1.png"), "4.jpg")
        #expect(
            try await all(ZBarScanner(pictures: folder.url.path)).map(\.bytes)
                == [[UInt8]](repeating: Self.ticket, count: 4))
    }

    @Test(
        "A ticket is read turned, blurred, noisy, dim, small and as JPEG",
        .enabled(if: Tool.ffmpeg.isThere, Tool.ffmpeg.missing),
        arguments: [
            ("jpg", "format=gray"), ("jpg", "format=yuvj420p,scale=iw*2:-1"), ("png", "transpose=1"),
            ("png", "rotate=PI"),
            ("png", "pad=iw*2:ih*2:(ow-iw)/2:(oh-ih)/2:white,rotate=0.4:c=white"), ("png", "gblur=sigma=1.2"),
            ("png", "noise=alls=40:allf=t"), ("png", "format=gray,eq=contrast=0.5:brightness=-0.2"),
            ("png", "scale=iw*0.75:-1"),
            ("png", "format=rgba"), ("png", "format=rgb48be"),
        ])
    func variants(kind: String, filter: String) async throws {
        try Tool.draw(Self.ticket, to: folder.path("ticket.png"), module: 6)
        let pictures = try TemporaryFolder()
        try Tool.convert(
            folder.path("ticket.png"), to: pictures.path("variant.\(kind)"), ["-vf", filter, "-frames:v", "1"])
        let sightings = try await all(ZBarScanner(pictures: pictures.url.path))
        #expect(sightings.map(\.bytes) == [Self.ticket])
    }

    @Test("Every code of a picture is given")
    func several() async throws {
        let codes = ["left", "right"].map { Array($0.utf8) }
        let pictures = try codes.map { code in
            try Tool.draw(code, to: folder.path("one.png"))
            return try PictureDecoder.decode(try bytes("one.png"))
        }
        unlink(folder.path("one.png"))
        try folder.write(pgm(beside(pictures)), "both.pgm")
        let sightings = try await all(ZBarScanner(pictures: folder.url.path))
        #expect(Set(sightings.map(\.bytes)) == Set(codes) && sightings.count == 2)
    }

    @Test(
        "A picture that gives no code is a sighting of no bytes that says why, and the rest is read",
        .timeLimit(.minutes(1)))
    func unreadable() async throws {
        try Tool.draw(Self.ticket, to: folder.path("0.png"))
        let whole = try bytes("0.png")
        try folder.write([], "1.png")
        try folder.write(Array(whole.prefix(whole.count / 2)), "2.png")
        try folder.write(Array("hello".utf8), "3.jpg")
        try folder.write(Array("P5 9000 9000 255 a".utf8), "4.pgm")
        try folder.write(
            pgm(LumaPicture(width: 300, height: 300, luma: [UInt8](repeating: 255, count: 90_000))), "5.pgm")
        #expect(mkfifo(folder.path("6.png"), 0o600) == 0)
        try FileManager.default.createDirectory(atPath: folder.path("7.png"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.path("8.png"), withDestinationPath: "nowhere")
        try folder.write(whole, "9.png")
        let sightings = try await all(ZBarScanner(pictures: folder.url.path))
        #expect(sightings.map { $0.bytes.isEmpty } == [false] + [Bool](repeating: true, count: 8) + [false])
        let reasons = sightings.map { $0.origin ?? "" }
        #expect(reasons[4] == "4.pgm: 9000 × 9000 pixels are none or too many")
        #expect(reasons[5] == "5.pgm: no code found")
        #expect(reasons[6...7] == ["6.png: not a file", "7.png: not a file"])
        #expect(reasons[1...8].allSatisfy { $0.contains(": ") })
    }

    @Test("An empty folder ends at once, one that is not there is unavailable")
    func folders() async throws {
        #expect(try await ZBarScanner(pictures: folder.url.path).next() == nil)
        for path in [folder.path("missing"), "/dev/null"] {
            let scanner = ZBarScanner(pictures: path)
            for _ in 0..<2 {
                await #expect {
                    try await scanner.next()
                } throws: { error in
                    guard case .unavailable(let cause) = error as? CodeScannerError else { return false }
                    return cause.hasPrefix(path)
                }
            }
        }
    }

    @Test("A JPEG is held to the limit of pixels before it is decoded")
    func jpegSize() throws {
        // SOI; SOF0 with one component of 65,500 × 65,500.
        let header: [UInt8] = [
            0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0xff, 0xdc, 0xff, 0xdc, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63,
            0,
        ]
        #expect(throws: PictureError("65500 × 65500 pixels are none or too many")) { try PictureDecoder.decode(header) }
    }

    @Test("Video counts empty frames by its rate, and each frame with a code is a sighting")
    func video() async throws {
        let (a, b) = (Array("first".utf8), Array("second".utf8))
        let scenes: [[UInt8]?] = [nil, nil, a, a, nil, b] + [[UInt8]?](repeating: nil, count: 30) + [b]
        try folder.write(try stream("F30:1", scenes), "video.y4m")
        let sightings = try await all(ZBarScanner(video: folder.path("video.y4m")))
        #expect(sightings.map(\.bytes) == [a, a, b, b])
        #expect(sightings.map(\.emptyMilliseconds) == [66, 0, 33, 1_000])
        #expect(sightings.map(\.origin) == ["frame 3", "frame 4", "frame 6", "frame 37"])
    }

    @Test("Video without a rate cannot tell how long nothing was seen")
    func noRate() async throws {
        let code = Array("code".utf8)
        try folder.write(try stream("F0:0", [nil, nil, code]), "video.y4m")
        #expect(try await all(ZBarScanner(video: folder.path("video.y4m"))).map(\.emptyMilliseconds) == [0])
    }

    @Test("Of two codes in a frame the one that was seen last is given, so that they do not take turns")
    func twoInFrame() async throws {
        let codes = ["left", "right"].map { Array($0.utf8) }
        let pictures = try codes.map { try canvas($0) }
        let (both, swapped) = (beside(pictures), beside(pictures.reversed()))
        for first in 0...1 {
            let blank = LumaPicture(width: 320, height: 320, luma: [UInt8](repeating: 255, count: 320 * 320))
            let alone = beside([pictures[first], blank])
            try folder.write(mono("F30:1", [alone, both, swapped, both, swapped]), "video.y4m")
            let sightings = try await all(ZBarScanner(video: folder.path("video.y4m")))
            #expect(sightings.map(\.bytes) == [[UInt8]](repeating: codes[first], count: 5))
        }
    }

    @Test("ffmpeg's stream is read", .enabled(if: Tool.ffmpeg.isThere, Tool.ffmpeg.missing))
    func ffmpeg() async throws {
        let codes = (0..<3).map { Self.ticket + Array("\($0)".utf8) }
        for (number, code) in codes.enumerated() { try Tool.draw(code, to: folder.path("\(number).png")) }
        try Tool.ffmpeg.run([
            "-nostdin", "-loglevel", "error", "-framerate", "10", "-i", folder.path("%d.png"), "-pix_fmt", "yuv420p",
            "-f",
            "yuv4mpegpipe", folder.path("video.y4m"),
        ])
        #expect(try await all(ZBarScanner(video: folder.path("video.y4m"))).map(\.bytes) == codes)
    }

    @Test(
        "A stream that is none or breaks off fails with its cause, on every call",
        arguments: [
            (0, "the stream ends within its header"), (20, "the stream ends within its header"),
            (1_000, "the stream ends within a frame"), (-1, "after frame 1: no FRAME where a frame begins"),
        ])
    func brokenVideo(count: Int, cause: String) async throws {
        let whole = try stream("F30:1", [Array("code".utf8), nil])
        let broken =
            count < 0
            ? Array(whole.prefix(whole.count - 320 * 320 - 6)) + Array("BROKEN\n".utf8) : Array(whole.prefix(count))
        try folder.write(broken, "video.y4m")
        let scanner = ZBarScanner(video: folder.path("video.y4m"))
        if count < 0 {
            let first = try await scanner.next()
            #expect(first?.bytes == Array("code".utf8))
        }
        for _ in 0..<2 {
            await #expect {
                try await scanner.next()
            } throws: { error in
                guard case .failed(let text) = error as? CodeScannerError else { return false }
                return text.hasSuffix(cause)
            }
        }
    }

    @Test("A hundred scanners leave no descriptor behind")
    func descriptors() async throws {
        try Tool.draw(Self.ticket, to: folder.path("1.png"))
        let video = try TemporaryFolder()
        try video.write(try stream("F30:1", [Array("code".utf8)]), "video.y4m")
        try await leavesNoDescriptor {
            let scanner = ZBarScanner(pictures: folder.url.path)
            let sighting = try await scanner.next()
            #expect(sighting != nil)
            await scanner.close()
        }
        try await leavesNoDescriptor {
            let scanner = ZBarScanner(video: video.path("video.y4m"))
            let sighting = try await scanner.next()
            #expect(sighting != nil)
            await scanner.close()
        }
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
    }

    private func stream(_ rate: String, _ codes: [[UInt8]?]) throws -> [UInt8] {
        mono(rate, try codes.map { try canvas($0) })
    }
}

@Suite("Hostile pictures and streams", .enabled(if: Tool.qrencode.isThere, Tool.qrencode.missing))
struct HostilePictureTests {
    @Test("No picture that was cut, changed or made up traps or takes more than its limits", .timeLimit(.minutes(1)))
    func pictures() throws {
        let folder = try TemporaryFolder()
        try Tool.draw(ZBarTests.ticket, to: folder.path("1.png"))
        var seeds = [try Array(Data(contentsOf: folder.url.appendingPathComponent("1.png")))]
        seeds.append(pgm(try PictureDecoder.decode(seeds[0])))
        seeds.append(Array("P2 4 4 255 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15".utf8))
        if Tool.ffmpeg.isThere {
            try Tool.convert(folder.path("1.png"), to: folder.path("1.jpg"))
            seeds.append(try Array(Data(contentsOf: folder.url.appendingPathComponent("1.jpg"))))
        }
        let reader = try QRReader()
        var random = SeededGenerator(seed: 1)
        var (decoded, refused) = (0, 0)
        let end = Date().addingTimeInterval(1)
        while Date() < end {
            let mutant = mutated(seeds.randomElement(using: &random)!, &random)
            do throws(PictureError) {
                let picture = try PictureDecoder.decode(mutant)
                #expect(picture.luma.count == picture.width * picture.height)
                #expect(picture.luma.count <= LumaPicture.mostPixels)
                // Noise in a large picture takes ZBar seconds: the small ones show as much.
                if picture.luma.count < 1 << 18 { _ = reader.codes(in: picture) }
                decoded += 1
            } catch {
                #expect(!error.description.isEmpty)
                refused += 1
            }
        }
        #expect(decoded > 0 && refused > 0)
    }

    @Test("No stream that was cut, changed or made up traps", .timeLimit(.minutes(1)))
    func streams() throws {
        let seed = mono("F30:1", [LumaPicture(width: 40, height: 30, luma: [UInt8](repeating: 9, count: 1_200))])
        var random = SeededGenerator(seed: 2)
        var (frames, refused) = (0, 0)
        for _ in 0..<2_000 {
            let mutant = mutated(seed + seed.dropFirst(seed.firstIndex(of: 0x0a)! + 1), &random)
            var parser = Y4MParser()
            var start = 0
            do throws(PictureError) {
                while start < mutant.count {
                    let size = Int.random(in: 1...700, using: &random)
                    var input = mutant[start..<min(start + size, mutant.count)]
                    while let event = try parser.next(from: &input) {
                        if case .frame = event { frames += 1 }
                    }
                    start += size
                }
            } catch {
                refused += 1
            }
        }
        #expect(frames > 0 && refused > 0)
    }

    private func mutated(_ seed: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        case 1:
            for _ in 0..<8 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
        // The head is where the sizes are.
        case 2:
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<min(40, bytes.count), using: &random)] = .random(in: 0...255, using: &random)
            }
        case 3: bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random)
        case 4:
            let at = Int.random(in: 0..<bytes.count, using: &random)
            bytes.insert(contentsOf: (0..<20).map { _ in UInt8.random(in: 0x20...0x39, using: &random) }, at: at)
        default: bytes = Array(seed.prefix(4)) + (0..<200).map { _ in .random(in: 0...255, using: &random) }
        }
        return bytes
    }
}

/// SplitMix64: the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

/// A code in the middle of 320 × 320 white pixels; nil: nothing there.
func canvas(_ code: [UInt8]?) throws -> LumaPicture {
    var luma = [UInt8](repeating: 255, count: 320 * 320)
    if let code {
        let folder = try TemporaryFolder()
        // Large codes with fewer pixels a module, so that every one fits.
        try Tool.draw(code, to: folder.path("code.png"), module: code.count > 100 ? 3 : 4)
        let picture = try PictureDecoder.decode(
            try Array(Data(contentsOf: folder.url.appendingPathComponent("code.png"))))
        try #require(picture.width <= 320 && picture.height <= 320)
        let (left, top) = ((320 - picture.width) / 2, (320 - picture.height) / 2)
        for row in 0..<picture.height {
            let start = (top + row) * 320 + left
            luma.replaceSubrange(
                start..<(start + picture.width), with: picture.luma[(row * picture.width)..<((row + 1) * picture.width)]
            )
        }
    }
    return LumaPicture(width: 320, height: 320, luma: luma)
}

/// Pictures of one size side by side.
private func beside(_ pictures: [LumaPicture]) -> LumaPicture {
    let (width, height) = (pictures[0].width, pictures[0].height)
    let luma = (0..<height).flatMap { row in pictures.flatMap { $0.luma[(row * width)..<((row + 1) * width)] } }
    return LumaPicture(width: width * pictures.count, height: height, luma: luma)
}

func pgm(_ picture: LumaPicture) -> [UInt8] {
    Array("P5 \(picture.width) \(picture.height) 255\n".utf8) + picture.luma
}

/// A stream of grey frames of one size.
func mono(_ rate: String, _ pictures: [LumaPicture]) -> [UInt8] {
    y4m("YUV4MPEG2 W\(pictures[0].width) H\(pictures[0].height) \(rate) Cmono", pictures.map { ("FRAME", $0.luma, 0) })
}
#endif
