/// Verifies Ed25519 signatures (RFC 8032, pure Ed25519).
///
/// ## Why it exists
/// Engines differ: libsodium, OpenSSL and CryptoKit disagree on keys of small order and on encodings that are not
/// canonical. The room refuses those before any engine is asked, so that the verdict is one; what is left is a plain
/// question that each engine answers alike, and a host can bring the engine that it already ships.
///
/// ## Guarantees
/// - TV-1: true for a signature that RFC 8032 accepts: the test vectors of its §7.1 verify.
/// - TV-2: false, never an error and never a trap, for any bytes that do not verify: a changed bit in signature,
///   message or key, and lengths other than 64 and 32.
/// - TV-3: a message of any length verifies, the empty one too, up to 1 MiB at least.
/// - TV-4: the same answer on every call and from any number of threads at once.
///
/// ## Errors
/// `TicketVerifierError.unavailable` when the engine itself could not start; retrying does not help. It is thrown
/// before any answer, so that a broken engine is never taken for a forged ticket.
///
/// ## Concurrency
/// Synchronous and reentrant: it is CPU only, some 50 to 120 µs. It is called from the cooperative pool and must not
/// block on anything.
///
/// ## Write your own
/// ```swift
/// struct HostVerifier: TicketVerifier {
///     let verify: @Sendable (_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool
///     func isValid(
///         signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
///     ) throws(TicketVerifierError) -> Bool {
///         signature.count == 64 && publicKey.count == 32 && verify(signature, message, publicKey)
///     }
/// }
/// ```
/// `TicketVerifierContract.clauses` of PorticoContracts checks it.
public protocol TicketVerifier: Sendable {
    /// Whether `signature` (64 bytes) is valid for `message` under `publicKey` (32 bytes).
    ///
    /// - Throws: `TicketVerifierError.unavailable` when the engine could not start.
    func isValid(
        signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(TicketVerifierError) -> Bool
}

/// Why a signature could not be judged at all.
public enum TicketVerifierError: Error, Sendable, Hashable {
    /// The engine could not start; the text says which and why.
    case unavailable(String)
}

extension TicketVerifierError: CustomStringConvertible {
    /// One line: what failed.
    public var description: String {
        switch self {
        case .unavailable(let cause): "signature engine unavailable: \(cause)"
        }
    }
}
