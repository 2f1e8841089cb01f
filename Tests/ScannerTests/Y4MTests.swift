import PorticoZBar
import Testing

@Suite("YUV4MPEG2")
struct Y4MTests {
    @Test(
        "A header and two frames are read, chroma is passed over, wherever the pieces are cut",
        arguments: [1, 2, 5, 7, 1_000])
    func frames(size: Int) throws {
        let stream = y4m(
            "YUV4MPEG2 W3 H2 F30000:1001 Ip A1:1 C420jpeg XYSCSS=420JPEG",
            [
                ("FRAME", [1, 2, 3, 4, 5, 6], chroma: 4), ("FRAME Ip", [9, 8, 7, 10, 5, 4], chroma: 4),
            ])
        let events = try parse(stream, pieces: size)
        let header = Y4MParser.Header(
            width: 3, height: 2, rate: Y4MParser.Rate(numerator: 30_000, denominator: 1_001), chromaBytes: 4)
        #expect(events == [.header(header), .frame([1, 2, 3, 4, 5, 6]), .frame([9, 8, 7, 10, 5, 4])])
    }

    @Test(
        "Each colour space has its chroma, sides rounded up",
        arguments: zip(
            ["", "C420", "C420mpeg2", "C420paldv", "C411", "C422", "C444", "C444alpha", "Cmono"],
            [12, 12, 12, 12, 12, 18, 30, 45, 0]))
    func chroma(colour: String, bytes: Int) throws {
        let luma = [UInt8](0..<15)
        let stream = y4m("YUV4MPEG2 W5 H3 F25:1 \(colour)", [("FRAME", luma, bytes), ("FRAME", luma, bytes)])
        let events = try parse(stream)
        #expect(events.dropFirst() == [.frame(luma), .frame(luma)])
    }

    @Test("A rate that is unknown or left out is none")
    func rates() throws {
        for field in ["", " F0:0", " F0:1", " F1:0"] {
            guard case .header(let header)? = try parse(y4m("YUV4MPEG2 W1 H1\(field)", [])).first else {
                Issue.record("no header with \(field)")
                continue
            }
            #expect(header.rate == nil)
        }
        let rate = Y4MParser.Rate(numerator: 30_000, denominator: 1_001)
        #expect(rate.milliseconds(of: 30) == 1_001)
        #expect(rate.milliseconds(of: 0) == 0)
        #expect(rate.milliseconds(of: .max) == .max)
    }

    @Test("A stream may end between frames and nowhere else")
    func ends() throws {
        let stream = y4m("YUV4MPEG2 W2 H2 F25:1 C420", [("FRAME", [1, 2, 3, 4], 2), ("FRAME", [1, 2, 3, 4], 2)])
        let header = stream.firstIndex(of: 0x0a)! + 1
        let frame = (stream.count - header) / 2
        for count in 0...stream.count {
            var parser = Y4MParser()
            var input = stream[..<count]
            while try parser.next(from: &input) != nil {}
            #expect(
                parser.isBetweenFrames == (count >= header && (count - header) % frame == 0), "after \(count) bytes")
        }
    }

    @Test(
        "A header that is none, absurd or of another depth is refused, and the refusal stays",
        arguments: [
            "", "YUV4MPEG W1 H1", "YUV4MPEG2", "YUV4MPEG2 W640", "YUV4MPEG2 W0 H480", "YUV4MPEG2 W-1 H1",
            "YUV4MPEG2 W99999 H99999", "YUV4MPEG2 W9999999999999999999 H1", "YUV4MPEG2 W1 H1 F25",
            "YUV4MPEG2 W1 H1 F25:1:1",
            "YUV4MPEG2 W1 H1 C420p10", "YUV4MPEG2 W1 H1 Cmono16", "YUV4MPEG2 W1 H1 C", "RIFF....AVI",
            "YUV4MPEG2 W1 H1 X" + String(repeating: "x", count: 1_024),
        ])
    func refused(header: String) {
        var parser = Y4MParser()
        var input = Array((header + "\nFRAME\n\u{1}").utf8)[...]
        #expect(throws: PictureError.self) { while try parser.next(from: &input) != nil {} }
        var more = Array("FRAME\n".utf8)[...]
        #expect(throws: PictureError.self) { try parser.next(from: &more) }
    }

    @Test("What is not a frame where one begins is refused", arguments: ["FRAMES", "frame", "", "FRAM", "XFRAME"])
    func lost(marker: String) throws {
        let stream = y4m("YUV4MPEG2 W1 H1 Cmono", [("FRAME", [1], 0), (marker, [2], 0)])
        #expect(throws: PictureError.self) { try parse(stream) }
    }

    private func parse(_ stream: [UInt8], pieces size: Int = 1 << 20) throws -> [Y4MParser.Event] {
        var parser = Y4MParser()
        var events: [Y4MParser.Event] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            var input = stream[start..<min(start + size, stream.count)]
            while let event = try parser.next(from: &input) { events.append(event) }
        }
        return events
    }
}

/// A stream of these frames, each with so many bytes of chroma.
func y4m(_ header: String, _ frames: [(line: String, luma: [UInt8], chroma: Int)]) -> [UInt8] {
    frames.reduce(into: Array("\(header)\n".utf8)) { stream, frame in
        stream += Array("\(frame.line)\n".utf8) + frame.luma + [UInt8](repeating: 0x80, count: frame.chroma)
    }
}
