import Portico

/// Why an inbox could not do what it was asked.
///
/// `code` is for programs and stays the same; `message` is one line for people, without secrets. Where the service
/// refused, `status` is its HTTP status and `code` is `unauthorized` for 401, else the service's own where it gave one.
///
/// ```swift
/// do {
///     try await inbox.markRead(id)
/// } catch {
///     if error.code == .closed { return }
///     print(error.message)
/// }
/// ```
public struct InboxError: Error, Sendable, Hashable {
    /// What kind of failure; a service may have more than these.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as text.
        public let rawValue: String

        /// A code by its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The client was closed; make another one.
        public static let closed = Code(rawValue: "closed")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The endpoint is missing or no address of a service.
        public static let endpoint = Code(rawValue: "endpoint")
        /// What was given breaks a rule; nothing was sent.
        public static let invalid = Code(rawValue: "invalid")
        /// The token provider failed; the message gives its cause.
        public static let token = Code(rawValue: "token")
        /// The service does not accept the token (401), also after a new one was asked for.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The service cannot be reached, or the answer did not come whole.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The service did not answer in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The service's answer is not what the contract says.
        public static let answer = Code(rawValue: "answer")
        /// The service's answer is larger than is taken.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The service refused, and said no code of its own.
        public static let refused = Code(rawValue: "refused")
        /// This build lacks what it needs; the message says what to build with. It does not pass by itself.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A document of this device could not be read or written.
        public static let storage = Code(rawValue: "storage")
    }

    /// What kind of failure.
    public var code: Code
    /// The HTTP status, where the service answered.
    public var status: Int?
    /// One line: what failed, and what to do where something can be done.
    public var message: String

    /// How long the service asks to wait before it is asked again, in milliseconds; nil where it does not.
    public var retryAfter: Int64?

    /// Puts an error together.
    public init(code: Code, status: Int? = nil, message: String, retryAfter: Int64? = nil) {
        self.code = code
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    static let closed = InboxError(code: .closed, message: "the inbox was closed: make a new client")
    static let cancelled = InboxError(code: .cancelled, message: "the call was cancelled")

    static func invalid(_ message: String) -> InboxError {
        InboxError(code: .invalid, message: message)
    }

    static func answer(_ what: String, status: Int? = nil) -> InboxError {
        InboxError(code: .answer, status: status, message: "the service's answer cannot be read: \(what)")
    }

    /// What it means that there is no response.
    init(_ error: NetworkError) {
        switch error {
        case .cancelled: self = .cancelled
        case .timedOut: self.init(code: .timedOut, message: "the service did not answer in time")
        case .insecure:
            self.init(code: .endpoint, message: "\(error): use https, or allow plain http")
        case .tooLarge:
            self.init(code: .tooLarge, message: "the service's answer is larger than is taken: \(error)")
        case .protocolViolation: self = .answer("\(error)")
        case .unreachable, .untrusted, .closed: self.init(code: .unreachable, message: "\(error)")
        }
    }

    init(_ error: DocumentStoreError) {
        self.init(code: .storage, message: "\(error)")
    }

    /// What a response says that is no success.
    init(refused response: HTTPResponse) {
        let status = response.status
        let code: Code =
            if status == 401 {
                .unauthorized
            } else if let own = response.problem?["code"]?.stringValue, Self.isServiceCode(own) {
                Code(rawValue: own)
            } else {
                .refused
            }
        let reason = response.explanation ?? "no reason given"
        self.init(
            code: code, status: status, message: "the service refused (\(status)): \(reason)",
            retryAfter: response.retryAfter)
    }
}

extension InboxError {
    /// Codes of what happens here: a service's own of the same name would be taken for one of these.
    private static let ours: Set<String> = Set(
        [
            Code.closed, .cancelled, .endpoint, .invalid, .token, .unreachable, .timedOut, .answer, .tooLarge, .storage,
            .unsupported,
        ].map(
            \.rawValue))

    private static func isServiceCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && !ours.contains(text)
    }

    /// Whether nothing can have come of a write that ended so: it was not sent, or the service refused it.
    var saysThatNothingWasDone: Bool {
        if let status { return 400..<500 ~= status && status != 408 }
        return [.invalid, .token, .endpoint].contains(code)
    }
}

extension InboxError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
