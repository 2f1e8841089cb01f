/// What a parser accepts of the JSON that RFC 8259 and I-JSON (RFC 7493) allow.
public struct JSONLimits: Sendable, Hashable {
    /// Which numbers are taken.
    public enum NumberRule: Sendable, Hashable {
        /// Every number whose nearest double is finite.
        case any
        /// `-?(0|[1-9][0-9]*)` within ±(2^53 − 1), and not `-0`: texts of which every reader makes the same number.
        case integersOnly
    }

    /// Which names of members are taken.
    public enum NameRule: Sendable, Hashable {
        /// Every string.
        case any
        /// 1 to 64 characters of `[A-Za-z0-9_.-]`, after unescaping.
        case token64
    }

    /// How deep objects and arrays may lie in one another; a top-level one is at depth 1.
    ///
    /// Above `deepest` it counts as `deepest`.
    public var maximumDepth: Int
    /// How many members all objects may have together.
    public var maximumMembers: Int
    /// How many bytes the text may have.
    public var maximumBytes: Int
    /// Which numbers are taken.
    public var numbers: NumberRule
    /// Which names of members are taken.
    public var names: NameRule
    /// Whether strings and names may hold the noncharacters of Unicode (RFC 7493 §2.1 forbids them).
    public var allowsNoncharacters: Bool

    /// The depth that no limit exceeds: whoever parses, compares, writes or frees a value nests as deep on the stack.
    public static let deepest = 256

    /// Limits of one's own.
    public init(
        maximumDepth: Int, maximumMembers: Int, maximumBytes: Int, numbers: NumberRule, names: NameRule,
        allowsNoncharacters: Bool
    ) {
        self.maximumDepth = maximumDepth
        self.maximumMembers = maximumMembers
        self.maximumBytes = maximumBytes
        self.numbers = numbers
        self.names = names
        self.allowsNoncharacters = allowsNoncharacters
    }

    /// For what services send: depth 64, 64 MiB, any number of members, every number and name.
    public static let standard = JSONLimits(
        maximumDepth: 64, maximumMembers: .max, maximumBytes: 64 << 20, numbers: .any, names: .any,
        allowsNoncharacters: true)

    /// For a ticket: depth 4, 64 members, what 2,953 characters of base64url can hold, integers and tokens only.
    public static let ticket = JSONLimits(
        maximumDepth: 4, maximumMembers: 64, maximumBytes: 2_953 * 3 / 4, numbers: .integersOnly, names: .token64,
        allowsNoncharacters: false)

    /// For a gate's configuration: a ticket's rules with depth 16, 64 MiB and any number of members.
    public static let configuration = JSONLimits(
        maximumDepth: 16, maximumMembers: .max, maximumBytes: 64 << 20, numbers: .integersOnly, names: .token64,
        allowsNoncharacters: false)
}

/// Why a text is not the JSON that was asked for, and where.
public struct JSONError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: String, Sendable, Hashable {
        /// More bytes than the limit.
        case tooManyBytes
        /// Objects and arrays nest deeper than the limit.
        case tooDeep
        /// More members than the limit.
        case tooManyMembers
        /// U+FEFF before the value.
        case byteOrderMark
        /// The text ends inside the value, or is empty.
        case unexpectedEnd
        /// A byte that cannot stand there.
        case unexpectedByte
        /// Something after the value.
        case textAfterEnd
        /// A number that breaks the grammar: a leading zero, no digit after a sign, a point or an exponent.
        case invalidNumber
        /// A number whose nearest double is not finite, or an integer beyond the rule's range.
        case numberOutOfRange
        /// A number in a form that the rule does not take: a fraction, an exponent, `-0`.
        case numberNotAllowed
        /// Bytes that are not UTF-8: overlong, a surrogate, above U+10FFFF, cut off.
        case invalidUTF8
        /// A raw control character below U+0020 in a string.
        case controlCharacter
        /// An escape that RFC 8259 §7 does not have.
        case invalidEscape
        /// An escaped surrogate without its other half.
        case loneSurrogate
        /// A noncharacter where the limits forbid it.
        case noncharacter
        /// A name that its object already has.
        case duplicateMember
        /// A name that the rule does not take.
        case nameNotAllowed
    }

    /// What is wrong.
    public let reason: Reason
    /// Where, in bytes from the start of the text.
    public let offset: Int

    /// An error of this reason at this byte.
    public init(_ reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// One line without any content of the text.
    public var description: String {
        "JSON refused: \(reason.rawValue) at byte \(offset)"
    }
}
