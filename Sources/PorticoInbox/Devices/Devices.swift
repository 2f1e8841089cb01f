import Portico

/// A device that a recipient's notifications are pushed to.
public struct InboxDevice: Sendable, Hashable {
    /// What identifies it at the service.
    public var id: Identifier
    /// What it is, in the service's words: `mobile`, `webPush`.
    public var kind: String
    /// `ios`, `android`, or another; nil where the service says none.
    public var platform: String?
    /// What its owner calls it.
    public var name: String?
    /// The push connection that it was registered under.
    public var connectionId: String?
    /// The installation of the app on it.
    public var installationId: String?
    /// When it was registered.
    public var registeredAt: Instant?
    /// Whether its owner agreed to advertising; nil where the service says nothing.
    public var marketingConsent: Bool?

    /// Puts a device together.
    public init(
        id: Identifier, kind: String, platform: String? = nil, name: String? = nil, connectionId: String? = nil,
        installationId: String? = nil, registeredAt: Instant? = nil, marketingConsent: Bool? = nil
    ) {
        self.id = id
        self.kind = kind
        self.platform = platform
        self.name = name
        self.connectionId = connectionId
        self.installationId = installationId
        self.registeredAt = registeredAt
        self.marketingConsent = marketingConsent
    }
}

/// What a mobile device is registered with.
///
/// Registering again under the same installation replaces the token and keeps the device: do it whenever the system
/// gives a new token.
///
/// ```swift
/// let registration = MobileRegistration(
///     connectionId: "apns-production", installationId: try await inbox.installationId().text, name: "Ann's phone",
///     token: MobileRegistration.hexadecimal(deviceToken), marketingConsent: false)
/// let device = try await inbox.registerMobilePush(registration)
/// ```
public struct MobileRegistration: Sendable, Hashable {
    /// The push connection, by its id at the service.
    public var connectionId: String
    /// The installation of the app; `InboxClient.installationId()` gives one that persists.
    public var installationId: String
    /// What its owner calls the device.
    public var name: String?
    /// The push token: of APNs in hexadecimal, of FCM as it was given.
    public var token: String
    /// Whether the owner agreed to advertising.
    public var marketingConsent: Bool
    /// How that is known: the wording that was agreed to, and when; needed where the answer is yes.
    public var consentEvidence: String?
    /// The platform, `ios` unless it is said otherwise.
    public var platform: String

    /// Puts a registration together.
    public init(
        connectionId: String, installationId: String, name: String? = nil, token: String, marketingConsent: Bool,
        consentEvidence: String? = nil, platform: String = "ios"
    ) {
        self.connectionId = connectionId
        self.installationId = installationId
        self.name = name
        self.token = token
        self.marketingConsent = marketingConsent
        self.consentEvidence = consentEvidence
        self.platform = platform
    }

    /// What keeps it from being sent; nil: nothing.
    var flaw: InboxError? {
        if connectionId.isEmpty || installationId.isEmpty || token.isEmpty {
            return .invalid("a registration needs a connection, an installation and a token")
        }
        if marketingConsent, consentEvidence?.isEmpty ?? true {
            return .invalid("marketing consent was given: the registration needs the evidence of it")
        }
        return nil
    }

    var json: JSONValue {
        var object: JSONObject = [
            "connectionId": .string(connectionId), "installationId": .string(installationId),
            "platform": .string(platform), "token": .string(token), "marketingConsent": .bool(marketingConsent),
        ]
        if let name { object["name"] = .string(name) }
        if let consentEvidence { object["consentEvidence"] = .string(consentEvidence) }
        return .object(object)
    }
}
