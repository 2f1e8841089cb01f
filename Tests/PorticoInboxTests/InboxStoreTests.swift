import Portico
import Testing

@testable import PorticoInbox

@Suite("What is known of an inbox")
struct InboxStoreTests {
    private static let now = Instant(seconds: 1_783_188_000)
    private let now = now

    private static func message(
        _ id: String, at minute: Int64 = 0, read: Bool = false, archived: Bool = false, revision: Int64 = 1
    ) -> InboxMessage {
        InboxMessage(
            id: Identifier(id)!, title: id, createdAt: now.advanced(byMilliseconds: minute * 60_000),
            readAt: read ? now : nil, archivedAt: archived ? now : nil, revision: revision)
    }

    /// A store that has fetched these.
    private func store(
        _ messages: [InboxMessage], unread: Int, revision: Int64? = 1
    ) -> InboxStore {
        var store = InboxStore()
        for message in messages { store.take(message, .refetch(since: 0), at: now) }
        store.take(InboxStore.UnreadCount(count: Int64(unread), revision: revision), .refetch(since: 0))
        store.standing = .at("e-1")
        return store
    }

    @Test("Two reads whose answers come in the other order never show a count that neither of them explains")
    func answersInOtherOrder() {
        var store = store(["a", "b", "c"].map { Self.message($0) }, unread: 5)
        var shown: [Int] = []
        let a = store.begin(.read("a", at: now), at: now)
        let b = store.begin(.read("b", at: now), at: now)
        shown.append(store.unread(at: now))
        let since = store.moment
        store.confirm(
            b, Self.message("b", read: true, revision: 2), .init(count: 3, revision: 3), since: since, at: now)
        shown.append(store.unread(at: now))
        store.confirm(
            a, Self.message("a", read: true, revision: 2), .init(count: 4, revision: 2), since: since, at: now)
        shown.append(store.unread(at: now))
        #expect(shown == [3, 3, 3])
    }

    @Test("A change and the service's word on it, which comes in pieces, never make the count flicker")
    func pieces() {
        var store = store([Self.message("a")], unread: 1)
        var shown: [Int] = []
        let change = store.begin(.read("a", at: now), at: now)
        let since = store.moment
        shown.append(store.unread(at: now))
        store.take(Self.message("a", read: true, revision: 2), .stream, at: now)
        shown.append(store.unread(at: now))
        store.take(.init(count: 0, revision: 2), .stream)
        shown.append(store.unread(at: now))
        store.confirm(
            change, Self.message("a", read: true, revision: 2), .init(count: 0, revision: 2), since: since, at: now)
        shown.append(store.unread(at: now))
        #expect(shown == [0, 0, 0, 0])
    }

    @Test("What arrives while a change is pending counts, and what is merely fetched is in the count already")
    func arrivals() {
        var store = store([Self.message("a"), Self.message("b")], unread: 5)
        let change = store.begin(.archive("a", at: now), at: now)
        #expect(store.unread(at: now) == 4)
        store.take(Self.message("new", at: 1), .stream, at: now)
        #expect(store.unread(at: now) == 5)
        store.take(Self.message("old", at: -1), .answer(since: store.moment), at: now)
        #expect(store.unread(at: now) == 5)
        let isRemovedB = store.remove("b")
        #expect(isRemovedB)
        #expect(store.unread(at: now) == 4)
        store.fail(change)
        #expect(store.unread(at: now) == 5)
    }

    @Test("All read stays read without a word on each, and reads nothing that came later")
    func readAll() {
        var store = store([Self.message("a"), Self.message("b", read: true)], unread: 7)
        let change = store.begin(.readAll(at: now), at: now)
        let since = store.moment
        #expect(store.unread(at: now) == 0)
        store.take(Self.message("new", at: 1), .stream, at: now)
        #expect(store.unread(at: now) == 1)
        #expect(store.messages.map(\.isRead) == [false, true, true])
        store.confirm(change, nil, .init(count: 1, revision: 2), since: since, at: now)
        #expect(store.unread(at: now) == 1)
        #expect(store.messages.map(\.isRead) == [false, true, true])
        // The service's own word, when it comes, is the later one.
        store.take(Self.message("a", revision: 2), .stream, at: now)
        #expect(store.messages.map(\.isRead) == [false, true, false])
    }

    @Test("A refetch stands whatever the revisions say, but for what was heard while it ran")
    func otherDatabase() {
        var store = store(["a", "b", "c"].map { Self.message($0, revision: 500) }, unread: 9, revision: 500)
        let since = store.moment
        store.take(Self.message("b", read: true, revision: 501), .stream, at: now)
        for id in ["a", "b"] {
            store.take(Self.message(id, archived: true, revision: 3), .refetch(since: since), at: now)
        }
        store.take(.init(count: 2, revision: 4), .refetch(since: since))
        #expect(store.shown(["a", "b"]).map { $0?.isArchived } == [true, false])
        #expect(store.unread(at: now) == 2)
    }

    @Test("What a list lacks is gone, unless it was heard of after the list was asked for or lies outside of it")
    func missing() {
        var store = store(
            [
                Self.message("e", at: 5), Self.message("d", at: 4), Self.message("c", at: 3), Self.message("b", at: 2),
                Self.message("x", at: 3, archived: true),
            ], unread: 0)
        let since = store.moment
        store.take(Self.message("late", at: 4), .stream, at: now)
        let list = [Self.message("e", at: 5), Self.message("c", at: 3)]
        func missing(
            _ list: [InboxMessage], _ filter: InboxFilter = .inbox, isFirst: Bool = true, isLast: Bool
        ) -> Set<String> {
            Set(store.missing(from: list, filter, isFirst: isFirst, isLast: isLast, since: since).map(\.text))
        }
        #expect(missing(list, isLast: false) == ["d"])
        #expect(missing(list, isLast: true) == ["d", "b"])
        #expect(missing([Self.message("c", at: 3)], isFirst: false, isLast: true) == ["b"])
        #expect(missing([], isLast: true) == ["e", "d", "c", "b"])
        #expect(missing([], isFirst: false, isLast: true) == [])
        #expect(missing([], .archived, isLast: true) == ["x"])
        #expect(missing([], .unread, isLast: true) == [])
    }

    @Test("A removed message is not brought back by an answer that was on its way, but by the service's next word")
    func removed() {
        var store = store([Self.message("a")], unread: 1)
        let since = store.moment
        let isRemovedA = store.remove("a")
        #expect(isRemovedA)
        let wasKnown = store.remove("b")
        #expect(!wasKnown)
        for id in ["a", "b"] { store.take(Self.message(id), .answer(since: since), at: now) }
        #expect(store.messages.isEmpty)
        store.take(Self.message("a", revision: 2), .stream, at: now)
        #expect(store.messages.count == 1)
        for number in 0..<3_000 { _ = store.remove(Identifier("m\(number)")!) }
        store.take(Self.message("m2999"), .answer(since: since), at: now)
        #expect(store.messages.count == 1)
    }

    @Test("A service without revisions is understood by the order in which it was asked")
    func noRevisions() {
        var store = store([Self.message("a", revision: 0)], unread: 1, revision: nil)
        #expect(store.unread(at: now) == 1)
        let old = store.moment
        let change = store.begin(.read("a", at: now), at: now)
        store.confirm(
            change, Self.message("a", read: true, revision: 0), .init(count: 0, revision: nil), since: store.moment,
            at: now)
        #expect(store.messages[0].isRead)
        #expect(store.unread(at: now) == 0)
        // A page that was asked for before.
        store.take(Self.message("a", revision: 0), .answer(since: old), at: now)
        store.take(.init(count: 1, revision: nil), .answer(since: old))
        #expect(store.messages[0].isRead)
        #expect(store.unread(at: now) == 0)
    }

    @Test("A snapshot gives back what was confirmed, and where it stands")
    func snapshot() throws {
        var store = store([Self.message("a"), Self.message("b", at: 1, read: true)], unread: 4)
        _ = store.begin(.archive("a", at: now), at: now)
        let mapping = InboxMapping(linkSchemes: ["https"])
        let restored = try #require(InboxStore.restored(store.snapshot(savedAt: now), mapping))
        #expect(restored.savedAt == now)
        #expect(restored.store.messages.map(\.id) == ["b", "a"])
        #expect(restored.store.messages.allSatisfy { !$0.isArchived })
        #expect(restored.store.unread(at: now) == 4)
        #expect(restored.store.standing == .at("e-1"))
        store.standing = .lost
        #expect(InboxStore.restored(store.snapshot(savedAt: now), mapping)?.store.standing == .lost)
    }
}
