#if Curl && os(Linux)
import Foundation
import Portico
import PorticoCurl
import PorticoHTTPSync
import Subjects
import Testing

@Suite("Uploads to the reference service")
struct ReferenceServiceTests {
    private static let claims = TicketClaims(
        ticketID: "T-1", eventID: "SUMMER-2026", zoneID: "NORTH", issuedAt: Instant(seconds: 1_780_000_000),
        validFrom: Instant(seconds: 1_780_000_000), validTo: Instant(seconds: 1_790_000_000),
        signature: [UInt8](repeating: 1, count: 64), keyID: "K-1", contentHash: [UInt8](repeating: 2, count: 32))

    private func event(_ number: Int, _ id: Int? = nil, device: Identifier = "device-a") -> ScanEvent {
        let isAdmission = number % 2 == 1
        return ScanEvent(
            id: EventID(at: Instant(seconds: 1_783_188_000), random: (0, UInt64(id ?? number))), deviceID: device,
            sequence: Int64(number), gateID: "Gate 1", lane: "A", gateEvents: ["SUMMER-2026"],
            scannedAt: Instant(milliseconds: 1_783_188_000_123), configuration: ConfigurationStamp(version: 3),
            verdict: isAdmission ? .admitted : .refused(.malformed),
            ticket: isAdmission ? .verified(Self.claims) : .none,
            codeHash: isAdmission ? [UInt8](repeating: 3, count: 32) : nil, codeLength: 5)
    }

    private func outcome(
        _ transport: HTTPSyncTransport, _ batch: [ScanEvent], _ cursor: String? = nil
    ) async -> Result<SyncReceipt, SyncTransportError> {
        do throws(SyncTransportError) {
            return .success(try await transport.send(batch, after: cursor))
        } catch {
            return .failure(error)
        }
    }

    private func isUnavailable(_ outcome: Result<SyncReceipt, SyncTransportError>) -> Bool {
        if case .failure(.unavailable) = outcome { true } else { false }
    }

    @Test("receipts and refusals of a real server are read as they are meant")
    func service() async throws {
        guard let python = ReferenceBackend.python else {
            print("skipped: the reference service; PORTICO_BACKEND_PYTHON names no interpreter and .venv has none")
            return
        }
        let service = try ReferenceBackend(
            python,
            [
                "serve", "--token", "t-1", "--faults",
                "500-after-store@2,429@3:retry-after=3,429-date@4:retry-after=30,drop@5,html-200@6,cut@7",
            ])
        let http = try CurlHTTPTransport(configuration: .init(allowInsecure: true, proxy: .none))
        let result: Result<Void, any Error>
        do {
            result = .success(try await talk(to: service.url + "/v1/scans", http))
        } catch {
            result = .failure(error)
        }
        await http.close()
        service.stop()
        try result.get()
    }

    private func talk(to url: String, _ http: CurlHTTPTransport) async throws {
        func transport(_ device: Identifier, token: String = "t-1") -> HTTPSyncTransport {
            HTTPSyncTransport(http: http, url: url, deviceID: device, token: { token })
        }
        let first = transport("device-a")
        let batch = (1...4).map { event($0) }
        #expect(
            await outcome(transport("device-a", token: "wrong"), batch)
                == .failure(.stopped("the credentials are not accepted (401): check the token")))

        let accepted = try await outcome(first, Array(batch.prefix(2))).get()
        #expect(accepted.items == batch.prefix(2).map { .init(id: $0.id, result: .accepted) })
        #expect(accepted.highestSequence == 2)
        #expect(accepted.serverTime != nil)
        #expect(accepted.redemptions.isEmpty && accepted.unreadableRedemptions == 0)

        // The second upload is stored, although the server says that it failed.
        #expect(await outcome(first, batch) == .failure(.unavailable("the server failed (500)")))
        #expect(await outcome(first, batch) == .failure(.retry(afterMilliseconds: 3_000)))
        guard case .failure(.retry(let span?)) = await outcome(first, batch) else {
            Issue.record("a date in Retry-After is not read")
            return
        }
        #expect((28_000...31_000).contains(span))
        for _ in 0..<3 { #expect(isUnavailable(await outcome(first, batch))) }

        let again = try await outcome(first, batch).get()
        #expect(again.items == batch.map { .init(id: $0.id, result: .duplicate) })
        #expect(again.highestSequence == 4)

        let reused = try await outcome(first, [event(4, 99)]).get()
        guard case .refused(let code, let message) = reused.items.first?.result else {
            Issue.record("a second event with one sequence gives \(reused.items)")
            return
        }
        #expect(code == "sequenceReused" && !message.isEmpty)
        #expect(await outcome(first, (1...501).map { event($0) }) == .failure(.batchTooLarge))

        // Another device that has nothing to send learns of both admissions, once.
        let other = transport("device-b")
        let news = try await outcome(other, []).get()
        #expect(news.items.isEmpty && news.unreadableRedemptions == 0)
        #expect(
            news.redemptions
                == [batch[0], batch[2]].map {
                    Redemption(
                        id: $0.id, ticket: Self.claims.key, deviceID: "device-a", gateID: "Gate 1", zoneID: "NORTH",
                        at: $0.scannedAt, contentHash: Self.claims.contentHash)
                })
        let cursor = try #require(news.cursor)
        #expect(try await outcome(other, [], cursor).get().redemptions.isEmpty)
        guard case .failure(.batchRejected(let why)) = await outcome(other, [], "no cursor of yours") else {
            return
        }
        #expect(!why.isEmpty)
    }
}
#endif
