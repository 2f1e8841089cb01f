import Portico
import PorticoContracts
import PorticoOpenSSL
import PorticoSodium

extension Subjects {
    /// Every signature engine of this build; a stub is none.
    public static func ticketVerifiers() -> [Subject<any TicketVerifier>] {
        sodium + openSSL
    }

    #if Sodium && os(Linux)
    private static let sodium = [
        Subject<any TicketVerifier>(name: "SodiumTicketVerifier") { { try SodiumTicketVerifier() } }
    ]
    #else
    private static let sodium: [Subject<any TicketVerifier>] = []
    #endif

    #if OpenSSL && os(Linux)
    private static let openSSL = [
        Subject<any TicketVerifier>(name: "OpenSSLTicketVerifier") { { try OpenSSLTicketVerifier() } }
    ]
    #else
    private static let openSSL: [Subject<any TicketVerifier>] = []
    #endif
}
