import Portico
import PorticoContracts

#if Curl && os(Linux)
import PorticoCurl
#endif

extension Subjects {
    /// Every HTTP transport of this build, twice: told to allow plain http, and not told.
    ///
    /// - Parameter tls: What makes TLS servers; its authority is the one that the subjects trust. Without it they are
    ///   not capable of `ownAuthority`.
    public static func httpTransports(tls: LoopbackTLS? = nil) -> [Subject<any HTTPTransport>] {
        #if Curl && os(Linux)
        let trust: Set<Capability> = tls == nil ? [] : [.ownAuthority]
        let kinds = [("CurlHTTPTransport", Capability.plainHTTP), ("strict CurlHTTPTransport", .httpsOnly)]
        return kinds.map { name, capability in
            let configuration = CurlHTTPTransport.Configuration(
                allowInsecure: capability == .plainHTTP, authorities: tls.map { .pem($0.authority) } ?? .system,
                proxy: .none)
            return Subject(name: name, capabilities: trust.union([capability])) {
                { try CurlHTTPTransport(configuration: configuration) }
            }
        }
        #else
        return []
        #endif
    }

    /// Every HTTP transport of this build that streams, told to allow plain http.
    public static func httpStreamingTransports() -> [Subject<any HTTPStreamingTransport>] {
        #if Curl && os(Linux)
        return [
            Subject(name: "CurlHTTPTransport", capabilities: [.plainHTTP]) {
                { try CurlHTTPTransport(configuration: .init(allowInsecure: true, proxy: .none)) }
            }
        ]
        #else
        return []
        #endif
    }
}
