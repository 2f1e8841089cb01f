import CHostSodium
import Portico

/// The signature engine that this host already ships: libsodium, through the host's own module map.
package struct HostVerifier: TicketVerifier {
    /// 0 the first time, 1 where the library was started before, anything else where it did not start.
    private static let start = sodium_init()

    /// Starts the library, once in the process.
    ///
    /// - Throws: `TicketVerifierError.unavailable` where it does not start.
    package init() throws(TicketVerifierError) {
        guard Self.start >= 0 else { throw .unavailable("libsodium did not start: sodium_init gave \(Self.start)") }
    }

    /// Whether the signature is valid for the message under the key.
    package func isValid(
        signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(TicketVerifierError) -> Bool {
        // C reads 64 and 32 bytes whatever it is handed.
        guard signature.count == Int(crypto_sign_BYTES), publicKey.count == Int(crypto_sign_PUBLICKEYBYTES) else {
            return false
        }
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}
