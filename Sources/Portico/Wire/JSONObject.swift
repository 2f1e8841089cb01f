/// The members of a JSON object, in order, each name once; names are compared as UTF-8 bytes.
///
/// ```swift
/// var object = JSONObject()
/// object["limit"] = 20
/// object["limit"] = nil  // removes it; `.null` would be a value
/// ```
public struct JSONObject: Sendable {
    /// One name and its value.
    public struct Member: Sendable, Hashable {
        /// The name, unescaped.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// A member.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }

        /// Equal values under the same name, compared as UTF-8 bytes.
        public static func == (left: Member, right: Member) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }

        /// Feeds what `==` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ByteComparedText(name))
            hasher.combine(value)
        }
    }

    /// The members in their order.
    public private(set) var members: [Member]

    /// Where each name is, once there are more than `indexThreshold`: a short list is searched faster than hashed.
    private var index: [ByteComparedText: Int]?

    /// How many members are searched one by one.
    static let indexThreshold = 16

    /// An object without members.
    public init() {
        members = []
    }

    /// An object of these members; of two with one name the first keeps its place and takes the later value.
    public init(_ members: [Member]) {
        self.members = []
        self.members.reserveCapacity(members.count)
        for member in members { append(member.name, member.value) }
    }

    /// Members whose names are known to differ; `index` is nil or complete, and complete above the threshold.
    init(distinct members: [Member], index: [ByteComparedText: Int]?) {
        self.members = members
        self.index = index
    }

    /// The value under `name`, nil where there is none.
    ///
    /// Setting replaces the value in its place or appends; setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get {
            position(of: name).map { members[$0].value }
        }
        set {
            if let newValue {
                append(name, newValue)
            } else if let position = position(of: name) {
                members.remove(at: position)
                index = Self.index(of: members)
            }
        }
    }

    /// Adds a member at the end; one that already has this name keeps its place and takes the value.
    public mutating func append(_ name: String, _ value: JSONValue) {
        if let position = position(of: name) {
            members[position].value = value
            return
        }
        members.append(Member(name: name, value: value))
        if index != nil {
            index?[ByteComparedText(name)] = members.count - 1
        } else if members.count > Self.indexThreshold {
            index = Self.index(of: members)
        }
    }

    /// How many members there are.
    public var count: Int { members.count }

    /// Whether there is no member.
    public var isEmpty: Bool { members.isEmpty }

    private func position(of name: String) -> Int? {
        if let index { return index[ByteComparedText(name)] }
        return members.firstIndex { $0.name.hasSameBytes(as: name) }
    }

    private static func index(of members: [Member]) -> [ByteComparedText: Int]? {
        guard members.count > indexThreshold else { return nil }
        var index: [ByteComparedText: Int] = [:]
        index.reserveCapacity(members.count)
        for (position, member) in members.enumerated() { index[ByteComparedText(member.name)] = position }
        return index
    }
}

extension JSONObject: Sequence {
    /// The members in their order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: Hashable {
    /// The same members in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        return left.members.allSatisfy { right[$0.name] == $0.value }
    }

    /// Feeds what `==` compares: a sum does not see the order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members { sum &+= member.hashValue }
        hasher.combine(count)
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members in this order; of two with one name the later value stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
