import Foundation
import Portico
import PorticoInMemory
import Testing

@testable import PorticoTickets

#if Sodium && os(Linux)
import PorticoSodium
#endif
#if OpenSSL && os(Linux)
import PorticoOpenSSL
#endif

/// A signature engine that is compiled in, by its name.
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

    /// The verdict as a gate comes to it: the pre-check, then the engine.
    static func verdict(
        _ verifier: any TicketVerifier, _ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]
    ) throws
        -> Bool
    {
        try Ed25519PreCheck.isUsable(publicKey: key)
            && Ed25519PreCheck.admits(signature: signature, publicKey: key)
            && verifier.isValid(signature: signature, of: message, by: key)
    }
}

@Suite("The pre-check of Ed25519 signatures")
struct Ed25519PreCheckTests {
    /// The order of the group, little endian (RFC 8032 §5.1).
    private static let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    /// The base point, a key that is as good as any.
    private static let base = hex("5866666666666666666666666666666666666666666666666666666666666666")

    private static func hex(_ text: String) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(text) else { preconditionFailure("not hexadecimal: \(text)") }
        return bytes
    }

    private static func admits(
        r: [UInt8] = base, s: [UInt8] = [1] + [UInt8](repeating: 0, count: 31), key: [UInt8] = base
    )
        -> Bool
    {
        Ed25519PreCheck.admits(signature: r + s, publicKey: key)
    }

    @Test("S is below the order of the group")
    func scalar() {
        var below = Self.order
        below[0] -= 1
        var above = Self.order
        above[0] += 1
        #expect(Self.admits(s: below))
        #expect(!Self.admits(s: Self.order))
        #expect(!Self.admits(s: above))
        #expect(!Self.admits(s: [UInt8](repeating: 0xFF, count: 32)))
        #expect(Self.admits(s: [UInt8](repeating: 0xFF, count: 31) + [0x0F]))
        #expect(!Self.admits(s: [UInt8](repeating: 0, count: 31) + [0x11]))
        #expect(Self.admits(s: [UInt8](repeating: 0, count: 31) + [0x10]))
    }

    @Test("Neither point is of small order, in any of its encodings", arguments: SmallOrder.encodings)
    func smallOrder(encoding: String) {
        let point = Self.hex(encoding)
        #expect(!Ed25519PreCheck.isUsable(publicKey: point))
        #expect(!Self.admits(r: point))
        #expect(!Self.admits(key: point))
    }

    @Test("Both points are in their canonical encoding: y below 2^255 − 19")
    func canonical() {
        for low: UInt8 in 0...0xFF {
            for top: UInt8 in [0x7F, 0xFF] {
                let point = [low] + [UInt8](repeating: 0xFF, count: 30) + [top]
                // 2^255 − 20 is −1, of small order.
                #expect(Ed25519PreCheck.isUsable(publicKey: point) == (low < 0xEC), "\(low)")
            }
        }
        #expect(Self.admits())
    }

    @Test("Other lengths are refused without a trap")
    func lengths() {
        for count in [0, 1, 31, 32, 33, 63, 65, 128] {
            #expect(!Ed25519PreCheck.admits(signature: [UInt8](repeating: 1, count: count), publicKey: Self.base))
        }
        for count in [0, 1, 31, 33, 64] {
            #expect(!Ed25519PreCheck.isUsable(publicKey: [UInt8](repeating: 1, count: count)))
            #expect(
                !Ed25519PreCheck.admits(
                    signature: [UInt8](repeating: 1, count: 64), publicKey: [UInt8](repeating: 1, count: count)))
        }
    }

    @Test("The vectors of RFC 8032 §7.1 pass the pre-check and verify", arguments: Engine.all)
    func standardVectors(engine: Engine) throws {
        let verifier = try engine.make()
        for (key, message, signature) in [
            (
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
            (
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
            ),
        ] {
            #expect(try Engine.verdict(verifier, Self.hex(signature), Self.hex(message), Self.hex(key)))
            #expect(try !Engine.verdict(verifier, Self.hex(signature), Self.hex(message) + [0], Self.hex(key)))
        }
    }

    private static let folder = ProcessInfo.processInfo.environment["PORTICO_VECTORS"]
    private static let isSkipped: Comment = "PORTICO_VECTORS names no folder of shared vectors"

    private static func vectors(_ name: String) throws -> JSONValue {
        let url = URL(fileURLWithPath: folder ?? "").appendingPathComponent(name)
        return try JSONValue(parsing: Array(Data(contentsOf: url)))
    }

    @Test(
        "Each engine agrees with Wycheproof on 151 of 151", .enabled(if: folder != nil, isSkipped),
        arguments: Engine.all)
    func wycheproof(engine: Engine) throws {
        let verifier = try engine.make()
        var agreed = 0
        for group in try #require(try Self.vectors("wycheproof-ed25519.json")["testGroups"]?.arrayValue) {
            let key = Self.hex(try #require(group["publicKey"]?["pk"]?.stringValue))
            for test in try #require(group["tests"]?.arrayValue) {
                let verdict = try Engine.verdict(
                    verifier, Self.hex(#require(test["sig"]?.stringValue)),
                    Self.hex(#require(test["msg"]?.stringValue)),
                    key)
                if verdict == (test["result"]?.stringValue == "valid") {
                    agreed += 1
                } else {
                    Issue.record("\(test["tcId"]?.integerValue ?? 0): \(test["comment"]?.stringValue ?? "")")
                }
            }
        }
        #expect(agreed == 151)
    }

    @Test(
        "Each engine gives the pattern XXXVXXXXXXXX on the cases that engines judge differently",
        .enabled(if: folder != nil, isSkipped), arguments: Engine.all)
    func speccheck(engine: Engine) throws {
        let verifier = try engine.make()
        let cases = try #require(try Self.vectors("ed25519-speccheck.json").arrayValue)
        let pattern = try cases.map { test in
            let verdict = try Engine.verdict(
                verifier, Self.hex(#require(test["signature"]?.stringValue)),
                Self.hex(#require(test["message"]?.stringValue)),
                Self.hex(#require(test["pub_key"]?.stringValue)))
            return verdict ? "V" : "X"
        }
        #expect(pattern.joined() == "XXXVXXXXXXXX")
    }
}
