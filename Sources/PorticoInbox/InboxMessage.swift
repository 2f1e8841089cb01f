import Portico

/// A notification in a recipient's inbox, in one of its states.
///
/// What this version does not know is kept and never fatal: a kind is any text, an action or a block of an unknown kind
/// stands where the service put it, and members without a property here are in `unknown`.
public struct InboxMessage: Sendable, Hashable {
    /// What identifies it.
    public var id: Identifier
    /// What it is about, in the service's words: `order`, `reminder`.
    public var kind: String
    /// Its heading, plain text.
    public var title: String
    /// Its text, plain; empty where there is none.
    public var body: String
    /// Its text in parts, for those who draw them; often empty.
    public var blocks: [InboxBlock]
    /// Where it leads, if its scheme is one that the client was told to trust.
    public var link: InboxLink?
    /// When it was made.
    public var createdAt: Instant
    /// When it was read; nil: it was not.
    public var readAt: Instant?
    /// When it was put into the archive; nil: it is in the inbox.
    public var archivedAt: Instant?
    /// From when on it says nothing any more.
    public var expiresAt: Instant?
    /// What can be done about it.
    public var actions: [InboxAction]
    /// The sender's own data; null where there is none.
    public var data: JSONValue
    /// Rises with every change of this message: of two states the later is known.
    public var revision: Int64
    /// Members that this version has no property for, as they came.
    public var unknown: JSONObject

    /// Puts a message together.
    public init(
        id: Identifier, kind: String = "message", title: String, body: String = "", blocks: [InboxBlock] = [],
        link: InboxLink? = nil, createdAt: Instant, readAt: Instant? = nil, archivedAt: Instant? = nil,
        expiresAt: Instant? = nil, actions: [InboxAction] = [], data: JSONValue = .null, revision: Int64 = 1,
        unknown: JSONObject = JSONObject()
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.body = body
        self.blocks = blocks
        self.link = link
        self.createdAt = createdAt
        self.readAt = readAt
        self.archivedAt = archivedAt
        self.expiresAt = expiresAt
        self.actions = actions
        self.data = data
        self.revision = revision
        self.unknown = unknown
    }

    /// Whether it was read.
    public var isRead: Bool { readAt != nil }
    /// Whether it is in the archive.
    public var isArchived: Bool { archivedAt != nil }

    /// Whether the service counts it as unread at that time: neither read, nor archived, nor expired.
    public func isUnread(at now: Instant) -> Bool {
        readAt == nil && archivedAt == nil && expiresAt.map { now < $0 } ?? true
    }
}

/// A part of a message's text.
public struct InboxBlock: Sendable, Hashable {
    /// What it is, in the service's words: `text`, `image`.
    public var kind: String
    /// Its text, where it has one.
    public var text: String?
    /// Where it leads or what it shows, if the scheme is trusted.
    public var link: InboxLink?
    /// The block as it came.
    public var json: JSONValue

    /// Puts a block together.
    public init(kind: String, text: String? = nil, link: InboxLink? = nil, json: JSONValue = .null) {
        self.kind = kind
        self.text = text
        self.link = link
        self.json = json
    }
}

/// Something that can be done about a message.
public struct InboxAction: Sendable, Hashable {
    /// What the app is to do when it is chosen.
    public enum Kind: Sendable, Hashable {
        /// Open the action's link.
        case open
        /// Nothing: the service is told, and that is all.
        case dismiss
        /// What the app understands by the action's id.
        case custom
        /// A kind that this version does not know, by its name.
        case other(String)
    }

    /// What identifies it within its message.
    public var id: Identifier
    /// What a button says.
    public var label: String
    /// What the app is to do.
    public var kind: Kind
    /// Where it leads, if the scheme is trusted.
    public var link: InboxLink?

    /// Puts an action together.
    public init(id: Identifier, label: String, kind: Kind, link: InboxLink? = nil) {
        self.id = id
        self.label = label
        self.kind = kind
        self.link = link
    }
}

/// An address in a message, and whether an app may follow it.
///
/// Messages are written by whoever may send, so an address is followed only where its scheme is on the client's list:
/// `https` unless the host says otherwise. `javascript:` and `file:` are refused that way, and so are other apps' schemes.
public enum InboxLink: Sendable, Hashable {
    /// Its scheme is on the list.
    case trusted(String)
    /// Its scheme is not, or it has none; it is kept to be shown, not to be followed.
    case refused(String)

    /// The address, if it may be followed.
    public var url: String? {
        if case .trusted(let url) = self { url } else { nil }
    }
}

/// Messages, newest first, and where the next ones are.
public struct InboxPage: Sendable, Hashable {
    /// The messages.
    public var messages: [InboxMessage]
    /// What to give to get those that follow; nil where there are none.
    public var next: String?
    /// How many entries of the page could not be read as messages; they are not among `messages`.
    public var unreadable: Int

    /// Puts a page together.
    public init(messages: [InboxMessage], next: String? = nil, unreadable: Int = 0) {
        self.messages = messages
        self.next = next
        self.unreadable = unreadable
    }
}

/// Which messages a page is made of.
public enum InboxFilter: String, Sendable, Hashable, CaseIterable {
    /// Those that are not in the archive.
    case inbox
    /// Those of the inbox that were not read.
    case unread
    /// Those in the archive.
    case archived
}
