import Portico

/// The values of all tokens of a tree, every reference followed (§7.2).
///
/// Tokens are read in an order in which each comes after those that it refers to, so that nothing recurses along a
/// chain of references, however long.
struct TokenEvaluation {
    /// In the order of the tree, whose every leaf is there unless there are errors.
    private(set) var tokens: [DesignToken] = []
    private(set) var errors: [TokenArena.Finding] = []
    private(set) var warnings: [TokenArena.Finding] = []

    private enum State {
        case unseen
        case open
        case read
    }

    /// Where a reference leads.
    enum Target {
        /// To a token as a whole.
        case token(Int)
        /// To a part of the value of a token.
        case part(Int, ArraySlice<String>)
        /// To something that no token has a share in.
        case constant(JSONValue)
    }

    /// A reference that leads nowhere.
    struct Lost: Error {
        let message: String
    }

    private let arena: TokenArena
    private let tree: TokenTree
    private var states: [State]
    private var dependencies: [[Int]]
    /// What was read, nil where something is wrong.
    private var values: [TokenValue?]
    /// The values as JSON without references, for references to their parts.
    private var plain: [JSONValue?]
    private var aliases: [Int?]
    private var findingsOfCopies: [TokenArena.Finding] = []
    private var faultyPlaces: Set<Int> = []
    private var copied = 0
    /// The token that is being read, and what was found in it.
    var current = TokenFindings()

    /// How many values may be taken out of others by references to parts.
    static let maximumCopied = 2_000_000

    init(_ arena: TokenArena, _ tree: TokenTree) {
        self.arena = arena
        self.tree = tree
        let count = tree.leaves.count
        states = Array(repeating: .unseen, count: count)
        dependencies = Array(repeating: [], count: count)
        values = Array(repeating: nil, count: count)
        plain = Array(repeating: nil, count: count)
        aliases = Array(repeating: nil, count: count)
        tokens.reserveCapacity(count)
        for leaf in 0..<count {
            evaluate(from: leaf)
            if let token = token(leaf) { tokens.append(token) }
        }
        errors += findingsOfCopies.filter { !faultyPlaces.contains($0.place) }
    }

    private func token(_ leaf: Int) -> DesignToken? {
        guard let value = values[leaf] else { return nil }
        let members = arena.places[tree.leaves[leaf].place].members
        return DesignToken(
            path: tree.leaves[leaf].path, value: value,
            alias: aliases[leaf].map(name),
            description: members["$description"]?.stringValue, deprecation: deprecation(leaf),
            extensions: members["$extensions"]?.objectValue)
    }

    private func deprecation(_ leaf: Int) -> String? {
        let own = arena.places[tree.leaves[leaf].place].deprecation
        return own.map(\.deprecation) ?? tree.leaves[leaf].groupDeprecation
    }

    /// What a token is made of, and where that stands within it.
    private func source(_ leaf: Int) -> (value: JSONValue, suffix: String) {
        let place = tree.leaves[leaf].place
        return (arena.places[place].value, arena.places[place].kind == .token ? "/$value" : "")
    }
}

// MARK: - References

extension TokenEvaluation {
    /// Where a text in braces leads: always to a whole token (§7.1.1).
    func target(inBraces text: String) throws(Lost) -> Target {
        guard let name = Reference.name(inBraces: text) else {
            throw Lost(message: "'\(text)' is no reference; one is '{group.token}'")
        }
        switch tree.entries[ByteComparedText(name)] {
        case .leaf(let leaf): return .token(leaf)
        case .group: throw Lost(message: "'\(name)' is a group, and braces name a token")
        case nil: throw Lost(message: "there is no token '\(name)'")
        }
    }

    /// Where a JSON Pointer leads (§7.1.2).
    func target(ofPointer text: String) throws(Lost) -> Target {
        guard let segments = JSONPointer.segments(ofFragment: text) else {
            throw Lost(message: "'\(text)' is no JSON Pointer of this file; one is '#/group/token'")
        }
        var entry = tree.entries[ByteComparedText("")]
        var name = ""
        for (index, segment) in segments.enumerated() {
            guard case .group(let group)? = entry else { break }
            if segment.utf8.first == UInt8(ascii: "$"), segment != "$root" {
                return .constant(try property(segments[index...], of: tree.groups[group], text))
            }
            // Nothing lies deeper, and a hostile pointer costs no more.
            guard index <= TokenTree.maximumDepth, !segment.utf8.contains(UInt8(ascii: ".")) else {
                throw Lost(message: "'\(text)' leads nowhere")
            }
            name = index == 0 ? segment : "\(name).\(segment)"
            entry = tree.entries[ByteComparedText(name)]
            if case .leaf(let leaf)? = entry { return try target(of: leaf, segments[(index + 1)...], text) }
        }
        throw Lost(message: entry == nil ? "'\(text)' leads nowhere" : "'\(text)' is a group, and no value")
    }

    private func target(of leaf: Int, _ segments: ArraySlice<String>, _ text: String) throws(Lost) -> Target {
        guard let first = segments.first else { return .token(leaf) }
        guard first == "$value" else {
            return .constant(try property(segments, of: [tree.leaves[leaf].place], text))
        }
        guard segments.count > 1 else { return .token(leaf) }
        let part = segments.dropFirst()
        var value = source(leaf).value
        for segment in part {
            // Behind a reference the way goes on once that is followed.
            if value.isReference { return .part(leaf, part) }
            guard let next = JSONPointer.step(segment, in: value) else {
                throw Lost(message: "'\(text)' leads nowhere; there is no '\(segment)'")
            }
            value = next
        }
        switch value {
        case .array, .object: return .part(leaf, part)
        default: return value.isReference ? .part(leaf, part) : .constant(value)
        }
    }

    private func property(
        _ segments: ArraySlice<String>, of places: [Int], _ text: String
    ) throws(Lost) -> JSONValue {
        for place in places {
            var value: JSONValue? = .object(arena.places[place].members)
            for segment in segments { value = value.flatMap { JSONPointer.step(segment, in: $0) } }
            if let value { return value }
        }
        throw Lost(message: "'\(text)' leads nowhere")
    }

    /// Where a reference leads, if the value is one; nil where it is another value.
    func target(of value: JSONValue) throws(Lost) -> Target? {
        switch value {
        case .string(let text) where value.isReference: return try target(inBraces: text)
        case .object(let members):
            guard let reference = members["$ref"] else { return nil }
            guard members.count == 1 else { throw Lost(message: "$ref stands alone in its object") }
            guard let text = reference.stringValue else {
                throw Lost(message: "$ref is \(reference.kind), and should be a JSON Pointer")
            }
            return try target(ofPointer: text)
        default: return nil
        }
    }

    /// The same, for those who leave it to others to tell where it is lost.
    private func followed(_ value: JSONValue) -> Result<Target?, Lost> {
        Result { () throws(Lost) in try target(of: value) }
    }

    /// A part of a token that was read; nil where it is broken or has no such part.
    mutating func part(_ segments: ArraySlice<String>, of leaf: Int) throws(Lost) -> JSONValue? {
        guard var value = plain[leaf] else { return nil }
        for segment in segments {
            guard let next = JSONPointer.step(segment, in: value) else {
                throw Lost(message: "leads nowhere; there is no '\(segment)'")
            }
            value = next
        }
        switch value {
        case .array(let elements): copied += elements.count
        case .object(let members): copied += members.count
        default: copied += 1
        }
        guard copied <= Self.maximumCopied else {
            throw Lost(message: "more than \(Self.maximumCopied) values come from references to parts of others")
        }
        return value
    }

    /// What was read of a token; nil where it is broken, which is told there.
    func value(_ leaf: Int) -> TokenValue? { values[leaf] }

    /// The value of a token as JSON without references.
    func plainValue(_ leaf: Int) -> JSONValue? { plain[leaf] }

    func name(_ leaf: Int) -> String { tree.leaves[leaf].name }
}

extension JSONValue {
    /// Whether it stands for another value: a text that begins with a brace, or an object with `$ref`.
    var isReference: Bool {
        switch self {
        case .string(let text): text.utf8.first == UInt8(ascii: "{")
        case .object(let members): members["$ref"] != nil
        default: false
        }
    }
}

// MARK: - The order

extension TokenEvaluation {
    /// Finds out which tokens a token refers to; what leads nowhere is told when it is read.
    private mutating func open(_ leaf: Int) {
        states[leaf] = .open
        let value = source(leaf).value
        if value.isReference, case .success(.token(let target)?) = followed(value) {
            aliases[leaf] = target
            dependencies[leaf] = [target]
            return
        }
        var found: [Int] = []
        if collect(value, &found) { dependencies[leaf] = found } else { plain[leaf] = value }
    }

    /// It nests as deep as the JSON parser let values nest.
    private func collect(_ value: JSONValue, _ found: inout [Int]) -> Bool {
        if value.isReference {
            // A lost one has no target, and is told where the value is read.
            if case .success(let target?) = followed(value) {
                switch target {
                case .token(let leaf), .part(let leaf, _): found.append(leaf)
                case .constant: break
                }
            }
            return true
        }
        var hasReferences = false
        switch value {
        case .array(let elements):
            for element in elements where collect(element, &found) { hasReferences = true }
        case .object(let members):
            for member in members where collect(member.value, &found) { hasReferences = true }
        default: break
        }
        return hasReferences
    }

    private mutating func evaluate(from start: Int) {
        guard states[start] == .unseen else { return }
        open(start)
        guard !dependencies[start].isEmpty else { return read(start) }
        var stack: [(leaf: Int, next: Int)] = [(start, 0)]
        while let (leaf, next) = stack.last {
            // One of a circle is read already, as broken, and what else it refers to has its own turn.
            guard states[leaf] == .open, next < dependencies[leaf].count else {
                stack.removeLast()
                if states[leaf] == .open { read(leaf) }
                continue
            }
            stack[stack.count - 1].next += 1
            let dependency = dependencies[leaf][next]
            switch states[dependency] {
            case .read: break
            case .unseen:
                open(dependency)
                stack.append((dependency, 0))
            case .open:
                let first = stack.lastIndex { $0.leaf == dependency } ?? stack.count - 1
                reportCycle(stack[first...].map(\.leaf))
            }
        }
    }

    /// Tells of a circle once, where it begins in the file.
    private mutating func reportCycle(_ leaves: [Int]) {
        for leaf in leaves { states[leaf] = .read }
        guard let first = leaves.min(), let start = leaves.firstIndex(of: first) else { return }
        let cycle = (leaves[start...] + leaves[..<start] + [first]).map(name)
        report(
            first, source(first).suffix, "tokens refer to one another in a circle: \(cycle.joined(separator: " → "))")
    }

    private mutating func report(_ leaf: Int, _ suffix: String, _ message: String) {
        let place = tree.leaves[leaf].place
        let pointer = arena.pointer(to: place, suffix)
        if tree.leaves[leaf].isOwn {
            faultyPlaces.insert(place)
            errors.append(TokenArena.Finding(place: place, issue: TokenIssue(pointer: pointer, message: message)))
        } else {
            // What is wrong where it is written is not told again where it is inherited.
            findingsOfCopies.append(
                TokenArena.Finding(
                    place: place,
                    issue: TokenIssue(pointer: pointer, message: "\(message) (inherited as '\(name(leaf))')")))
        }
    }
}

// MARK: - Reading

extension TokenEvaluation {
    private mutating func read(_ leaf: Int) {
        states[leaf] = .read
        let place = tree.leaves[leaf].place
        let (value, suffix) = source(leaf)
        // A type that is not known is told already.
        guard !arena.places[place].hasUnknownType else { return }
        current = TokenFindings()
        let explicit = arena.places[place].type
        if let target = aliases[leaf] {
            values[leaf] = alias(of: target, explicit)
        } else {
            values[leaf] = token(value, explicit ?? tree.leaves[leaf].groupType)
        }
        for issue in current.inOrder(current.errors, of: value) {
            report(leaf, suffix + issue.pointer, issue.message)
        }
        if tree.leaves[leaf].isOwn {
            for issue in current.inOrder(current.warnings, of: value) {
                warn(place, suffix + issue.pointer, issue.message)
            }
            warnOfDeprecated(leaf, place)
        }
        if !current.errors.isEmpty { values[leaf] = nil }
        if values[leaf] != nil, plain[leaf] == nil {
            plain[leaf] = aliases[leaf].map { plain[$0] } ?? flattened(value)
        }
    }

    private mutating func warn(_ place: Int, _ suffix: String, _ message: String) {
        let issue = TokenIssue(pointer: arena.pointer(to: place, suffix), message: message)
        warnings.append(TokenArena.Finding(place: place, issue: issue))
    }

    private mutating func warnOfDeprecated(_ leaf: Int, _ place: Int) {
        guard !dependencies[leaf].isEmpty, deprecation(leaf) == nil else { return }
        for target in dependencies[leaf] {
            guard let reason = deprecation(target) else { continue }
            let message = "refers to '\(name(target))', which is deprecated" + (reason.isEmpty ? "" : ": \(reason)")
            warn(place, source(leaf).suffix, message)
        }
    }

    /// A value with what it refers to in the place of the references.
    ///
    /// What is put in is shared, not copied. It is called only for values that were read without an error.
    private mutating func flattened(_ value: JSONValue) -> JSONValue? {
        switch value {
        case _ where value.isReference:
            guard case .success(let target?) = followed(value) else {
                return nil
            }
            switch target {
            case .token(let leaf): return plain[leaf]
            case .constant(let value): return value
            case .part(let leaf, let segments):
                return segments.reduce(plain[leaf]) { value, segment in
                    value.flatMap { JSONPointer.step(segment, in: $0) }
                }
            }
        case .array(let elements): return .array(elements.compactMap { flattened($0) })
        case .object(let members):
            return .object(
                JSONObject(
                    members.compactMap { member in
                        flattened(member.value).map { JSONObject.Member(name: member.name, value: $0) }
                    }))
        default: return value
        }
    }
}
