/// Reads YUV4MPEG2, the uncompressed video of a pipe (`ffmpeg … -f yuv4mpegpipe -`), and keeps the luma.
///
/// The stream is a header line, and then for each frame a line that begins with `FRAME` and the planes: luma first, then
/// chroma, which is passed over. Samples have 8 bits; other depths are refused by name. It holds one frame at a time and
/// asks for memory as bytes come, not as the header claims.
///
/// ```swift
/// var parser = Y4MParser()
/// var input = bytes[...]
/// while let event = try parser.next(from: &input) {
///     if case .frame(let luma) = event { look(at: luma) }
/// }
/// ```
package struct Y4MParser {
    /// What the header line says.
    package struct Header: Sendable, Hashable {
        /// Pixels of a row.
        package let width: Int
        /// Rows.
        package let height: Int
        /// Frames a second as a fraction; nil where the header leaves it out or says that it is unknown.
        package let rate: Rate?
        /// Bytes of a frame's other planes.
        package let chromaBytes: Int

        package init(width: Int, height: Int, rate: Rate?, chromaBytes: Int) {
            self.width = width
            self.height = height
            self.rate = rate
            self.chromaBytes = chromaBytes
        }
    }

    /// A number of frames a second.
    package struct Rate: Sendable, Hashable {
        package let numerator: Int
        package let denominator: Int

        package init(numerator: Int, denominator: Int) {
            self.numerator = numerator
            self.denominator = denominator
        }

        /// How long so many frames last, in milliseconds; clamped where it would overflow.
        package func milliseconds(of frames: Int) -> Int64 {
            let (span, overflow) = Int64(frames).multipliedReportingOverflow(by: Int64(denominator) * 1_000)
            return overflow ? .max : span / Int64(numerator)
        }
    }

    /// What was completed.
    package enum Event: Sendable, Hashable {
        case header(Header)
        /// The luma of a frame: width × height bytes, row by row.
        case frame([UInt8])
    }

    private enum State {
        case header
        case frameLine(Header)
        case luma(Header)
        case chroma(Header, left: Int)
        case broken(PictureError)
    }

    /// The longest header or frame line.
    private static let longestLine = 1_024

    private var state = State.header
    private var line: [UInt8] = []
    private var luma: [UInt8] = []
    private var hasSeenFrame = false

    package init() {}

    /// Whether the stream may end here: after the header, between two frames.
    package var isBetweenFrames: Bool {
        if case .frameLine = state { line.isEmpty } else { false }
    }

    /// Takes bytes off the front of `input` until something is complete; nil where they did not suffice.
    ///
    /// - Throws: `PictureError` where the stream is not what it should be; again on every later call, since the place of
    ///   the next frame is lost.
    package mutating func next(from input: inout ArraySlice<UInt8>) throws(PictureError) -> Event? {
        do {
            return try advance(&input)
        } catch {
            state = .broken(error)
            throw error
        }
    }

    private mutating func advance(_ input: inout ArraySlice<UInt8>) throws(PictureError) -> Event? {
        while !input.isEmpty {
            switch state {
            case .broken(let error): throw error
            case .header:
                guard let line = try takeLine(&input) else { return nil }
                let header = try Self.header(line)
                state = .frameLine(header)
                return .header(header)
            case .frameLine(let header):
                guard let line = try takeLine(&input) else { return nil }
                guard line.elementsEqual("FRAME".utf8) || line.starts(with: "FRAME ".utf8) else {
                    throw PictureError("no FRAME where a frame begins")
                }
                state = .luma(header)
            case .luma(let header):
                if let frame = takeLuma(&input, header.width * header.height) {
                    state = header.chromaBytes == 0 ? .frameLine(header) : .chroma(header, left: header.chromaBytes)
                    return .frame(frame)
                }
            case .chroma(let header, let left):
                let skipped = min(left, input.count)
                input = input.dropFirst(skipped)
                state = skipped == left ? .frameLine(header) : .chroma(header, left: left - skipped)
            }
        }
        return nil
    }

    private mutating func takeLuma(_ input: inout ArraySlice<UInt8>, _ pixels: Int) -> [UInt8]? {
        // Once a whole frame has come, the header's claim is known to be honest.
        if luma.isEmpty, hasSeenFrame { luma.reserveCapacity(pixels) }
        let piece = input.prefix(pixels - luma.count)
        luma += piece
        input = input.dropFirst(piece.count)
        guard luma.count == pixels else { return nil }
        hasSeenFrame = true
        defer { luma = [] }
        return luma
    }

    private mutating func takeLine(_ input: inout ArraySlice<UInt8>) throws(PictureError) -> [UInt8]? {
        let end = input.firstIndex(of: 0x0a)
        let piece = input[..<(end ?? input.endIndex)]
        guard line.count + piece.count <= Self.longestLine else {
            throw PictureError("a line of the stream is too long")
        }
        line += piece
        guard let end else {
            input = []
            return nil
        }
        input = input[(end + 1)...]
        defer { line = [] }
        return line
    }

    private static func header(_ line: [UInt8]) throws(PictureError) -> Header {
        let fields = line.split(separator: 0x20)
        guard fields.first?.elementsEqual("YUV4MPEG2".utf8) == true else {
            throw PictureError("not a YUV4MPEG2 stream")
        }
        var (width, height) = (0, 0)
        var rate: Rate?
        var colour = "420"
        for field in fields.dropFirst() {
            let value = field.dropFirst()
            switch field.first {
            case UInt8(ascii: "W"): width = number(value) ?? 0
            case UInt8(ascii: "H"): height = number(value) ?? 0
            case UInt8(ascii: "F"): rate = try self.rate(value)
            case UInt8(ascii: "C"): colour = String(decoding: value.prefix(16), as: UTF8.self)
            default: break
            }
        }
        guard LumaPicture.pixels(width: width, height: height) != nil else { throw .size(width, height) }
        guard let chromaBytes = chromaBytes(colour, width, height) else {
            throw PictureError("colour space \(colour.debugDescription) is not one with 8 bits a sample")
        }
        return Header(width: width, height: height, rate: rate, chromaBytes: chromaBytes)
    }

    private static func rate(_ value: ArraySlice<UInt8>) throws(PictureError) -> Rate? {
        let parts = value.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let numerator = number(parts[0]), let denominator = number(parts[1]) else {
            throw PictureError("the frame rate is no fraction")
        }
        // 0:0 says that it is unknown.
        return numerator > 0 && denominator > 0 ? Rate(numerator: numerator, denominator: denominator) : nil
    }

    /// The bytes of the planes after luma, chroma sides rounded up; nil for a colour space that is not known.
    private static func chromaBytes(_ colour: String, _ width: Int, _ height: Int) -> Int? {
        switch colour {
        case "420", "420jpeg", "420mpeg2", "420paldv": 2 * ((width + 1) / 2) * ((height + 1) / 2)
        case "411": 2 * ((width + 3) / 4) * height
        case "422": 2 * ((width + 1) / 2) * height
        case "444": 2 * width * height
        case "444alpha": 3 * width * height
        case "mono": 0
        default: nil
        }
    }

    /// A decimal number of at most nine digits, which cannot overflow.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }
}
