import Portico

// The user's own changes: shown at once, sent once, in the order in which they were made where they touch the same
// message, and undone where they fail.
extension InboxClient {
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

    private typealias Send = @Sendable (InboxService) async throws(InboxError) -> InboxService.Changed

    private func change(_ change: InboxStore.Change, _ id: Identifier, _ verb: String) async throws(InboxError) {
        try await self.change(change) { service throws(InboxError) in try await service.change(id, verb) }
    }

    private func change(_ change: InboxStore.Change, _ send: @escaping Send) async throws(InboxError) {
        await restore()
        if isClosed { throw .closed }
        let predecessors = store.predecessors(of: change).compactMap { changing[$0] }
        var number: UInt64 = 0
        telling(store.affected(by: change), news: false) { number = store.begin(change, at: time.now) }
        publish()
        let task = Task { [number] in await settle(number, change, send, after: predecessors) }
        changing[number] = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        try result.get()
    }

    /// Sends a change once those before it have their answers, and takes in what became of it.
    private func settle(
        _ number: UInt64, _ change: InboxStore.Change, _ send: @escaping Send,
        after predecessors: [Task<Result<Void, InboxError>, Never>]
    ) async -> Result<Void, InboxError> {
        // What is cancelled meanwhile is not sent: the call sees to that.
        for task in predecessors { _ = await task.valueUnlessCancelled() }
        defer { changing[number] = nil }
        let since = store.ask()
        do throws(InboxError) {
            let answer = try await call(send)
            telling(store.affected(by: change), news: false) {
                store.confirm(number, answer.message, answer.unread, since: since, at: time.now)
            }
            changed()
            return .success(())
        } catch {
            telling(store.affected(by: change), news: false) { store.fail(number) }
            publish()
            return .failure(error)
        }
    }
}
