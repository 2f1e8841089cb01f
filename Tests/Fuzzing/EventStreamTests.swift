import Portico
import PorticoInMemory
import Testing

@testable import PorticoInbox

@Suite("Event streams and the reference")
struct EventStreamReferenceTests {
    @Test("Bytes that are not UTF-8 are repaired as the whole stream would be, wherever it is cut")
    func repaired() throws {
        let bytes: [[UInt8]] = [
            [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xE2, 0x0A, 0x82],
            [0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0xBE],
        ]
        for bad in bytes {
            for stream in [
                Array("data: a".utf8) + bad + Array("b\n\nid: ".utf8) + bad + Array("\nevent: ".utf8) + bad
                    + Array("\ndata: c\n\n".utf8), bad + Array("data: a\n\ndata: b\n\n".utf8),
            ] {
                let reference = ParsedEventStream(ReferenceEventStream(stream))
                for size in 1...4 {
                    #expect(try ParsedEventStream(stream, pieces: [size], limit: 1 << 20) == reference, "\(bad)")
                }
            }
        }
    }

    @Test("Generated streams in random pieces give what the reference gives")
    func generated() throws {
        var random = SeededGenerator(seed: 7)
        let parts = [
            "data", "event", "id", "retry", ":", ": ", " ", "\n", "\r", "\r\n", "\n\n", "a", "\0", "é", "\u{FEFF}",
            "\u{1F600}", "12", "data: x\n\n", "id: 5\n", "event: e\n", ":c\n",
        ]
        for _ in 0..<4_000 {
            let count = Int.random(in: 1...40, using: &random)
            let stream = (0..<count).flatMap { _ in Array(parts[Int.random(in: 0..<parts.count, using: &random)].utf8) }
            let pieces = (0..<50).map { _ in Int.random(in: 1...9, using: &random) }
            let reference = ParsedEventStream(ReferenceEventStream(stream))
            #expect(try ParsedEventStream(stream, pieces: pieces, limit: 1 << 20) == reference, "\(stream)")
        }
    }
}
