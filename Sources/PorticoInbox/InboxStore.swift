import Portico

/// What is known of a recipient's inbox: the service's last word on each message, and over it the changes that the
/// service has not confirmed yet.
///
/// Everything that is shown is derived from these two, the unread count too; so a change that fails is undone, with its
/// share of the count, by taking it away, and one that the service confirms late survives every state that comes between.
struct InboxStore: Sendable, Hashable {
    /// A change of the user's own, until the service has answered.
    enum Change: Sendable, Hashable {
        case read(Identifier, at: Instant)
        case unread(Identifier)
        case archive(Identifier, at: Instant)
        case unarchive(Identifier)
        case readAll(at: Instant)
    }

    /// A count of unread messages, and what tells a later one from an earlier one.
    struct UnreadCount: Sendable, Hashable {
        var count: Int
        var revision: Int64
    }

    private struct Pending: Sendable, Hashable {
        let number: UInt64
        let change: Change
    }

    private var confirmed: [Identifier: InboxMessage] = [:]
    private var count = UnreadCount(count: 0, revision: .min)
    private var pending: [Pending] = []
    private var nextNumber: UInt64 = 0
    /// Where in the service's stream of events this state stands; nil: nowhere yet.
    var position: String?

    /// Whether nothing was ever taken in.
    var isEmpty: Bool { confirmed.isEmpty && position == nil }
    /// How many messages are known.
    var messageCount: Int { confirmed.count }

    // MARK: The service's word

    /// Takes in a state of a message; false where it is known already, or a later one is.
    mutating func take(_ message: InboxMessage) -> Bool {
        if let known = confirmed[message.id], known.revision >= message.revision { return false }
        confirmed[message.id] = message
        return true
    }

    /// Takes in a count, unless a later one is known.
    mutating func take(_ unread: UnreadCount) {
        guard unread.revision >= count.revision else { return }
        count = UnreadCount(count: max(0, unread.count), revision: unread.revision)
    }

    /// Forgets a message; false where it is not known.
    mutating func remove(_ id: Identifier) -> Bool {
        confirmed.removeValue(forKey: id) != nil
    }

    /// Whether any of these messages is known, in whatever state.
    func knows(any messages: [InboxMessage]) -> Bool {
        messages.contains { confirmed[$0.id] != nil }
    }

    /// The ids of messages that a refetched range should hold and does not: from its oldest message on, or all where the
    /// range is the whole inbox.
    func missing(from page: [InboxMessage], isWhole: Bool) -> [Identifier] {
        let held = Set(page.map(\.id))
        let oldest = page.map(Place.init).max()
        return confirmed.values.filter { message in
            guard !message.isArchived, !held.contains(message.id) else { return false }
            return isWhole || oldest.map { Place(message) < $0 } ?? false
        }.map(\.id)
    }

    // MARK: The user's changes

    /// Lays a change over what is known; the number takes it away again.
    mutating func begin(_ change: Change) -> UInt64 {
        nextNumber += 1
        pending.append(Pending(number: nextNumber, change: change))
        return nextNumber
    }

    /// Takes a change away: confirmed, in which case the service's word holds it, or failed.
    mutating func end(_ number: UInt64) {
        pending.removeAll { $0.number == number }
    }

    // MARK: What is shown

    /// A message as it is shown.
    func message(_ id: Identifier, at now: Instant) -> InboxMessage? {
        overlay(at: now).changed[id] ?? confirmed[id]
    }

    /// All known messages as they are shown, newest first.
    func messages(at now: Instant) -> [InboxMessage] {
        let changed = overlay(at: now).changed
        return confirmed.values.map { changed[$0.id] ?? $0 }.sorted { Place($0) < Place($1) }
    }

    /// How many are unread, those included that were never fetched.
    func unread(at now: Instant) -> Int { overlay(at: now).unread }

    /// The confirmed state of the newest messages, for a snapshot.
    func newest(_ limit: Int) -> [InboxMessage] {
        Array(confirmed.values.sorted { Place($0) < Place($1) }.prefix(limit))
    }

    /// The confirmed count.
    var confirmedCount: UnreadCount { count }

    /// What the pending changes make of messages and count, one after the other.
    private func overlay(at now: Instant) -> (changed: [Identifier: InboxMessage], unread: Int) {
        var changed: [Identifier: InboxMessage] = [:]
        var unread = count.count
        func apply(_ id: Identifier, _ change: (inout InboxMessage) -> Void) {
            guard var message = changed[id] ?? confirmed[id] else { return }
            let before = message.isUnread(at: now)
            change(&message)
            changed[id] = message
            unread += (message.isUnread(at: now) ? 1 : 0) - (before ? 1 : 0)
        }
        for entry in pending {
            switch entry.change {
            case .read(let id, let time): apply(id) { $0.readAt = $0.readAt ?? time }
            case .unread(let id): apply(id) { $0.readAt = nil }
            case .archive(let id, let time): apply(id) { $0.archivedAt = $0.archivedAt ?? time }
            case .unarchive(let id): apply(id) { $0.archivedAt = nil }
            case .readAll(let time):
                for id in confirmed.keys { apply(id) { $0.readAt = $0.readAt ?? time } }
                // Those that were never fetched are read as well.
                unread = 0
            }
        }
        return (changed, max(0, unread))
    }

    /// Where a message stands in the order of the inbox: newest first, then by descending id.
    private struct Place: Comparable {
        let createdAt: Instant
        let id: Identifier

        init(_ message: InboxMessage) {
            createdAt = message.createdAt
            id = message.id
        }

        static func < (left: Place, right: Place) -> Bool {
            left.createdAt == right.createdAt ? left.id > right.id : left.createdAt > right.createdAt
        }
    }
}

// MARK: - Snapshot

extension InboxStore {
    /// How many messages a snapshot keeps.
    static let snapshotLimit = 200
    private static let schema = "portico.inbox/1"

    /// The document that an offline start reads.
    func snapshot(savedAt: Instant) -> [UInt8] {
        let value: JSONValue = [
            "schema": .string(Self.schema), "savedAt": .integer(savedAt.milliseconds),
            "position": position.map { .string($0) } ?? .null, "unread": .integer(Int64(count.count)),
            "unreadRevision": .integer(count.revision),
            "messages": .array(newest(Self.snapshotLimit).map(\.json)),
        ]
        return value.serialized()
    }

    /// What a snapshot holds; nil where it is none that this version reads.
    init?(snapshot bytes: [UInt8], _ mapping: InboxMapping) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            // A snapshot is a copy of what the service has: one that cannot be read is fetched anew.
            return nil
        }
        guard value["schema"]?.stringValue == Self.schema else { return nil }
        for message in mapping.messages(value["messages"]).messages { confirmed[message.id] = message }
        count = UnreadCount(
            count: Int(clamping: value["unread"]?.integerValue ?? 0),
            revision: value["unreadRevision"]?.integerValue ?? .min)
        position = value["position"]?.stringValue
    }

    /// When a snapshot was written.
    static func savedAt(_ bytes: [UInt8]) -> Instant? {
        do {
            return try JSONValue(parsing: bytes)["savedAt"]?.integerValue.map { Instant(milliseconds: $0) }
        } catch {
            return nil
        }
    }
}
