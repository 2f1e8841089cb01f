#if Curl && os(Linux)
import CCurl
import Portico

/// HTTP over libcurl: HTTP/1.1, TLS 1.2 or later, certificates always verified.
///
/// One transport owns one thread and one pool of connections; a host makes one and shares it.
///
/// ```swift
/// let http = try CurlHTTPTransport()
/// let response = try await http.send(HTTPRequest(url: "https://gate.example/v1/health"))
/// await http.close()
/// ```
///
/// Decisions that the port leaves open:
/// - HTTP/1.1 only: a stream that HTTP/2 refuses is sent again by libcurl, whatever its method.
/// - A request that is not idempotent gets a connection of its own making: libcurl sends one again by itself when a
///   connection that it reused turns out dead. What answered it stays in the pool for others.
/// - Bodies are not decompressed: `maximumBody` counts what arrives, and `Accept-Encoding` is the caller's.
/// - A redirect that is not followed, whatever the reason, is the response. 301 and 302 turn POST into GET, 303 all but
///   HEAD; 307 and 308 keep method and body, but a request that is not idempotent does not follow them to another
///   scheme, host or port.
/// - Cookies, netrc and stored credentials of libcurl are not used.
/// - Values of response fields that are not UTF-8 are repaired with U+FFFD; trailers are dropped.
public final class CurlHTTPTransport: HTTPStreamingTransport {
    /// Whose certificates are believed.
    public enum Authorities: Sendable, Hashable {
        /// The system's.
        case system
        /// Those of a PEM file, and no others.
        case file(String)
        /// Those of PEM text, and no others.
        case pem([UInt8])
    }

    /// Which proxy is used.
    public enum Proxy: Sendable, Hashable {
        /// What the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
        case environment
        /// None.
        case none
        /// This one, for every request: `http://proxy.example:3128`; http, https, socks4, socks4a, socks5 or socks5h.
        case url(String)
    }

    /// What all requests of a transport have in common.
    public struct Configuration: Sendable, Hashable {
        /// Whether plain http is allowed.
        public var allowInsecure: Bool
        /// Whose certificates are believed.
        public var authorities: Authorities
        /// Which proxy is used.
        public var proxy: Proxy
        /// Milliseconds in which a connection must stand, TLS included; 1 or more.
        public var connectTimeout: Int64
        /// The `User-Agent` of requests that bring none, nil for no such field.
        public var userAgent: String?

        /// Puts a configuration together; the defaults are the strict ones.
        public init(
            allowInsecure: Bool = false, authorities: Authorities = .system, proxy: Proxy = .environment,
            connectTimeout: Int64 = 10_000, userAgent: String? = nil
        ) {
            self.allowInsecure = allowInsecure
            self.authorities = authorities
            self.proxy = proxy
            self.connectTimeout = connectTimeout
            self.userAgent = userAgent
        }
    }

    private let configuration: Configuration
    private let loop: CurlLoop

    /// Starts the transport's thread.
    ///
    /// - Throws: `unreachable` when libcurl or the thread does not start; `protocolViolation` when the user agent is no
    ///   field value, the proxy no address, or the PEM text empty.
    public init(configuration: Configuration = Configuration()) throws(NetworkError) {
        try configuration.check()
        self.configuration = configuration
        loop = try CurlLoop()
    }

    deinit {
        loop.close()
    }

    /// Sends one request and returns the whole response.
    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let call = CurlCall(request: request, address: try address(of: request), configuration: configuration)
        return try await perform(call)
    }

    /// Sends one request and returns the head of the response; its body is read from then on.
    ///
    /// `maximumBody` is not looked at, but for the bodies of redirects; up to 80 KiB wait for the reader.
    public func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStreamedResponse {
        let body = CurlBody()
        let call = CurlCall(
            request: request, address: try address(of: request), configuration: configuration, body: body)
        let head = try await perform(call)
        // The body holds the transport, so that one that a host let go of ends after its last body and not before.
        let streamed = HTTPStreamedBody { [self] () async throws(NetworkError) in
            if Task.isCancelled { loop.cancel(call) }
            let piece = await withTaskCancellationHandler {
                await body.next { loop.goOn(call) }
            } onCancel: {
                loop.cancel(call)
            }
            return try piece.get()
        } cancel: { [loop] in
            loop.cancel(call)
        }
        return HTTPStreamedResponse(status: head.status, fields: head.fields, body: streamed)
    }

    /// The request's address, if it may be sent there.
    private func address(of request: HTTPRequest) throws(NetworkError) -> WebAddress {
        if Task.isCancelled { throw .cancelled }
        try request.checkFraming()
        let address = try WebAddress(request.url)
        if !address.isSecure && !configuration.allowInsecure {
            throw .insecure("http to \(address.authority)")
        }
        return address
    }

    /// The response of a call, or the head of one whose body is streamed.
    private func perform(_ call: CurlCall) async throws(NetworkError) -> HTTPResponse {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.start(call, continuation)
            }
        } onCancel: {
            loop.cancel(call)
        }
        return try result.get()
    }

    /// Ends every call under way with `closed` and stops the thread; returns when it has ended. Twice is fine.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.close { continuation.resume() }
        }
    }
}

extension CurlHTTPTransport.Configuration {
    fileprivate func check() throws(NetworkError) {
        if let userAgent, !HTTPField(name: "User-Agent", value: userAgent).isWellFormed {
            throw .protocolViolation("the user agent is no field value")
        }
        if case .pem(let bytes) = authorities, bytes.isEmpty {
            throw .protocolViolation("the PEM text of the authorities is empty")
        }
        if case .url(let url) = proxy, !CurlURL.isProxyAddress(url) {
            // The address may hold a password: it is not repeated.
            throw .protocolViolation("the proxy's address is no URL of a proxy")
        }
    }
}
#endif
