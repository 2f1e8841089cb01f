import Portico
import PorticoContracts
import PorticoOpenSSL
import PorticoSodium

extension Subjects {
    /// Every signature engine of this build; a stub is none.
    public static func ticketVerifiers() -> [Subject<any TicketVerifier>] {
        var subjects: [Subject<any TicketVerifier>] = []
        #if Sodium && os(Linux)
        subjects.append(
            Subject(name: "SodiumTicketVerifier") { { try SodiumTicketVerifier() } })
        #endif
        #if OpenSSL && os(Linux)
        subjects.append(
            Subject(name: "OpenSSLTicketVerifier") { { try OpenSSLTicketVerifier() } })
        #endif
        return subjects
    }
}
