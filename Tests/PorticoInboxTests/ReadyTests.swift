import Foundation
import Portico
import PorticoInbox
import PorticoReady
import Testing

@Suite("An inbox in two lines", .serialized)
struct ReadyTests {
    #if Curl && os(Linux)
    @Test("The two lines compile, and make a client where an endpoint is named")
    func twoLines() async throws {
        setenv("PORTICO_INBOX_ENDPOINT", "https://notify.example", 1)
        defer { unsetenv("PORTICO_INBOX_ENDPOINT") }
        let inbox = try InboxClient(token: { "token" })
        #expect(await inbox.state().messages.isEmpty)
        await inbox.close()
        let custom = try InboxClient(token: { "token" }, endpoint: "https://inbox.own-domain.example")
        await custom.close()
    }
    #endif

    @Test("Without an endpoint anywhere it throws and says how to give one")
    func noEndpoint() {
        let error = #expect(throws: InboxError.self) { try InboxClient(token: { "token" }) }
        #expect(error?.code == .endpoint)
        for way in ["endpoint:", "PorticoInboxEndpoint", "PORTICO_INBOX_ENDPOINT"] {
            #expect(error?.message.contains(way) == true)
        }
    }
}
