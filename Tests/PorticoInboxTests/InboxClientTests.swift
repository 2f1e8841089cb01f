import Portico
import PorticoInMemory
import Testing

@testable import PorticoInbox

@Suite("An inbox", .timeLimit(.minutes(2)))
struct InboxClientTests {
    private typealias Inbox = TestInbox

    private func ids(_ messages: [InboxMessage]) -> [String] { messages.map(\.id.text) }

    // MARK: Reading

    @Test("Messages come newest first, and pages follow each other by their cursor")
    func pages() async throws {
        let inbox = try Inbox()
        await inbox.service.play(
            "GET /messages",
            Inbox.page([Inbox.message("b", at: 2), Inbox.message("a", at: 1)], next: "c/1 ü", unread: 5),
            Inbox.page([Inbox.message("z", at: 0, read: true)], unread: 5))
        let first = try await inbox.client.page(limit: 2)
        #expect(ids(first.messages) == ["b", "a"])
        let second = try await inbox.client.page(limit: 2, after: first.next)
        #expect(ids(second.messages) == ["z"])
        #expect(second.next == nil)
        #expect(
            inbox.http.requests.map(\.url) == [
                "https://notify.example/v1/inbox/messages?limit=2&filter=inbox",
                "https://notify.example/v1/inbox/messages?limit=2&filter=inbox&cursor=c%2F1%20%C3%BC",
            ])
        let state = await inbox.client.state()
        #expect(ids(state.messages) == ["b", "a", "z"])
        #expect(state.unread == 5)
        #expect(state.source == .service)
        #expect(await failure { try await inbox.client.messages(limit: 101) }?.code == .invalid)
        #expect(await failure { try await inbox.client.messages(limit: 0) }?.code == .invalid)
    }

    @Test(
        "One unknown kind, action, block or member is kept as unknown, and one unreadable entry takes no page with it")
    func unknown() async throws {
        let inbox = try Inbox()
        let odd = Inbox.message(
            "odd", at: 1,
            [
                ("kind", "hologram"), ("colour", "red"), ("data", ["x": [1, 2]]),
                ("actions", [["id": "a1", "label": "Do", "kind": "beam"], ["label": "no id"], 7]),
                ("blocks", [["type": "cube", "edge": 3], ["type": "text", "text": "hi"]]),
            ])
        await inbox.service.play(
            "GET /messages",
            Inbox.page([odd, ["id": "no title"], 5, .null, Inbox.message("a", at: 0, [("readAt", 12)])], unread: 1))
        let page = try await inbox.client.page()
        #expect(ids(page.messages) == ["odd", "a"])
        #expect(page.unreadable == 3)
        let message = page.messages[0]
        #expect(message.kind == "hologram")
        #expect(message.unknown["colour"] == "red")
        #expect(message.actions.map(\.kind) == [.other("beam")])
        #expect(message.blocks.map(\.kind) == ["cube", "text"])
        #expect(message.blocks[0].json["edge"] == 3)
        // What the snapshot keeps is what came.
        #expect(inbox.client.service.mapping.message(message.json) == message)
    }

    @Test("Only addresses of trusted schemes may be followed")
    func links() throws {
        let mapping = InboxMapping(linkSchemes: ["https", "shop"])
        func link(_ url: String) -> InboxLink? { mapping.message(Inbox.message("a", [("link", .string(url))]))?.link }
        for url in ["https://a.example/x?y=z", "HTTPS://a.example", "shop:item/4"] {
            #expect(link(url) == .trusted(url))
        }
        for url in [
            "http://a.example", "javascript:alert(1)", "java\nscript:alert(1)", " https://a.example", "\thttps://a",
            "file:///etc/passwd", "//a.example", "/x", "a.example", "data:text/html,x", "https\u{0}://x", ":", "tel:1",
        ] {
            #expect(link(url) == .refused(url))
            #expect(link(url)?.url == nil)
        }
        #expect(link("") == nil)
    }

    // MARK: Changes

    @Test("A change is shown at once with its share of the count, and sent once")
    func optimistic() async throws {
        let inbox = try Inbox()
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a")], unread: 3))
        _ = try await inbox.client.messages()
        let latch = Latch()
        await inbox.service.hold("POST /messages/a/read", latch)
        await inbox.service.play(
            "POST /messages/a/read",
            Inbox.changed(Inbox.message("a", read: true, revision: 2), unread: 2, revision: 2))
        let client = inbox.client
        let id: Identifier = "a"
        let first = Task { try await client.markRead(id) }
        await inbox.http.requests(atLeast: 2)
        #expect(await client.state().unread == 2)
        #expect(await client.state().messages[0].isRead)
        // A second tap counts nothing twice, and is not sent before the first has its answer.
        let second = Task { try await client.markRead(id) }
        while await client.changing.count < 2 { await Task.yield() }
        #expect(await client.state().unread == 2)
        #expect(inbox.http.requests.count == 2)
        await latch.open()
        try await first.value
        try await second.value
        #expect(await client.state().unread == 2)
        #expect(inbox.http.requests.filter { $0.method == "POST" }.count == 2)
        #expect(inbox.http.requests.allSatisfy { $0.method == "GET" || !$0.isIdempotent })
    }

    @Test("A change that fails is undone, the count with it, and others stay")
    func rolledBack() async throws {
        let inbox = try Inbox()
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("a", at: 2), Inbox.message("b", at: 1)], unread: 2))
        _ = try await inbox.client.messages()
        let latch = Latch()
        await inbox.service.hold("POST /messages/a/archive", latch)
        await inbox.service.fail("POST /messages/a/archive", .closed)
        let other = Latch()
        await inbox.service.hold("POST /messages/b/read", other)
        await inbox.service.play(
            "POST /messages/b/read",
            Inbox.changed(Inbox.message("b", at: 1, read: true, revision: 2), unread: 1, revision: 2))
        let client = inbox.client
        let archive = Task { try await client.archive("a") }
        await inbox.http.requests(atLeast: 2)
        let read = Task { try await client.markRead("b") }
        await inbox.http.requests(atLeast: 3)
        #expect(await client.state().unread == 0)
        await latch.open()
        await #expect(throws: InboxError.self) { try await archive.value }
        #expect(await client.state().unread == 1)
        #expect(await client.state().messages.map(\.isArchived) == [false, false])
        #expect(await client.state().messages.map(\.isRead) == [false, true])
        await other.open()
        try await read.value
        #expect(await client.state().unread == 1)
        // The write was sent once.
        #expect(inbox.http.requests.filter { $0.url.hasSuffix("/archive") }.count == 1)
    }

    @Test("An older state that arrives late undoes nothing, neither of a message nor of the count")
    func lateStates() async throws {
        let inbox = try Inbox()
        await inbox.service.play(
            "GET /messages", Inbox.page([Inbox.message("a", read: true, revision: 5)], unread: 1, revision: 9),
            Inbox.page([Inbox.message("a", revision: 4)], unread: 2, revision: 8))
        _ = try await inbox.client.messages()
        #expect(try await inbox.client.messages()[0].isRead)
        #expect(await inbox.client.state().unread == 1)
    }

    @Test("Unread, unarchive, all read and actions go where they should, and never make the count negative")
    func verbs() async throws {
        let inbox = try Inbox()
        await inbox.service.play("GET /messages", Inbox.page([Inbox.message("a", read: true)], unread: 0))
        _ = try await inbox.client.messages()
        for verb in ["unread", "unarchive", "archive", "actions/act%2F1"] {
            await inbox.service.play("POST /messages/a/\(verb)", .json([:]))
        }
        await inbox.service.play(
            "POST /messages/read-all", .json(["changed": 1, "unread": 0, "unreadRevision": 2]))
        try await inbox.client.markUnread("a")
        try await inbox.client.unarchive("a")
        try await inbox.client.archive("a")
        try await inbox.client.perform("act/1", of: "a", customID: "mine")
        try await inbox.client.markAllRead()
        #expect(await inbox.client.state().unread == 0)
        let sent = inbox.http.requests.dropFirst()
        #expect(
            sent.map { $0.url.dropFirst("https://notify.example/v1/inbox".utf8.count) } == [
                "/messages/a/unread", "/messages/a/unarchive", "/messages/a/archive",
                "/messages/a/actions/act%2F1", "/messages/read-all",
            ])
        #expect(sent.map(\.method) == Array(repeating: "POST", count: 5))
        #expect(
            sent.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) } == ["{\"customId\":\"mine\"}", "{}"])
    }

    // MARK: Tokens

    @Test("The provider runs before each request; callers that wait at the same time share one call")
    func singleFlight() async throws {
        let tokens = SlowTokens()
        let inbox = try Inbox(tokens: tokens)
        await inbox.service.play("GET /preferences", .json([:]))
        let client = inbox.client
        let calls = (0..<5).map { _ in Task { try await client.preferences() } }
        await tokens.asked(atLeast: 1)
        // Whoever cancels takes nothing away from the others.
        calls[0].cancel()
        await #expect(throws: InboxError.self) { try await calls[0].value }
        await tokens.give("t1")
        for call in calls.dropFirst() { _ = try await call.value }
        #expect(await tokens.count == 1)
        #expect(inbox.http.requests.count == 4)
        let next = Task { try await client.preferences() }
        await tokens.asked(atLeast: 2)
        await tokens.give("t2")
        _ = try await next.value
    }

    @Test("Five reads that are refused at once make one refresh, and each is repeated once")
    func refresh() async throws {
        let inbox = try Inbox()
        await inbox.service.refuse("token-1")
        await inbox.service.play("GET /preferences", .json([:]))
        let latch = Latch()
        await inbox.service.hold("GET /preferences", latch)
        let client = inbox.client
        let calls = (0..<5).map { _ in Task { try await client.preferences() } }
        await inbox.http.requests(atLeast: 5)
        let before = await inbox.service.tokensGiven
        await latch.open()
        for call in calls { _ = try await call.value }
        let used = Set(inbox.http.requests.prefix(5).map { $0.fields.last?.value })
        #expect(inbox.http.requests.count == 5 + (used.contains("Bearer token-1") ? 5 : 0) || before > 1)
        #expect(await inbox.service.tokensGiven <= before + 1)
    }

    @Test("A read that is refused again fails with the service's status; a write is not repeated at all")
    func refusedTokens() async throws {
        let inbox = try Inbox()
        for number in 1...9 { await inbox.service.refuse("token-\(number)") }
        let read = await failure { try await inbox.client.preferences() }
        #expect(read?.code == .unauthorized)
        #expect(read?.status == 401)
        #expect(inbox.http.requests.count == 2)
        let write = await failure { try await inbox.client.markRead("a") }
        #expect(write?.status == 401)
        #expect(inbox.http.requests.count == 3)
        // A provider that gives what was refused: to ask again would be refused again.
        let stubborn = try Inbox(tokens: ClosureTokenProvider { "token-1" })
        await stubborn.service.refuse("token-1")
        #expect(await failure { try await stubborn.client.preferences() }?.code == .unauthorized)
        #expect(stubborn.http.requests.count == 1)
    }

    @Test("A provider that fails, gives nothing, or does not answer is an error with its own code")
    func badTokens() async throws {
        for (provider, text) in [
            (ClosureTokenProvider { throw Portico.NetworkError.unreachable("backend down") }, "backend down"),
            (ClosureTokenProvider { "" }, "no token"), (ClosureTokenProvider { "a\r\nb: c" }, "no token"),
            // Its own cancellation is none of the caller's.
            (ClosureTokenProvider { throw CancellationError() }, "CancellationError"),
        ] {
            let inbox = try Inbox(tokens: provider)
            let error = await failure { try await inbox.client.messages() }
            #expect(error?.code == .token)
            #expect(error?.message.contains(text) == true)
            #expect(inbox.http.requests.isEmpty)
        }
        let slow = SlowTokens()
        let inbox = try Inbox(tokens: slow)
        let client = inbox.client
        let call = Task { try await client.messages() }
        await slow.asked(atLeast: 1)
        await inbox.time.sleepers(1)
        inbox.time.advance(milliseconds: 30_000)
        #expect(await failure { try await call.value }?.code == .token)
    }

    // MARK: Errors

    @Test("An error has the service's code and status, or ours where the service was not reached")
    func errors() async throws {
        let inbox = try Inbox()
        let cases: [(HTTPResponse, InboxError.Code, Int?)] = [
            (.problem(404, "notFound"), InboxError.Code(rawValue: "notFound"), 404),
            (.problem(429, "rateLimited", retryAfter: 7), InboxError.Code(rawValue: "rateLimited"), 429),
            (HTTPResponse(status: 502, body: Array("<html>Bad gateway</html>".utf8)), .refused, 502),
            (HTTPResponse(status: 200, body: Array("<html>".utf8)), .answer, 200),
            (HTTPResponse(status: 302), .refused, 302), (.json([:]), .answer, nil),
            // A service may call something as we do; what is ours is ours.
            (.problem(409, "closed"), .refused, 409),
        ]
        for (response, code, status) in cases {
            await inbox.service.play("GET /messages", response)
            let error = await failure { try await inbox.client.messages() }
            #expect(error?.code == code)
            #expect(error?.status == status)
            #expect(error?.message.contains("\n") == false)
        }
        await inbox.service.play("GET /messages", .problem(429, "rateLimited", retryAfter: 7))
        #expect(await failure { try await inbox.client.messages() }?.retryAfter == 7_000)
        for (failed, code) in [
            (NetworkError.timedOut, InboxError.Code.timedOut), (.unreachable("x"), .unreachable),
            (.closed, .unreachable),
            (.tooLarge(limit: 1), .tooLarge), (.insecure("x"), .endpoint),
        ] {
            await inbox.service.fail("GET /messages", failed)
            #expect(await failure { try await inbox.client.messages() }?.code == code)
        }
    }

    @Test("An endpoint that is none, or plain http, is refused with what to do")
    func endpoints() throws {
        func made(_ endpoint: String, _ policy: InboxPolicy = InboxPolicy()) -> String? {
            do throws(InboxError) {
                return try InboxClient(
                    endpoint: endpoint, http: StubHTTPStreamingTransport { _ throws(NetworkError) in throw .closed },
                    time: ManualTimeSource(), random: SeededGenerator(seed: 1), policy: policy, token: { "t" }
                ).service.base
            } catch {
                #expect(error.code == .endpoint)
                return nil
            }
        }
        #expect(made("https://n.example") == "https://n.example/v1/inbox")
        #expect(made("https://n.example/") == "https://n.example/v1/inbox")
        #expect(made("HTTPS://n.example:8443/a//") == "https://n.example:8443/a/v1/inbox")
        for bad in [
            "", "n.example", "ftp://n.example", "https://", "https:///x", "https://u@n.example", "https://n.example?x",
            "https://n.example#x", "https://n.exa mple", "http://n.example", "https://:80",
        ] { #expect(made(bad) == nil, "\(bad)") }
        #expect(made("http://n.example", InboxPolicy(allowsInsecureHTTP: true)) == "http://n.example/v1/inbox")
    }

    // MARK: The end

    @Test("Close ends calls and streams under way, is final, and twice is fine")
    func close() async throws {
        let inbox = try Inbox()
        let latch = Latch()
        await inbox.service.hold("GET /preferences", latch)
        let client = inbox.client
        let call = Task { try await client.preferences() }
        await inbox.http.requests(atLeast: 1)
        let states = client.states()
        let counts = client.unreadCounts()
        var iterator = states.makeAsyncIterator()
        _ = await iterator.next()
        let closing = Task { await client.close() }
        await latch.open()
        await closing.value
        await client.close()
        await #expect(throws: InboxError.closed) { try await call.value }
        while await iterator.next() != nil {}
        for await _ in counts {}
        for await _ in client.updates() {}
        for error in [
            await failure { try await client.messages() }, await failure { try await client.markRead("a") },
            await failure { try await client.preferences() },
            await failure { try await client.savePreferences(PreferencesPatch()) },
            await failure { try await client.devices() }, await failure { try await client.installationId() },
            await failure { try await client.unregisterWebPush("d") },
        ] { #expect(error?.code == .closed) }
    }

    // MARK: Offline

    @Test("A snapshot is there before the network, is shown as such, and is the recipient's own")
    func snapshot() async throws {
        let documents = InMemoryDocumentStore()
        let time = ManualTimeSource(now: Inbox.start)
        let ann = try Inbox(documents: documents, time: time)
        await ann.service.play(
            "GET /messages", Inbox.page([Inbox.message("a"), Inbox.message("b", read: true)], unread: 4))
        let messages = try await ann.client.messages()
        await time.sleepers(1)
        time.advance(milliseconds: 1_000)
        await ann.client.close()

        let again = try Inbox(documents: documents, time: time)
        let state = await again.client.state()
        #expect(state.messages == messages.sorted { $0.id > $1.id })
        #expect(state.unread == 4)
        guard case .snapshot = state.source else {
            Issue.record("\(state.source)")
            return
        }
        let bob = try Inbox(account: "bob", documents: documents, time: time)
        #expect(await bob.client.state().messages.isEmpty)
        #expect(await bob.client.state().source == .nothing)
        let nobody = try Inbox(account: nil, documents: documents, time: time)
        #expect(await nobody.client.state().messages.isEmpty)
        // No name of a document tells whose it is.
        #expect(try await documents.names().allSatisfy { !$0.contains("ann") })
    }

    @Test("A snapshot that is damaged, of another version or in the way is passed over")
    func badSnapshots() async throws {
        let documents = InMemoryDocumentStore()
        let name = "portico.inbox.snapshot.\(Hexadecimal.encode(SHA256.hash(Array("ann".utf8))))"
        var revision: UInt64?
        for text in ["", "{", "{\"schema\":\"portico.inbox/9\"}", "[1,2]"] {
            revision = try await documents.replace(name, with: Array(text.utf8), if: revision)
            let inbox = try Inbox(documents: documents)
            #expect(await inbox.client.state().source == .nothing)
        }
    }

    @Test("Logout removes what is the recipient's, tells the service, and says where that failed")
    func logout() async throws {
        let documents = InMemoryDocumentStore()
        let registration = MobileRegistration(
            connectionId: "c", installationId: "i", token: "t", marketingConsent: false)
        for fails in [false, true] {
            let ann = try Inbox(documents: documents)
            await ann.service.play("POST /devices/mobile", .json(["id": "d-ann", "type": "mobile"], status: 201))
            await ann.service.play("GET /messages", Inbox.page([Inbox.message("a")]))
            _ = try await ann.client.messages()
            _ = try await ann.client.registerMobilePush(registration)
            let bob = try Inbox(account: "bob", documents: documents)
            await bob.service.play("POST /devices/mobile", .json(["id": "d-bob", "type": "mobile"], status: 201))
            _ = try await bob.client.registerMobilePush(registration)
            let installation = try await bob.client.installationId()
            #expect(try await ann.client.installationId() == installation)

            if fails {
                await ann.service.fail("DELETE /devices/mobile/d-ann", .unreachable("no route"))
            } else {
                await ann.service.play("DELETE /devices/mobile/d-ann", HTTPResponse(status: 204))
            }
            let report = await ann.client.logout()
            #expect(report.devices == (fails ? ["d-ann"] : []))
            #expect(report.error?.code == (fails ? .unreachable : nil))
            #expect(await failure { try await ann.client.messages() }?.code == .closed)
            let hash = Hexadecimal.encode(SHA256.hash(Array("ann".utf8)))
            let names = try await documents.names()
            #expect(names.allSatisfy { !$0.contains(hash) })
            #expect(names.contains("portico.inbox.installation"))
            // The other recipient of the device keeps his.
            await bob.service.play("DELETE /devices/mobile/d-bob", HTTPResponse(status: 204))
            try await bob.client.unregisterMobilePush()
            #expect(bob.http.requests.last?.url.hasSuffix("/devices/mobile/d-bob") == true)
            #expect(await failure { try await bob.client.unregisterMobilePush() }?.code == .invalid)
        }
    }
}

/// A token provider that waits until a test gives it the token.
actor SlowTokens: TokenProvider {
    private(set) var count = 0
    private var waiting: [CheckedContinuation<String, Never>] = []
    private var watching: [(Int, CheckedContinuation<Void, Never>)] = []

    func token() async throws -> String {
        count += 1
        for (_, continuation) in watching.filter({ $0.0 <= count }) { continuation.resume() }
        watching.removeAll { $0.0 <= count }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func give(_ token: String) {
        for continuation in waiting { continuation.resume(returning: token) }
        waiting = []
    }

    func asked(atLeast number: Int) async {
        if count >= number { return }
        await withCheckedContinuation { watching.append((number, $0)) }
    }
}
