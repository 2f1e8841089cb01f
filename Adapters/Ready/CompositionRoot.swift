import Foundation
import Portico
import PorticoFoundation
import PorticoInbox

#if Curl && os(Linux)
import PorticoCurl
#endif

extension InboxClient {
    /// The variable of the environment that names the endpoint.
    static let endpointVariable = "PORTICO_INBOX_ENDPOINT"
    /// The key of an app's Info.plist that names it.
    static let endpointKey = "PorticoInboxEndpoint"

    /// A client that is wired ready: the network of this build and the system's clocks.
    ///
    /// ```swift
    /// let inbox = try InboxClient(token: { try await backend.inboxToken() })
    /// let messages = try await inbox.messages(limit: 20)
    /// ```
    ///
    /// The token is the recipient's own, made by the host's backend. Never a business API key: whoever has the app has
    /// what is in it.
    ///
    /// - Parameters:
    ///   - token: Gives the recipient's token; it is asked before each request.
    ///   - endpoint: Where the service is, `https://notify.example`; nil: what `PorticoInboxEndpoint` of the Info.plist or
    ///     the variable `PORTICO_INBOX_ENDPOINT` says.
    ///   - account: What tells this recipient from others on the device.
    ///   - documents: Where snapshot and ids are kept; without it, or without an account, nothing outlives the client.
    ///   - policy: How it waits, and what it trusts.
    /// - Throws: `InboxError` with the code `endpoint` where none is given anywhere, and `unsupported` where this build
    ///   has no network of its own.
    public init(
        token: @escaping @Sendable () async throws -> String, endpoint: String? = nil, account: String? = nil,
        documents: (any DocumentStore)? = nil, policy: InboxPolicy = InboxPolicy()
    ) throws(InboxError) {
        let named =
            endpoint ?? Bundle.main.object(forInfoDictionaryKey: Self.endpointKey) as? String
            ?? ProcessInfo.processInfo.environment[Self.endpointVariable]
        guard let named else {
            throw InboxError(
                code: .endpoint,
                message: "no endpoint: give endpoint:, or \(Self.endpointKey) in the Info.plist, or "
                    + "\(Self.endpointVariable) in the environment")
        }
        try self.init(
            endpoint: named, account: account, http: try Self.network(policy, for: named), documents: documents,
            time: SystemTime(), random: SystemRandomNumberGenerator(), policy: policy, token: token)
    }

    /// The network of this build.
    private static func network(
        _ policy: InboxPolicy, for endpoint: String
    ) throws(InboxError) -> any HTTPStreamingTransport {
        #if Curl && os(Linux)
        do throws(NetworkError) {
            return try CurlHTTPTransport(configuration: .init(allowInsecure: policy.allowsInsecureHTTP))
        } catch {
            throw InboxError(code: .unreachable, message: "\(error)")
        }
        #else
        throw InboxError(
            code: .unsupported,
            message: "this build has no network of its own for \(endpoint): build with the trait Curl "
                + "(libcurl4-openssl-dev), or make the client with the host's HTTPStreamingTransport")
        #endif
    }
}
