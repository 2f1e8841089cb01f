import Portico
import Testing

@Suite("Digests")
struct DigestTests {
    /// FIPS 180-4 examples, and the empty message.
    @Test(
        "SHA-256 gives the published digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ])
    func published(message: String, digest: String) {
        #expect(Hexadecimal.encode(SHA256.hash([UInt8](message.utf8))) == digest)
    }

    @Test("SHA-256 of a million a, given in pieces that fall across the blocks")
    func million() {
        let piece = [UInt8](repeating: 0x61, count: 1_000)
        var digest = SHA256()
        for _ in 0..<1_000 { digest.update(piece) }
        #expect(
            Hexadecimal.encode(digest.finalize()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("SHA-256 does not depend on how the message is cut, at every length around the blocks")
    func pieces() {
        let message = (0..<200).map { UInt8($0) }
        for length in 0...message.count {
            let whole = SHA256.hash([UInt8](message[..<length]))
            var digest = SHA256()
            digest.update(message[..<(length / 3)])
            digest.update([])
            digest.update([UInt8](message[(length / 3)..<length]))
            #expect(digest.finalize() == whole, "length \(length)")
        }
    }

    /// The expected value comes from another implementation, so that padding is held at every length of the last block.
    @Test("The digests of all lengths to 200, one after the other, have the digest that OpenSSL gives")
    func lengths() {
        var all = SHA256()
        for length in 0...200 { all.update(SHA256.hash((0..<length).map { UInt8($0) })) }
        #expect(
            Hexadecimal.encode(all.finalize()) == "64ef7c229fce2408b5336b6a542fea0e078c3a87d2da85cb3fc52e2008b65021")
    }

    @Test("A finished SHA-256 is as new")
    func reuse() {
        var digest = SHA256()
        digest.update([1, 2, 3])
        _ = digest.finalize()
        digest.update([UInt8]("abc".utf8))
        #expect(digest.finalize() == SHA256.hash([UInt8]("abc".utf8)))
    }

    /// RFC 3720 §B.4 and the customary check value.
    @Test("CRC-32C gives the published sums")
    func checksums() {
        #expect(CRC32C.checksum([UInt8]("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(CRC32C.checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(CRC32C.checksum((0..<32).map { UInt8($0) }) == 0x46DD_794E)
        #expect(CRC32C.checksum((0..<32).map { UInt8(31 - $0) }) == 0x113F_DB5C)
        #expect(CRC32C.checksum([UInt8]()) == 0)
    }

    @Test("A CRC-32C continues over any cut")
    func continued() {
        let bytes = (0..<61).map { UInt8(truncatingIfNeeded: $0 * 37) }
        let whole = CRC32C.checksum(bytes)
        for cut in 0...bytes.count {
            let first = CRC32C.checksum(bytes[..<cut])
            #expect(CRC32C.checksum(bytes[cut...], continuing: first) == whole, "cut \(cut)")
        }
    }

    @Test("A CRC-32C sees every single flipped bit")
    func flips() {
        var bytes = (0..<40).map { UInt8($0) }
        let whole = CRC32C.checksum(bytes)
        for bit in 0..<(bytes.count * 8) {
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(CRC32C.checksum(bytes) != whole, "bit \(bit)")
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
    }
}
