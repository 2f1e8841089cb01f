#if ZBar && os(Linux)
import Portico
import PorticoPOSIX

/// A YUV4MPEG2 stream, frame by frame.
final class VideoStream {
    private let descriptor: Descriptor
    private let reader: QRReader
    private var parser = Y4MParser()
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var input: ArraySlice<UInt8> = []
    private var header: Y4MParser.Header?
    private var frame = 0
    private var emptyFrames = 0
    private var last: [UInt8]?

    init(_ descriptor: Descriptor) throws(SourceError) {
        self.descriptor = descriptor
        reader = try QRReader()
    }

    func next(_ stop: StopSignal) throws(SourceError) -> Pulled<ScannedCode> {
        while true {
            switch try parsed() {
            case .header(let header)?: self.header = header
            case .frame(let luma)?:
                if let code = look(at: luma) { return .element(code) }
                if try stop.isRaised() { return .stopped }
            case nil:
                guard try stop.wait(for: descriptor) else { return .stopped }
                if try !refill() { return .ended }
            }
        }
    }

    private func parsed() throws(SourceError) -> Y4MParser.Event? {
        do {
            return try parser.next(from: &input)
        } catch {
            throw .failed("\(descriptor.name), after frame \(frame): \(error.description)")
        }
    }

    /// Reads what there is; false at the end of the stream.
    private func refill() throws(SourceError) -> Bool {
        // A slice of the buffer would make the next read copy it.
        input = []
        switch try descriptor.read(into: &buffer) {
        case .bytes(let count): input = buffer[..<count]
        case .nothingYet: break
        case .end:
            guard parser.isBetweenFrames else {
                throw .failed("\(descriptor.name): the stream ends within \(header == nil ? "its header" : "a frame")")
            }
            return false
        }
        return true
    }

    /// The frame's sighting: of several codes the one that was seen last, if it is among them, and else the first found.
    /// Two codes before one camera would otherwise take turns, and each turn would look like a new presentation.
    private func look(at luma: [UInt8]) -> ScannedCode? {
        guard let header else { return nil }
        frame += 1
        let codes = reader.codes(in: LumaPicture(width: header.width, height: header.height, luma: luma))
        guard let code = codes.first(where: { $0 == last }) ?? codes.first else {
            emptyFrames += 1
            return nil
        }
        defer { emptyFrames = 0 }
        last = code
        let empty = header.rate?.milliseconds(of: emptyFrames) ?? 0
        return ScannedCode(bytes: code, emptyMilliseconds: empty, origin: "frame \(frame)")
    }
}
#endif
