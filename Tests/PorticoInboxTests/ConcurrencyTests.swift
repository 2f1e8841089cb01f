import Portico
import PorticoInMemory
import Testing

@testable import PorticoInbox

@Suite("An inbox whose answers come in any order", .timeLimit(.minutes(2)))
struct ConcurrencyTests {
    private typealias Inbox = TestInbox

    /// What a stream of updates gave so far is read one by one.
    private struct Listener {
        let stream: AsyncStream<InboxUpdate>

        func next(_ isWanted: (InboxUpdate) -> Bool) async -> InboxUpdate? {
            for await update in stream where isWanted(update) { return update }
            return nil
        }
    }

    private func live(
        _ messages: [JSONValue], unread: Int64 = 1
    ) async throws
        -> (Inbox, StubHTTPStreamingTransport.Exchange, Listener)
    {
        let inbox = try Inbox(account: nil)
        await inbox.service.play("GET /messages", Inbox.page(messages, unread: unread, position: "e-5"))
        let listener = Listener(stream: inbox.client.updates())
        let stream = await inbox.opened()
        _ = await listener.next { $0 == .connection(.live) }
        return (inbox, stream, listener)
    }

    private func message(_ update: InboxUpdate?) -> InboxMessage? {
        if case .message(let message)? = update { message } else { nil }
    }

    // MARK: Changes

    @Test("Changes of one message are sent in the order in which they were made; one that is cancelled in time is not")
    func order() async throws {
        let inbox = try Inbox()
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a"), Inbox.message("b")], unread: 2))
        _ = try await inbox.client.messages()
        let latch = Latch()
        await inbox.service.hold("POST /messages/a/archive", latch)
        for verb in ["a/archive", "a/unarchive", "a/unread", "b/read"] {
            await inbox.service.play("POST /messages/\(verb)", .json([:]))
        }
        let client = inbox.client
        let archive = Task { try await client.archive("a") }
        await inbox.http.requests(atLeast: 2)
        let unread = Task { try await client.markUnread("a") }
        while await client.changing.count < 2 { await Task.yield() }
        let unarchive = Task { try await client.unarchive("a") }
        while await client.changing.count < 3 { await Task.yield() }
        let all = Task { try await client.markAllRead() }
        while await client.changing.count < 4 { await Task.yield() }
        // Another message waits for what is for all of them, and for nothing else.
        unread.cancel()
        #expect(await failure { try await unread.value }?.code == .cancelled)
        #expect(inbox.http.requests.count == 2)
        #expect(await client.state().messages.first { $0.id == "a" }?.isArchived == false)
        await inbox.service.play("POST /messages/read-all", .json(["changed": 2, "unread": 0, "unreadRevision": 2]))
        await latch.open()
        try await archive.value
        try await unarchive.value
        try await all.value
        try await client.markRead("b")
        #expect(
            inbox.http.requests.dropFirst().map {
                $0.url.dropFirst("https://notify.example/v1/inbox/messages/".utf8.count)
            }
                == ["a/archive", "a/unarchive", "read-all", "b/read"])
    }

    @Test("After all are marked as read they are, though nobody says so of each, and a message that comes later is not")
    func allRead() async throws {
        let inbox = try Inbox()
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a"), Inbox.message("b")], unread: 9))
        _ = try await inbox.client.messages()
        await inbox.service.play("POST /messages/read-all", .json(["changed": 9, "unread": 0, "unreadRevision": 2]))
        try await inbox.client.markAllRead()
        let state = await inbox.client.state()
        #expect(state.messages.map(\.isRead) == [true, true])
        #expect(state.unread == 0)
    }

    @Test("A change is told to consumers, and told back where it fails")
    func toldBack() async throws {
        let (inbox, stream, updates) = try await live([Inbox.message("a")])
        let latch = Latch()
        await inbox.service.hold("POST /messages/a/read", latch)
        await inbox.service.fail("POST /messages/a/read", .unreachable("no route"))
        let client = inbox.client
        let read = Task { try await client.markRead("a") }
        #expect(message(await updates.next { self.message($0) != nil })?.isRead == true)
        stream.send(Inbox.event("message", Inbox.message("a", revision: 2, [("title", "New")]), id: "e-6"))
        let shown = message(await updates.next { self.message($0) != nil })
        #expect(shown?.title == "New" && shown?.isRead == true)
        await latch.open()
        #expect(await failure { try await read.value }?.code == .unreachable)
        let back = message(await updates.next { self.message($0) != nil })
        #expect(back?.title == "New" && back?.isRead == false)
        #expect(await updates.next { if case .unread = $0 { true } else { false } } == .unread(1))
    }

    // MARK: Pages beside the stream

    @Test("Pages are no news, and what a page saw before the stream did is told once when its event comes")
    func pagesBesideTheStream() async throws {
        let (inbox, stream, updates) = try await live([Inbox.message("a")])
        await inbox.service.play(
            "GET /messages",
            Inbox.page(
                [Inbox.message("c", at: 3), Inbox.message("a"), Inbox.message("old", at: -9)], unread: 2, revision: 2))
        _ = try await inbox.client.messages()
        stream.send(Inbox.event("message", Inbox.message("c", at: 3), id: "e-6"))
        #expect(message(await updates.next { self.message($0) != nil })?.id == "c")
        stream.send(Inbox.event("message", Inbox.message("c", at: 3), id: "e-7"))
        stream.send(Inbox.event("message", Inbox.message("d", at: 4), id: "e-8"))
        #expect(message(await updates.next { self.message($0) != nil })?.id == "d")
    }

    @Test("A first page tells what is gone, and a page with an unreadable entry does not")
    func gone() async throws {
        let inbox = try Inbox()
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("b", at: 2), Inbox.message("a", at: 1)], unread: 2),
            Inbox.page([["id": "broken"], Inbox.message("a", at: 1)], unread: 1, revision: 2),
            Inbox.page([Inbox.message("a", at: 1)], unread: 1, revision: 2))
        for ids in [["b", "a"], ["b", "a"], ["a"]] {
            _ = try await inbox.client.messages()
            #expect(await inbox.client.state().messages.map(\.id.text) == ids)
        }
    }

    @Test("A page of the archive is no place to begin the updates from, and one of the inbox is")
    func begins() async throws {
        for (filter, requests) in [(InboxFilter.archived, 2), (.inbox, 1)] {
            let inbox = try Inbox(account: nil)
            await inbox.service.play("GET /messages", Inbox.page([], unread: 0, position: "e-5"))
            _ = try await inbox.client.page(filter: filter)
            let listener = Listener(stream: inbox.client.updates())
            _ = await inbox.opened()
            _ = await listener.next { $0 == .connection(.live) }
            #expect(inbox.http.requests.count == requests)
        }
    }

    // MARK: Gaps

    @Test("A refetch that failed is owed, whatever pages are fetched meanwhile")
    func owed() async throws {
        let (inbox, stream, updates) = try await live([Inbox.message("a")])
        await inbox.service.fail("GET /messages", .unreachable("no route"))
        stream.send(Inbox.event("resync", [:], id: "f-1"))
        guard case .connection(.waiting(let span, _))? = await updates.next({ $0.isWaiting }) else { return }
        await inbox.service.fail("GET /messages", nil)
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("b", at: 1)], unread: 1, position: "f-9"))
        _ = try await inbox.client.messages(limit: 1)
        let before = inbox.http.requests.count
        await inbox.time.sleepers(1)
        inbox.time.advance(milliseconds: span)
        let again = await inbox.opened()
        #expect(inbox.http.requests.count == before + 1)
        #expect(again.request.fields.contains(HTTPField(name: "Last-Event-ID", value: "f-9")))
        #expect(await inbox.client.state().messages.map(\.id) == ["b"])
    }

    @Test("A refetch takes nothing away that was heard of while it ran")
    func meanwhile() async throws {
        let (inbox, stream, updates) = try await live([Inbox.message("a")])
        let latch = Latch()
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a")], unread: 1, position: "f-1"))
        await inbox.service.play("GET /messages/new", .json(Inbox.message("new", at: 5)))
        await inbox.service.hold("GET /messages", latch)
        let before = inbox.http.requests.count
        stream.send(Inbox.event("resync", [:], id: "f-1"))
        await inbox.http.requests(atLeast: before + 1)
        _ = try await inbox.client.message("new")
        await latch.open()
        _ = await updates.next { $0 == .refreshed }
        #expect(await inbox.client.state().messages.map(\.id) == ["new", "a"])
    }

    @Test("Another database, which counts anew, is believed")
    func otherDatabase() async throws {
        let inbox = try Inbox(account: nil)
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("a", read: true, revision: 500)], unread: 7, revision: 500))
        let listener = Listener(stream: inbox.client.updates())
        let stream = await inbox.opened()
        _ = await listener.next { $0 == .connection(.live) }
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("a", revision: 2)], unread: 1, revision: 3, position: "f-1"))
        stream.send(Inbox.event("resync", [:], id: "f-1"))
        #expect(message(await listener.next { self.message($0) != nil })?.isRead == false)
        _ = await listener.next { $0 == .refreshed }
        #expect(await inbox.client.state().unread == 1)
        stream.send(Inbox.event("unread", ["unread": 2, "unreadRevision": 4], id: "f-2"))
        #expect(await listener.next { if case .unread = $0 { true } else { false } } == .unread(2))
    }

    @Test("A refetch that the last consumer did not wait for changes nothing any more")
    func letGo() async throws {
        let inbox = try Inbox(account: nil)
        let latch = Latch()
        await inbox.service.hold("GET /messages", latch)
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a")], unread: 1))
        let client = inbox.client
        let consumer = Task { for await _ in client.updates() {} }
        await inbox.http.requests(atLeast: 1)
        consumer.cancel()
        await consumer.value
        while await client.state().connection != .idle { await Task.yield() }
        await latch.open()
        for _ in 0..<1_000 { await Task.yield() }
        let state = await client.state()
        #expect(state.messages.isEmpty)
        #expect(state.connection == .idle)
        #expect(state.source == .nothing)
        #expect(inbox.http.streamRequests.isEmpty)
    }

    // MARK: The end

    private let registration = MobileRegistration(
        connectionId: "c", installationId: "i", token: "t", marketingConsent: false)

    @Test("Logout waits for a registration under way, and takes it back")
    func registering() async throws {
        let inbox = try Inbox()
        let latch = Latch()
        await inbox.service.hold("POST /devices/mobile", latch)
        await inbox.service.play("POST /devices/mobile", .json(["id": "d1", "type": "mobile"], status: 201))
        await inbox.service.play("DELETE /devices/mobile/d1", HTTPResponse(status: 204))
        let (client, registration) = (inbox.client, registration)
        let registering = Task { try await client.registerMobilePush(registration) }
        await inbox.http.requests(atLeast: 1)
        let logout = Task { await client.logout() }
        while await !client.push.isLeaving { await Task.yield() }
        #expect(await failure { try await client.registerMobilePush(registration) }?.code == .closed)
        await latch.open()
        #expect(await logout.value == InboxLogout())
        #expect(try await registering.value.id == "d1")
        #expect(inbox.http.requests.last?.url.hasSuffix("/devices/mobile/d1") == true)
    }

    @Test("A registration whose answer was lost is looked up at logout; where that fails the report names it")
    func lostRegistration() async throws {
        for isReachable in [true, false] {
            let inbox = try Inbox()
            await inbox.service.fail("POST /devices/mobile", .closed)
            #expect(await failure { try await inbox.client.registerMobilePush(registration) }?.code == .unreachable)
            await inbox.service.play(
                "GET /devices",
                .json([
                    "devices": [
                        ["id": "d1", "type": "mobile", "installationId": "i"],
                        ["id": "other", "type": "mobile", "installationId": "k"], ["id": "web", "type": "webPush"],
                    ]
                ]))
            await inbox.service.play("DELETE /devices/mobile/d1", HTTPResponse(status: 204))
            if !isReachable { await inbox.service.fail("GET /devices", .unreachable("no route")) }
            let report = await inbox.client.logout()
            #expect(report.installations == (isReachable ? [] : ["i"]))
            #expect(report.error?.code == (isReachable ? nil : .unreachable))
            #expect(inbox.http.requests.filter { $0.method == "DELETE" }.count == (isReachable ? 1 : 0))
        }
        let refused = try Inbox()
        await refused.service.play("POST /devices/mobile", .problem(422, "invalidToken"))
        #expect(await failure { try await refused.client.registerMobilePush(registration) }?.status == 422)
        #expect(await refused.client.logout() == InboxLogout())
    }

    @Test("Two push connections of one installation are two devices, and both go at logout")
    func twoConnections() async throws {
        let inbox = try Inbox()
        await inbox.service.play(
            "POST /devices/mobile", .json(["id": "d1", "type": "mobile"], status: 201),
            .json(["id": "d2", "type": "mobile"], status: 201))
        for id in ["d1", "d2"] { await inbox.service.play("DELETE /devices/mobile/\(id)", HTTPResponse(status: 204)) }
        for _ in 0..<2 { _ = try await inbox.client.registerMobilePush(registration) }
        #expect(await inbox.client.logout() == InboxLogout())
        #expect(inbox.http.requests.filter { $0.method == "DELETE" }.count == 2)
    }

    @Test("A snapshot that is being written when the recipient leaves does not come back")
    func snapshotAtLogout() async throws {
        for _ in 0..<50 {
            let inbox = try Inbox()
            await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a")], unread: 1))
            _ = try await inbox.client.messages()
            await inbox.time.sleepers(1)
            let client = inbox.client
            async let logout = client.logout()
            inbox.time.advance(milliseconds: 500)
            #expect(await logout == InboxLogout())
            await client.close()
            for _ in 0..<20 { await Task.yield() }
            #expect(try await inbox.documents.names().isEmpty)
        }
    }

    @Test("Streams of a client that is let go come to their end, and those that nobody holds are forgotten")
    func letGoOfAll() async throws {
        var inbox: Inbox? = try Inbox(account: nil)
        guard let states = inbox?.client.states(), let counts = inbox?.client.unreadCounts() else { return }
        var first = states.makeAsyncIterator()
        var second = counts.makeAsyncIterator()
        _ = await first.next()
        _ = await second.next()
        weak let client = inbox?.client
        inbox = nil
        #expect(await first.next() == nil)
        #expect(await second.next() == nil)
        #expect(client == nil)
    }
}

extension InboxUpdate {
    fileprivate var isWaiting: Bool { if case .connection(.waiting) = self { true } else { false } }
}
