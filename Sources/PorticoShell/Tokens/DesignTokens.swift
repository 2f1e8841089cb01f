import Portico

/// The tokens of one context (light, or dark with increased contrast), every alias followed, in the order of the file.
///
/// ```swift
/// let tokens = try DesignTokens(parsing: bytes)
/// if case .color(let color)? = tokens["color.brandPrimary"]?.value { print(color.hex) }
/// ```
///
/// The format is the Design Tokens Format Module 2025.10 of the Design Tokens Community Group.
public struct DesignTokens: Sendable, Hashable {
    /// All of them, in the order of the file.
    public let tokens: [DesignToken]
    /// What can be read and should be written otherwise: a colour as a bare hex string, a name that is deprecated.
    public internal(set) var warnings: [TokenIssue] = []

    private let places: [ByteComparedText: TokenTree.Entry]

    /// Reads a file of tokens.
    ///
    /// - Throws: What is wrong in it, everything at once; where it is no strict JSON, only that.
    public init(parsing bytes: [UInt8]) throws(TokenError) {
        var arena = TokenArena()
        let root = arena.add(try Self.document(bytes), origin: "")
        var reading = TokenContexts(arena)
        self = reading.tokens([root])
        guard reading.errors.isEmpty else { throw TokenError(reading.errors) }
        warnings = reading.warnings
    }

    init(_ tokens: [DesignToken], places: [ByteComparedText: TokenTree.Entry]) {
        self.tokens = tokens
        self.places = places
    }

    /// The JSON of a file, without names that come twice.
    static func document(_ bytes: [UInt8]) throws(TokenError) -> JSONValue {
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            throw TokenError([TokenIssue(pointer: "", message: error.description)])
        }
    }

    /// The token of that name, its groups joined by dots; nil where there is none.
    public subscript(name: String) -> DesignToken? {
        guard case .leaf(let place)? = places[ByteComparedText(name)] else { return nil }
        return tokens[place]
    }

    /// The same tokens and warnings; the order counts.
    public static func == (left: DesignTokens, right: DesignTokens) -> Bool {
        left.tokens == right.tokens && left.warnings == right.warnings
    }

    /// Feeds what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens)
        hasher.combine(warnings)
    }
}

/// One token.
public struct DesignToken: Sendable, Hashable {
    /// Where it is: the names of its groups and its own.
    public var path: [String]
    /// Its value, every alias in it followed.
    public var value: TokenValue
    /// The token that it is another name of, where it is one.
    public var alias: String?
    /// What it is for.
    public var description: String?
    /// Why it should not be used any more; empty where no reason is given, nil where it should be.
    public var deprecation: String?
    /// What other tools wrote into it, as they wrote it.
    public var extensions: JSONObject?

    /// Its groups and its name, joined by dots.
    public var name: String { path.joined(separator: ".") }

    /// Puts a token together.
    public init(
        path: [String], value: TokenValue, alias: String? = nil, description: String? = nil,
        deprecation: String? = nil, extensions: JSONObject? = nil
    ) {
        self.path = path
        self.value = value
        self.alias = alias
        self.description = description
        self.deprecation = deprecation
        self.extensions = extensions
    }
}

/// Something that is wrong in a file of tokens, or should be otherwise, and where.
public struct TokenIssue: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place in the file as a JSON Pointer (RFC 6901), `/color/brandPrimary/$value`; in a further file after its name
    /// and `#`.
    public var pointer: String
    /// What is there, and what should be.
    public var message: String

    /// Puts an issue together.
    public init(pointer: String, message: String) {
        self.pointer = pointer
        self.message = message
    }

    /// Place and message.
    public var description: String { "\(pointer.isEmpty ? "/" : pointer): \(message)" }
}

/// Why a file of tokens was not taken: all that is wrong in it, not the first thing alone.
public struct TokenError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in the order of the file; never empty.
    public let issues: [TokenIssue]

    /// Puts an error together.
    public init(_ issues: [TokenIssue]) {
        self.issues = issues
    }

    /// One line for each issue.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
