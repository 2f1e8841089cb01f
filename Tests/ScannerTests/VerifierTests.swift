import Foundation
import Portico
import PorticoOpenSSL
import PorticoSodium
import Testing

#if OpenSSL && os(Linux)
import COpenSSL
#endif

/// A signature with what it signs, and whether it is good.
struct SignatureVector: Sendable, CustomTestStringConvertible {
    let name: String
    let publicKey: [UInt8]
    let message: [UInt8]
    let signature: [UInt8]
    var isValid = true

    var testDescription: String { name }
}

/// The engines that this build has.
struct Engine: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable () throws -> any TicketVerifier

    var testDescription: String { name }

    static let all: [Engine] = {
        var engines: [Engine] = []
        #if Sodium && os(Linux)
        engines.append(Engine(name: "libsodium") { try SodiumTicketVerifier() })
        #endif
        #if OpenSSL && os(Linux)
        engines.append(Engine(name: "OpenSSL") { try OpenSSLTicketVerifier() })
        #endif
        return engines
    }()
}

extension TicketVerifier {
    fileprivate func judges(_ vector: SignatureVector) throws -> Bool {
        try isValid(signature: vector.signature, of: vector.message, by: vector.publicKey)
    }
}

@Suite("Signature engines")
struct VerifierTests {
    @Test("The vectors of RFC 8032 verify", arguments: Engine.all, rfc8032)
    func vectors(engine: Engine, vector: SignatureVector) throws {
        #expect(try engine.make().judges(vector))
    }

    @Test("No change of a single bit verifies", arguments: Engine.all)
    func bits(engine: Engine) throws {
        let verifier = try engine.make()
        let (key, message, signature) = (rfc8032[2].publicKey, rfc8032[2].message, rfc8032[2].signature)
        for bit in 0..<512 {
            #expect(
                try !verifier.isValid(signature: flipping(bit, of: signature), of: message, by: key), "signature \(bit)"
            )
        }
        for bit in 0..<256 {
            #expect(try !verifier.isValid(signature: signature, of: message, by: flipping(bit, of: key)), "key \(bit)")
        }
        for bit in 0..<(message.count * 8) {
            #expect(
                try !verifier.isValid(signature: signature, of: flipping(bit, of: message), by: key), "message \(bit)")
        }
    }

    @Test("Other lengths than 64 and 32 are false, not errors", arguments: Engine.all)
    func lengths(engine: Engine) throws {
        let verifier = try engine.make()
        let vector = rfc8032[1]
        for count in [0, 1, 31, 32, 63, 65, 128, 4_096] {
            let signature = Array((vector.signature + vector.signature).prefix(count))
            let padded = signature + [UInt8](repeating: 0, count: count - signature.count)
            #expect(try !verifier.isValid(signature: padded, of: vector.message, by: vector.publicKey), "\(count)")
        }
        for count in [0, 1, 31, 33, 64, 4_096] {
            let key = Array(vector.publicKey.prefix(count))
            let padded = key + [UInt8](repeating: 0, count: count - key.count)
            #expect(try !verifier.isValid(signature: vector.signature, of: vector.message, by: padded), "\(count)")
        }
    }

    @Test("Eight threads get the answers that one gets", arguments: Engine.all)
    func threads(engine: Engine) throws {
        let verifier = try engine.make()
        let forged = rfc8032.map { vector in
            SignatureVector(
                name: vector.name, publicKey: vector.publicKey, message: vector.message + [0],
                signature: vector.signature, isValid: false)
        }
        let wrong = Tally()
        let threads = DispatchGroup()
        for _ in 0..<8 {
            threads.enter()
            Thread.detachNewThread {
                for _ in 0..<20 {
                    // An error is no verdict, and nil differs from both.
                    for vector in rfc8032 + forged where (try? verifier.judges(vector)) != vector.isValid {
                        wrong.add()
                    }
                }
                threads.leave()
            }
        }
        threads.wait()
        #expect(wrong.count == 0)
    }

    #if Sodium && os(Linux)
    @Test("The signer makes the signatures of RFC 8032", arguments: zip(seeds, rfc8032))
    func signer(seed: [UInt8], vector: SignatureVector) throws {
        let signer = try SodiumTicketSigner(seed: seed)
        #expect(signer.publicKey == vector.publicKey)
        #expect(try signer.sign(vector.message) == vector.signature)
    }

    @Test("A seed of another length is refused", arguments: [0, 31, 33, 64])
    func seedLength(count: Int) {
        #expect(throws: SodiumTicketSignerError.seedLength(count)) {
            try SodiumTicketSigner(seed: [UInt8](repeating: 1, count: count))
        }
    }

    @Test("A printed signer shows nothing of its seed")
    func secret() throws {
        let signer = try SodiumTicketSigner(seed: [UInt8](repeating: 77, count: 32))
        var dumped = ""
        dump(signer, to: &dumped)
        #expect(!"\(signer)\(String(reflecting: signer))".contains("77, 77"))
        #expect(!dumped.contains("- 77\n"))
    }

    @Test("Messages from none to a megabyte sign and verify", arguments: Engine.all, [0, 1, 400, 1 << 20])
    func messages(engine: Engine, count: Int) throws {
        let signer = try SodiumTicketSigner(seed: seeds[0])
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let signature = try signer.sign(message)
        #expect(try engine.make().isValid(signature: signature, of: message, by: signer.publicKey))
    }
    #endif

    #if OpenSSL && os(Linux)
    @Test("OpenSSL's queue of errors stays as the host left it, its marks too")
    func errorQueue() throws {
        let verifier = try OpenSSLTicketVerifier()
        ERR_clear_error()
        fail(keyBytes: 3)
        fail(keyBytes: 4)
        #expect(try !verifier.isValid(signature: rfc8032[0].signature, of: [1], by: rfc8032[0].publicKey))
        #expect(try verifier.judges(rfc8032[0]))
        #expect(queuedErrors() == 2)
        fail(keyBytes: 3)
        ERR_set_mark()
        fail(keyBytes: 4)
        #expect(try verifier.judges(rfc8032[0]))
        ERR_pop_to_mark()
        #expect(queuedErrors() == 1)
    }

    /// Leaves an error in the queue, as a host's own call may.
    private func fail(keyBytes: Int) {
        #expect(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, [1, 2, 3, 4], keyBytes) == nil)
    }

    /// Empties the queue and counts what was in it.
    private func queuedErrors() -> Int {
        var count = 0
        while ERR_get_error() != 0 { count += 1 }
        return count
    }
    #endif

    #if Sodium && OpenSSL && os(Linux)
    @Test("Both engines judge Wycheproof right", .enabled(if: vectorsFolder != nil, skipped))
    func wycheproof() throws {
        let file = try JSONDecoder().decode(Wycheproof.self, from: shared("wycheproof-ed25519.json"))
        let vectors = file.testGroups.flatMap { group in
            group.tests.map {
                SignatureVector(
                    name: "\($0.tcId)", publicKey: hex(group.publicKey.pk), message: hex($0.msg),
                    signature: hex($0.sig), isValid: $0.result == "valid")
            }
        }
        #expect(vectors.count == 151)
        for engine in Engine.all {
            let verifier = try engine.make()
            for vector in vectors {
                #expect(try verifier.judges(vector) == vector.isValid, "\(engine.name), test \(vector.name)")
            }
        }
    }

    /// Keys and R of small order or not canonical: the room refuses these before it asks an engine.
    @Test(
        "The engines differ on speccheck 0, 1, 2 and 11 and nowhere else", .enabled(if: vectorsFolder != nil, skipped))
    func speccheck() throws {
        let cases = try JSONDecoder().decode([SpecCheck].self, from: shared("ed25519-speccheck.json"))
        #expect(cases.count == 12)
        let (sodium, openssl) = (try SodiumTicketVerifier(), try OpenSSLTicketVerifier())
        let differing = try cases.enumerated().filter { _, item in
            let vector = SignatureVector(
                name: "", publicKey: hex(item.pub_key), message: hex(item.message), signature: hex(item.signature))
            return try sodium.judges(vector) != openssl.judges(vector)
        }
        #expect(differing.map(\.offset) == [0, 1, 2, 11])
    }
    #endif
}

private let vectorsFolder = ProcessInfo.processInfo.environment["PORTICO_VECTORS"]
private let skipped: Comment = "PORTICO_VECTORS names no folder with the shared vectors"

private func shared(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: try #require(vectorsFolder)).appendingPathComponent(name))
}

private struct Wycheproof: Decodable {
    struct Group: Decodable {
        let publicKey: Key
        let tests: [Test]
    }
    struct Key: Decodable {
        let pk: String
    }
    struct Test: Decodable {
        let tcId: Int
        let msg, sig, result: String
    }
    let testGroups: [Group]
}

private struct SpecCheck: Decodable {
    // The file's own name for it.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let message, pub_key, signature: String
}

private func flipping(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[bit / 8] ^= 1 << (bit % 8)
    return bytes
}

/// A count that any thread may raise.
///
/// `@unchecked Sendable`: `value` is read and written under `lock` only.
private final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0

    func add() { lock.withLock { value += 1 } }
    var count: Int { lock.withLock { value } }
}

// RFC 8032 §7.1, TEST 1, 2, 3 and SHA(abc).
private let seeds = [
    hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
    hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
    hex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"),
    hex("833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42"),
]

private let rfc8032 = [
    SignatureVector(
        name: "TEST 1", publicKey: hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"), message: [],
        signature: hex(
            """
            e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24
            655141438e7a100b
            """)),
    SignatureVector(
        name: "TEST 2", publicKey: hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
        message: hex("72"),
        signature: hex(
            """
            92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee
            b00d291612bb0c00
            """)),
    SignatureVector(
        name: "TEST 3", publicKey: hex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"),
        message: hex("af82"),
        signature: hex(
            """
            6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d
            c027beceea1ec40a
            """)),
    SignatureVector(
        name: "SHA(abc)", publicKey: hex("ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf"),
        message: hex(
            """
            ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e
            2a9ac94fa54ca49f
            """),
        signature: hex(
            """
            dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17a
            d9bef1177331a704
            """)),
]
