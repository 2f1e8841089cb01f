import Testing

struct SwiftSourceTests {
    private func tokens(_ text: String) -> [String] {
        SwiftSource(path: "a.swift", text: text).tokens.map(\.text)
    }

    @Test(
        "comments and what literals say are no code",
        arguments: [
            ("a // b", ["a"]),
            ("a /* b /* c */ d */ e", ["a", "e"]),
            ("\"b\"", ["\""]),
            ("\"b \\\" c\" d", ["\"", "d"]),
            ("\"\"\"\nb \"c\"\n\"\"\" d", ["\"", "d"]),
            ("#\"b \" \\(c)\"# d", ["\"", "d"]),
            ("\"// b\" d", ["\"", "d"]),
            ("\"b \\(c(\"d\")) e\" f", ["\"", "c", "(", "\"", ")", "f"]),
            ("#\"b \\#(c) e\"# f", ["\"", "c", "f"]),
            ("\"open\nd", ["\"", "d"]),
            ("/* open", []),
            ("", []),
        ])
    func literals(text: String, expected: [String]) {
        #expect(tokens(text) == expected)
    }

    @Test("tokens and comments know their lines, after long comments and literals too")
    func lines() {
        let source = SwiftSource(path: "a.swift", text: "/* 1\n2 */ a\nlet s = \"\"\"\n x\n \"\"\"; b // five\n")
        #expect(source.tokens.first == Token(text: "a", line: 2))
        #expect(source.tokens.last == Token(text: "b", line: 5))
        #expect(source.comments == [1: "/* 1", 2: "2 */", 5: "// five"])
    }

    @Test("a file with CR LF is read like any other")
    func carriageReturns() {
        let source = SwiftSource(path: "a.swift", text: "import A\r\n// b\r\nimport B\r\n")
        #expect(source.imports.map(\.text) == ["A", "B"])
        #expect(source.imports.map(\.line) == [1, 3])
    }

    @Test("every way to write an import is seen")
    func imports() {
        let text = "public import A\n@testable import B\nimport struct C.D\n@_exported import E; import F\n// import G"
        #expect(SwiftSource(path: "a.swift", text: text).imports.map(\.text) == ["A", "B", "C", "E", "F"])
    }

    @Test(
        "a pattern is a row of tokens, whatever space lies between",
        arguments: [
            ("Date()", "let a = Date ( )", [1]),
            ("Date()", "MyDate()\nDate(x)", []),
            ("Task.sleep(for:", "Task\n  .sleep(for: x)", [1]),
            ("arc4random*", "arc4random_uniform(3)", [1]),
            ("try?", "try? a\ntry b", [1]),
            ("try!", "try !a\ntry! b", [2]),
            ("<each", "struct A<each B> {}", [1]),
        ])
    func patterns(pattern: String, text: String, lines: [Int]) {
        #expect(SwiftSource(path: "a.swift", text: text).matches(of: pattern) == lines)
    }
}
