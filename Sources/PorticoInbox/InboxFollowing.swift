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
                let delay = backoff.failed(retryAfter: failure?.retryAfter, random: &random)
                show(.waiting(milliseconds: delay, failure))
                do throws(CancellationError) {
                    try await time.sleep(milliseconds: delay)
                } catch {
                    return
                }
            }
        } catch {
            if Task.isCancelled { return }
            following = nil
            show(.ended(error.cause))
            consumers.finish()
        }
    }

    /// What a connection broke by; nil: it ended in order.
    private typealias Failure = InboxError?

    /// Makes one connection and reads it to its end.
    private func connect(_ backoff: inout Backoff) async throws(Ended) -> Failure {
        show(.connecting)
        let response: HTTPStreamedResponse
        do throws(InboxError) {
            if store.position == nil { try await refetch() }
            response = try await opened()
        } catch {
            return try passing(error)
        }
        switch response.status {
        case 200 where Self.isEventStream(response): return try await read(response.body, &backoff)
        case 200: throw Ended(cause: .answer("updates are no event stream", status: 200))
        case 204: throw Ended(cause: nil)
        default: return try passing(await refusal(response))
        }
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
        response.body.cancel()
        return try await opened(try await service.tokens.token(insteadOf: token))
    }

    private func opened(_ token: String) async throws(InboxError) -> HTTPStreamedResponse {
        do throws(NetworkError) {
            return try await service.stream(after: store.position, token: token, idleTimeout: policy.idleTimeout)
        } catch {
            throw InboxError(error)
        }
    }

    /// The error of an answer that is no stream, with as much of its body as a problem document has.
    private func refusal(_ response: HTTPStreamedResponse) async -> InboxError {
        var body: [UInt8] = []
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

    private func read(_ body: HTTPStreamedBody, _ backoff: inout Backoff) async throws(Ended) -> Failure {
        var parser = EventStreamParser(maximumEvent: policy.maximumEvent, lastEventID: store.position ?? "")
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
            let events: [ServerSentEvent]
            do throws(EventStreamParser.TooLarge) {
                events = try parser.receive(piece[...])
            } catch {
                // It would come again at every attempt.
                throw Ended(cause: .answer("an event has more than \(error.limit) bytes"))
            }
            if let retry = parser.retryMilliseconds { backoff.firstDelay = min(retry, policy.maximumReconnectDelay) }
            do throws(InboxError) {
                for event in events { try await take(event) }
            } catch {
                // What the event asked for is not done: the next connection begins with it.
                store.position = nil
                return try passing(error)
            }
            if !events.isEmpty { backoff.succeeded() }
            if !parser.lastEventID.isEmpty, parser.lastEventID != store.position { store.position = parser.lastEventID }
            // What was missed comes first, or a comment where nothing was: what is shown is no longer of the last time.
            let isHeardFirst = source != .service && store.position != nil
            if isHeardFirst { source = .service }
            if !events.isEmpty || isHeardFirst { changed() }
        }
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
            if store.take(message) { consumers.send(.message(shown(message))) }
        case "removed":
            guard let id = json["id"]?.stringValue.flatMap({ Identifier($0) }) else { return false }
            if store.remove(id) { consumers.send(.removed(id)) }
        case "unread":
            guard let unread = InboxService.unread(json) else { return false }
            store.take(unread)
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

    /// Fetches as many messages as are known, and on until one of them is known, and puts them in the place of those.
    private func refetch() async throws(InboxError) {
        let isFirst = store.isEmpty
        let wanted = min(max(store.messageCount, 20), 500)
        let first = try await service.page(limit: min(wanted, 100), after: nil, filter: .inbox)
        var messages = first.page.messages
        var next = first.page.next
        // Where more came than is known, what lies between would be missed; beyond so many it is older than anybody reads.
        while let cursor = next,
            messages.count < wanted || !isFirst && !store.knows(any: messages) && messages.count < 10_000
        {
            let more = try await service.page(limit: 100, after: cursor, filter: .inbox)
            messages += more.page.messages
            next = more.page.next
        }
        // The oldest first, as they would have come.
        for message in messages.reversed() where store.take(message) && !isFirst {
            consumers.send(.message(shown(message)))
        }
        for id in store.missing(from: messages, isWhole: next == nil) where store.remove(id) {
            consumers.send(.removed(id))
        }
        if let unread = first.unread { store.take(unread) }
        store.position = first.position
        source = .service
        changed()
        consumers.send(.refreshed)
    }
}
