import Portico

/// What is known of a recipient's inbox: the service's last word on each message, and over it the changes that the
/// service has not confirmed yet.
///
/// Everything that is shown is derived from these two, the unread count too; so a change that fails is undone, with its
/// share of the count, by taking it away, and one that the service confirms late survives every state that comes between.
///
/// Of two states of a message the one with the higher revision is later. Where revisions do not decide (a service
/// without them, or a refetch, whose service may count anew because its database is another), it is the order in which
/// things were asked and heard: moments of this store, which count whatever happens in it. A single answer with a lower
/// revision is no sign of another database: behind a service there are copies, and one may lag.
struct InboxStore: Sendable {
    /// A change of the user's own, until the service has answered.
    enum Change: Sendable, Hashable {
        case read(Identifier, at: Instant)
        case unread(Identifier)
        case archive(Identifier, at: Instant)
        case unarchive(Identifier)
        case readAll(at: Instant)

        /// The message that it changes; nil: all of them.
        var id: Identifier? {
            switch self {
            case .read(let id, _), .unread(let id), .archive(let id, _), .unarchive(let id): id
            case .readAll: nil
            }
        }

        func apply(to message: inout InboxMessage) {
            switch self {
            case .read(_, let time), .readAll(let time): message.readAt = message.readAt ?? time
            case .unread: message.readAt = nil
            case .archive(_, let time): message.archivedAt = message.archivedAt ?? time
            case .unarchive: message.archivedAt = nil
            }
        }
    }

    /// A count of unread messages, and what tells a later one from an earlier one, where the service says it.
    struct UnreadCount: Sendable, Hashable {
        let count: Int
        let revision: Int64?

        /// Kept to what a service can mean (0 to 2⁵³ − 1), so that what is derived from it cannot overflow.
        init(count: Int64, revision: Int64?) {
            self.count = Int(min(max(0, count), 9_007_199_254_740_991))
            self.revision = revision
        }
    }

    /// When something happened in this store.
    typealias Moment = UInt64

    /// Where a state comes from.
    enum Origin: Sendable {
        /// The stream of events: what it tells is the newest there is.
        case stream
        /// The answer to what was asked at that moment.
        case answer(since: Moment)
        /// What was fetched to stand in the place of what is known, from that moment on.
        case refetch(since: Moment)
    }

    /// Where in the service's stream of events this state stands.
    enum Standing: Sendable, Hashable {
        /// The list was never fetched.
        case nowhere
        /// After this event.
        case at(String)
        /// Something was missed: only a refetch helps.
        case lost

        /// After an event; nil where there is no id, one that was taken back, or one that no field can carry: that is no
        /// place to go on from.
        init?(after id: String?) {
            guard let id, !id.isEmpty, id.utf8.count <= 1_024, id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                return nil
            }
            self = .at(id)
        }
    }

    private struct Entry: Sendable {
        var message: InboxMessage
        /// When it was first heard of.
        let knownSince: Moment
        /// When this state of it was heard.
        var heardAt: Moment
        /// When what told of it last was asked for, or came by itself: what it says is not of an earlier moment.
        var askedAt: Moment
        /// Whether consumers of updates were told of it, or need not be.
        var isTold: Bool
    }

    private struct Pending: Sendable {
        let number: UInt64
        let change: Change
        let began: Moment
    }

    /// What the count is derived from while changes are pending: the service's own count then mixes what it has heard of
    /// and what it has not, in an order that nobody here can know.
    private struct Base: Sendable {
        var count: Int
        /// How many known messages that count includes.
        var known: Int
    }

    private(set) var moment: Moment = 0
    private var entries: [Identifier: Entry] = [:]
    private var gone: [Identifier: Moment] = [:]
    private var count = UnreadCount(count: 0, revision: nil)
    private var countHeardAt: Moment = 0
    private var pending: [Pending] = []
    private var base: Base?
    private var nextNumber: UInt64 = 0
    var standing = Standing.nowhere

    /// How many removed messages are remembered, so that an answer on its way does not bring them back.
    private static let mostGone = 1_000

    /// Whether nothing was ever taken in.
    var isEmpty: Bool { entries.isEmpty && standing == .nowhere }
    /// How many messages are known.
    var messageCount: Int { entries.count }

    /// The moment of a question, which is of no other: what is asked later is told from what was asked before.
    mutating func ask() -> Moment { tick() }

    private mutating func tick() -> Moment {
        moment += 1
        return moment
    }

    // MARK: The service's word

    /// Takes in a state of a message, unless a later one is known.
    mutating func take(_ message: InboxMessage, _ origin: Origin, at now: Instant) {
        let since = origin.since ?? moment
        guard var entry = entries[message.id] else {
            if let goneAt = gone[message.id], goneAt > since { return }
            gone[message.id] = nil
            let moment = tick()
            entries[message.id] = Entry(
                message: message, knownSince: moment, heardAt: moment, askedAt: origin.since ?? moment,
                isTold: origin.isRefetch)
            // The count had it already, unless it is news.
            if origin.since != nil, message.isUnread(at: now) { base?.known += 1 }
            return
        }
        let isNewerThanKnown = entry.heardAt <= since
        let isLater =
            message.revision > entry.message.revision
            || isNewerThanKnown && (origin.isRefetch || message.revision == entry.message.revision)
        guard isLater, message != entry.message else { return }
        entry.message = message
        entry.heardAt = tick()
        entry.askedAt = max(entry.askedAt, origin.since ?? entry.heardAt)
        entries[message.id] = entry
    }

    /// Takes in a count, unless a later one is known.
    mutating func take(_ unread: UnreadCount, _ origin: Origin) {
        let isNewerThanKnown = countHeardAt <= origin.since ?? moment
        let isLater: Bool =
            if let new = unread.revision, let known = count.revision {
                new >= known || isNewerThanKnown && origin.isRefetch
            } else {
                isNewerThanKnown
            }
        guard isLater else { return }
        count = unread
        countHeardAt = tick()
    }

    /// Forgets a message; false where it is not known.
    mutating func remove(_ id: Identifier) -> Bool {
        let moment = tick()
        gone[id] = moment
        if gone.count > Self.mostGone {
            gone = gone.filter { $0.value > moment - UInt64(Self.mostGone / 2) }
        }
        return entries.removeValue(forKey: id) != nil
    }

    /// From here on the count is as the service says it, with what is known now.
    mutating func settleCount(at now: Instant) {
        base =
            pending.isEmpty
            ? nil : Base(count: count.count, known: entries.values.count { $0.message.isUnread(at: now) })
    }

    /// Whether a list must go on past this message to reach all that is known.
    func knows(beyond message: InboxMessage?, _ filter: InboxFilter) -> Bool {
        let place = message.map(Place.init)
        return entries.values.contains { entry in
            entry.message.isArchived == (filter == .archived) && place.map { $0 < Place(entry.message) } ?? true
        }
    }

    /// Forgets, of what was known at that moment, what comes after the end of a list: nobody asked what became of it.
    mutating func forget(beyond list: [InboxMessage], _ filter: InboxFilter, since: Moment) {
        guard let last = list.last.map(Place.init) else { return }
        entries = entries.filter { _, entry in
            entry.message.isArchived != (filter == .archived) || entry.askedAt > since || !(last < Place(entry.message))
        }
    }

    /// The ids of messages that a list should hold and does not: within its range, and known before it was asked for.
    ///
    /// - Parameters:
    ///   - list: Messages one after the other, in the order of the inbox.
    ///   - filter: What the list is made of; of what is unread nobody knows why it left.
    ///   - isFirst: Whether nothing comes before it.
    ///   - isLast: Whether nothing comes after it.
    func missing(
        from list: [InboxMessage], _ filter: InboxFilter, isFirst: Bool, isLast: Bool, since: Moment
    ) -> [Identifier] {
        guard filter != .unread else { return [] }
        let held = Set(list.map(\.id))
        let newest = isFirst ? nil : list.first.map(Place.init)
        let oldest = isLast ? nil : list.last.map(Place.init)
        if list.isEmpty, !isFirst || !isLast { return [] }
        return entries.values.filter { entry in
            let message = entry.message
            guard message.isArchived == (filter == .archived), entry.askedAt <= since, !held.contains(message.id)
            else { return false }
            let place = Place(message)
            return newest.map { $0 < place } ?? true && oldest.map { place < $0 } ?? true
        }.map(\.message.id)
    }

    // MARK: Telling

    func isTold(_ id: Identifier) -> Bool { entries[id]?.isTold ?? false }

    mutating func told(_ id: Identifier) { entries[id]?.isTold = true }

    // MARK: The user's changes

    /// Lays a change over what is known; the number takes it away again.
    mutating func begin(_ change: Change, at now: Instant) -> UInt64 {
        nextNumber += 1
        pending.append(Pending(number: nextNumber, change: change, began: tick()))
        if base == nil { settleCount(at: now) }
        return nextNumber
    }

    /// The changes that were begun before this one and are of the same message: they must reach the service first.
    func predecessors(of change: Change) -> [UInt64] {
        pending.filter { $0.change.id == nil || change.id == nil || $0.change.id == change.id }.map(\.number)
    }

    /// The messages that a change is of.
    func affected(by change: Change) -> [Identifier] {
        change.id.map { [$0] } ?? Array(entries.keys)
    }

    /// Takes a change away that failed.
    mutating func fail(_ number: UInt64) {
        pending.removeAll { $0.number == number }
        if pending.isEmpty { base = nil }
    }

    /// A change was made: the answer holds its outcome, or the change itself does where the answer has no message.
    mutating func confirm(
        _ number: UInt64, _ message: InboxMessage?, _ unread: UnreadCount?, since: Moment, at now: Instant
    ) {
        guard let index = pending.firstIndex(where: { $0.number == number }) else { return }
        let done = pending.remove(at: index)
        if let message {
            take(message, .answer(since: since), at: now)
        } else {
            for id in affected(by: done.change) {
                guard var entry = entries[id], entry.heardAt <= since, entry.knownSince <= done.began else { continue }
                done.change.apply(to: &entry.message)
                entry.heardAt = tick()
                entry.askedAt = entry.heardAt
                entries[id] = entry
            }
        }
        if let unread { take(unread, .answer(since: since)) }
        if pending.isEmpty || done.change.id == nil { settleCount(at: now) }
    }

    // MARK: What is shown

    /// Messages as they are shown; nil for what is not known.
    func shown(_ ids: [Identifier]) -> [InboxMessage?] {
        let changed = overlay
        return ids.map { changed[$0] ?? entries[$0]?.message }
    }

    /// All known messages as they are shown, newest first.
    var messages: [InboxMessage] {
        let changed = overlay
        return entries.values.map { changed[$0.message.id] ?? $0.message }.sorted { Place($0) < Place($1) }
    }

    /// How many are unread, those included that were never fetched.
    func unread(at now: Instant) -> Int {
        guard let base else { return count.count }
        let changed = overlay
        let known = entries.values.count { (changed[$0.message.id] ?? $0.message).isUnread(at: now) }
        // Where all are read, those are that were never fetched.
        if pending.contains(where: { $0.change.id == nil }) { return known }
        return max(0, base.count + known - base.known)
    }

    /// The confirmed state of the newest messages, for a snapshot.
    private func newest(_ limit: Int) -> [InboxMessage] {
        Array(entries.values.map(\.message).sorted { Place($0) < Place($1) }.prefix(limit))
    }

    /// What the pending changes make of messages, one after the other.
    private var overlay: [Identifier: InboxMessage] {
        var changed: [Identifier: InboxMessage] = [:]
        for pending in pending {
            for id in affected(by: pending.change) {
                guard let entry = entries[id], pending.change.id != nil || entry.knownSince <= pending.began else {
                    continue
                }
                pending.change.apply(to: &changed[id, default: entry.message])
            }
        }
        return changed
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

extension InboxStore.Origin {
    /// When it was asked for; nil: it came by itself.
    fileprivate var since: InboxStore.Moment? {
        switch self {
        case .stream: nil
        case .answer(let since), .refetch(let since): since
        }
    }

    fileprivate var isRefetch: Bool {
        if case .refetch = self { true } else { false }
    }
}

// MARK: - Snapshot

extension InboxStore {
    /// How many messages a snapshot keeps.
    static let snapshotLimit = 200
    /// How many bytes of them: an offline start reads it whole.
    private static let snapshotBytes = 8 << 20
    /// A message may be as deep as what services send, and lies in the snapshot a few levels further down.
    private static let snapshotLimits = {
        var limits = JSONLimits.standard
        limits.maximumDepth += 8
        return limits
    }()
    private static let schema = "portico.inbox/1"

    /// The document that an offline start reads.
    func snapshot(savedAt: Instant) -> [UInt8] {
        let position: JSONValue = if case .at(let position) = standing { .string(position) } else { .null }
        let head: JSONObject = [
            "schema": .string(Self.schema), "savedAt": .integer(savedAt.milliseconds), "position": position,
            "unread": .integer(Int64(count.count)), "unreadRevision": count.revision.map { .integer($0) } ?? .null,
        ]
        var bytes = JSONValue.object(head).serialized()
        bytes.removeLast()
        bytes += Array(#","messages":["#.utf8)
        var isFirst = true
        for message in newest(Self.snapshotLimit) {
            let next = message.json.serialized()
            guard bytes.count + next.count <= Self.snapshotBytes else { break }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            bytes += next
            isFirst = false
        }
        return bytes + Array("]}".utf8)
    }

    /// What a snapshot holds and when it was written; nil where it is none that this version reads.
    static func restored(_ bytes: [UInt8], _ mapping: InboxMapping) -> (store: InboxStore, savedAt: Instant)? {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: snapshotLimits)
        } catch {
            // A snapshot is a copy of what the service has: one that cannot be read is fetched anew.
            return nil
        }
        guard value["schema"]?.stringValue == schema, let savedAt = value["savedAt"]?.integerValue else { return nil }
        var store = InboxStore()
        let moment = store.tick()
        for message in mapping.messages(value["messages"]).messages {
            store.entries[message.id] = Entry(
                message: message, knownSince: moment, heardAt: moment, askedAt: moment, isTold: true)
        }
        store.count = UnreadCount(
            count: value["unread"]?.integerValue ?? 0, revision: value["unreadRevision"]?.integerValue)
        store.standing = Standing(after: value["position"]?.stringValue) ?? .lost
        return (store, Instant(milliseconds: savedAt))
    }
}
