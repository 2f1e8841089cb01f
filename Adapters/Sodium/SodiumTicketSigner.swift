#if Sodium && os(Linux)
import CSodium
import Portico

/// Signs with an Ed25519 key, for issuers' tools and for tests; a gate never holds one.
///
/// ```swift
/// let signer = try SodiumTicketSigner(seed: seed)  // 32 random bytes, kept secret
/// let signature = try signer.sign(message)         // 64 bytes, under signer.publicKey
/// ```
///
/// Its description and its mirror leave the secret key out, so that a log line cannot leak it.
public struct SodiumTicketSigner: Sendable {
    /// The 32 bytes that verify what it signs.
    public let publicKey: [UInt8]

    /// libsodium's form: the seed, then the public key.
    private let secretKey: [UInt8]

    /// A signer by the seed of its key (RFC 8032 §5.1.5): 32 random bytes.
    ///
    /// - Throws: `SodiumTicketSignerError`: the seed has another length, or libsodium does not start.
    public init(seed: [UInt8]) throws(SodiumTicketSignerError) {
        if let failure = SodiumLibrary.failure { throw .unavailable(failure) }
        guard seed.count == SodiumLibrary.seedBytes else { throw .seedLength(seed.count) }
        var publicKey = [UInt8](repeating: 0, count: SodiumLibrary.publicKeyBytes)
        var secretKey = [UInt8](repeating: 0, count: SodiumLibrary.secretKeyBytes)
        let code = crypto_sign_seed_keypair(&publicKey, &secretKey, seed)
        guard code == 0 else { throw .failed("crypto_sign_seed_keypair gave \(code)") }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// The signature of `message`: 64 bytes, the same for the same message (RFC 8032 §5.1.6).
    ///
    /// - Throws: `SodiumTicketSignerError.failed` when libsodium reports a failure.
    public func sign(_ message: [UInt8]) throws(SodiumTicketSignerError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: SodiumLibrary.signatureBytes)
        let code = crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
        guard code == 0 else { throw .failed("crypto_sign_detached gave \(code)") }
        return signature
    }
}

extension SodiumTicketSigner: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "SodiumTicketSigner" }

    /// The public key alone.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}

/// Why nothing could be signed.
public enum SodiumTicketSignerError: Error, Sendable, Hashable {
    /// libsodium could not start; the text says why.
    case unavailable(String)
    /// The seed has this many bytes, not 32.
    case seedLength(Int)
    /// libsodium reported a failure.
    case failed(String)
}

extension SodiumTicketSignerError: CustomStringConvertible {
    /// One line: what failed.
    public var description: String {
        switch self {
        case .unavailable(let cause): "signature engine unavailable: \(cause)"
        case .seedLength(let count): "signing key: a seed has 32 bytes, not \(count)"
        case .failed(let cause): "signing failed: \(cause)"
        }
    }
}
#endif
