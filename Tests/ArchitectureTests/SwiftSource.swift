/// One word, number or punctuation mark of Swift code, and where it stands.
struct Token: Hashable, Sendable {
    let text: String
    /// From 1.
    let line: Int
}

/// A Swift file taken apart far enough to be judged: its code without comments and without what literals say, and its
/// comments by line.
///
/// Matching words in raw text finds them in comments and in strings, where they mean nothing; and a rule that cries
/// wolf is a rule that is switched off.
struct SwiftSource: Sendable {
    /// Relative to the root, with `/`.
    let path: String
    /// The lines as they are written.
    let lines: [String]
    /// The code: literals are left as their quotes, what is interpolated into them is code.
    let tokens: [Token]
    /// What comments say, by line from 1; a comment over several lines is listed at each.
    let comments: [Int: String]
    /// Where each token stands in `tokens`: there are many patterns, and few files hold the first word of one.
    private let places: [String: [Int]]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var lexer = Lexer(text)
        lexer.run()
        tokens = lexer.tokens
        comments = lexer.comments
        places = Dictionary(grouping: lexer.tokens.indices) { [tokens = lexer.tokens] in tokens[$0].text }
    }

    /// The modules that it imports, with the line of each: `import struct Foundation.Date` imports Foundation.
    var imports: [Token] {
        let kinds: Set = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"]
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "import" else { return nil }
            let rest = tokens[(index + 1)...].drop { kinds.contains($0.text) }
            return rest.first
        }
    }

    /// The lines at which the tokens of `pattern`, a piece of Swift, follow each other.
    ///
    /// A word that ends in `*` stands for every word that begins so.
    func matches(of pattern: String) -> [Int] {
        var lexer = Lexer(pattern)
        lexer.run()
        // A star is a mark of its own: it belongs to the word before it.
        var wanted: [String] = []
        for token in lexer.tokens.map(\.text) {
            if token == "*", let last = wanted.popLast() { wanted.append(last + "*") } else { wanted.append(token) }
        }
        guard let first = wanted.first else { return [] }
        let starts = first.hasSuffix("*") ? Array(tokens.indices) : places[first] ?? []
        return starts.filter { start in
            start + wanted.count <= tokens.count
                && wanted.indices.allSatisfy { index in
                    let text = tokens[start + index].text
                    let expected = wanted[index]
                    return expected.hasSuffix("*") ? text.hasPrefix(expected.dropLast()) : text == expected
                }
        }
        .map { tokens[$0].line }
    }

    /// Whether a sentence stands beside that line, or above it and at most three lines away: the statement may have
    /// begun before, and attributes may stand between.
    func isExplained(at line: Int) -> Bool {
        let nearest = (max(1, line - 3)...line).last { comments[$0] != nil }
        guard let nearest else { return false }
        // A sentence over several lines is judged as a whole.
        var first = nearest
        while first > 1, comments[first - 1] != nil { first -= 1 }
        let words = (first...nearest).flatMap { comments[$0, default: ""].split(separator: " ") }
        return words.count >= 4
    }
}

/// Walks over UTF-8 bytes: "\r\n" is one Character, and a combining mark after a quote hides the quote.
private struct Lexer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private(set) var tokens: [Token] = []
    private(set) var comments: [Int: String] = [:]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func run() {
        code(until: nil)
    }

    /// Reads code up to the closing parenthesis of an interpolation, or to the end.
    private mutating func code(until closing: UInt8?) {
        var depth = 0
        while let byte = peek() {
            if starts("//") {
                lineComment()
            } else if starts("/*") {
                blockComment()
            } else if let hashes = literalStart() {
                literal(hashes: hashes)
            } else if isWord(byte) {
                word()
            } else if byte <= 0x20 {
                advance()
            } else {
                if closing != nil, byte == UInt8(ascii: "(") { depth += 1 }
                if byte == closing {
                    if depth == 0 { return }
                    depth -= 1
                }
                add([byte])
                advance()
            }
        }
    }

    private mutating func word() {
        let start = position
        while let byte = peek(), isWord(byte) { position += 1 }
        // `try?` is one word and `try !a` is two.
        let takesMark =
            bytes[start..<position].elementsEqual("try".utf8) || bytes[start..<position].elementsEqual("as".utf8)
        if takesMark, let mark = peek(), mark == UInt8(ascii: "?") || mark == UInt8(ascii: "!") { position += 1 }
        add(Array(bytes[start..<position]))
    }

    private mutating func lineComment() {
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
        note(bytes[start..<position])
    }

    private mutating func blockComment() {
        var depth = 0
        var start = position
        repeat {
            if starts("/*") {
                depth += 1
                position += 2
            } else if starts("*/") {
                depth -= 1
                position += 2
            } else {
                if peek() == UInt8(ascii: "\n") {
                    note(bytes[start..<position])
                    start = position + 1
                }
                advance()
            }
        } while depth > 0 && position < bytes.count
        note(bytes[start..<min(position, bytes.count)])
    }

    /// How many `#` open the literal that begins here; nil where none does.
    private func literalStart() -> Int? {
        var hashes = 0
        while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
        return peek(hashes) == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func literal(hashes: Int) {
        position += hashes
        let isLong = starts("\"\"\"")
        let quote = isLong ? "\"\"\"" : "\""
        let close = quote + String(repeating: "#", count: hashes)
        let escape = "\\" + String(repeating: "#", count: hashes)
        add(Array("\"".utf8))
        position += quote.utf8.count
        while position < bytes.count {
            if starts(close) {
                position += close.utf8.count
                return
            }
            if starts(escape) {
                position += escape.utf8.count
                if peek() == UInt8(ascii: "(") {
                    position += 1
                    code(until: UInt8(ascii: ")"))
                }
                advance()
                continue
            }
            // A literal that is not closed ends with its line, so that one broken line does not hide the rest.
            if !isLong, peek() == UInt8(ascii: "\n") { return }
            advance()
        }
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private func starts(_ text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    private mutating func advance() {
        guard position < bytes.count else { return }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private mutating func add(_ text: [UInt8]) {
        tokens.append(Token(text: String(decoding: text, as: UTF8.self), line: line))
    }

    private mutating func note(_ text: ArraySlice<UInt8>) {
        comments[line, default: ""] += String(decoding: text, as: UTF8.self)
    }

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default:
            false
        }
    }
}
