import Foundation
import Testing

/// Replays the kept inputs of the fuzzers: what they reached once stays right without them.
@Suite("The fuzzers' corpus")
struct CorpusTests {
    private static let targets: [any FuzzTarget.Type] = [
        TicketDecoding.self, StrictJSON.self, ConfigurationReading.self, JournalReading.self, EventDecoding.self,
        ReceiptDecoding.self,
    ]

    @Test("Every kept input is judged without a trap and keeps every property", arguments: targets.map(\.name))
    func replay(name: String) throws {
        let target = try #require(Self.targets.first { $0.name == name })
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Corpus/\(name)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var accepted = 0
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: file))
            do {
                if try target.check(bytes) { accepted += 1 }
            } catch {
                Issue.record("\(name)/\(file.lastPathComponent): \(error)")
            }
        }
        // A corpus that is all refused, or all taken, has lost what it is kept for.
        #expect(accepted > 0)
        #expect(accepted < files.count)
    }
}
