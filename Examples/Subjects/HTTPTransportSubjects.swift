import Portico
import PorticoContracts

#if Curl && os(Linux)
import PorticoCurl
#endif

/// The HTTP transports of this machine as subjects, each twice: told to allow plain http, and not told.
public enum HTTPTransportSubjects {
    /// Subjects that trust the authority of `tls`, where there is one.
    public static func all(tls: LoopbackTLS?) -> [Subject<any HTTPTransport>] {
        let trust: Set<Capability> = tls == nil ? [] : [.ownAuthority]
        var subjects: [Subject<any HTTPTransport>] = []
        #if Curl && os(Linux)
        for (name, capability) in [
            ("CurlHTTPTransport", Capability.plainHTTP), ("strict CurlHTTPTransport", .httpsOnly),
        ] {
            let configuration = CurlHTTPTransport.Configuration(
                allowInsecure: capability == .plainHTTP, authorities: tls.map { .pem($0.authority) } ?? .system,
                proxy: .none)
            subjects.append(
                Subject(name: name, capabilities: trust.union([capability])) {
                    { try CurlHTTPTransport(configuration: configuration) }
                })
        }
        #endif
        return subjects
    }
}
