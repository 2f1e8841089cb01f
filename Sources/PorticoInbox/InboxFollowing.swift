import Portico

// The live connection: made for the first consumer of updates, made again when it breaks, ended with the last consumer.
//
// ```
// idle ── first consumer ──▶ connecting ── 200, text/event-stream ──▶ live
//   ▲                          ▲   │                                    │
//   └── last consumer gone     │   └─ 204, another type, refused ─▶ ended
//       (from any state)       └── waiting ◀── broken, 429, 5xx ────────┘
// ```
extension InboxClient {
    /// One more consumer.
    func attach(_ continuation: AsyncStream<InboxUpdate>.Continuation) async {
        await restore()
        guard !isClosed else { return continuation.finish() }
        let id = consumers.add(continuation)
        continuation.onTermination = { [weak self] _ in Task { await self?.detach(id) } }
        // A consumer that went before anybody was told of it is found by what it is told first.
        if case .terminated = continuation.yield(.connection(connection)) { return detach(id) }
        if following == nil { following = Task { [weak self] in await self?.follow() } }
    }

    private func detach(_ id: UInt64) {
        guard consumers.remove(id), consumers.isEmpty else { return }
        // From here on what is under way may change nothing: it looks after each wait.
        following?.cancel()
        following = nil
        if !isClosed { show(.idle) }
    }

    private func show(_ connection: InboxConnection) {
        guard connection != self.connection else { return }
        self.connection = connection
        consumers.send(.connection(connection))
        publish()
    }

    /// Why a connection is not made again by itself.
    private struct Ended: Error {
        let cause: InboxError?
    }

    private func follow() async {
        var backoff = Backoff(
            firstDelay: policy.reconnectDelay, maximumDelay: policy.maximumReconnectDelay,
            maximumRetryAfter: policy.maximumRetryAfter)
        do throws(Ended) {
            while !Task.isCancelled {
                let failure = try await connect(&backoff)
                if Task.isCancelled { return }
                let delay = backoff.failed(
                    retryAfter: failure?.retryAfter, reconnectionTime: serviceRetry, random: &random)
                show(.waiting(milliseconds: delay, failure))
                // What the service asked for is waited for; what chance and caution add a host may cut short.
                let began = time.uptime
                await pause(min(delay, max(failure?.retryAfter ?? 0, serviceRetry ?? 0)), isOurs: false)
                if !Task.isCancelled { await pause(delay - (time.uptime - began), isOurs: true) }
            }
        } catch {
            if Task.isCancelled { return }
            following = nil
            show(.ended(error.cause))
            consumers.finish()
        }
    }

    private func pause(_ milliseconds: Int64, isOurs: Bool) async {
        if milliseconds <= 0 { return }
        let sleep = Task { [time] in
            do throws(CancellationError) {
                try await time.sleep(milliseconds: milliseconds)
            } catch {
                // Over before its time: the inbox is let go, or the host wants a connection now.
            }
        }
        if isOurs { pause = sleep }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        if !Task.isCancelled { pause = nil }
    }

    /// What a connection broke by; nil: it ended in order.
    private typealias Failure = InboxError?

    /// Makes one connection and reads it to its end.
    private func connect(_ backoff: inout Backoff) async throws(Ended) -> Failure {
        show(.connecting)
        let response: HTTPStreamedResponse
        do throws(InboxError) {
            if position == nil { try await refetch() }
            response = try await opened()
        } catch {
            return try passing(error)
        }
        if Task.isCancelled {
            response.body.cancel()
            return nil
        }
        switch response.status {
        case 200 where Self.isEventStream(response): return try await read(response.body, &backoff)
        case 200: throw Ended(cause: .answer("updates are no event stream", status: 200))
        case 204: throw Ended(cause: nil)
        default: return try passing(await refusal(response))
        }
    }

    /// The event after which the stream is to go on; nil: the list has to be fetched first.
    private var position: String? {
        if case .at(let position) = store.standing { position } else { nil }
    }

    /// A failure that may pass by itself; what will be the same at the next attempt ends the updates.
    private func passing(_ error: InboxError) throws(Ended) -> Failure {
        if let status = error.status, status >= 300 {
            guard [408, 425, 429].contains(status) || status >= 500 else { throw Ended(cause: error) }
        }
        if error.code == .endpoint { throw Ended(cause: error) }
        return error
    }

    /// The answer to a request for the stream; a token that is refused is replaced once.
    private func opened() async throws(InboxError) -> HTTPStreamedResponse {
        let token = try await service.tokens.token()
        let response = try await opened(token)
        guard response.status == 401 else { return response }
        let other = try await service.tokens.token(insteadOf: token)
        // The same one again would be refused again: the answer to the first has to do.
        if other.hasSameBytes(as: token) { return response }
        response.body.cancel()
        return try await opened(other)
    }

    private func opened(_ token: String) async throws(InboxError) -> HTTPStreamedResponse {
        do throws(NetworkError) {
            return try await service.stream(after: position, token: token, idleTimeout: policy.idleTimeout)
        } catch {
            throw InboxError(error)
        }
    }

    /// How long the body of a refusal is read, in milliseconds.
    private static let refusalTimeout: Int64 = 10_000

    /// The error of an answer that is no stream, with as much of its body as a problem document has.
    private func refusal(_ response: HTTPStreamedResponse) async -> InboxError {
        var body: [UInt8] = []
        // Its status is known; a body that never comes to its end holds nothing up.
        let patience = Task { [time] in
            do throws(CancellationError) {
                try await time.sleep(milliseconds: Self.refusalTimeout)
            } catch {
                return
            }
            response.body.cancel()
        }
        defer { patience.cancel() }
        do throws(NetworkError) {
            while body.count < 64 << 10, let piece = try await response.body.next() { body += piece }
        } catch {
            // The status alone has to do.
        }
        response.body.cancel()
        return InboxError(refused: HTTPResponse(status: response.status, fields: response.fields, body: body))
    }

    /// `text/event-stream`, with or without parameters (WHATWG HTML §9.2.3).
    private static func isEventStream(_ response: HTTPStreamedResponse) -> Bool {
        let type = (response.field("Content-Type") ?? "").split(separator: ";").first ?? ""
        return type.lowercased().filter { $0 != " " && $0 != "\t" } == "text/event-stream"
    }

    /// A connection that lived so many milliseconds was a good one: what follows is a first failure.
    private static let stableAfter: Int64 = 10_000

    private func read(_ body: HTTPStreamedBody, _ backoff: inout Backoff) async throws(Ended) -> Failure {
        var parser = EventStreamParser(maximumEvent: policy.maximumEvent, lastEventID: position ?? "")
        // The last id that came; what a refetch stands at is not among them.
        var last = parser.lastEventID
        let began = time.uptime
        defer { if time.uptime - began >= Self.stableAfter { backoff.succeeded() } }
        show(.live)
        while true {
            let piece: [UInt8]?
            do throws(NetworkError) {
                piece = try await body.next()
            } catch {
                return InboxError(error)
            }
            // From here on another connection may be the one that counts.
            guard let piece, !Task.isCancelled else { return nil }
            do throws(InboxError) {
                let events = try received(piece, &parser)
                serviceRetry = parser.retryMilliseconds ?? serviceRetry
                for event in events {
                    let before = store.standing
                    try await take(event)
                    if Task.isCancelled { return nil }
                    // A refetch stands where it stands.
                    if store.standing == before { stand(after: event.lastEventID, &last) }
                    last = event.lastEventID
                }
                stand(after: parser.lastEventID, &last)
                // What was missed comes first, or a comment where nothing was: what is shown is no longer of the last
                // time.
                let isHeardFirst = source != .service
                source = .service
                if !events.isEmpty || isHeardFirst { changed() }
            } catch {
                if Task.isCancelled { return nil }
                // What the event asked for is not done: the next connection begins with it.
                store.standing = .lost
                return try passing(error)
            }
        }
    }

    /// The events of a piece; one that is too large is passed over by a refetch, which every attempt would meet again.
    private func received(
        _ piece: [UInt8], _ parser: inout EventStreamParser
    ) throws(InboxError) -> [ServerSentEvent] {
        do throws(EventStreamParser.TooLarge) {
            return try parser.receive(piece[...])
        } catch {
            throw .answer("an event has more than \(error.limit) bytes")
        }
    }

    /// The stream stands after this id, if it is another than the last that came.
    private func stand(after id: String, _ last: inout String) {
        guard !id.hasSameBytes(as: last) else { return }
        last = id
        store.standing = InboxStore.Standing(after: id) ?? .lost
    }

    // MARK: Events

    private func take(_ event: ServerSentEvent) async throws(InboxError) {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: event.data)
        } catch {
            return consumers.send(
                .other(type: event.type, .string(String(decoding: event.data, as: UTF8.self))))
        }
        if try await !understood(event.type, json) { consumers.send(.other(type: event.type, json)) }
    }

    /// Takes in an event of a type that is known; false where it is not, or is not what its type says.
    private func understood(_ type: String, _ json: JSONValue) async throws(InboxError) -> Bool {
        switch type {
        case "message":
            guard let message = service.mapping.message(json) else { return false }
            take(message)
        case "removed":
            guard let id = json["id"]?.stringValue.flatMap({ Identifier($0) }) else { return false }
            removing([id])
        case "unread":
            guard let unread = InboxService.unread(json) else { return false }
            store.take(unread, .stream)
        case "preferences":
            guard let preferences = service.mapping.preferences(json) else { return false }
            consumers.send(.preferences(preferences))
        case "resync":
            try await refetch()
        default:
            return false
        }
        return true
    }

    /// Takes in a message of the stream. A page that was fetched meanwhile may have it already: it is news all the same.
    private func take(_ message: InboxMessage) {
        let before = store.shown([message.id])[0]
        store.take(message, .stream, at: time.now)
        guard let after = store.shown([message.id])[0], after != before || !store.isTold(message.id) else { return }
        store.told(message.id)
        consumers.send(.message(after))
    }

    /// A list that was fetched page after page.
    private struct List {
        var messages: [InboxMessage] = []
        var unreadable = 0
        var isWhole = false
        /// Of its first page.
        var unread: InboxStore.UnreadCount?
        var standing: InboxStore.Standing?
    }

    /// Puts what the service has in the place of all that is known: of a gap nobody tells what happened in it.
    private func refetch() async throws(InboxError) {
        let isFirst = store.isEmpty
        let since = store.ask()
        let inbox = try await list(.inbox, limit: isFirst ? 20 : 100)
        // A host that never looked into the archive has nothing of it to be mended.
        let archive = store.knows(beyond: nil, .archived) ? try await list(.archived, limit: 100) : nil
        let lists = [(inbox, InboxFilter.inbox)] + (archive.map { [($0, .archived)] } ?? [])
        let now = time.now
        let messages = lists.flatMap(\.0.messages)
        // The oldest first, as they would have come.
        telling(messages.reversed().map(\.id), news: !isFirst) {
            for message in messages { store.take(message, .refetch(since: since), at: now) }
        }
        for (list, filter) in lists {
            // An entry that could not be read may be any of those that seem to be missing.
            if list.unreadable == 0 {
                removing(store.missing(from: list.messages, filter, isFirst: true, isLast: list.isWhole, since: since))
            }
            if !list.isWhole { store.forget(beyond: list.messages, filter, since: since) }
        }
        if let unread = inbox.unread { store.take(unread, .refetch(since: since)) }
        store.settleCount(at: now)
        store.standing = inbox.standing ?? .nowhere
        source = .service
        changed()
        consumers.send(.refreshed)
    }

    /// What is older than so many messages nobody reads; what was known of it is forgotten.
    private static let mostRefetched = 10_000
    /// A service whose pages hold next to nothing is not followed for ever.
    private static let mostPages = 500

    /// A list from its newest message on to the oldest that is known.
    private func list(_ filter: InboxFilter, limit: Int) async throws(InboxError) -> List {
        var list = List()
        var cursor: String?
        for page in 0..<Self.mostPages {
            let fetched = try await service.page(limit: limit, after: cursor, filter: filter)
            if Task.isCancelled { throw .cancelled }
            if fetched.page.messages.isEmpty, fetched.page.unreadable == 0, fetched.page.next != nil {
                throw .answer("an empty page leads to another")
            }
            list.messages += fetched.page.messages
            list.unreadable += fetched.page.unreadable
            if page == 0 { (list.unread, list.standing) = (fetched.unread, fetched.standing) }
            cursor = fetched.page.next
            list.isWhole = cursor == nil
            if list.isWhole || list.messages.count >= Self.mostRefetched { break }
            if !list.messages.isEmpty, !store.knows(beyond: list.messages.last, filter) { break }
        }
        return list
    }
}
