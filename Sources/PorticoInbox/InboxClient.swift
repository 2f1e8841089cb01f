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
    var isClosed = false

    private var isRestored = false
    private var restoring: Task<Void, Never>?
    private var calls: [UInt64: @Sendable () -> Void] = [:]
    private var nextCall: UInt64 = 0
    private var stateWatchers: [UInt64: AsyncStream<InboxState>.Continuation] = [:]
    private var countWatchers: [UInt64: AsyncStream<Int>.Continuation] = [:]
    private var lastCount = 0
    private var nextWatcher: UInt64 = 0
    private var saving: Task<Void, Never>?

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

    // MARK: Reading

    /// The newest messages that are not in the archive.
    ///
    /// - Parameter limit: How many at most, 1 to 100.
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
        guard 1...100 ~= limit else { throw .invalid("a page has 1 to 100 messages, not \(limit)") }
        await restore()
        let fetched = try await call { service throws(InboxError) in
            try await service.page(limit: limit, after: cursor, filter: filter)
        }
        take(fetched)
        let now = time.now
        var page = fetched.page
        page.messages = page.messages.map { store.message($0.id, at: now) ?? $0 }
        return page
    }

    /// One message.
    public func message(_ id: Identifier) async throws(InboxError) -> InboxMessage {
        await restore()
        let message = try await call { service throws(InboxError) in try await service.message(id) }
        take(message)
        return store.message(id, at: time.now) ?? message
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
    /// updates; then the last element says why. A consumer that falls 256 updates behind loses what follows, and is told
    /// by `refreshed` to read the state anew.
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

    // MARK: The user's changes

    /// Marks a message as read.
    public func markRead(_ id: Identifier) async throws(InboxError) {
        try await change(.read(id, at: time.now), id, "read")
    }

    /// Marks a message as unread.
    public func markUnread(_ id: Identifier) async throws(InboxError) {
        try await change(.unread(id), id, "unread")
    }

    /// Puts a message into the archive.
    public func archive(_ id: Identifier) async throws(InboxError) {
        try await change(.archive(id, at: time.now), id, "archive")
    }

    /// Takes a message back out of the archive.
    public func unarchive(_ id: Identifier) async throws(InboxError) {
        try await change(.unarchive(id), id, "unarchive")
    }

    /// Marks every message as read, those that were never fetched too.
    public func markAllRead() async throws(InboxError) {
        try await change(.readAll(at: time.now)) { service throws(InboxError) in try await service.readAll() }
    }

    /// Tells the service that an action was chosen, which also marks the message as read.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - id: Its message.
    ///   - customID: The app's own name of what was done, for an action of the kind `custom`.
    public func perform(
        _ action: Identifier, of id: Identifier, customID: String? = nil
    ) async throws(InboxError) {
        try await change(.read(id, at: time.now)) { service throws(InboxError) in
            try await service.perform(action, of: id, customID: customID)
        }
    }

    private func change(_ change: InboxStore.Change, _ id: Identifier, _ verb: String) async throws(InboxError) {
        try await self.change(change) { service throws(InboxError) in try await service.change(id, verb) }
    }

    /// Shows a change at once, sends it once, and undoes it where it fails.
    private func change(
        _ change: InboxStore.Change,
        _ send: @escaping @Sendable (InboxService) async throws(InboxError) -> InboxService.Changed
    ) async throws(InboxError) {
        if isClosed { throw .closed }
        await restore()
        let number = store.begin(change)
        publish()
        do throws(InboxError) {
            let changed = try await call(send)
            store.end(number)
            take(changed)
        } catch {
            store.end(number)
            publish()
            throw error
        }
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

    // MARK: Devices

    /// The devices that notifications are pushed to.
    public func devices() async throws(InboxError) -> [InboxDevice] {
        try await call { service throws(InboxError) in try await service.devices() }
    }

    /// The id of this installation of the app: the same for every recipient and every start, where there are documents.
    public func installationID() async throws(InboxError) -> Identifier {
        if isClosed { throw .closed }
        return try await shelf.installationID(proposing: Identifier(device: random.next(), random.next()))
    }

    /// Registers this device for push, or replaces what it was registered with.
    public func registerMobilePush(_ registration: MobileRegistration) async throws(InboxError) -> InboxDevice {
        if let flaw = registration.flaw { throw flaw }
        let device = try await call { service throws(InboxError) in try await service.register(registration) }
        try await shelf.keep(device: device.id)
        return device
    }

    /// Ends push to this device.
    ///
    /// - Throws: `InboxError` with the code `invalid` where this recipient has no device here.
    public func unregisterMobilePush() async throws(InboxError) {
        guard let device = try await shelf.device() else {
            throw .invalid("this recipient has no device registered here")
        }
        try await unregister(device)
    }

    private func unregister(_ device: Identifier) async throws(InboxError) {
        do throws(InboxError) {
            try await call { service throws(InboxError) in try await service.unregister(device, kind: "mobile") }
        } catch where error.status == 404 {
            // It is gone already, which is what was wanted.
        }
        try await shelf.forgetDevice()
    }

    /// Ends push to a browser.
    public func unregisterWebPush(_ device: Identifier) async throws(InboxError) {
        try await call { service throws(InboxError) in try await service.unregister(device, kind: "web-push") }
    }

    // MARK: The end

    /// Ends the recipient's use of this device: push to it, what is stored of the inbox, and this client.
    ///
    /// Everything is done that can be done. Where the service could not be told, the report has the device, so that the
    /// host's backend can deactivate it.
    public func logout() async -> InboxLogout {
        var report = InboxLogout()
        do throws(InboxError) {
            if let device = try await shelf.device() {
                report.device = device
                try await unregister(device)
                report.device = nil
            }
        } catch {
            report.error = error
        }
        await close()
        do throws(InboxError) {
            try await shelf.forgetRecipient()
        } catch {
            report.error = report.error ?? error
        }
        return report
    }

    /// Cancels everything and is final; twice is fine.
    ///
    /// Calls under way end with `closed`, and so do later ones; consumers of updates and states come to their end.
    public func close() async {
        guard !isClosed else { return }
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
        // What was changed in the last moment is kept for the next start.
        let unsaved = saving
        saving = nil
        unsaved?.cancel()
        if unsaved != nil { await save() }
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
        let task = Task { () async -> Result<Value, InboxError> in
            do throws(InboxError) {
                return .success(try await body(service))
            } catch {
                return .failure(error)
            }
        }
        nextCall += 1
        let number = nextCall
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

    // MARK: State

    func currentState() -> InboxState {
        let now = time.now
        return InboxState(
            messages: store.messages(at: now), unread: store.unread(at: now), source: source, connection: connection)
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
        nextWatcher += 1
        let id = nextWatcher
        stateWatchers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.unwatch(id) } }
        continuation.yield(currentState())
    }

    private func watch(counts continuation: AsyncStream<Int>.Continuation) async {
        await restore()
        guard !isClosed else { return continuation.finish() }
        nextWatcher += 1
        let id = nextWatcher
        countWatchers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.unwatch(id) } }
        continuation.yield(store.unread(at: time.now))
    }

    private func unwatch(_ id: UInt64) {
        stateWatchers[id] = nil
        countWatchers[id] = nil
    }

    // MARK: What the service said

    /// Takes in a page.
    func take(_ fetched: InboxService.Fetched) {
        source = .service
        for message in fetched.page.messages where store.take(message) { consumers.send(.message(shown(message))) }
        if let unread = fetched.unread { store.take(unread) }
        if store.position == nil { store.position = fetched.position }
        changed()
    }

    private func take(_ changed: InboxService.Changed) {
        if let message = changed.message, store.take(message) { consumers.send(.message(shown(message))) }
        if let unread = changed.unread { store.take(unread) }
        self.changed()
    }

    func take(_ message: InboxMessage) {
        if store.take(message) { consumers.send(.message(shown(message))) }
        changed()
    }

    func shown(_ message: InboxMessage) -> InboxMessage {
        store.message(message.id, at: time.now) ?? message
    }

    /// What is confirmed has changed: it is shown and, soon, saved.
    func changed() {
        publish()
        guard shelf.isPersistent, saving == nil, !isClosed else { return }
        saving = Task { [time] in
            do throws(CancellationError) {
                try await time.sleep(milliseconds: 500)
            } catch {
                return
            }
            saving = nil
            await save()
        }
    }

    /// A snapshot that cannot be written is not missed until the next offline start: the state has nowhere to show it.
    private func save() async {
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
        guard let bytes, store.isEmpty, let restored = InboxStore(snapshot: bytes, service.mapping),
            let savedAt = InboxStore.savedAt(bytes)
        else { return }
        store = restored
        source = .snapshot(savedAt)
        lastCount = store.unread(at: time.now)
    }
}

/// What became of a logout.
public struct InboxLogout: Sendable, Hashable {
    /// The device that the service still pushes to, because it could not be told; nil: there is none.
    public var device: Identifier?
    /// What failed; nil: nothing.
    public var error: InboxError?

    /// Puts a report together; by default nothing failed.
    public init(device: Identifier? = nil, error: InboxError? = nil) {
        self.device = device
        self.error = error
    }
}
