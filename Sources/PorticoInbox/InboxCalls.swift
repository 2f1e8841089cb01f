import Portico

// The service's calls, one by one: paths, bodies, and what an answer holds.
extension InboxService {
    /// A page as it was fetched, with what came along.
    struct Fetched: Sendable {
        var page: InboxPage
        var unread: InboxStore.UnreadCount?
        /// Where in the stream of events the page stands; nil where that is no place to go on from.
        var standing: InboxStore.Standing?
    }

    /// What a change gave.
    struct Changed: Sendable {
        var message: InboxMessage?
        var unread: InboxStore.UnreadCount?
    }

    /// A page; a shorter one where the service's would be larger than an answer may be.
    func page(limit: Int, after cursor: String?, filter: InboxFilter) async throws(InboxError) -> Fetched {
        var limit = limit
        while true {
            do throws(InboxError) {
                return try await wholePage(limit: limit, after: cursor, filter: filter)
            } catch {
                guard error.code == .tooLarge, limit > 1 else { throw error }
                limit /= 2
            }
        }
    }

    private func wholePage(
        limit: Int, after cursor: String?, filter: InboxFilter
    ) async throws(InboxError) -> Fetched {
        var path = "/messages?limit=\(limit)&filter=\(filter.rawValue)"
        if let cursor { path += "&cursor=\(Self.segment(cursor))" }
        let json = try await read(path)
        guard json["messages"]?.arrayValue != nil else { throw .answer("a page has no messages") }
        let (messages, unreadable) = mapping.messages(json["messages"])
        let next = json["nextCursor"]?.stringValue
        // Whoever follows such a cursor comes nowhere, and goes on for ever.
        if let next, let cursor, next.hasSameBytes(as: cursor) { throw .answer("a page leads to itself") }
        return Fetched(
            page: InboxPage(messages: messages, next: next, unreadable: unreadable), unread: Self.unread(json),
            standing: InboxStore.Standing(after: json["lastEventId"]?.stringValue))
    }

    func message(_ id: Identifier) async throws(InboxError) -> InboxMessage {
        guard let message = mapping.message(try await read("/messages/\(Self.segment(id.text))")) else {
            throw .answer("a message has no id, title or time")
        }
        return message
    }

    func change(_ id: Identifier, _ verb: String) async throws(InboxError) -> Changed {
        changed(try await write("POST", "/messages/\(Self.segment(id.text))/\(verb)"))
    }

    func readAll() async throws(InboxError) -> Changed {
        changed(try await write("POST", "/messages/read-all", [:]))
    }

    func perform(_ action: Identifier, of id: Identifier, customID: String?) async throws(InboxError) -> Changed {
        let path = "/messages/\(Self.segment(id.text))/actions/\(Self.segment(action.text))"
        return changed(try await write("POST", path, customID.map { ["customId": .string($0)] } ?? [:]))
    }

    private func changed(_ json: JSONValue) -> Changed {
        Changed(message: json["message"].flatMap(mapping.message), unread: Self.unread(json))
    }

    /// The count of an answer or an event, which is of no use without what orders it.
    static func unread(_ json: JSONValue) -> InboxStore.UnreadCount? {
        guard let count = json["unread"]?.integerValue, let revision = json["unreadRevision"]?.integerValue else {
            return nil
        }
        return InboxStore.UnreadCount(count: count, revision: revision)
    }

    // MARK: Preferences

    func preferences() async throws(InboxError) -> Preferences {
        try preferences(try await read("/preferences"))
    }

    func savePreferences(_ changes: PreferencesPatch) async throws(InboxError) -> Preferences {
        try preferences(
            try await write("PATCH", "/preferences", changes.json, type: "application/merge-patch+json"))
    }

    private func preferences(_ json: JSONValue) throws(InboxError) -> Preferences {
        guard let preferences = mapping.preferences(json) else { throw .answer("preferences are no object") }
        return preferences
    }

    // MARK: Devices

    func devices() async throws(InboxError) -> [InboxDevice] {
        guard let list = try await read("/devices")["devices"]?.arrayValue else {
            throw .answer("there is no list of devices")
        }
        return list.compactMap(mapping.device)
    }

    func register(_ registration: MobileRegistration) async throws(InboxError) -> InboxDevice {
        guard let device = mapping.device(try await write("POST", "/devices/mobile", registration.json)) else {
            throw .answer("a device has no id")
        }
        return device
    }

    func unregister(_ device: Identifier, kind: String) async throws(InboxError) {
        try await write("DELETE", "/devices/\(kind)/\(Self.segment(device.text))")
    }
}
