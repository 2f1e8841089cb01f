#if Curl && os(Linux)
import Foundation
import Portico
import Testing

@testable import PorticoCurl

@Suite("A streamed body between its two threads", .timeLimit(.minutes(1)))
struct CurlBodyTests {
    @Test("A reader that empties a body which was held back lets it go on, at whatever moment the two meet")
    func meeting() async throws {
        let chunk = [UInt8](repeating: 1, count: 16 << 10)
        let chunks = 20_000
        let body = CurlBody()
        let room = DispatchSemaphore(value: 0)
        let producer = Thread {
            for _ in 0..<chunks {
                while !chunk.withUnsafeBytes({ body.receive($0) }) {
                    room.wait()
                    body.goesOn()
                }
            }
            body.end(nil)
        }
        producer.start()
        var count = 0
        while let piece = try await body.next({ room.signal() }).get() { count += piece.count }
        #expect(count == chunks * chunk.count)
    }

    @Test("What came before an error is given first; after a cancellation nothing is")
    func endings() async throws {
        let broken = CurlBody()
        _ = [1, 2].withUnsafeBytes { broken.receive($0) }
        broken.end(.closed)
        broken.end(nil)
        _ = try await broken.next({}).get()
        #expect(await broken.next({}) == .failure(.closed))
        let cancelled = CurlBody()
        _ = [1, 2].withUnsafeBytes { cancelled.receive($0) }
        cancelled.end(.cancelled)
        #expect(await cancelled.next({}) == .failure(.cancelled))
    }
}
#endif
