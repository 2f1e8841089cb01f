import Portico

/// The guarantees of `TicketVerifier`, as checks that any engine can be put to.
///
/// ```swift
/// let subject = Subject<any TicketVerifier>(name: "HostVerifier") { { HostVerifier() } }
/// for clause in TicketVerifierContract.clauses {
///     if case .broken(let why) = await clause.check(subject) { print(why) }
/// }
/// ```
public enum TicketVerifierContract {
    /// One clause for each guarantee of the port's documentation, in its order.
    public static let clauses: [Clause<any TicketVerifier>] = [acceptance, refusal, length, constancy]

    private static let acceptance = Clause<any TicketVerifier>(
        "TV-1", "true for a signature that RFC 8032 accepts"
    ) { subject in
        let verifier = try await subject.fresh()()
        for vector in Vector.all {
            try require(try vector.isValid(by: verifier), "\(vector.name) of RFC 8032 §7.1 does not verify")
        }
    }

    private static let refusal = Clause<any TicketVerifier>(
        "TV-2", "false, never an error, for any bytes that do not verify"
    ) { subject in
        let verifier = try await subject.fresh()()
        for vector in Vector.all {
            // Every bit of the shorter vectors; of a long message every bit would take a minute.
            let step = vector.message.count < 64 ? 1 : 37
            for (part, count) in [(\Vector.signature, 64), (\.publicKey, 32), (\.message, vector.message.count)] {
                for bit in stride(from: 0, to: count * 8, by: step) {
                    var changed = vector
                    changed[keyPath: part][bit / 8] ^= 1 << (bit % 8)
                    try require(
                        try !changed.isValid(by: verifier), "\(vector.name) verifies with bit \(bit) of a part changed")
                }
            }
            try checkLengths(vector, verifier)
            var malleated = vector
            malleated.signature.replaceSubrange(32..., with: addingOrder(vector.signature[32...]))
            try require(
                try !malleated.isValid(by: verifier),
                "\(vector.name) verifies with S + L, which RFC 8032 §5.1.7 forbids")
        }
        try checkMixtures(verifier)
    }

    /// Keys, messages and signatures that belong to different vectors.
    private static func checkMixtures(_ verifier: any TicketVerifier) throws {
        for one in Vector.all {
            for other in Vector.all where other.name != one.name {
                for part in [\Vector.signature, \.publicKey, \.message] {
                    var mixed = one
                    mixed[keyPath: part] = other[keyPath: part]
                    try require(try !mixed.isValid(by: verifier), "\(one.name) verifies with a part of \(other.name)")
                }
            }
        }
    }

    private static func checkLengths(_ vector: Vector, _ verifier: any TicketVerifier) throws {
        for length in [0, 1, 31, 32, 33, 63, 65, 128, 4_096] {
            var changed = vector
            changed.signature = resized(vector.signature, to: length)
            try require(try !changed.isValid(by: verifier), "a signature of \(length) bytes verifies")
            guard length != 32 else { continue }
            changed = vector
            changed.publicKey = resized(vector.publicKey, to: length)
            try require(try !changed.isValid(by: verifier), "a key of \(length) bytes verifies")
        }
        var longer = vector
        longer.message.append(0)
        try require(try !longer.isValid(by: verifier), "\(vector.name) verifies with a byte added to the message")
    }

    private static func resized(_ bytes: [UInt8], to length: Int) -> [UInt8] {
        Array(bytes.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - bytes.count))
    }

    /// The sum of S, 32 bytes little endian, and the group's order L (RFC 8032 §5.1).
    private static func addingOrder(_ scalar: ArraySlice<UInt8>) -> [UInt8] {
        let order = hexadecimal("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        return zip(scalar, order).map { digit, addend in
            let sum = Int(digit) + Int(addend) + carry
            carry = sum >> 8
            return UInt8(truncatingIfNeeded: sum)
        }
    }

    private static let length = Clause<any TicketVerifier>(
        "TV-3", "a message of any length verifies, the empty one too, up to 1 MiB at least"
    ) { subject in
        let verifier = try await subject.fresh()()
        try require(
            try Vector.all.contains { try $0.message.isEmpty && $0.isValid(by: verifier) },
            "the empty message does not verify")
        var long = Vector.mebibyte
        try require(try long.isValid(by: verifier), "a message of 1 MiB does not verify")
        long.message[long.message.count - 1] ^= 1
        try require(try !long.isValid(by: verifier), "a message of 1 MiB verifies with its last bit changed")
    }

    private static let constancy = Clause<any TicketVerifier>(
        "TV-4", "the same answer on every call and from any number of threads at once"
    ) { subject in
        let verifier = try await subject.fresh()()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<64 {
                group.addTask {
                    for round in 0..<16 {
                        var vector = Vector.all[(caller + round) % 3]
                        let isForged = (caller + round / 2).isMultiple(of: 2)
                        if isForged { vector.signature[round] ^= 0x80 }
                        try requireEqual(
                            try vector.isValid(by: verifier), !isForged, "\(vector.name) among concurrent calls")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A signature that verifies, from RFC 8032 §7.1.
private struct Vector: Sendable {
    let name: String
    var publicKey: [UInt8]
    var message: [UInt8]
    var signature: [UInt8]

    init(name: String, publicKey: String, message: String, signature: String) {
        self.name = name
        self.publicKey = hexadecimal(publicKey)
        self.message = hexadecimal(message)
        self.signature = hexadecimal(signature)
    }

    func isValid(by verifier: any TicketVerifier) throws -> Bool {
        try verifier.isValid(signature: signature, of: message, by: publicKey)
    }

    /// 1 MiB under the key of TEST 3.
    static let mebibyte = {
        var vector = Vector(
            name: "1 MiB", publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "",
            signature: """
                f8ab56e24a9c18b9a438c726294a502764313e0d5b94ebd4428a3fecf266e677\
                b071ad31c5b0a6e46391200538a235e3106e1cb0e2f1de2254b76a41afda7e09
                """)
        vector.message = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 * 31 + $0 >> 8) }
        return vector
    }()

    static let all = [
        Vector(
            name: "TEST 1",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
                d25bf5f0595bbe24655141438e7a100b
                """),
        Vector(
            name: "TEST 2",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
                387b2eaeb4302aeeb00d291612bb0c00
                """),
        Vector(
            name: "TEST 3",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: """
                6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659\
                4a7c15e9716ed28dc027beceea1ec40a
                """),
        Vector(
            name: "TEST 1024",
            publicKey: "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
            message: """
                08b8b2b733424243760fe426a4b54908632110a66c2f6591eabd3345e3e4eb98fa6e264bf09efe12ee50f8f54e9f77b1\
                e355f6c50544e23fb1433ddf73be84d879de7c0046dc4996d9e773f4bc9efe5738829adb26c81b37c93a1b270b20329d\
                658675fc6ea534e0810a4432826bf58c941efb65d57a338bbd2e26640f89ffbc1a858efcb8550ee3a5e1998bd177e93a\
                7363c344fe6b199ee5d02e82d522c4feba15452f80288a821a579116ec6dad2b3b310da903401aa62100ab5d1a36553e\
                06203b33890cc9b832f79ef80560ccb9a39ce767967ed628c6ad573cb116dbefefd75499da96bd68a8a97b928a8bbc10\
                3b6621fcde2beca1231d206be6cd9ec7aff6f6c94fcd7204ed3455c68c83f4a41da4af2b74ef5c53f1d8ac70bdcb7ed1\
                85ce81bd84359d44254d95629e9855a94a7c1958d1f8ada5d0532ed8a5aa3fb2d17ba70eb6248e594e1a2297acbbb39d\
                502f1a8c6eb6f1ce22b3de1a1f40cc24554119a831a9aad6079cad88425de6bde1a9187ebb6092cf67bf2b13fd65f270\
                88d78b7e883c8759d2c4f5c65adb7553878ad575f9fad878e80a0c9ba63bcbcc2732e69485bbc9c90bfbd62481d9089b\
                eccf80cfe2df16a2cf65bd92dd597b0707e0917af48bbb75fed413d238f5555a7a569d80c3414a8d0859dc65a46128ba\
                b27af87a71314f318c782b23ebfe808b82b0ce26401d2e22f04d83d1255dc51addd3b75a2b1ae0784504df543af8969b\
                e3ea7082ff7fc9888c144da2af58429ec96031dbcad3dad9af0dcbaaaf268cb8fcffead94f3c7ca495e056a9b47acdb7\
                51fb73e666c6c655ade8297297d07ad1ba5e43f1bca32301651339e22904cc8c42f58c30c04aafdb038dda0847dd988d\
                cda6f3bfd15c4b4c4525004aa06eeff8ca61783aacec57fb3d1f92b0fe2fd1a85f6724517b65e614ad6808d6f6ee34df\
                f7310fdc82aebfd904b01e1dc54b2927094b2db68d6f903b68401adebf5a7e08d78ff4ef5d63653a65040cf9bfd4aca7\
                984a74d37145986780fc0b16ac451649de6188a7dbdf191f64b5fc5e2ab47b57f7f7276cd419c17a3ca8e1b939ae49e4\
                88acba6b965610b5480109c8b17b80e1b7b750dfc7598d5d5011fd2dcc5600a32ef5b52a1ecc820e308aa342721aac09\
                43bf6686b64b2579376504ccc493d97e6aed3fb0f9cd71a43dd497f01f17c0e2cb3797aa2a2f256656168e6c496afc5f\
                b93246f6b1116398a346f1a641f3b041e989f7914f90cc2c7fff357876e506b50d334ba77c225bc307ba537152f3f161\
                0e4eafe595f6d9d90d11faa933a15ef1369546868a7f3a45a96768d40fd9d03412c091c6315cf4fde7cb68606937380d\
                b2eaaa707b4c4185c32eddcdd306705e4dc1ffc872eeee475a64dfac86aba41c0618983f8741c5ef68d3a101e8a3b8ca\
                c60c905c15fc910840b94c00a0b9d0
                """,
            signature: """
                0aab4c900501b3e24d7cdf4663326a3a87df5e4843b2cbdb67cbf6e460fec350aa5371b1508f9f4528ecea23c436d94b\
                5e8fcd4f681e30a6ac00a9704a188a03
                """),
        Vector(
            name: "TEST SHA(abc)",
            publicKey: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            message: """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
                454d4423643ce80e2a9ac94fa54ca49f
                """,
            signature: """
                dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030\
                3dca179c138ac17ad9bef1177331a704
                """),
    ]
}

/// The bytes that pairs of lower-case hexadecimal digits say; for the constants of this file.
private func hexadecimal(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
        let value = digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
        if let first = high {
            bytes.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return bytes
}
