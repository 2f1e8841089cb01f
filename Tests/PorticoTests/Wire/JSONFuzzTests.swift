import Portico
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("JSON: generated input")
struct JSONFuzzTests {
    @Test("A generated value survives writing and reading, and its canonical form stays as it is")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let value = generate(depth: 4, using: &random)
            let bytes = value.serialized()
            let read = try JSONValue(parsing: bytes)
            #expect(read == value)
            #expect(read.serialized() == bytes)
            let canonical = value.canonical()
            #expect(try JSONValue(parsing: canonical).canonical() == canonical)
        }
    }

    @Test("Shuffled members and other escapes give the same canonical form")
    func respelt() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let value = generate(depth: 3, using: &random)
            let respelt = respell(value, using: &random)
            #expect(try JSONValue(parsing: [UInt8](respelt.utf8)).canonical() == value.canonical())
        }
    }

    @Test("Damaged texts and random bytes give a value or an error, and what was accepted is accepted again")
    func damage() throws {
        var random = SeededGenerator(seed: 3)
        let end = processorTime() + 600_000_000
        let syntax =
            [UInt8](#"{}[]:,"\u0123456789abcdefDd-+.eE truefalsn"#.utf8) + [0x00, 0xC3, 0xA9, 0xF0, 0xED, 0xFF]
        var accepted = 0
        var refused = 0
        while processorTime() < end {
            var bytes = generate(depth: 3, using: &random).serialized()
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let byte = syntax.randomElement(using: &random) ?? 0
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(byte, at: place)
                case 1 where place < bytes.count: bytes[place] = byte
                case 2 where place < bytes.count: bytes.remove(at: place)
                default: bytes = [UInt8](bytes[..<place])
                }
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                    syntax.randomElement(using: &random) ?? 0
                }
            }
            for limits in [JSONLimits.standard, .ticket] {
                do {
                    let value = try JSONValue(parsing: bytes, limits: limits)
                    accepted += 1
                    #expect(try JSONValue(parsing: value.serialized(), limits: limits) == value)
                } catch {
                    refused += 1
                    #expect((0...bytes.count).contains(error.offset))
                }
            }
        }
        #expect(accepted > 0 && refused > 0)
    }

    @Test("Every text cut short is refused, unless it was a number")
    func cut() throws {
        let text = [UInt8](#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00é",true,false,null,{"b":{}}],"c":""}"#.utf8)
        _ = try JSONValue(parsing: text)
        for length in 0..<text.count { #expect(error(of: [UInt8](text[..<length])) != nil, "\(length) bytes") }
    }

    /// Eight times the size takes eight times as long, and 64 times where a parser is quadratic; between is noise.
    ///
    /// The time is this thread's own, since other tests run beside it.
    @Test(
        "Time grows with the size and not faster",
        arguments: ["one string", "one string of escapes", "one object", "one number", "many objects"])
    func linear(shape: String) throws {
        let small = try fastest(document(shape, size: 1))
        let large = try fastest(document(shape, size: 8))
        #expect(large < small * 32)
    }

    /// Nanoseconds of processor time.
    private func fastest(_ bytes: [UInt8]) throws -> UInt64 {
        var best = UInt64.max
        for _ in 0..<3 {
            let start = processorTime()
            _ = try JSONValue(parsing: bytes)
            best = min(best, processorTime() - start)
        }
        return best
    }

    private func processorTime() -> UInt64 {
        var time = timespec()
        precondition(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func document(_ shape: String, size: Int) -> [UInt8] {
        switch shape {
        case "one string": [0x22] + [UInt8](repeating: 0x61, count: size << 19) + [0x22]
        case "one string of escapes": [UInt8]("\"\(String(repeating: "\\n\\u00e9é", count: size << 11))\"".utf8)
        case "one object":
            [UInt8]("{\((0..<(size * 12_500)).map { "\"shared-prefix-\($0)\":0" }.joined(separator: ","))}".utf8)
        case "one number": [UInt8]("1\(String(repeating: "0", count: size << 15))e-\(size << 15)".utf8)
        default: [UInt8]("[\((0..<(size * 1_000)).map { "{\"id\":\($0)}" }.joined(separator: ","))]".utf8)
        }
    }

    // MARK: Generation

    private func generate(depth: Int, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: -1_000...1_000, using: &random))
        case 3: return .integer(Int64(truncatingIfNeeded: random.next()))
        case 4:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : Double(Int64(truncatingIfNeeded: random.next())))
        case 5: return .string(text(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in generate(depth: depth - 1, using: &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                object[text(using: &random)] = generate(depth: depth - 2, using: &random)
            }
            return .object(object)
        }
    }

    private func text(using random: inout SeededGenerator) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0...0x1F, 0x80...0x7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let range = ranges[Bool.random(using: &random) ? 0 : Int.random(in: 0..<ranges.count, using: &random)]
            guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) else { continue }
            text.append(scalar)
        }
        return String(text)
    }

    private func respell(_ value: JSONValue, using random: inout SeededGenerator) -> String {
        let space = [" ", "", "\n", "\t", ""].randomElement(using: &random) ?? ""
        switch value {
        case .array(let elements):
            return "[\(elements.map { space + respell($0, using: &random) }.joined(separator: space + ","))\(space)]"
        case .object(let object):
            let members = object.members.shuffled(using: &random).map { member in
                respell(.string(member.name), using: &random) + space + ":" + respell(member.value, using: &random)
            }
            return "{\(members.joined(separator: "," + space))\(space)}"
        case .string(let text):
            return "\"" + text.utf16.map { unit in respell(unit, in: text, using: &random) }.joined() + "\""
        default:
            return space + String(decoding: value.serialized(), as: UTF8.self)
        }
    }

    private func respell(_ unit: UInt16, in text: String, using random: inout SeededGenerator) -> String {
        let isPlain = (0x23...0x5B).contains(unit)
        if isPlain, Bool.random(using: &random) { return String(decoding: [UInt8(unit)], as: UTF8.self) }
        let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
