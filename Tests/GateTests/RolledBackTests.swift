#if Curl && Sodium && os(Linux)
import Foundation
import Portico
import PorticoContracts
import Subjects
import Testing

@Suite("gate, where the server knows more of its device than its store", .serialized)
struct RolledBackTests {
    /// Runs the tool against a server that has scans of this device up to number 99.
    private func run(
        _ arguments: [String], _ option: String, typing text: String = ""
    ) async throws -> (
        status: Int32, said: String, complained: String
    ) {
        let folder = try TemporaryFolder()
        // A device that never scanned, so that nothing but the server's number is odd.
        let made = try GateTool.run(["scan", "--lines", "--event", "E", "--zone", "Z"], in: folder)
        try #require(made.status == 0)
        let body = #"{"results":[],"redemptions":[],"highestSequence":99}"#
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let server = try await LoopbackServer().start(.plain) { _ in
            [ServerConnection([.read, .send(answer)], repeats: true)]
        }
        let url = "http://127.0.0.1:\(server.port)/v1/scans"
        let result = try GateTool.run(arguments + ["--insecure-http", option, url], in: folder, typing: text)
        await server.stop()
        return result
    }

    @Test("A sync says so aloud and ends with a failure, though nothing waits any more", arguments: [false, true])
    func sync(asJSON: Bool) async throws {
        let result = try await run(["sync"] + (asJSON ? ["--json"] : []), "--url")
        #expect(result.status == 1)
        #expect(result.complained.contains("ROLLED BACK OR COPIED"))
        #expect(result.complained.contains("up to number 99"))
        if asJSON {
            let report = try JSONValue(parsing: Array(result.said.utf8))
            #expect(report["ending"]?.stringValue == "drained")
            #expect(report["rolledBackBelow"]?.integerValue == 99)
        } else {
            #expect(result.said.hasSuffix("nothing waits\n"))
        }
    }

    @Test("A scan that uploads says so at its end", arguments: [false, true])
    func scan(asJSON: Bool) async throws {
        let result = try await run(["scan", "--lines"] + (asJSON ? ["--json"] : []), "--sync")
        #expect(result.status == 1)
        #expect(result.complained.contains("ROLLED BACK OR COPIED"))
    }
}
#endif
