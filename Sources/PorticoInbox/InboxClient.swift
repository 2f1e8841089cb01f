import Portico

/// A recipient's inbox: messages, preferences and devices, with what happens elsewhere arriving live.
///
/// One client serves one recipient. What the user changes is shown at once and sent once; where it fails it is undone,
/// the unread count with it. With an account and documents the inbox is there before the network is.
///
/// ```swift
/// let inbox = try InboxClient(endpoint: "https://notify.example", http: http, time: time,
///     random: SystemRandomNumberGenerator()) { try await backend.inboxToken() }
/// for message in try await inbox.messages(limit: 20) { print(message.title) }
/// ```
///
/// Never put a business API key into an app: whoever has the app has the key. The token is a recipient's own, made by
/// the host's backend, and expires.
///
/// ## Concurrency
/// Any method may be called from any task. Cancelling a task ends its call with `cancelled`; a write may have been done
/// all the same. After `close` every call fails with `closed`.
public actor InboxClient {
    nonisolated let service: InboxService
    private nonisolated let tokens: TokenFlight
    nonisolated let time: any TimeSource
    nonisolated let policy: InboxPolicy
    nonisolated let shelf: InboxShelf

    var store = InboxStore()
    var source = InboxState.Source.nothing
    var connection = InboxConnection.idle
    var random: any RandomNumberGenerator & Sendable
    var consumers = UpdateConsumers()
    var following: Task<Void, Never>?
    /// The pause before the next attempt, where it is our own and not one that the service asked for.
    var pause: Task<Void, Never>?
    /// What the service said that a pause has at least, in milliseconds.
    var serviceRetry: Int64?
    var isClosed = false
    /// Changes that are sent or wait for one before them, by their number in the store.
    var changing: [UInt64: Task<Result<Void, InboxError>, Never>] = [:]
    var push = InboxPush()

    private var isRestored = false
    private var restoring: Task<Void, Never>?
    private var calls: [UInt64: @Sendable () -> Void] = [:]
    private var nextNumber: UInt64 = 0
    private var stateWatchers: [UInt64: AsyncStream<InboxState>.Continuation] = [:]
    private var countWatchers: [UInt64: AsyncStream<Int>.Continuation] = [:]
    private var lastCount = 0
    private var saving: Task<Void, Never>?
    private var isUnsaved = false
    private var closing: Task<Void, Never>?

    /// A client over a host's doors.
    ///
    /// - Parameters:
    ///   - endpoint: Where the service is, `https://notify.example`.
    ///   - account: What tells this recipient from others on the device, opaque: its hash names what is stored. Without
    ///     it nothing outlives the client.
    ///   - http: The network.
    ///   - tokens: Gives the recipient's token.
    ///   - documents: Where snapshot and ids are kept; they stay the host's to close. Without it nothing outlives the
    ///     client.
    ///   - time: The clocks.
    ///   - random: Randomness for the jitter and the installation's id.
    ///   - policy: How it waits, and what it trusts.
    /// - Throws: `InboxError` with the code `endpoint`.
    public init(
        endpoint: String, account: String? = nil, http: any HTTPStreamingTransport, tokens: any TokenProvider,
        documents: (any DocumentStore)? = nil, time: any TimeSource, random: any RandomNumberGenerator & Sendable,
        policy: InboxPolicy = InboxPolicy()
    ) throws(InboxError) {
        self.tokens = TokenFlight(tokens, time: time, timeout: policy.tokenTimeout)
        service = try InboxService(
            endpoint: endpoint, allowingInsecureHTTP: policy.allowsInsecureHTTP, http: http, tokens: self.tokens,
            mapping: InboxMapping(linkSchemes: policy.linkSchemes))
        shelf = InboxShelf(documents: documents, account: account)
        self.time = time
        self.random = random
        self.policy = policy
    }

    /// A client whose tokens come from a closure.
    public init(
        endpoint: String, account: String? = nil, http: any HTTPStreamingTransport,
        documents: (any DocumentStore)? = nil, time: any TimeSource, random: any RandomNumberGenerator & Sendable,
        policy: InboxPolicy = InboxPolicy(), token: @escaping @Sendable () async throws -> String
    ) throws(InboxError) {
        try self.init(
            endpoint: endpoint, account: account, http: http, tokens: ClosureTokenProvider(body: token),
            documents: documents, time: time, random: random, policy: policy)
    }

    deinit {
        for watcher in stateWatchers.values { watcher.finish() }
        for watcher in countWatchers.values { watcher.finish() }
    }

    // MARK: Reading

    /// The newest messages that are not in the archive.
    ///
    /// - Parameter limit: How many at most, 1 to 100.
    /// - Throws: `InboxError`, as every call here: `unreachable` or `timedOut` where the service was not reached, the
    ///   service's own code where it refused, `token`, `unauthorized`, `answer`, `cancelled`, `closed`.
    public func messages(limit: Int = 20) async throws(InboxError) -> [InboxMessage] {
        try await page(limit: limit).messages
    }

    /// One page of messages, newest first.
    ///
    /// - Parameters:
    ///   - limit: How many at most, 1 to 100.
    ///   - cursor: The `next` of the page before; nil: from the newest on.
    ///   - filter: Which messages.
    public func page(
        limit: Int = 20, after cursor: String? = nil, filter: InboxFilter = .inbox
    ) async throws(InboxError) -> InboxPage {
        if isClosed { throw .closed }
        guard 1...100 ~= limit else { throw .invalid("a page has 1 to 100 messages, not \(limit)") }
        await restore()
        let since = store.ask()
        let fetched = try await call { service throws(InboxError) in
            try await service.page(limit: limit, after: cursor, filter: filter)
        }
        take(fetched, filter, isFirst: cursor == nil, since: since)
        var page = fetched.page
        page.messages = zip(page.messages, store.shown(page.messages.map(\.id))).map { $1 ?? $0 }
        return page
    }

    /// One message.
    public func message(_ id: Identifier) async throws(InboxError) -> InboxMessage {
        await restore()
        let since = store.ask()
        let message = try await call { service throws(InboxError) in try await service.message(id) }
        telling([message.id], news: false) { store.take(message, .answer(since: since), at: time.now) }
        changed()
        return store.shown([message.id])[0] ?? message
    }

    /// What is shown now; from the last snapshot where the service was not asked yet.
    public func state() async -> InboxState {
        await restore()
        return currentState()
    }

    /// What is shown, now and after each change; a consumer that is slow sees the newest only.
    public nonisolated func states() -> AsyncStream<InboxState> {
        let (stream, continuation) = AsyncStream.makeStream(of: InboxState.self, bufferingPolicy: .bufferingNewest(1))
        Task { await self.watch(continuation) }
        return stream
    }

    /// The number of unread messages, now and whenever it changes; a consumer that is slow sees the newest only.
    public nonisolated func unreadCounts() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        Task { await self.watch(counts: continuation) }
        return stream
    }

    /// What happens in the inbox from here on, and first of all how the connection is.
    ///
    /// Any number of consumers share one connection, which is made for the first of them and ended with the last: by the
    /// end of its task, or by letting go of its stream. The streams end with the client, and where the service ends the
    /// updates; then the last element says why, and so does the state. A consumer that falls 256 updates behind loses
    /// what follows until it reads again: the last that waits for it is `refreshed`, which says to read the state anew.
    ///
    /// What the user changes here is told as well: when it is done, again with the service's own times when it confirms,
    /// and back where it fails. Pages that are fetched are no news: of
    /// them only what is known and has changed is told.
    ///
    /// ```swift
    /// for await update in inbox.updates() {
    ///     if case .message(let message) = update { print(message.title) }
    /// }
    /// ```
    public nonisolated func updates() -> AsyncStream<InboxUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: InboxUpdate.self, bufferingPolicy: .bufferingOldest(UpdateConsumers.mostWaiting))
        Task { await self.attach(continuation) }
        return stream
    }

    // MARK: Preferences

    /// How the recipient wants to be told.
    public func preferences() async throws(InboxError) -> Preferences {
        try await call { service throws(InboxError) in try await service.preferences() }
    }

    /// Changes how the recipient wants to be told; what is not mentioned stays.
    ///
    /// - Returns: The preferences after the change.
    @discardableResult
    public func savePreferences(_ changes: PreferencesPatch) async throws(InboxError) -> Preferences {
        try await call { service throws(InboxError) in try await service.savePreferences(changes) }
    }

    // MARK: The end

    /// Makes the connection of the updates at once where it waits to be made again: for an app that comes back to the
    /// foreground. A span that the service asked for is waited for all the same.
    public func reconnect() {
        pause?.cancel()
    }

    /// Cancels everything and is final; twice is fine.
    ///
    /// Calls under way end with `closed`, and so do later ones; consumers of updates and states come to their end. What
    /// was changed in the last moment is stored when it returns.
    public func close() async {
        let closing = self.closing ?? Task { await end() }
        self.closing = closing
        await closing.value
    }

    private func end() async {
        isClosed = true
        following?.cancel()
        following = nil
        connection = .ended(.closed)
        consumers.finish()
        for watcher in stateWatchers.values { watcher.finish() }
        for watcher in countWatchers.values { watcher.finish() }
        stateWatchers = [:]
        countWatchers = [:]
        for cancel in calls.values { cancel() }
        await tokens.cancel()
        saving?.cancel()
        await saving?.value
        if isUnsaved { await saveNow() }
    }
}

// MARK: - Inside

extension InboxClient {
    /// Runs a call that `close` ends too.
    @discardableResult
    func call<Value: Sendable>(
        _ body: @escaping @Sendable (InboxService) async throws(InboxError) -> Value
    ) async throws(InboxError) -> Value {
        if isClosed { throw .closed }
        if Task.isCancelled { throw .cancelled }
        let service = service
        let task = Task { @concurrent () async -> Result<Value, InboxError> in
            do throws(InboxError) {
                return .success(try await body(service))
            } catch {
                return .failure(error)
            }
        }
        let number = number()
        calls[number] = { task.cancel() }
        defer { calls[number] = nil }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if isClosed { throw .closed }
        return try result.get()
    }

    /// A number that nothing else has here.
    func number() -> UInt64 {
        nextNumber += 1
        return nextNumber
    }

    // MARK: State

    func currentState() -> InboxState {
        InboxState(
            messages: store.messages, unread: store.unread(at: time.now), source: source, connection: connection)
    }

    /// Tells everybody who watches what is shown now.
    func publish() {
        if !stateWatchers.isEmpty {
            let state = currentState()
            for watcher in stateWatchers.values { watcher.yield(state) }
        }
        let count = store.unread(at: time.now)
        if count != lastCount {
            consumers.send(.unread(count))
            for watcher in countWatchers.values { watcher.yield(count) }
        }
        lastCount = count
    }

    private func watch(_ continuation: AsyncStream<InboxState>.Continuation) async {
        await restore()
        guard !isClosed else { return continuation.finish() }
        let id = number()
        continuation.onTermination = { [weak self] _ in Task { await self?.unwatch(id) } }
        // One that went before anybody was told of it is found by what it is told first.
        if case .terminated = continuation.yield(currentState()) { return }
        stateWatchers[id] = continuation
    }

    private func watch(counts continuation: AsyncStream<Int>.Continuation) async {
        await restore()
        guard !isClosed else { return continuation.finish() }
        let id = number()
        continuation.onTermination = { [weak self] _ in Task { await self?.unwatch(id) } }
        if case .terminated = continuation.yield(store.unread(at: time.now)) { return }
        countWatchers[id] = continuation
    }

    private func unwatch(_ id: UInt64) {
        stateWatchers[id] = nil
        countWatchers[id] = nil
    }

    // MARK: What the service said

    /// Takes in a page.
    private func take(
        _ fetched: InboxService.Fetched, _ filter: InboxFilter, isFirst: Bool, since: InboxStore.Moment
    ) {
        let (messages, now) = (fetched.page.messages, time.now)
        source = .service
        telling(messages.map(\.id), news: false) {
            for message in messages { store.take(message, .answer(since: since), at: now) }
        }
        // An entry that could not be read may be any of those that seem to be missing.
        if fetched.page.unreadable == 0 {
            removing(
                store.missing(from: messages, filter, isFirst: isFirst, isLast: fetched.page.next == nil, since: since))
        }
        if let unread = fetched.unread { store.take(unread, .answer(since: since)) }
        if store.standing == .nowhere, filter == .inbox, isFirst, let standing = fetched.standing {
            store.standing = standing
        }
        changed()
    }

    /// Changes the store, and tells consumers which of these messages are shown differently since.
    ///
    /// - Parameter news: Whether a message that was not known is to be told of.
    func telling(_ ids: [Identifier], news: Bool, _ body: () -> Void) {
        if consumers.isEmpty { return body() }
        let before = store.shown(ids)
        body()
        for (id, (before, after)) in zip(ids, zip(before, store.shown(ids))) {
            guard let after, after != before, before != nil || news else { continue }
            store.told(id)
            consumers.send(.message(after))
        }
    }

    func removing(_ ids: [Identifier]) {
        for id in ids where store.remove(id) { consumers.send(.removed(id)) }
    }

    /// Something has changed: it is shown and, soon, saved.
    func changed() {
        publish()
        guard shelf.isPersistent, !isClosed else { return }
        isUnsaved = true
        if saving == nil { saving = Task { await save() } }
    }

    /// Writes snapshots, one after the other, until the last one holds everything.
    private func save() async {
        while isUnsaved {
            do throws(CancellationError) {
                try await time.sleep(milliseconds: 500)
            } catch {
                break
            }
            await saveNow()
        }
        saving = nil
    }

    private func saveNow() async {
        isUnsaved = false
        await shelf.save(store.snapshot(savedAt: time.now))
    }

    /// Reads the snapshot, once.
    func restore() async {
        if isRestored { return }
        let restoring = self.restoring ?? Task { await readSnapshot() }
        self.restoring = restoring
        await restoring.value
    }

    private func readSnapshot() async {
        let bytes = await shelf.snapshot()
        isRestored = true
        guard let bytes, store.isEmpty, let restored = InboxStore.restored(bytes, service.mapping) else { return }
        store = restored.store
        source = .snapshot(restored.savedAt)
        lastCount = store.unread(at: time.now)
    }
}
