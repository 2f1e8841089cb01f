#if Curl && os(Linux)
import CCurl
import Portico

/// An absolute http or https URL, taken apart by libcurl's own parser: what is judged here is what is connected to.
struct WebAddress: Sendable, Hashable {
    /// The URL as libcurl writes it.
    let text: String
    /// Scheme, host and port: where two addresses agree in them, credentials may go along (RFC 6454 §5).
    let origin: Origin

    /// What tells one server from another.
    struct Origin: Sendable, Hashable {
        /// `http` or `https`.
        let scheme: String
        /// In lower case; an IPv6 address in brackets.
        let host: String
        /// Decimal, also where it is the scheme's own.
        let port: String
    }

    /// Whether it is https.
    var isSecure: Bool { origin.scheme == "https" }

    /// Host and port, for messages: no path, no query, nothing secret.
    var authority: String { "\(origin.host):\(origin.port)" }

    /// Reads a URL of a request.
    ///
    /// - Throws: `protocolViolation` for a URL that is not http or https, has user information, or has characters that
    ///   must be percent-encoded (RFC 3986 §2).
    init(_ text: String) throws(NetworkError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .protocolViolation("the URL has characters that must be percent-encoded")
        }
        // libcurl's parser forgives a missing or a third slash.
        guard let schemeEnd = Self.schemeEnd(of: text) else {
            throw .protocolViolation("the URL is not http:// or https://")
        }
        let authority = text.utf8[schemeEnd...].prefix { !"/?#\\".utf8.contains($0) }
        guard !authority.isEmpty else { throw .protocolViolation("the URL has no host") }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw .protocolViolation("the URL has user information")
        }
        guard let url = CurlURL(), url.set(text), let address = WebAddress(url) else {
            throw .protocolViolation("the URL cannot be read")
        }
        self = address
    }

    /// The address that a `Location` field names from here (RFC 9110 §10.2.2); nil where it names none that may be
    /// followed.
    func resolving(_ location: String) -> WebAddress? {
        // Once a URL is set, setting another resolves it against the first.
        guard let url = CurlURL(), url.set(text), url.set(location), let resolved = url.text() else { return nil }
        do {
            return try WebAddress(resolved)
        } catch {
            // Not followed: the redirect itself becomes the response, and its Location is there for the caller to see.
            return nil
        }
    }

    private init?(_ url: CurlURL) {
        guard let text = url.text(), let scheme = url.part(CURLUPART_SCHEME), let host = url.part(CURLUPART_HOST),
            let port = url.part(CURLUPART_PORT), !host.isEmpty
        else { return nil }
        self.text = text
        origin = Origin(scheme: scheme.asciiLowercased, host: host.asciiLowercased, port: port)
    }

    private static func schemeEnd(of text: String) -> String.Index? {
        for scheme in ["http://", "https://"] {
            let head = text.utf8.prefix(scheme.utf8.count)
            if String(decoding: head, as: UTF8.self).asciiLowercased == scheme, text.utf8.count > head.count {
                return head.endIndex
            }
        }
        return nil
    }
}

/// Owns one handle of libcurl's URL parser.
final class CurlURL {
    private let handle: OpaquePointer

    /// Nil when there is no memory.
    init?() {
        guard let handle = curl_url() else { return nil }
        self.handle = handle
    }

    deinit {
        curl_url_cleanup(handle)
    }

    /// Whether `text` is a URL of a kind of proxy that libcurl knows.
    static func isProxyAddress(_ text: String) -> Bool {
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let url = CurlURL(),
            curl_url_set(url.handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = url.part(CURLUPART_SCHEME, flags: 0)
        else { return false }
        return schemes.contains(scheme.asciiLowercased)
    }

    /// Sets the whole URL, resolved against the one that is set; false where it cannot be read.
    func set(_ text: String) -> Bool {
        curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_URLENCODE | CURLU_DISALLOW_USER)) == CURLUE_OK
    }

    /// The whole URL.
    func text() -> String? {
        part(CURLUPART_URL, flags: 0)
    }

    /// One part of the URL; the port also where it is the scheme's own.
    func part(_ part: CURLUPart, flags: Int32 = CURLU_DEFAULT_PORT) -> String? {
        var pointer: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &pointer, UInt32(flags)) == CURLUE_OK, let pointer else { return nil }
        defer { curl_free(pointer) }
        return String(cString: pointer)
    }
}
#endif
