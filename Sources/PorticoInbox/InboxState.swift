import Portico

/// What an inbox shows, at one moment.
public struct InboxState: Sendable, Hashable {
    /// Where the messages come from.
    public enum Source: Sendable, Hashable {
        /// Nothing was fetched yet, and nothing is stored.
        case nothing
        /// From the last time that the app ran, when the snapshot was written; the service was not heard of since.
        case snapshot(Instant)
        /// From the service.
        case service
    }

    /// The messages that are known, newest first, those in the archive too; the user's own changes are laid over what
    /// the service confirmed.
    public var messages: [InboxMessage]
    /// How many are unread, also of those that were never fetched.
    public var unread: Int
    /// Where the messages come from.
    public var source: Source
    /// How the live updates are.
    public var connection: InboxConnection

    /// Puts a state together.
    public init(messages: [InboxMessage], unread: Int, source: Source, connection: InboxConnection) {
        self.messages = messages
        self.unread = unread
        self.source = source
        self.connection = connection
    }
}

/// How the live updates are.
public enum InboxConnection: Sendable, Hashable {
    /// Nobody asks for updates.
    case idle
    /// The connection is being made.
    case connecting
    /// What happens arrives.
    case live
    /// It broke, and is made again after that many milliseconds; the error is the last one.
    case waiting(milliseconds: Int64, InboxError?)
    /// It has ended and is not made again by itself: the service said so (nil), or refuses it.
    case ended(InboxError?)
}

/// Something that happened in an inbox.
public enum InboxUpdate: Sendable, Hashable {
    /// A message that is new, or a new state of one that is known, as it is to be shown.
    case message(InboxMessage)
    /// A message that is gone: deleted, expired, or put into the archive where this client did not see it.
    case removed(Identifier)
    /// The number of unread messages.
    case unread(Int)
    /// Preferences that were changed, here or elsewhere.
    case preferences(Preferences)
    /// Read the state anew: more changed than is told one by one, or this consumer was too slow to be told.
    case refreshed
    /// How the connection is.
    case connection(InboxConnection)
    /// An event that this version does not know, or one whose content it cannot read: its type and its JSON.
    case other(type: String, JSONValue)
}
