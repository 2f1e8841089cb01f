import Portico
import PorticoInMemory
import Testing

@testable import PorticoInbox

@Suite("Live updates", .timeLimit(.minutes(2)))
struct UpdateTests {
    private typealias Inbox = TestInbox

    /// A consumer: the stream is its own as long as it is held.
    private struct Listener {
        let stream: AsyncStream<InboxUpdate>

        func any() async -> InboxUpdate? {
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }

        /// The next update that tells no state of the connection.
        func next() async -> InboxUpdate? {
            while let update = await any() {
                if case .connection = update { continue }
                return update
            }
            return nil
        }

        func connection(until wanted: (InboxConnection) -> Bool) async -> InboxConnection? {
            while let update = await any() {
                if case .connection(let connection) = update, wanted(connection) { return connection }
            }
            return nil
        }

        /// Why the updates ended; nil where they did not say.
        func ended() async -> InboxError?? {
            guard case .ended(let error)? = await connection(until: { if case .ended = $0 { true } else { false } })
            else { return nil }
            return .some(error)
        }
    }

    /// The first stream of an inbox, open.
    private func live(_ inbox: Inbox) async -> (StubHTTPStreamingTransport.Exchange, Listener) {
        let listener = Listener(stream: inbox.client.updates())
        return (await inbox.opened(), listener)
    }

    private func inbox(
        _ messages: [JSONValue] = [Inbox.message("a")], policy: InboxPolicy = InboxPolicy()
    ) async throws -> Inbox {
        let inbox = try Inbox(account: nil, policy: policy)
        await inbox.service.play("GET /messages", Inbox.page(messages, unread: 1, position: "e-5"))
        return inbox
    }

    @Test("The stream begins where the list stands, so that nothing falls between the two")
    func position() async throws {
        let inbox = try await inbox()
        let (stream, updates) = await live(inbox)
        #expect(stream.request.url == "https://notify.example/v1/inbox/updates")
        #expect(stream.request.fields.contains(HTTPField(name: "Last-Event-ID", value: "e-5")))
        #expect(stream.request.fields.contains(HTTPField(name: "Accept", value: "text/event-stream")))
        #expect(stream.request.timeout == nil)
        #expect(await updates.next() == .unread(1))
        #expect(await updates.next() == .refreshed)
        stream.send(Inbox.event("message", Inbox.message("b", at: 1), id: "e-6"))
        guard case .message(let message)? = await updates.next() else {
            Issue.record("no message")
            return
        }
        #expect(message.id == "b")
        // The same state again, and an older one, are not told.
        stream.send(Inbox.event("message", Inbox.message("b", at: 1), id: "e-7"))
        stream.send(Inbox.event("message", Inbox.message("b", at: 1, revision: 0), id: "e-8"))
        stream.send(Inbox.event("unread", ["unread": 2, "unreadRevision": 3], id: "e-9"))
        #expect(await updates.next() == .unread(2))
        stream.send(Inbox.event("removed", ["id": "a"], id: "e-10"))
        #expect(await updates.next() == .removed("a"))
        #expect(await inbox.client.state().messages.map(\.id) == ["b"])
        stream.end()
        await inbox.time.sleepers(1)
        inbox.time.advance(milliseconds: 2_000)
        let second = await inbox.opened()
        #expect(second.request.fields.contains(HTTPField(name: "Last-Event-ID", value: "e-10")))
    }

    @Test("What this version does not know is told as it came, and nothing of it is fatal")
    func unknown() async throws {
        let inbox = try await inbox()
        let (stream, updates) = await live(inbox)
        _ = await updates.next()
        _ = await updates.next()
        stream.send(Inbox.event("hologram", ["x": 1], id: "1"))
        #expect(await updates.next() == .other(type: "hologram", ["x": 1]))
        stream.send(Array("event: message\ndata: {broken\n\n".utf8))
        #expect(await updates.next() == .other(type: "message", "{broken"))
        stream.send(Inbox.event("message", ["no": "id"], id: "2"))
        #expect(await updates.next() == .other(type: "message", ["no": "id"]))
        stream.send(Inbox.event("unread", ["unread": "many"], id: "3"))
        #expect(await updates.next() == .other(type: "unread", ["unread": "many"]))
        stream.send(Inbox.event("preferences", ["topics": ["news": true]], id: "4"))
        #expect(await updates.next() == .preferences(Preferences(topics: ["news": true])))
    }

    @Test("Consumers share one connection; the last one's end closes it, and a later one opens another")
    func shared() async throws {
        let inbox = try await inbox()
        let client = inbox.client
        let first = Task { for await _ in client.updates() {} }
        let stream = await inbox.opened()
        let second = Task { for await _ in client.updates() {} }
        var third: Listener? = Listener(stream: client.updates())
        _ = await third?.any()
        #expect(inbox.http.streamRequests.count == 1)
        first.cancel()
        await first.value
        stream.send(Inbox.event("message", Inbox.message("b", at: 1), id: "e-6"))
        guard case .message? = await third?.next() else {
            Issue.record("no message")
            return
        }
        second.cancel()
        await second.value
        third = nil
        await stream.whenLetGo()
        while await client.state().connection != .idle { await Task.yield() }
        #expect(inbox.http.streamRequests.count == 1)

        let later = Task { for await _ in client.updates() {} }
        let again = await inbox.opened()
        #expect(again.request.fields.contains(HTTPField(name: "Last-Event-ID", value: "e-6")))
        later.cancel()
        await again.whenLetGo()
    }

    @Test("204, another type and refusals that stay end the updates; the last element says why")
    func ends() async throws {
        let types = HTTPField(name: "Content-Type", value: "text/html")
        for (status, fields, code) in [
            (204, [], nil), (200, [types], InboxError.Code.answer), (200, [], .answer), (403, [], .refused),
            (404, [], .refused), (410, [], .refused),
        ] as [(Int, [HTTPField], InboxError.Code?)] {
            let inbox = try await inbox()
            let updates = Listener(stream: inbox.client.updates())
            let stream = await inbox.http.nextStream()
            stream.open(status: status, fields: fields)
            stream.end()
            var last: InboxUpdate?
            while let update = await updates.any() { last = update }
            guard case .connection(.ended(let error))? = last else {
                Issue.record("\(status): \(String(describing: last))")
                return
            }
            #expect(error?.code == code)
            #expect(inbox.http.streamRequests.count == 1)
            #expect(await inbox.client.state().connection == .ended(error))
        }
    }

    @Test("401 asks for another token once; a second 401 ends it")
    func token() async throws {
        let inbox = try await inbox()
        let updates = Listener(stream: inbox.client.updates())
        let first = await inbox.http.nextStream()
        first.open(status: 401)
        let second = await inbox.http.nextStream()
        #expect(first.request.fields.last?.value != nil)
        let used = [first, second].map { $0.request.fields.first { $0.name == "Authorization" }?.value }
        #expect(used[0] != used[1])
        second.open(status: 401)
        second.end()
        #expect(await updates.ended()??.code == .unauthorized)
        #expect(inbox.http.streamRequests.count == 2)
    }

    @Test("429 and 503 are waited for as long as the service asks; other failures by growing, jittered pauses")
    func pauses() async throws {
        let inbox = try await inbox()
        let updates = Listener(stream: inbox.client.updates())
        var spans: [Int64] = []
        func waited() async -> Int64? {
            guard
                case .waiting(let span, _)? = await updates.connection(until: {
                    if case .waiting = $0 { true } else { false }
                })
            else { return nil }
            await inbox.time.sleepers(1)
            inbox.time.advance(milliseconds: span)
            return span
        }
        for status in [429, 503] {
            let stream = await inbox.http.nextStream()
            stream.open(status: status, fields: [HTTPField(name: "Retry-After", value: "40")])
            stream.end()
            #expect(await waited() ?? 0 >= 40_000)
        }
        let long = await inbox.http.nextStream()
        long.open(status: 503, fields: [HTTPField(name: "Retry-After", value: "999999")])
        long.end()
        #expect(900_000...1_000_000 ~= (await waited() ?? 0))
        for _ in 0..<8 {
            let stream = await inbox.http.nextStream()
            stream.end(.unreachable("no route"))
            spans.append(await waited() ?? 0)
        }
        #expect(spans.allSatisfy { $0 > 0 && $0 <= 60_001 })
        #expect(Set(spans.suffix(5)).count > 2)
        // One event and then an end is no connection to rely on; one that lived is, whatever it carried.
        let short = await inbox.opened()
        short.send(Inbox.event("message", Inbox.message("b", at: 1), id: "e-6"))
        short.end()
        #expect(await waited() ?? 0 >= 30_000)
        let lasting = await inbox.opened()
        _ = await updates.connection { $0 == .live }
        inbox.time.advance(milliseconds: 10_000)
        lasting.end()
        #expect(500...1_001 ~= (await waited() ?? 0))
    }

    @Test("The service's own reconnection time is kept to and grows from there; zero is none")
    func retry() async throws {
        let inbox = try await inbox()
        let updates = Listener(stream: inbox.client.updates())
        for (retry, spans) in [(200, 200...301), (0, 500...2_001), (5_000, 10_000...20_001)]
            as [(Int, ClosedRange<Int64>)]
        {
            let stream = await inbox.opened()
            _ = await updates.connection { $0 == .live }
            stream.send(Array("retry: \(retry)\n\n".utf8))
            stream.end()
            guard case .waiting(let span, _)? = await updates.connection(until: { $0.isWaiting }) else { return }
            #expect(spans ~= span, "\(retry)")
            await inbox.time.sleepers(1)
            inbox.time.advance(milliseconds: span)
        }
    }

    @Test("A host may ask for the connection at once, but not against the service's wish")
    func reconnect() async throws {
        let inbox = try await inbox()
        let updates = Listener(stream: inbox.client.updates())
        let first = await inbox.http.nextStream()
        first.end(.unreachable("no route"))
        _ = await updates.connection { $0.isWaiting }
        await inbox.time.sleepers(1)
        await inbox.client.reconnect()
        let second = await inbox.http.nextStream()
        second.open(status: 503, fields: [HTTPField(name: "Retry-After", value: "40")])
        second.end()
        guard case .waiting(let span, _)? = await updates.connection(until: { $0.isWaiting }) else { return }
        await inbox.time.sleepers(1)
        await inbox.client.reconnect()
        _ = await inbox.client.state()
        #expect(inbox.http.streamRequests.count == 2)
        inbox.time.advance(milliseconds: span)
        _ = await inbox.opened()
    }

    @Test("A resync fetches what is known anew: what is new is told, what is gone is gone")
    func resync() async throws {
        let inbox = try await inbox([Inbox.message("b", at: 2), Inbox.message("a", at: 1)])
        let (stream, updates) = await live(inbox)
        _ = await updates.next()
        _ = await updates.next()
        await inbox.service.play(
            "GET /messages",
            Inbox.page(
                [Inbox.message("c", at: 3), Inbox.message("a", at: 1, read: true, revision: 2)], unread: 1, revision: 4,
                position: "f-1"))
        stream.send(Inbox.event("resync", [:], id: "f-0"))
        var told: [String] = []
        loop: while let update = await updates.next() {
            switch update {
            case .message(let message): told.append("message \(message.id)")
            case .removed(let id): told.append("removed \(id)")
            case .refreshed: break loop
            default: break
            }
        }
        #expect(told == ["message a", "message c", "removed b"])
        #expect(await inbox.client.state().messages.map(\.id) == ["c", "a"])
    }

    @Test("A change of one's own survives every state that comes before its answer")
    func overlay() async throws {
        let inbox = try await inbox()
        let (stream, updates) = await live(inbox)
        _ = await updates.next()
        _ = await updates.next()
        let latch = Latch()
        await inbox.service.hold("POST /messages/a/read", latch)
        await inbox.service.play(
            "POST /messages/a/read", Inbox.changed(Inbox.message("a", read: true, revision: 9), unread: 0, revision: 9))
        let client = inbox.client
        let read = Task { try await client.markRead("a") }
        guard case .message(let own)? = await updates.next() else { return }
        #expect(own.isRead)
        #expect(await updates.next() == .unread(0))
        stream.send(Inbox.event("message", Inbox.message("a", revision: 2, [("title", "New")]), id: "e-6"))
        stream.send(Inbox.event("unread", ["unread": 1, "unreadRevision": 5], id: "e-7"))
        guard case .message(let shown)? = await updates.next() else { return }
        #expect(shown.isRead)
        #expect(shown.title == "New")
        #expect(await client.state().unread == 0)
        await latch.open()
        try await read.value
        #expect(await client.state().unread == 0)
    }

    @Test("An event over the limit ends the connection with a typed error, and the list is fetched in its place")
    func tooLarge() async throws {
        let inbox = try await inbox(policy: InboxPolicy(maximumEvent: 100))
        let (stream, updates) = await live(inbox)
        stream.send(Array("id: e-6\ndata: \(String(repeating: "x", count: 200))\n\n".utf8))
        guard case .waiting(let span, let error)? = await updates.connection(until: { $0.isWaiting }) else { return }
        #expect(error?.code == .answer)
        #expect(error?.message.contains("100 bytes") == true)
        await stream.whenLetGo()
        await inbox.service.play(
            "GET /messages",
            Inbox.page([Inbox.message("b", at: 1), Inbox.message("a")], unread: 2, revision: 2, position: "e-7"))
        await inbox.time.sleepers(1)
        inbox.time.advance(milliseconds: span)
        let again = await inbox.opened()
        #expect(again.request.fields.contains(HTTPField(name: "Last-Event-ID", value: "e-7")))
        #expect(await inbox.client.state().messages.map(\.id) == ["b", "a"])
    }

    @Test("A place to go on from that was taken back, or that no field can carry, is replaced by a refetch")
    func positions() async throws {
        for id in ["", "a\u{7}b", String(repeating: "x", count: 2_000)] {
            let inbox = try await inbox()
            let (stream, updates) = await live(inbox)
            stream.send(Array("id: \(id)\ndata: {}\n\n".utf8))
            stream.end()
            guard case .waiting(let span, _)? = await updates.connection(until: { $0.isWaiting }) else { return }
            await inbox.time.sleepers(1)
            inbox.time.advance(milliseconds: span)
            let again = await inbox.opened()
            #expect(again.request.fields.contains(HTTPField(name: "Last-Event-ID", value: "e-5")))
            #expect(inbox.http.requests.count == 2)
        }
    }

    @Test("A consumer that does not read loses what is too much for it, is told so, and holds nobody up")
    func slowConsumer() async throws {
        let inbox = try await inbox()
        let client = inbox.client
        let slow = Listener(stream: client.updates())
        let stream = await inbox.opened()
        let fast = Listener(stream: client.updates())
        // It is there once it is told of the connection.
        _ = await fast.any()
        for number in 0..<1_000 {
            let message = Inbox.message("m\(number)", at: 1)
            stream.send(Inbox.event("message", message, id: "e-\(number)"))
            guard case .message(let told)? = await fast.next() else { return }
            #expect(told.id.text == "m\(number)")
        }
        // One consumer may have been told before the other; once the client answers, both were.
        _ = await client.state()
        // It is told in the last place, without waiting for more to happen.
        var waiting: [InboxUpdate] = []
        while waiting.count < UpdateConsumers.mostWaiting, let update = await slow.any() { waiting.append(update) }
        #expect(waiting.last == .refreshed)
        #expect(waiting.dropLast().filter { $0 == .refreshed }.count <= 1)
        stream.send(Inbox.event("message", Inbox.message("last", at: 1), id: "e-x"))
        guard case .message(let told)? = await slow.next() else { return }
        #expect(told.id == "last")
        #expect(await client.state().messages.count == 1_002)
    }
}

extension InboxConnection {
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
