import Testing

@testable import PorticoShell

@Suite("Hostile files of tokens")
struct TokensHostileTests {
    @Test("A chain of a hundred thousand references neither overflows the stack nor takes its square")
    func chain() throws {
        let count = 100_000
        var text = #"{"$type": "number""#
        for index in 0..<count { text += #", "t\#(index)": {"$value": "{t\#(index + 1)}"}"# }
        let found = try tokens(text + #", "t\#(count)": {"$value": 1}}"#)
        #expect(found.tokens.count == count + 1)
        #expect(found["t0"]?.value == .number(1))
        let circle = issues(text + #", "t\#(count)": {"$value": "{t0}"}}"#)
        #expect(circle.count == 1)
        #expect(circle.first?.hasPrefix("/t0/$value: tokens refer to one another in a circle: t0 → t1 → ") == true)
    }

    @Test("A chain through parts of values is followed as well")
    func parts() throws {
        var text = ##"{"$type": "color", "t0": {"$value": {"colorSpace": "srgb", "components": [0.5, 0, 0]}}"##
        for index in 1...5_000 {
            text +=
                ##", "t\##(index)": {"$value": {"colorSpace": "srgb", "components": "##
                + ##"[{"$ref": "#/t\##(index - 1)/$value/components/0"}, 0, 0]}}"##
        }
        let found = try tokens(text + "}")
        guard case .color(let color)? = found["t5000"]?.value else {
            Issue.record("no colour")
            return
        }
        #expect(color.components == [0.5, 0, 0])
    }

    @Test("Circles within circles are found without going round each of them")
    func circles() {
        var text = #"{"$type": "color""#
        for index in 0..<20_000 {
            text += ##", "t\##(index)": {"$value": {"colorSpace": "srgb", "components": "##
            text += ##"[{"$ref": "#/t\##(index + 1)/$value"}, {"$ref": "#/t\##(max(0, index - 1))/$value"}, 0]}}"##
        }
        let found = issues(text + ##", "t20000": {"$ref": "#/t0"}}"##)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("/t0/$value: tokens refer to one another in a circle: t0 → t1 → ") == true)
    }

    @Test("Groups that double with every $extends are refused by a limit, and so is a chain of too many")
    func bombs() {
        var bomb = #"{"$type": "number", "g0": {"t": {"$value": 1}}"#
        var chain = bomb
        for index in 1...60 {
            let last = index - 1
            bomb += #", "g\#(index)": {"a": {"$extends": "{g\#(last)}"}, "b": {"$extends": "{g\#(last)}"}}"#
        }
        for index in 1...5_000 { chain += #", "g\#(index)": {"$extends": "{g\#(index - 1)}"}"# }
        let found = issues(bomb + "}")
        #expect(found.contains { $0.hasSuffix("are inherited; write fewer $extends within $extends") }, "\(found)")
        #expect(found.count < 10)
        #expect(issues(chain + "}").first == "/g65/$extends: follows more than 64 groups that take after one another")
        // The other way round the far end is not known when the first is read.
        var backwards = #"{"$type": "number""#
        for index in 0..<5_000 { backwards += #", "g\#(index)": {"$extends": "{g\#(index + 1)}"}"# }
        #expect(
            issues(backwards + #", "g5000": {"t": {"$value": 1}}}"#).first?.hasPrefix("/g0/$extends: follows") == true)
    }

    @Test("Groups that take after the one they are in are all told, without going every way through them")
    func nestedCircles() throws {
        let members = (0..<16).map { ##""t\##($0)": {"$ref": "#/c"}"## }.joined(separator: ", ")
        var arena = TokenArena()
        let root = arena.add(try DesignTokens.document(Array(#"{"c": {\#(members)}}"#.utf8)), origin: "")
        let tree = TokenTree(arena, roots: [root])
        #expect(tree.errors.map(\.issue.pointer) == (0..<16).map { "/c/t\($0)/$ref" })
        #expect(tree.groups.count < 2 * TokenTree.maximumInheritedOfCircles)
    }

    @Test("References that would copy lists out of lists again and again are refused by a limit")
    func aliasBomb() {
        let names = Array(repeating: #""A""#, count: 3_000).joined(separator: ",")
        var text =
            ##"{"big": {"$type": "typography", "$value": {"fontFamily": [\##(names)], "fontSize": {"value": 1, "unit": "px"}, "fontWeight": 1, "letterSpacing": {"value": 1, "unit": "px"}, "lineHeight": 1}}"##
        for index in 0..<1_000 {
            text += ##", "t\##(index)": {"$type": "fontFamily", "$value": {"$ref": "#/big/$value/fontFamily"}}"##
        }
        let found = issues(text + "}")
        #expect(found.first?.hasSuffix("values come from references to parts of others") == true)
        // Lists do not go into lists, so that nothing doubles.
        var lists =
            ##"{"$type": "shadow", "l0": {"$value": [{"color": "#000", "offsetX": {"value": 1, "unit": "px"}, "offsetY": {"value": 1, "unit": "px"}, "blur": {"value": 1, "unit": "px"}, "spread": {"value": 1, "unit": "px"}}]}"##
        for index in 1...40 { lists += ##", "l\##(index)": {"$value": ["{l\##(index - 1)}", "{l\##(index - 1)}"]}"## }
        #expect(issues(lists + "}").first == "/l2/$value/0: refers to 'l1', which is a list; here is room for one")
    }

    @Test("What nests too deep is refused, in the file and after it was inherited")
    func depth() {
        let deep = String(repeating: #"{"a": "#, count: 100_000) + "1" + String(repeating: "}", count: 100_000)
        #expect(issues(deep) == ["/: JSON refused: tooDeep at byte 384"])
        // Each of forty groups puts what it inherits two groups deeper.
        var text = #"{"$type": "number", "g0": {"t": {"$value": 1}}"#
        for index in 1...40 { text += #", "g\#(index)": {"a": {"b": {"$extends": "{g\#(index - 1)}"}}}"# }
        #expect(issues(text + "}").contains { $0.contains("lies deeper than 64 groups") })
    }

    @Test("Bytes of any kind are read or refused, and every cut of a good file as well")
    func anything() throws {
        let file = try DesignSystemTests.file()
        for length in stride(from: 0, to: file.count - 2, by: 97) {
            #expect(throws: TokenError.self) { try DesignTokens(parsing: Array(file.prefix(length))) }
        }
        var state: UInt64 = 7
        for _ in 0..<400 {
            var bytes = file
            for _ in 0..<8 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            do {
                _ = try DesignSystem(parsing: bytes).contrast()
            } catch {
                #expect(!error.issues.isEmpty)
            }
        }
    }
}
