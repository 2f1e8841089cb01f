import Foundation
import Testing

/// Replays the kept inputs of the fuzzers: what they reached once stays right without them.
@Suite("The fuzzers' corpus")
struct CorpusTests {
    private static let checks: [String: @Sendable ([UInt8]) throws -> Bool] = [
        TicketDecoding.name: { try TicketDecoding.check($0) }, StrictJSON.name: { try StrictJSON.check($0) },
        ConfigurationReading.name: { try ConfigurationReading.check($0) },
        JournalReading.name: { try JournalReading.check($0) }, EventDecoding.name: { try EventDecoding.check($0) },
        ReceiptDecoding.name: { try ReceiptDecoding.check($0) },
        EventStreamReading.name: { try EventStreamReading.check($0) },
        TokenReading.name: { try TokenReading.check($0) }, LinkReading.name: { try LinkReading.check($0) },
    ]

    @Test("Every kept input is judged without a trap and keeps every property", arguments: checks.keys.sorted())
    func replay(name: String) throws {
        let check = try #require(Self.checks[name])
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Corpus/\(name)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var accepted = 0
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: file))
            do {
                if try check(bytes) { accepted += 1 }
            } catch {
                Issue.record("\(name)/\(file.lastPathComponent): \(error)")
            }
        }
        // A corpus that is all refused, or all taken, has lost what it is kept for.
        #expect(accepted > 0)
        #expect(accepted < files.count)
    }
}
