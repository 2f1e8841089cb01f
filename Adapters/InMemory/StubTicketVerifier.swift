import Portico

/// A verifier that answers what it is told, in no time: for tests of rules, where signatures are not the matter.
///
/// ```swift
/// let everything = StubTicketVerifier(isValid: true)
/// let oneKey = StubTicketVerifier { _, _, key in key == goodKey }
/// let broken = StubTicketVerifier(failure: .unavailable("no engine"))
/// ```
public struct StubTicketVerifier: TicketVerifier {
    private let answer: @Sendable ([UInt8], [UInt8], [UInt8]) throws(TicketVerifierError) -> Bool

    /// A verifier with one answer for everything.
    public init(isValid: Bool) {
        answer = { _, _, _ throws(TicketVerifierError) in isValid }
    }

    /// A verifier that cannot judge anything.
    public init(failure: TicketVerifierError) {
        answer = { _, _, _ throws(TicketVerifierError) in throw failure }
    }

    /// A verifier that answers by a rule.
    ///
    /// - Parameter answer: From signature, message and public key to the answer.
    public init(
        _ answer:
            @escaping @Sendable (
                _ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]
            ) throws(TicketVerifierError) -> Bool
    ) {
        self.answer = answer
    }

    /// The answer.
    public func isValid(
        signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(TicketVerifierError) -> Bool {
        try answer(signature, message, publicKey)
    }
}
