import Portico
import PorticoInMemory
import Testing

@testable import PorticoInbox

/// Services, and networks, at their worst: what they say is at most wrong, and never the end of the inbox.
@Suite("An inbox and a service that means harm", .timeLimit(.minutes(2)))
struct HostileServiceTests {
    private typealias Inbox = TestInbox

    /// A client that follows a service with these messages, and what it is told.
    private func live(
        _ messages: [JSONValue], unread: Int64 = 1, account: String? = nil, documents: InMemoryDocumentStore? = nil
    ) async throws -> (Inbox, StubHTTPStreamingTransport.Exchange, AsyncStream<InboxUpdate>) {
        let inbox = try Inbox(account: account, documents: documents)
        await inbox.service.play("GET /messages", Inbox.page(messages, unread: unread, position: "e-5"))
        let stream = inbox.client.updates()
        let exchange = await inbox.opened()
        for await update in stream where update == .connection(.live) { break }
        return (inbox, exchange, stream)
    }

    private func waitForRefetch(_ stream: AsyncStream<InboxUpdate>) async {
        for await update in stream where update == .refreshed { break }
    }

    @Test("A count at the end of the numbers is no end of the app")
    func hugeCount() async throws {
        let inbox = try Inbox(account: nil)
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a"), Inbox.message("b")], unread: .max))
        _ = try await inbox.client.messages()
        await inbox.service.play("POST /messages/a/read", .json([:]))
        try await inbox.client.markRead("a")
        #expect(await inbox.client.state().unread > 1_000_000)
        await inbox.service.play("GET /messages", Inbox.page([], unread: .min, revision: 2))
        _ = try await inbox.client.messages()
        #expect(await inbox.client.state().unread == 0)
    }

    @Test("A page that is larger than an answer may be is asked for in smaller ones")
    func tooLarge() async throws {
        let inbox = try Inbox(account: nil)
        await inbox.service.limitPages(to: 7, Inbox.page([Inbox.message("a")], unread: 1))
        #expect(try await inbox.client.messages(limit: 100).map(\.id) == ["a"])
        #expect(inbox.http.requests.map { $0.url.contains("limit=6&") } == [false, false, false, false, true])
        await inbox.service.limitPages(to: 0, Inbox.page([]))
        #expect(await failure { try await inbox.client.messages(limit: 2) }?.code == .tooLarge)
    }

    @Test("After a gap in which more came than a page holds, what is older is as the service has it")
    func longGap() async throws {
        let old = (1...20).map { Inbox.message("m\($0)", at: Int64($0)) }
        let (inbox, exchange, stream) = try await live(old.reversed(), unread: 20)
        // Ten new ones came, m1 was read elsewhere, m2 is gone.
        let newest = (11...30).map { Inbox.message("m\($0)", at: Int64($0)) }
        let rest = (3...10).map { Inbox.message("m\($0)", at: Int64($0)) }
        await inbox.service.play(
            "GET /messages",
            Inbox.page(newest.reversed(), next: "c", unread: 28, revision: 2, position: "f-1"),
            Inbox.page(
                rest.reversed() + [Inbox.message("m1", at: 1, read: true, revision: 2)], unread: 28, revision: 2))
        exchange.send(Inbox.event("resync", [:], id: "f-1"))
        await waitForRefetch(stream)
        let state = await inbox.client.state()
        #expect(state.messages.count == 29)
        #expect(state.messages.last?.id == "m1" && state.messages.last?.isRead == true)
        #expect(state.unread == 28)
    }

    @Test("After a gap the archive is as the service has it, where anything of it is known")
    func archive() async throws {
        let inbox = try Inbox(account: nil)
        await inbox.service.play(
            "GET /messages",
            Inbox.page([Inbox.message("z", archived: true), Inbox.message("y", at: -1, archived: true)]),
            Inbox.page([Inbox.message("a")], unread: 1, position: "e-5"))
        _ = try await inbox.client.page(filter: .archived)
        _ = try await inbox.client.page()
        let stream = inbox.client.updates()
        let exchange = await inbox.opened()
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("a")], unread: 1, position: "f-1"),
            Inbox.page([Inbox.message("y", at: -1, archived: true)]))
        exchange.send(Inbox.event("resync", [:], id: "f-1"))
        await waitForRefetch(stream)
        #expect(await inbox.client.state().messages.map(\.id) == ["a", "y"])
        #expect(inbox.http.requests.last?.url.contains("filter=archived") == true)
    }

    @Test(
        "A place in the stream that no field can carry is not gone on from, of a page, of an event and of a snapshot",
        arguments: ["a\u{7}b", "a\nX-Evil: y", String(repeating: "x", count: 5_000), ""])
    func badPosition(position: String) async throws {
        let documents = InMemoryDocumentStore()
        let inbox = try Inbox(documents: documents)
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("a")], unread: 1, position: position))
        let stream = inbox.client.updates()
        let exchange = await inbox.http.nextStream()
        #expect(!exchange.request.fields.contains { $0.name == "Last-Event-ID" })
        await inbox.client.close()
        for await _ in stream {}

        let again = try Inbox(documents: documents)
        await again.service.play("GET /messages", Inbox.page([Inbox.message("a")], unread: 1, position: "e-9"))
        let later = again.client.updates()
        let next = await again.http.nextStream()
        #expect(next.request.fields.last { $0.name == "Last-Event-ID" }?.value == "e-9")
        await again.client.close()
        for await _ in later {}
    }

    @Test("Pages that lead nowhere are an error, and are not followed for ever")
    func endlessPages() async throws {
        let inbox = try Inbox(account: nil)
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a")], next: "again"))
        #expect(await failure { try await inbox.client.page(after: "again") }?.code == .answer)

        let page = Inbox.page([Inbox.message("a", at: 5), Inbox.message("b")], position: "")
        await inbox.service.play("GET /messages", page)
        _ = try await inbox.client.messages()
        for (endless, requests) in [
            (Inbox.page([Inbox.message("a", at: 5)], next: "again"), 2), (Inbox.page([], next: "again"), 1),
        ] {
            await inbox.service.play("GET /messages", endless)
            let before = inbox.http.requests.count
            for await update in inbox.client.updates() {
                guard case .connection(.waiting(_, let error)) = update else { continue }
                #expect(error?.code == .answer)
                break
            }
            #expect(inbox.http.requests.count - before == requests)
        }
    }

    @Test("A consumer at the edge of its buffer is told of everything, or that it was not")
    func edge() async throws {
        let (updates, continuation) = AsyncStream.makeStream(
            of: InboxUpdate.self, bufferingPolicy: .bufferingOldest(UpdateConsumers.mostWaiting))
        var consumers = UpdateConsumers()
        _ = consumers.add(continuation)
        var generator = SeededGenerator(seed: 7)
        // The numbers that were sent, and what a reader knows: it reads the state whenever it is told `refreshed`.
        var (sent, known) = (0, 0)
        func take(_ update: InboxUpdate) {
            switch update {
            case .unread(let number): if number == known + 1 { known = number }
            case .refreshed: known = sent
            default: break
            }
        }
        for burst in 0..<200 {
            for _ in 0..<Int.random(in: 0...400, using: &generator) {
                sent += 1
                consumers.send(.unread(sent))
            }
            // Sometimes to the last, mostly not.
            var reads = Int.random(in: 0...(burst % 10 == 0 ? 300 : 30), using: &generator)
            while reads > 0, known < sent {
                reads -= 1
                for await update in updates {
                    take(update)
                    break
                }
            }
        }
        consumers.finish()
        for await update in updates { take(update) }
        #expect(known == sent)
    }

    @Test(
        "After a refetch the stream goes on from there, whatever comments and old ids come", arguments: [true, false])
    func position(hasID: Bool) async throws {
        let (inbox, exchange, stream) = try await live([Inbox.message("a")])
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("b", at: 1)], unread: 1, position: "f-9"))
        exchange.send(Array("event: resync\n\(hasID ? "id: f-1\n" : "")data: {}\n\n".utf8))
        await waitForRefetch(stream)
        exchange.send(Array(": keep-alive\n\n".utf8))
        exchange.send(Array("event: other\ndata: {}\n\n".utf8))
        exchange.end()
        for await update in stream {
            guard case .connection(.waiting(let span, _)) = update else { continue }
            await inbox.time.sleepers(1)
            inbox.time.advance(milliseconds: span)
            break
        }
        let again = await inbox.opened()
        #expect(again.request.fields.last { $0.name == "Last-Event-ID" }?.value == "f-9")
    }

    @Test("A snapshot holds what an event may hold, however deep, and no more bytes than an offline start can read")
    func snapshot() async throws {
        let documents = InMemoryDocumentStore()
        let (inbox, exchange, stream) = try await live([Inbox.message("a")], account: "ann", documents: documents)
        var data: JSONValue = 1
        for _ in 0..<62 { data = [data] }
        exchange.send(Inbox.event("message", Inbox.message("deep", at: 1, [("data", data)]), id: "e-6"))
        let large = JSONValue.string(String(repeating: "x", count: 1_000_000))
        for number in 0..<12 {
            exchange.send(Inbox.event("message", Inbox.message("l\(number)", at: -1, [("data", large)]), id: "l"))
        }
        for await update in stream { if case .message(let message) = update, message.id == "l11" { break } }
        await inbox.client.close()
        let again = try Inbox(documents: documents)
        let messages = await again.client.state().messages
        #expect(messages.first?.id == "deep")
        #expect((5...10).contains(messages.count))
        await again.client.close()
    }

    @Test("An answer that was asked for before a gap, and comes while that is mended, brings nothing back")
    func oldAnswer() async throws {
        let (inbox, exchange, stream) = try await live([Inbox.message("a")])
        let (asked, refetch) = (Latch(), Latch())
        await inbox.service.play("GET /messages/z", .json(Inbox.message("z", at: 2)))
        await inbox.service.hold("GET /messages/z", asked)
        let client = inbox.client
        let before = inbox.http.requests.count
        let call = Task { try await client.message("z") }
        await inbox.http.requests(atLeast: before + 1)
        await inbox.service.hold("GET /messages", refetch)
        exchange.send(Inbox.event("resync", [:], id: "f-1"))
        await inbox.http.requests(atLeast: before + 2)
        await asked.open()
        _ = try await call.value
        await refetch.open()
        await waitForRefetch(stream)
        #expect(await client.state().messages.map(\.id) == ["a"])
    }

    @Test("A refusal whose body never ends is taken by its status")
    func endlessRefusal() async throws {
        let inbox = try Inbox(account: nil)
        await inbox.service.play("GET /messages", Inbox.page([]))
        let stream = inbox.client.updates()
        let exchange = await inbox.http.nextStream()
        exchange.open(status: 503, fields: [HTTPField(name: "Retry-After", value: "1")])
        exchange.send([0x20])
        await inbox.time.sleepers(1)
        inbox.time.advance(milliseconds: 10_000)
        for await update in stream {
            guard case .connection(.waiting(_, let error)) = update else { continue }
            #expect(error?.status == 503)
            break
        }
    }

    @Test("A host may cut short what we wait of our own, not the time that the service set for every reconnection")
    func reconnectionTime() async throws {
        let (inbox, exchange, stream) = try await live([Inbox.message("a")])
        exchange.send(Array("retry: 600000\n\n".utf8))
        exchange.end()
        for await update in stream { if case .connection(.waiting) = update { break } }
        await inbox.time.sleepers(1)
        await inbox.client.reconnect()
        inbox.time.advance(milliseconds: 599_999)
        await inbox.client.reconnect()
        #expect(inbox.http.streamRequests.count == 1)
        inbox.time.advance(milliseconds: 1)
        await inbox.time.sleepers(1)
        await inbox.client.reconnect()
        _ = await inbox.opened()
    }

    @Test("A logout whose list of devices cannot be read ends what was registered here all the same")
    func brokenDevices() async throws {
        let documents = InMemoryDocumentStore()
        let name = "portico.inbox.devices." + Hexadecimal.encode(SHA256.hash(Array("ann".utf8)))
        _ = try await documents.replace(name, with: Array("{broken".utf8), if: nil)
        let inbox = try Inbox(documents: documents)
        let installation = try await inbox.client.installationId().text
        await inbox.service.play("POST /devices/mobile", .json(["id": "d1", "type": "mobile"], status: 201))
        for device in ["d1", "d0"] {
            await inbox.service.play("DELETE /devices/mobile/\(device)", HTTPResponse(status: 204))
        }
        // d0 is of an earlier start.
        let old: JSONValue = ["id": "d0", "type": "mobile", "installationId": .string(installation)]
        await inbox.service.play("GET /devices", .json(["devices": [old]]))
        let registration = MobileRegistration(
            connectionId: "c", installationId: installation, token: "t", marketingConsent: false)
        #expect(await failure { try await inbox.client.registerMobilePush(registration) }?.code == .storage)
        let report = await inbox.client.logout()
        #expect(report.error?.code == .storage)
        let deleted = inbox.http.requests.filter { $0.method == "DELETE" }.map { String($0.url.suffix(2)) }
        #expect(Set(deleted) == ["d1", "d0"])
    }

    @Test(
        "Addresses that look like others are none",
        arguments: [
            "https://ok\u{202E}/", "https://ok\u{200B}.example", "https://ok\u{3164}", "https://o\u{A0}k",
            "https://ok\u{2028}", "java\tscript:alert(1)",
        ])
    func links(url: String) {
        let mapping = InboxMapping(linkSchemes: ["https"])
        let message = mapping.message(Inbox.message("a", [("link", .string(url))]))
        #expect(message?.link == .refused(url))
    }

    @Test("An address in the letters of its language may be followed")
    func international() {
        let mapping = InboxMapping(linkSchemes: ["https"])
        let url = "https://zürich.example/straße"
        #expect(mapping.message(Inbox.message("a", [("link", .string(url))]))?.link == .trusted(url))
    }
}
