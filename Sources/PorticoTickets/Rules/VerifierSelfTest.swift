import Portico

/// Puts an engine to one question with each answer, before a gate rests on it.
enum VerifierSelfTest {
    /// RFC 8032 §7.1, test 2.
    private static let publicKey = Hexadecimal.decode(
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    private static let message: [UInt8] = [0x72]
    private static let signature = Hexadecimal.decode(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )

    static func run(_ verifier: any TicketVerifier) throws(TicketGateError) {
        guard let publicKey, let signature else { throw .verifier("the self-test is broken") }
        let isSound: Bool
        do throws(TicketVerifierError) {
            let accepts = try verifier.isValid(signature: signature, of: message, by: publicKey)
            let refuses = try !verifier.isValid(signature: signature, of: message + [0], by: publicKey)
            isSound = accepts && refuses
        } catch {
            throw .verifier("\(error)")
        }
        guard isSound else {
            throw .verifier("the signature engine gives wrong answers to the test vectors of RFC 8032")
        }
    }
}
