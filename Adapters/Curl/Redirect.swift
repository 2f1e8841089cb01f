#if Curl && os(Linux)
import Portico

/// Where a redirect leads, and what of the request goes along (RFC 9110 §15.4).
struct Redirect {
    /// The next request.
    let request: HTTPRequest
    /// Where it goes.
    let address: WebAddress

    /// Fields that are for one server alone.
    private static let credentials = ["authorization", "cookie", "proxy-authorization"]

    /// Nil where the response is no redirect or is one that must not be followed.
    init?(_ response: HTTPResponse, to request: HTTPRequest, from address: WebAddress) {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.field("Location"),
            let target = address.resolving(location), target.isSecure || !address.isSecure
        else { return nil }
        let staysHome = target.origin == address.origin
        var next = request
        if Self.becomesGet(response.status, request.method) {
            next.method = "GET"
            next.isIdempotent = true
            next.body = nil
            next.fields.removeAll { $0.name.asciiLowercased.hasPrefix("content-") }
        } else if !staysHome && !request.isIdempotent {
            // What must happen once is not handed to a server that the caller has not chosen.
            return nil
        }
        if !staysHome {
            next.fields.removeAll { Self.credentials.contains($0.name.asciiLowercased) }
        }
        next.url = target.text
        self.request = next
        self.address = target
    }

    private static func becomesGet(_ status: Int, _ method: String) -> Bool {
        switch status {
        case 301, 302: method == "POST"
        case 303: method != "GET" && method != "HEAD"
        default: false
        }
    }
}
#endif
