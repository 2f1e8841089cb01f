/// A JSON value (RFC 8259).
///
/// Strings and names of members are equal when their UTF-8 bytes are: Swift's own `String` equality merges canonically
/// equivalent texts, and with it `é` and `e` followed by U+0301 would be one member. Objects are equal whatever the
/// order of their members. An integer never equals a floating-point number.
///
/// ```swift
/// let event: JSONValue = ["name": "door", "count": 3, "open": true]
/// let bytes = event.serialized()
/// let same = try JSONValue(parsing: bytes)
/// same["count"]?.integerValue  // 3
/// ```
public enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// The literal `true` or `false`.
    case bool(Bool)
    /// A number written as an integer that fits 64 bits.
    case integer(Int64)
    /// Any other number, as the nearest double.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

// MARK: Access

extension JSONValue {
    /// The text of a string, nil for any other value.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of `.integer`, nil for any other value, a `.number` without a fraction included.
    public var integerValue: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// The nearest double of an integer or number, nil for any other value.
    public var numberValue: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// The value of `true` or `false`, nil for any other value.
    public var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements of an array, nil for any other value.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object, nil for any other value.
    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// Whether this is the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The object's member of this name, compared as UTF-8 bytes; nil where there is none or this is no object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let object) = self { object[name] } else { nil }
    }
}

// MARK: Equality by bytes

extension JSONValue: Hashable {
    /// Equal kinds with equal content; strings and names as UTF-8 bytes.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Feeds what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null:
            hasher.combine(0)
        case .bool(let bool):
            hasher.combine(1)
            hasher.combine(bool)
        case .integer(let integer):
            hasher.combine(2)
            hasher.combine(integer)
        case .number(let number):
            hasher.combine(3)
            hasher.combine(number)
        case .string(let text):
            hasher.combine(4)
            hasher.combine(ByteComparedText(text))
        case .array(let elements):
            hasher.combine(5)
            hasher.combine(elements)
        case .object(let object):
            hasher.combine(6)
            hasher.combine(object)
        }
    }
}

// MARK: Literals

extension JSONValue: ExpressibleByNilLiteral {
    /// The literal `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// The literal `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONValue: ExpressibleByStringLiteral {
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByStringInterpolation {}

extension JSONValue: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// An object with its members in this order; of two with one name the later value stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }
}
