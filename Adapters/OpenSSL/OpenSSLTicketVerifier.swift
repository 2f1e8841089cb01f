#if OpenSSL && os(Linux)
import COpenSSL
import Portico

/// Verifies Ed25519 signatures with OpenSSL 3 (`EVP_DigestVerify`).
///
/// Some 120 µs a signature. It keeps neither keys nor contexts: a context belongs to one thread at a time, and a cache
/// of them behind a lock would cost more than it saves. So one value serves any number of threads.
///
/// ```swift
/// let verifier = try OpenSSLTicketVerifier()
/// let genuine = try verifier.isValid(signature: signature, of: message, by: publicKey)
/// ```
public struct OpenSSLTicketVerifier: TicketVerifier {
    /// Asks OpenSSL, once in the process, whether it can verify Ed25519 at all.
    ///
    /// - Throws: `TicketVerifierError.unavailable` when it cannot: no provider has the algorithm (a FIPS-only
    ///   configuration) or its answer to a published vector is wrong.
    public init() throws(TicketVerifierError) {
        if let failure = OpenSSLEngine.failure { throw .unavailable(failure) }
    }

    /// Whether `signature` (64 bytes) is valid for `message` under `publicKey` (32 bytes).
    ///
    /// - Throws: `TicketVerifierError.unavailable` when OpenSSL could not even ask the question (no memory), so that a
    ///   broken engine is never taken for a forged ticket.
    public func isValid(
        signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(TicketVerifierError) -> Bool {
        guard signature.count == OpenSSLEngine.signatureBytes, publicKey.count == OpenSSLEngine.publicKeyBytes else {
            return false
        }
        return try OpenSSLEngine.verify(signature, message, publicKey)
    }
}

/// The calls into libcrypto.
private enum OpenSSLEngine {
    static let signatureBytes = 64
    static let publicKeyBytes = 32

    /// Why Ed25519 is not to be had; nil where it is.
    static let failure: String? = {
        do throws(TicketVerifierError) {
            return try verify(knownSignature, [], knownPublicKey) ? nil : "the test vector of RFC 8032 does not verify"
        } catch {
            switch error {
            case .unavailable(let cause): return cause
            }
        }
    }()

    static func verify(
        _ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]
    ) throws(TicketVerifierError) -> Bool {
        // The queue of errors is the thread's and may hold the host's own: only what is added here is taken away.
        ERR_set_mark()
        defer { ERR_pop_to_mark() }

        guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count) else {
            throw .unavailable("EVP_PKEY_new_raw_public_key: \(lastError())")
        }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new: \(lastError())") }
        defer { EVP_MD_CTX_free(context) }
        // PureEdDSA hashes by itself: the digest has to be null.
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else {
            throw .unavailable("EVP_DigestVerifyInit: \(lastError())")
        }
        switch EVP_DigestVerify(context, signature, signature.count, message, message.count) {
        case 1: return true
        case 0: return false
        case let code: throw .unavailable("EVP_DigestVerify gave \(code): \(lastError())")
        }
    }

    /// What OpenSSL has to say about the call that failed last on this thread.
    private static func lastError() -> String {
        let code = ERR_peek_last_error()
        guard code != 0 else { return "no reason given" }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // RFC 8032 §7.1, TEST 1: the empty message.
    private static let knownPublicKey: [UInt8] = [
        0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a,
        0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
    ]
    private static let knownSignature: [UInt8] = [
        0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72, 0x90, 0x86, 0xe2, 0xcc, 0x80, 0x6e, 0x82, 0x8a,
        0x84, 0x87, 0x7f, 0x1e, 0xb8, 0xe5, 0xd9, 0x74, 0xd8, 0x73, 0xe0, 0x65, 0x22, 0x49, 0x01, 0x55,
        0x5f, 0xb8, 0x82, 0x15, 0x90, 0xa3, 0x3b, 0xac, 0xc6, 0x1e, 0x39, 0x70, 0x1c, 0xf9, 0xb4, 0x6b,
        0xd2, 0x5b, 0xf5, 0xf0, 0x59, 0x5b, 0xbe, 0x24, 0x65, 0x51, 0x41, 0x43, 0x8e, 0x7a, 0x10, 0x0b,
    ]
}
#endif
