import Portico

/// How an inbox waits, and what it trusts.
public struct InboxPolicy: Sendable, Hashable {
    /// Schemes of addresses in messages that may be followed, lower case.
    public var linkSchemes: Set<String>
    /// Milliseconds before the first attempt to reconnect, unless the service says otherwise; each further one waits
    /// twice as long.
    public var reconnectDelay: Int64
    /// The longest wait of our own, in milliseconds.
    public var maximumReconnectDelay: Int64
    /// The longest wait that the service may ask for, in milliseconds.
    public var maximumRetryAfter: Int64
    /// Milliseconds without a byte, keep-alives included, after which a stream counts as dead.
    public var idleTimeout: Int64
    /// The longest event that is taken, in bytes.
    public var maximumEvent: Int
    /// Milliseconds after which a token provider that does not answer is given up on.
    public var tokenTimeout: Int64
    /// Whether the endpoint may be plain http.
    public var allowsInsecureHTTP: Bool

    /// A policy; by default https alone, reconnecting after 1 s up to a minute apart, dead after 45 s of silence.
    public init(
        linkSchemes: Set<String> = ["https"], reconnectDelay: Int64 = 1_000, maximumReconnectDelay: Int64 = 60_000,
        maximumRetryAfter: Int64 = 15 * 60_000, idleTimeout: Int64 = 45_000, maximumEvent: Int = 1 << 20,
        tokenTimeout: Int64 = 30_000, allowsInsecureHTTP: Bool = false
    ) {
        self.linkSchemes = linkSchemes
        self.reconnectDelay = reconnectDelay
        self.maximumReconnectDelay = maximumReconnectDelay
        self.maximumRetryAfter = maximumRetryAfter
        self.idleTimeout = idleTimeout
        self.maximumEvent = maximumEvent
        self.tokenTimeout = tokenTimeout
        self.allowsInsecureHTTP = allowsInsecureHTTP
    }
}
