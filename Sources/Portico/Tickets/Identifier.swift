/// A name that an issuer gave to a ticket, an event, a zone or a key: 1 to 128 UTF-8 bytes, compared as bytes.
///
/// Swift's `String` equality merges canonically equivalent texts (`é` and `e` + U+0301); two tickets that differ in
/// that alone are two tickets, so an identifier is its bytes: no folding, no normalisation, no trimming.
///
/// Control characters, bidirectional and invisible formatting characters are refused, by a fixed list so that no
/// version of Unicode changes a verdict: U+0000–001F, 007F–009F, 00AD, 061C, 200B–200F, 2028–202E, 2060–206F, FEFF,
/// FFF9–FFFB, E0000–E0FFF.
///
/// ```swift
/// let zone: Identifier = "NORTH"
/// let bad = Identifier("NORTH\n")  // nil
/// ```
public struct Identifier: Sendable, Hashable {
    /// The bytes, valid UTF-8.
    public let utf8: [UInt8]

    /// The longest identifier, in UTF-8 bytes.
    public static let maximumLength = 128

    /// An identifier from text; nil where it is empty, too long or has a refused code point.
    public init?(_ text: String) {
        self.init(utf8: Array(text.utf8))
    }

    /// An identifier from UTF-8 bytes; nil where they are not UTF-8, empty, too many, or have a refused code point.
    public init?(utf8: [UInt8]) {
        guard !utf8.isEmpty, utf8.count <= Self.maximumLength else { return nil }
        // The common case, decided without decoding: printable ASCII.
        if !utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            let text = String(decoding: utf8, as: UTF8.self)
            // Decoding repairs what is not UTF-8; bytes that came back changed were not.
            guard text.utf8.elementsEqual(utf8), !text.unicodeScalars.contains(where: { Self.isRefused($0.value) })
            else { return nil }
        }
        self.utf8 = utf8
    }

    /// What a store calls the device that it stands for: 128 random bits, as 32 hexadecimal digits.
    package init(device high: UInt64, _ low: UInt64) {
        utf8 = [high, low].flatMap { word in
            stride(from: UInt64(60), through: 0, by: -4).map { shift in
                Hexadecimal.digit(UInt8(truncatingIfNeeded: word >> shift) & 15)
            }
        }
    }

    /// The identifier as text.
    public var text: String { String(decoding: utf8, as: UTF8.self) }

    /// Feeds the bytes at once: a ledger of a million tickets is looked into by them.
    public func hash(into hasher: inout Hasher) {
        utf8.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(utf8.count)
    }

    private static func isRefused(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default:
            false
        }
    }
}

extension Identifier: ExpressibleByStringLiteral {
    /// An identifier written in source.
    ///
    /// A literal that breaks the rules is a programming error and stops the program; use `init(_:)` for input.
    public init(stringLiteral value: String) {
        guard let identifier = Identifier(value) else {
            preconditionFailure("not an identifier: a literal of \(value.utf8.count) bytes")
        }
        self = identifier
    }
}

extension Identifier: Comparable {
    /// Orders by bytes.
    public static func < (lhs: Identifier, rhs: Identifier) -> Bool {
        lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
    }
}

extension Identifier: CustomStringConvertible {
    /// The identifier as text.
    public var description: String { text }
}

/// What identifies a ticket: its event and its number in it, from verified bytes.
///
/// One ticket can be respelt in many ways that all verify, so neither its text nor a hash of it identifies it.
public struct TicketKey: Sendable, Hashable, Comparable {
    /// The event that the ticket is for.
    public let event: Identifier
    /// The ticket's number in the event.
    public let ticket: Identifier

    /// A key from its two parts.
    public init(event: Identifier, ticket: Identifier) {
        self.event = event
        self.ticket = ticket
    }

    /// Orders by event, then by ticket, by bytes.
    public static func < (lhs: TicketKey, rhs: TicketKey) -> Bool {
        lhs.event == rhs.event ? lhs.ticket < rhs.ticket : lhs.event < rhs.event
    }
}
