import Portico

/// The groups and tokens of the files that a design is made of, as they are written.
///
/// Every place knows the file it is in, so that what is wrong with a token is told where somebody can mend it, also
/// after several files were laid over one another.
struct TokenArena {
    /// A group or a token in a file.
    struct Place {
        enum Kind {
            /// It has a `$value`.
            case token
            case group
            /// It has a `$ref` and nothing beside it, and is whatever stands there.
            case reference
        }

        let parent: Int?
        let source: Int
        let name: String
        let members: JSONObject
        let kind: Kind
        /// What a token is made of: its `$value`, or its `$ref` as the reference object that it is.
        let value: JSONValue
        /// Its own `$type`.
        fileprivate(set) var type: TokenType?
        /// Whether its `$type` is none.
        fileprivate(set) var hasUnknownType = false
        /// Its own `$deprecated`.
        fileprivate(set) var deprecation: JSONValue?
        fileprivate(set) var children: [Int] = []

        /// The group that it takes after: `$extends`, or `$ref`, which is the same for a group (§6.4.1).
        var extends: String? {
            guard isExtending else { return nil }
            return (members["$extends"] ?? members["$ref"])?.stringValue
        }

        fileprivate let isExtending: Bool
    }

    /// An issue and the place whose position in the file it has.
    struct Finding {
        let place: Int
        let issue: TokenIssue
    }

    private(set) var places: [Place] = []
    private(set) var errors: [Finding] = []
    private(set) var warnings: [Finding] = []
    /// What stands before the pointers of each source.
    private var origins: [String] = []

    /// Adds the tokens of a file, or of a part of one.
    ///
    /// - Parameter origin: Its pointer within its file, after the name of the file and `#` where it is not the first.
    /// - Returns: Its outermost group.
    mutating func add(_ value: JSONValue, origin: String) -> Int {
        origins.append(origin)
        guard case .object(let members) = value else {
            let root = append(JSONObject(), "", parent: nil, .group, .null, isExtending: false)
            report(root, "", "is \(value.kind), and tokens are an object")
            return root
        }
        return add(members, "", parent: nil)
    }

    /// The pointer to a place, and from there on.
    func pointer(to place: Int, _ suffix: String = "") -> String {
        var segments: [String] = []
        var current = places[place]
        while let parent = current.parent {
            segments.append(JSONPointer.escaped(current.name))
            current = places[parent]
        }
        return origins[current.source] + segments.reversed().map { "/" + $0 }.joined() + suffix
    }

    /// The name of a place, its groups joined by dots; `/` for the outermost group.
    func name(of place: Int) -> String {
        var names: [String] = []
        var current = places[place]
        while let parent = current.parent {
            names.append(current.name)
            current = places[parent]
        }
        return names.isEmpty ? "/" : names.reversed().joined(separator: ".")
    }
}

// MARK: - Reading

extension TokenArena {
    private mutating func append(
        _ members: JSONObject, _ name: String, parent: Int?, _ kind: Place.Kind, _ value: JSONValue, isExtending: Bool
    ) -> Int {
        places.append(
            Place(
                parent: parent, source: origins.count - 1, name: name, members: members, kind: kind, value: value,
                isExtending: isExtending))
        return places.count - 1
    }

    private mutating func report(_ place: Int, _ suffix: String, _ message: String) {
        errors.append(finding(place, suffix, message))
    }

    private mutating func warn(_ place: Int, _ suffix: String, _ message: String) {
        warnings.append(finding(place, suffix, message))
    }

    private func finding(_ place: Int, _ suffix: String, _ message: String) -> Finding {
        // What a group says behind a child comes behind what is found in the child, whenever that is.
        let position = places[place].kind == .token ? place : places.count
        return Finding(place: position, issue: TokenIssue(pointer: pointer(to: place, suffix), message: message))
    }

    /// It nests as deep as the JSON parser let objects nest.
    private mutating func add(_ members: JSONObject, _ name: String, parent: Int?) -> Int {
        let value = members["$value"]
        let reference = members["$ref"]
        let hasValue = value != nil
        let hasReference = reference != nil
        let hasChildren = (hasValue || hasReference) && members.contains { isChild($0.name) }
        // §6.1: an object cannot be a token and a group; it is read on as a token.
        let kind: Place.Kind = hasValue ? .token : hasReference && !hasChildren ? .reference : .group
        let place = append(
            members, name, parent: parent, kind, value ?? .object(reference.map { ["$ref": $0] } ?? JSONObject()),
            isExtending: kind != .token && (hasReference || members["$extends"] != nil))
        if hasValue && hasChildren {
            report(place, "", "has a $value and tokens or groups inside; it can be a token or a group")
        }
        if hasValue && hasReference { report(place, "/$ref", "stands beside $value; a token has one of them") }
        if !hasValue && hasReference && members["$extends"] != nil {
            report(place, "/$ref", "stands beside $extends; a group takes after one other")
        }
        var children: [Int] = []
        for member in members {
            if member.name.utf8.first == UInt8(ascii: "$"), member.name != "$root" {
                check(member, of: place)
            } else if kind != .token, let child = child(member, of: place) {
                children.append(child)
            }
        }
        if !children.isEmpty { places[place].children = children }
        return place
    }

    private func isChild(_ name: String) -> Bool {
        name.utf8.first != UInt8(ascii: "$") || name == "$root"
    }

    private mutating func child(_ member: JSONObject.Member, of place: Int) -> Int? {
        func suffix() -> String { "/" + JSONPointer.escaped(member.name) }
        // §5.1.1: these are the syntax of references.
        let isLegal = !member.name.utf8.contains { "{}.".utf8.contains($0) } && !member.name.isEmpty
        if !isLegal { report(place, suffix(), "is no name: a name is not empty and has no '{', '}' or '.'") }
        guard case .object(let members) = member.value else {
            let hint = member.name == "value" ? "; the value of a token is its $value" : ""
            report(place, suffix(), "is \(member.value.kind), and a group or a token is an object" + hint)
            return nil
        }
        // What is inside is still looked at: everything that is wrong is told at once.
        let child = add(members, member.name, parent: place)
        if member.name == "$root", places[child].kind == .group {
            report(child, "", "has no $value, and the root of a group is a token")
        }
        return isLegal ? child : nil
    }

    /// Checks a property of a token or a group (§5.2, §6.3).
    private mutating func check(_ member: JSONObject.Member, of place: Int) {
        let isToken = places[place].kind == .token
        let value = member.value
        var isExpected = true
        var expectation = ""
        switch member.name {
        case "$value" where isToken: break
        case "$type":
            guard let name = value.stringValue else {
                places[place].hasUnknownType = true
                (isExpected, expectation) = (false, "the name of a type")
                break
            }
            places[place].type = TokenType(rawValue: name)
            places[place].hasUnknownType = places[place].type == nil
            if places[place].hasUnknownType {
                report(place, "/$type", "is '\(name)'; the types are \(TokenType.list)")
            }
        case "$description": (isExpected, expectation) = (value.stringValue != nil, "a text")
        case "$deprecated":
            places[place].deprecation = value
            (isExpected, expectation) = (value.boolValue != nil || value.stringValue != nil, "true, false or a reason")
        case "$extensions": (isExpected, expectation) = (value.objectValue != nil, "an object")
        case "$ref": (isExpected, expectation) = (value.stringValue != nil, "a JSON Pointer, '#/group/token'")
        case "$extends" where isToken: report(place, "/$extends", "is for groups, and this is a token")
        case "$extends": (isExpected, expectation) = (value.stringValue != nil, "a group, '{name}' or '#/name'")
        case "$schema" where places[place].parent == nil:
            (isExpected, expectation) = (value.stringValue != nil, "the address of a schema")
        default:
            let suffix = "/" + JSONPointer.escaped(member.name)
            if holdsTokens(value) {
                report(place, suffix, "is no name: names do not begin with '$'")
            } else {
                warn(place, suffix, "is not known in this version of the format, and is passed over")
            }
        }
        if !isExpected { report(place, "/\(member.name)", "is \(value.kind), and should be \(expectation)") }
    }

    /// Whether something was meant to be a token or a group: a later version may add properties, but not such ones.
    private func holdsTokens(_ value: JSONValue) -> Bool {
        guard case .object(let members) = value else { return false }
        return members["$value"] != nil || members.contains { $0.value["$value"] != nil }
    }
}

/// The types that a token may have (§8 and §9).
enum TokenType: String, CaseIterable {
    case color, dimension, fontFamily, fontWeight, duration, cubicBezier, number, strokeStyle, border, transition,
        shadow
    case gradient, typography

    static let list = allCases.map(\.rawValue).joined(separator: ", ")
}

extension JSONValue {
    /// What kind of value it is, for a message.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .integer, .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
