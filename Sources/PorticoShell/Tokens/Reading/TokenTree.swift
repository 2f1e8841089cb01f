import Portico

/// The tokens of one context: files laid over one another, later over earlier, and every `$extends` carried out (§6.4).
///
/// Nothing is copied: a group is a list of layers, the places that it is made of, the one that decides first. What a
/// group inherits are further layers behind its own.
struct TokenTree {
    /// A token.
    struct Leaf {
        let path: [String]
        /// The path joined by dots.
        let name: String
        let place: Int
        /// What its groups say of the type.
        let groupType: TokenType?
        /// What its groups say of its use.
        let groupDeprecation: String?
        /// Whether it stands where it is written, and is not inherited.
        let isOwn: Bool
    }

    /// What a name stands for.
    enum Entry: Sendable {
        case leaf(Int)
        case group(Int)
    }

    /// How deep groups may lie in one another, once all is inherited.
    static let maximumDepth = 64
    /// How many groups may take after one another in a row.
    static let maximumChain = 64
    /// How many groups and tokens may be inherited: groups that take after two of their kind double with every step.
    static let maximumInherited = 100_000
    /// How many more once a circle was found: the file is refused, and groups in one multiply with every way through it.
    static let maximumInheritedOfCircles = 10_000

    private(set) var leaves: [Leaf] = []
    private(set) var entries: [ByteComparedText: Entry] = [:]
    private(set) var errors: [TokenArena.Finding] = []
    /// The places of each group, the first that decides.
    private(set) var groups: [[Int]] = []

    /// A place that a group is made of.
    private struct Layer {
        let place: Int
        /// Through which `$extends` it came; nil where it is written there.
        let origin: Int?
    }

    /// The way of a layer: an `$extends`, and how the group that has it came here itself.
    private struct Origin {
        let edge: Int
        let parent: Int?
    }

    /// What is known of the group that an `$extends` names.
    private enum Target {
        case inProgress
        /// Its places; those within one list are one object, written in several files.
        case found([[Int]])
        case failed
    }

    private let arena: TokenArena
    private let roots: [Int]
    private var origins: [Origin] = []
    private var targets: [Int: Target] = [:]
    private var following: [Int] = []
    private var indices: [Int: [ByteComparedText: Int]] = [:]
    private var referenceKinds: [Int: Bool] = [:]
    private var told: Set<Int> = []
    private var inherited = 0
    /// Where inheriting ends without a word, because a circle was told.
    private var silentLimit: Int?

    /// - Parameter roots: The outermost groups of the files, the one that decides last.
    init(_ arena: TokenArena, roots: [Int]) {
        self.arena = arena
        self.roots = roots.reversed()
        leaves.reserveCapacity(arena.places.count)
        entries.reserveCapacity(arena.places.count)
        let layers = extended(self.roots.map { Layer(place: $0, origin: nil) })
        visit(layers, path: [], name: "", type: nil, deprecation: nil)
    }

    // MARK: Walking

    private mutating func visit(
        _ layers: [Layer], path: [String], name: String, type outerType: TokenType?, deprecation outer: String?
    ) {
        groups.append(layers.map(\.place))
        entries[ByteComparedText(name)] = .group(groups.count - 1)
        // The first of the layers that says something decides.
        let type = layers.lazy.compactMap { [arena] in arena.places[$0.place].type }.first ?? outerType
        let own = layers.lazy.compactMap { [arena] in arena.places[$0.place].deprecation }.first
        let deprecation = own.map(\.deprecation) ?? outer
        if layers.count == 1 {
            for child in arena.places[layers[0].place].children {
                add([Layer(place: child, origin: layers[0].origin)], path, name, type, deprecation)
            }
        } else {
            for child in children(of: layers) { add(child, path, name, type, deprecation) }
        }
    }

    private mutating func add(
        _ layers: [Layer], _ path: [String], _ groupName: String, _ type: TokenType?, _ deprecation: String?
    ) {
        let first = layers[0]
        if let origin = first.origin, !affords(1, edge: origins[origin].edge) { return }
        let childName = arena.places[first.place].name
        let name = groupName.isEmpty ? childName : "\(groupName).\(childName)"
        if isGroup(first.place) {
            guard path.count < Self.maximumDepth else {
                report(first.place, "", "lies deeper than \(Self.maximumDepth) groups; make the groups fewer")
                return
            }
            let own = Array(layers.prefix { isGroup($0.place) })
            visit(extended(own), path: path + [childName], name: name, type: type, deprecation: deprecation)
        } else {
            entries[ByteComparedText(name)] = .leaf(leaves.count)
            leaves.append(
                Leaf(
                    path: path + [childName], name: name, place: first.place, groupType: type,
                    groupDeprecation: deprecation,
                    isOwn: first.origin == nil))
        }
    }

    /// The children of a group of several layers: those it inherits first, then what it adds.
    private func children(of layers: [Layer]) -> [[Layer]] {
        var children: [[Layer]] = []
        var positions: [ByteComparedText: Int] = [:]
        for layer in layers.reversed() {
            for child in arena.places[layer.place].children {
                let layer = Layer(place: child, origin: layer.origin)
                let name = ByteComparedText(arena.places[child].name)
                if let position = positions[name] {
                    children[position].append(layer)
                } else {
                    positions[name] = children.count
                    children.append([layer])
                }
            }
        }
        return children.map { $0.reversed() }
    }

    /// Whether a place is a group; one that is only a reference is what it refers to.
    private mutating func isGroup(_ place: Int) -> Bool {
        switch arena.places[place].kind {
        case .group: return true
        case .token: return false
        case .reference: break
        }
        if let known = referenceKinds[place] { return known }
        var current: Int? = place
        var isGroup = false
        // A longer way is followed as a reference between tokens, and told there where it goes wrong.
        for _ in 0..<Self.maximumChain {
            guard let next = current.flatMap({ written($0) }) else { break }
            if arena.places[next].kind == .group { isGroup = true }
            guard arena.places[next].kind == .reference else { break }
            current = next
        }
        referenceKinds[place] = isGroup
        return isGroup
    }

    /// The place that the `$ref` of another names, as it is written: what is inherited is not seen.
    private mutating func written(_ place: Int) -> Int? {
        guard let text = arena.places[place].members["$ref"]?.stringValue,
            let segments = JSONPointer.segments(ofFragment: text)
        else { return nil }
        for root in roots {
            var current: Int? = root
            for segment in segments { current = current.flatMap { child(segment, of: $0) } }
            if let current { return current }
        }
        return nil
    }

    private mutating func child(_ name: String, of place: Int) -> Int? {
        if indices[place] == nil {
            let children = arena.places[place].children.map { (ByteComparedText(arena.places[$0].name), $0) }
            indices[place] = Dictionary(children, uniquingKeysWith: { first, _ in first })
        }
        return indices[place]?[ByteComparedText(name)]
    }

    // MARK: Extending

    /// Layers with those behind them that they inherit.
    ///
    /// - Parameter isOnTheWay: Whether they are only passed through to find another group; then an `$extends` that is
    ///   being followed is no cycle: a group may take after one that lies inside it.
    private mutating func extended(_ layers: [Layer], isOnTheWay: Bool = false) -> [Layer] {
        guard layers.contains(where: { arena.places[$0.place].extends != nil }) else { return layers }
        var result: [Layer] = []
        var index = 0
        while index < layers.count {
            let origin = layers[index].origin
            var edge: Int?
            // One object in several files has one `$extends`, that of the last file.
            while index < layers.count, layers[index].origin == origin {
                let place = layers[index].place
                result.append(layers[index])
                if edge == nil, arena.places[place].extends != nil { edge = place }
                index += 1
            }
            guard let edge, !isCycle(edge, origin), !(isOnTheWay && following.contains(edge)) else { continue }
            for places in target(of: edge) ?? [] where affords(places.count, edge: edge) {
                origins.append(Origin(edge: edge, parent: origin))
                result += places.map { Layer(place: $0, origin: origins.count - 1) }
            }
        }
        return result
    }

    /// Whether a layer that came through an `$extends` has it again: the group would be inside itself without end.
    private mutating func isCycle(_ edge: Int, _ origin: Int?) -> Bool {
        var way = [edge]
        var current = origin
        while let known = current {
            way.append(origins[known].edge)
            if origins[known].edge == edge {
                reportCycle(way.reversed())
                return true
            }
            current = origins[known].parent
        }
        return false
    }

    /// The places of the group that an `$extends` names, with what they inherit.
    private mutating func target(of edge: Int) -> [[Int]]? {
        switch targets[edge] {
        case .found(let places): return places
        case .failed: return nil
        case .inProgress:
            reportCycle(Array(following[(following.firstIndex(of: edge) ?? 0)...]) + [edge])
            return nil
        case nil: break
        }
        guard following.count < Self.maximumChain else {
            reportChain(following[0])
            return nil
        }
        targets[edge] = .inProgress
        following.append(edge)
        let found = lookUp(edge)
        following.removeLast()
        if let found, found.count > Self.maximumChain {
            reportChain(edge)
            targets[edge] = .failed
            return nil
        }
        targets[edge] = found.map { .found($0) } ?? .failed
        return found
    }

    private mutating func lookUp(_ edge: Int) -> [[Int]]? {
        let member = arena.places[edge].members["$extends"] == nil ? "/$ref" : "/$extends"
        guard let text = arena.places[edge].extends, let segments = Reference.segments(text) else {
            report(edge, member, "is no reference to a group: '{group}' or '#/group'")
            return nil
        }
        var layers = roots.map { Layer(place: $0, origin: nil) }
        for segment in segments {
            layers = extended(layers, isOnTheWay: true)
            layers = layers.compactMap { layer in
                child(segment, of: layer.place).map { Layer(place: $0, origin: layer.origin) }
            }
            guard let first = layers.first else {
                report(edge, member, "there is no group '\(segments.joined(separator: "."))'")
                return nil
            }
            guard isGroup(first.place) else {
                report(edge, member, "'\(segments.joined(separator: "."))' is a token; a group takes after a group")
                return nil
            }
            layers = Array(layers.prefix { isGroup($0.place) })
        }
        var places: [[Int]] = []
        var last: Int?
        for layer in extended(layers) {
            if !places.isEmpty, layer.origin == last {
                places[places.count - 1].append(layer.place)
            } else {
                places.append([layer.place])
            }
            last = layer.origin
        }
        return places
    }

    /// Whether so much may still be inherited; told once where not.
    private mutating func affords(_ count: Int, edge: Int) -> Bool {
        if let silentLimit, inherited > silentLimit { return false }
        guard inherited <= Self.maximumInherited else { return false }
        inherited += count
        guard inherited > Self.maximumInherited else { return true }
        report(
            edge, arena.places[edge].members["$extends"] == nil ? "/$ref" : "/$extends",
            "more than \(Self.maximumInherited) groups and tokens are inherited; write fewer $extends within $extends")
        return false
    }

    // MARK: Telling

    private mutating func report(_ place: Int, _ suffix: String, _ message: String) {
        errors.append(
            TokenArena.Finding(
                place: place, issue: TokenIssue(pointer: arena.pointer(to: place, suffix), message: message)))
    }

    private mutating func reportChain(_ edge: Int) {
        guard told.insert(edge).inserted else { return }
        report(edge, "/$extends", "follows more than \(Self.maximumChain) groups that take after one another")
    }

    /// - Parameter edges: The groups of the cycle, the first again at the end.
    private mutating func reportCycle(_ edges: [Int]) {
        silentLimit = silentLimit ?? inherited + Self.maximumInheritedOfCircles
        guard let first = edges.min(), told.insert(first).inserted else { return }
        let names = edges.dropLast().map(arena.name)
        let start = edges.firstIndex(of: first) ?? 0
        let cycle = names[start...] + names[..<start] + [names[start]]
        report(
            first, arena.places[first].members["$extends"] == nil ? "/$ref" : "/$extends",
            "groups take after one another in a circle: \(cycle.joined(separator: " → "))")
    }
}

/// References between tokens (§7.1).
enum Reference {
    /// The name between the braces of `{group.token}`; nil where it has none.
    static func name(inBraces text: String) -> String? {
        guard text.utf8.count > 2, text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") else {
            return nil
        }
        let name = text.utf8.dropFirst().dropLast()
        guard !name.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// The segments of a reference in either syntax.
    static func segments(_ text: String) -> [String]? {
        if text.utf8.first == UInt8(ascii: "#") { return JSONPointer.segments(ofFragment: text) }
        return name(inBraces: text)?.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension JSONValue {
    /// What a `$deprecated` says: why, empty without a reason, nil for `false`.
    var deprecation: String? {
        switch self {
        case .string(let reason): reason
        case .bool(true): ""
        default: nil
        }
    }
}
