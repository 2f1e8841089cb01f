import Foundation
import Portico
import PorticoInMemory
import PorticoTickets
import Testing

@Suite("The text of a code")
struct CodeTextTests {
    @Test("What readers put before and after a ticket changes nothing, in every combination")
    func readerMarks() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let text = issuer.ticket()
        var decisions: [ScanDecision] = []
        for mark in ["", "\u{FEFF}"] {
            for space in ["", " ", "\r\n\t"] {
                for symbology in ["", "]Q1", "]d2"] {
                    for interpretation in ["", #"\000026"#, #"\000026\000003"#] {
                        for end in ["", "\r", "\n", "\r\n", "\t \r\n"] {
                            let code = mark + space + symbology + interpretation + text + end
                            decisions.append(await made.gate.validate(code))
                        }
                    }
                }
            }
        }
        #expect(decisions.count == 270)
        #expect(decisions[0].outcome == .admitted)
        #expect(decisions.dropFirst().allSatisfy { $0.reason == .alreadyUsed })

        let events = try await made.events()
        #expect(Set(events.map(\.codeHash)) == [SHA256.hash(Array(text.utf8))])
        #expect(Set(events.map(\.codeLength)) == [text.utf8.count])
    }

    @Test("A text, its bytes and a scanner's sighting are one code")
    func paths() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let text = #"]Q1\000026"# + issuer.ticket() + "\r\n"
        let bytes = await made.gate.validate(Array(text.utf8))
        let string = await made.gate.validate(text)
        var seen: [ScanDecision] = []
        let scanner = StubCodeScanner([ScannedCode(bytes: Array(text.utf8))])
        for try await decision in made.gate.decisions(from: scanner) { seen.append(decision) }
        #expect(bytes.outcome == .admitted)
        #expect(string.outcome == .refused(.alreadyUsed))
        #expect(seen.map(\.outcome) == [.refused(.alreadyUsed)])
        #expect(seen.first?.ticket == bytes.ticket)
        await made.gate.close()
        #expect(Set(try await made.events().map(\.codeHash)).count == 1)
    }

    @Test(
        "Marks in another order, twice, or inside are no ticket",
        arguments: [
            ("]Q1]Q1", ""), (#"\000026]Q1"#, ""), ("]Q1 ", ""), ("]Q", ""), ("]11", ""), (#"\00002"#, ""),
            (#"\00002x"#, ""), ("x", ""), ("", "]Q1"), ("", "="), ("", "\u{0}"), ("", "\u{FEFF}."),
        ])
    func wrongMarks(before: String, after: String) async throws {
        #expect(try await outcome(of: before + Issuer().ticket() + after) == .refused(.malformed))
    }

    @Test("White space inside a text is no ticket")
    func spaceInside() async throws {
        let text = Issuer().ticket()
        for space in [" ", "\n", "\t"] {
            let broken = text.prefix(40) + space + text.dropFirst(40)
            #expect(try await outcome(of: String(broken)) == .refused(.malformed))
        }
    }

    @Test("2,952 characters are read, whatever a reader puts around them; 2,954 are malformed")
    func longest() async throws {
        let issuer = Issuer()
        let longest = issuer.ticket(bytes: 2_214)
        #expect(longest.utf8.count == 2_952)
        #expect(try await outcome(of: longest) == .admitted)
        #expect(try await outcome(of: #"]Q1\000026"# + longest + "\r\n") == .admitted)

        let tooLong = issuer.ticket(bytes: 2_215)
        #expect(tooLong.utf8.count == 2_954)
        #expect(try await outcome(of: tooLong) == .refused(.malformed))
    }

    @Test("A text that is too long is malformed in a time that does not grow with it")
    func constantTime() async throws {
        let made = try await TestGate.configured()
        let long = [UInt8](repeating: UInt8(ascii: "A"), count: 64 << 20)
        // No figure, which another machine would miss: whoever reads it takes a thousand times as long as who does not.
        func nanoseconds(_ work: () async throws -> Void) async rethrows -> UInt64 {
            let start = DispatchTime.now().uptimeNanoseconds
            try await work()
            return DispatchTime.now().uptimeNanoseconds - start
        }
        var fastest = UInt64.max
        for _ in 0..<5 {
            fastest = await min(
                fastest, nanoseconds { #expect(await made.gate.validate(long).outcome == .refused(.malformed)) })
        }
        let reading = await nanoseconds { #expect(long.reduce(into: 0) { $0 &+= Int($1 & 1) } == 64 << 20) }
        #expect(fastest < reading / 2)
    }

    @Test("One byte, whichever, and no byte at all are malformed")
    func oneByte() async throws {
        let made = try await TestGate.configured()
        #expect(await made.gate.validate([UInt8]()).outcome == .refused(.malformed))
        for byte in UInt8.min...UInt8.max {
            #expect(await made.gate.validate([byte]).outcome == .refused(.malformed), "byte \(byte)")
        }
    }

    @Test("Bytes that are not UTF-8 are malformed")
    func notText() async throws {
        let made = try await TestGate.configured()
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBB], [0xEF, 0xBB, 0xBF]] {
            #expect(await made.gate.validate(bytes).outcome == .refused(.malformed))
            #expect(await made.gate.validate(bytes + Issuer().ticket().utf8.prefix(0)).isRecorded)
        }
    }

    @Test("Only the canonical base64url spelling is read: another one of a used or blocked ticket does not pass")
    func canonicalOnly() async throws {
        let issuer = Issuer()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for (bytes, unusedBits) in [(400, 4), (401, 2)] {
            let text = issuer.ticket(bytes: bytes)
            guard let last = text.utf8.last, let value = alphabet.firstIndex(of: last) else {
                Issue.record("an issued text ends in a digit of base64url")
                return
            }
            for spelling in 1..<(1 << unusedBits) {
                let other = String(decoding: text.utf8.dropLast() + [alphabet[value | spelling]], as: UTF8.self)
                #expect(try await outcome(of: other) == .refused(.malformed))
            }
            #expect(try await outcome(of: text + String(repeating: "=", count: unusedBits / 2)) == .refused(.malformed))
            #expect(try await outcome(of: text) == .admitted)
        }
        // Three bytes of 0xFB 0xFF 0xBF are `-_-_` here and `+/+/` elsewhere.
        let text = issuer.ticket { $0["note"] = "~~~~????~~~~????" }
        #expect(text.contains("-") || text.contains("_"))
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        #expect(try await outcome(of: standard) == .refused(.malformed))
        #expect(try await outcome(of: text) == .admitted)
    }

    @Test(
        "Each change of a single byte of a ticket's text is refused, and the ticket itself is admitted after them all")
    func singleBytes() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let text = Array(issuer.ticket().utf8)
        var refused = 0
        for position in text.indices {
            let old = text[position]
            let values: [UInt8] = [
                old ^ 1, old ^ 2, old ^ 0x20, old ^ 0x80, UInt8(ascii: "A"), UInt8(ascii: "_"), UInt8(ascii: " "), 0,
            ]
            for value in Set(values) where value != old {
                var changed = text
                changed[position] = value
                let decision = await made.gate.validate(changed)
                #expect(decision.reason != nil, "position \(position), value \(value)")
                refused += 1
            }
        }
        #expect(refused > text.count * 6)
        #expect(await made.gate.validate(text).outcome == .admitted)
    }

    @Test("A text that loses or gains one byte is refused")
    func lostAndFound() async throws {
        let issuer = Issuer()
        let made = try await TestGate.configured(issuer)
        let text = Array(issuer.ticket().utf8)
        for position in text.indices {
            var shorter = text
            shorter.remove(at: position)
            #expect(await made.gate.validate(shorter).reason != nil, "without \(position)")
            var longer = text
            longer.insert(UInt8(ascii: "A"), at: position)
            #expect(await made.gate.validate(longer).reason != nil, "with one more at \(position)")
        }
        #expect(await made.gate.validate(text).outcome == .admitted)
    }
}
