import HostAdapters
import Portico
import PorticoContracts
import Testing

@Suite("The host's network layer")
struct HostNetworkTests {
    @Test("A redirect is not followed: what it leads to is no receipt")
    func redirect() async throws {
        let server = try HostServerDouble()
        server.answer("HTTP/1.1 302 Found\r\nLocation: \(server.address)/elsewhere\r\nContent-Length: 0\r\n\r\n")
        server.answer("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"results\":[]}")
        let transport = HostSyncTransport(network: HostNetwork(base: server.address), deviceID: "device")
        await #expect(throws: SyncTransportError.unavailable("the server answered with status 302")) {
            try await transport.send([], after: nil)
        }
        #expect(await server.requests().count == 1)
    }

    @Test("An answer over the limit ends the call, however long it would be")
    func tooLong() async throws {
        let server = try HostServerDouble()
        let body = String(repeating: "x", count: 200_000)
        server.answer("HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n\(body)", thenWaits: true)
        let network = HostNetwork(base: server.address, maximumBody: 100_000)
        let transport = HostSyncTransport(network: network, deviceID: "device")
        await #expect(throws: SyncTransportError.unavailable("the answer is too long")) {
            try await transport.send([], after: nil)
        }
    }

    @Test("The token goes along, and one that cannot be had sends nothing and is not shown")
    func token() async throws {
        let server = try HostServerDouble()
        #expect(try await server.play(.receipt(SyncReceipt())))
        let network = HostNetwork(base: server.address, token: { "t-1" })
        #expect(try await HostSyncTransport(network: network, deviceID: "device").send([], after: nil) == SyncReceipt())
        #expect(server.heads.first?.contains("Authorization: Bearer t-1\r\n") == true)

        let failing = HostNetwork(base: server.address, token: { throw Secret() })
        await #expect(throws: SyncTransportError.unavailable("no token")) {
            try await HostSyncTransport(network: failing, deviceID: "device").send([], after: nil)
        }
        #expect(await server.requests().count == 1)
    }

    @Test(
        "Plain http leaves this machine for no server", arguments: ["http://gate.example", "ftp://127.0.0.1", "", "x"])
    func plain(_ base: String) async {
        let transport = HostSyncTransport(network: HostNetwork(base: base), deviceID: "device")
        await #expect {
            try await transport.send([], after: nil)
        } throws: {
            if case .stopped = $0 as? SyncTransportError { true } else { false }
        }
    }

    private struct Secret: Error {}
}
