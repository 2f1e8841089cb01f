import Foundation
import Portico
import Testing

/// Clocks that a test moves by hand.
///
/// `@unchecked Sendable`: the state is read and written under `lock` only.
final class ManualTime: TimeSource, @unchecked Sendable {
    private let lock = NSLock()
    private var elapsed: Int64 = 1_000
    private var count = 0

    let bootID = "manual"
    var now: Instant { Instant(milliseconds: uptime) }
    var uptime: Int64 {
        lock.withLock {
            count += 1
            return elapsed
        }
    }

    /// How often the uptime was read.
    var readings: Int { lock.withLock { count } }

    func advance(_ milliseconds: Int64) { lock.withLock { elapsed += milliseconds } }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        advance(milliseconds)
        if Task.isCancelled { throw CancellationError() }
    }
}

/// A folder that goes with its last owner.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            print("left behind: \(url.path): \(error)")
        }
    }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: url.appendingPathComponent(name))
    }
}

/// All that a scanner gives until it ends.
func all(_ scanner: any CodeScanner) async throws -> [ScannedCode] {
    var sightings: [ScannedCode] = []
    while let sighting = try await scanner.next() { sightings.append(sighting) }
    return sightings
}

#if os(Linux)
/// Does a thing a hundred times and looks whether as many descriptors are open as before.
///
/// Tests beside this one hold descriptors too, some at a time, so that the count may differ by those; a leak leaves a
/// hundred.
func leavesNoDescriptor(_ body: () async throws -> Void) async throws {
    try await body()
    let before = try openDescriptors()
    for _ in 0..<100 { try await body() }
    let after = try openDescriptors()
    #expect(after - before < 50, "\(before) descriptors before, \(after) after a hundred rounds")
}

private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
#endif
