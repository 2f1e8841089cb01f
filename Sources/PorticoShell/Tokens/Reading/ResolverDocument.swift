import Portico

/// A resolver document (Resolver Module 2025.10): which files and which of their parts make up the tokens of a context.
struct ResolverDocument {
    /// A modifier, and the tokens that each of its contexts brings.
    struct Modifier {
        let name: String
        let pointer: String
        let contexts: [(name: String, roots: [Int])]
        let standard: String?
    }

    /// A step of the resolution order.
    enum Step {
        case set([Int])
        case modifier(Modifier)
    }

    private(set) var steps: [Step] = []
    private(set) var arena = TokenArena()
    private(set) var errors: [TokenIssue] = []
    private(set) var warnings: [TokenIssue] = []
    private var told: Set<TokenIssue> = []

    /// How far a set may refer to another, and that to a further one.
    static let maximumChain = 64

    /// A place in one of the files.
    private struct Location: Hashable {
        let file: String
        let pointer: String

        /// The first file is the one that is spoken of when no other is named.
        var prefix: String { file.isEmpty ? pointer : "\(file)#\(pointer)" }

        func appending(_ segment: String) -> Location {
            Location(file: file, pointer: "\(pointer)/\(JSONPointer.escaped(segment))")
        }

        static func == (left: Location, right: Location) -> Bool {
            left.file.hasSameBytes(as: right.file) && left.pointer.hasSameBytes(as: right.pointer)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ByteComparedText(file))
            hasher.combine(ByteComparedText(pointer))
        }
    }

    private let read: (String) throws -> [UInt8]
    private var files: [ByteComparedText: JSONValue?] = [:]
    private var known: [Location: [Int]] = [:]
    private var following: [Location] = []
    private var inlineNames: Set<ByteComparedText> = []

    /// Whether a document is one: no file of tokens has these members in these shapes.
    static func isResolver(_ value: JSONValue) -> Bool {
        value["resolutionOrder"]?.arrayValue != nil || value["version"]?.stringValue != nil
    }

    init(_ document: JSONValue, read: @escaping (String) throws -> [UInt8]) {
        self.read = read
        files[ByteComparedText("")] = document
        let start = Location(file: "", pointer: "")
        guard case .object(let members) = document else { return }
        if members["version"]?.stringValue != "2025.10" {
            report(start.appending("version"), "should be '2025.10', the only version there is")
        }
        if members["resolutionOrder"] == nil { report(start, "lacks resolutionOrder") }
        for member in members {
            let location = start.appending(member.name)
            switch member.name {
            case "version", "$schema", "$defs", "$extensions": break
            case "name", "description":
                if member.value.stringValue == nil { report(location, "is \(member.value.kind), and should be a text") }
            case "sets": each(member.value, location) { document, value, place, _ in _ = document.set(value, place) }
            case "modifiers":
                each(member.value, location) { document, value, place, name in
                    _ = document.modifier(value, place, name: name)
                }
            case "resolutionOrder": break
            default: warn(location, "is not known in this version of the format, and is passed over")
            }
        }
        if let order = members["resolutionOrder"] { resolve(order, start.appending("resolutionOrder")) }
    }

    /// The outermost groups of a context, the one that decides last.
    ///
    /// - Parameter inputs: The context of each modifier; others take their default.
    func roots(_ inputs: [String: String]) -> [Int] {
        var roots: [Int] = []
        for step in steps {
            switch step {
            case .set(let found): roots += found
            case .modifier(let modifier):
                let name = inputs.first { $0.key.isSameInput(modifier.name) }?.value ?? modifier.standard
                roots += name.flatMap { name in modifier.context(name)?.roots } ?? []
            }
        }
        return Self.withoutEarlierTwins(roots)
    }

    /// Of tokens that come twice the last time decides.
    private static func withoutEarlierTwins(_ roots: [Int]) -> [Int] {
        var seen: Set<Int> = []
        return Array(roots.reversed().filter { seen.insert($0).inserted }.reversed())
    }

    private mutating func report(_ location: Location, _ message: String) {
        let issue = TokenIssue(pointer: location.prefix, message: message)
        // A set is looked at where it is written and where it is used.
        if told.insert(issue).inserted { errors.append(issue) }
    }

    private mutating func warn(_ location: Location, _ message: String) {
        warnings.append(TokenIssue(pointer: location.prefix, message: message))
    }
}

extension ResolverDocument.Modifier {
    /// The context of that name. Case does not matter (§5.1), unless two differ in nothing else.
    func context(_ name: String) -> (name: String, roots: [Int])? {
        contexts.first { $0.name.hasSameBytes(as: name) } ?? contexts.first { $0.name.isSameInput(name) }
    }
}

extension String {
    /// Whether two names of modifiers or contexts are the same but for the case of ASCII letters.
    func isSameInput(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { left, right in
                left == right || (left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20))
            }
    }
}

// MARK: - The order

extension ResolverDocument {
    private mutating func each(
        _ value: JSONValue, _ location: Location, _ body: (inout Self, JSONValue, Location, String) -> Void
    ) {
        guard case .object(let members) = value else {
            return report(location, "is \(value.kind), and should be an object")
        }
        for member in members { body(&self, member.value, location.appending(member.name), member.name) }
    }

    private mutating func resolve(_ order: JSONValue, _ location: Location) {
        guard case .array(let items) = order else {
            return report(location, "is \(order.kind), and should be a list")
        }
        for (index, item) in items.enumerated() {
            let here = location.appending(String(index))
            guard case .object(let members) = item else {
                report(here, "is \(item.kind), and should be a set or a modifier")
                continue
            }
            if members["$ref"] == nil { inline(members, here) } else { referred(members, here) }
        }
    }

    /// §4.1.5.1: what is written in the order has a name and a type.
    private mutating func inline(_ members: JSONObject, _ location: Location) {
        guard let name = members["name"]?.stringValue, let type = members["type"]?.stringValue else {
            return report(location, "lacks name or type, which a set or modifier has that is written in the order")
        }
        guard inlineNames.insert(ByteComparedText(name)).inserted else {
            return report(location.appending("name"), "is '\(name)', and so is that of another in the order")
        }
        switch type {
        case "set": if let roots = set(.object(members), location) { steps.append(.set(roots)) }
        case "modifier": add(modifier(.object(members), location, name: name))
        default: report(location.appending("type"), "is '\(type)', and should be 'set' or 'modifier'")
        }
    }

    private mutating func referred(_ members: JSONObject, _ location: Location) {
        guard let (target, segments) = target(members, location) else { return }
        guard segments.count == 2, segments[0] == "sets" || segments[0] == "modifiers" else {
            return report(
                location.appending("$ref"), "should name a set, '#/sets/name', or a modifier, '#/modifiers/name'")
        }
        guard let value = value(target, segments, from: location) else { return }
        guard inlineNames.insert(ByteComparedText(segments[1])).inserted || segments[0] == "sets" else {
            return report(location.appending("$ref"), "names the modifier '\(segments[1])' once more")
        }
        let merged = overridden(value, by: members)
        if segments[0] == "sets" {
            let whole = members.count == 1 ? target : location
            if let roots = set(merged, whole) { steps.append(.set(roots)) }
        } else {
            add(modifier(merged, members.count == 1 ? target : location, name: segments[1]))
        }
    }

    private mutating func add(_ modifier: Modifier?) {
        if let modifier { steps.append(.modifier(modifier)) }
    }
}

// MARK: - Sets and modifiers

extension ResolverDocument {
    /// The tokens of a set (§4.1.3); nil where it is none.
    private mutating func set(_ value: JSONValue, _ location: Location) -> [Int]? {
        if let roots = known[location] { return roots }
        if let first = following.firstIndex(of: location) {
            let circle = (following[first...] + [location]).map(\.prefix).joined(separator: " → ")
            report(location, "refers to itself: \(circle)")
            return nil
        }
        guard following.count < Self.maximumChain else {
            report(location, "lies behind more than \(Self.maximumChain) references")
            return nil
        }
        following.append(location)
        defer { following.removeLast() }
        guard case .object(let members) = value else {
            report(location, "is \(value.kind), and should be a set, an object with sources")
            return nil
        }
        if members["$ref"] != nil {
            guard let (target, segments) = target(members, location), mayBeReferred(segments, location),
                let found = self.value(target, segments, from: location)
            else { return nil }
            guard members.count > 1 else { return remember(set(found, target), location) }
            return remember(sources(overridden(found, by: members)["sources"], location), location)
        }
        return remember(sources(members["sources"], location), location)
    }

    private mutating func remember(_ roots: [Int]?, _ location: Location) -> [Int]? {
        known[location] = roots
        return roots
    }

    private mutating func sources(_ value: JSONValue?, _ location: Location) -> [Int]? {
        guard let value else {
            report(location, "lacks sources, a list of tokens and files")
            return nil
        }
        return list(value, location.appending("sources"))
    }

    private mutating func list(_ value: JSONValue, _ location: Location) -> [Int]? {
        guard case .array(let elements) = value else {
            report(location, "is \(value.kind), and should be a list of tokens and files")
            return nil
        }
        var roots: [Int] = []
        for (index, element) in elements.enumerated() {
            roots += source(element, location.appending(String(index))) ?? []
        }
        return Self.withoutEarlierTwins(roots)
    }

    /// Tokens as they are written there, or those that a reference names.
    private mutating func source(_ value: JSONValue, _ location: Location) -> [Int]? {
        if let roots = known[location] { return roots }
        guard case .object(let members) = value, members["$ref"] != nil else {
            return remember([arena.add(value, origin: location.prefix)], location)
        }
        guard let (target, segments) = target(members, location), mayBeReferred(segments, location),
            let found = self.value(target, segments, from: location)
        else { return nil }
        let isSet = segments.count == 2 && segments[0] == "sets" && found["sources"] != nil
        if members.count > 1 {
            // §4.2.2: what stands beside the reference takes the place of what is there, whole.
            let merged = overridden(found, by: members)
            return isSet
                ? sources(merged["sources"], location)
                : remember([arena.add(merged, origin: location.prefix)], location)
        }
        if isSet || found["$ref"] != nil { return set(isSet ? found : ["sources": [found]], target) }
        return remember([arena.add(found, origin: target.prefix)], target)
    }

    private mutating func modifier(_ value: JSONValue, _ location: Location, name: String) -> Modifier? {
        guard case .object(let members) = value, let contexts = members["contexts"]?.objectValue else {
            report(location, "lacks contexts, an object with a list of tokens for each")
            return nil
        }
        guard contexts.count > 1 else {
            report(
                location.appending("contexts"),
                contexts.isEmpty ? "is empty" : "has one context; what is always there is a set")
            return nil
        }
        let standard = members["default"]
        let read = contexts.members.map { context in
            (context.name, list(context.value, location.appending("contexts").appending(context.name)) ?? [])
        }
        let modifier = Modifier(
            name: name, pointer: location.prefix, contexts: read, standard: standard?.stringValue)
        if let standard, standard.stringValue.flatMap(modifier.context) == nil {
            let names = contexts.map(\.name).joined(separator: ", ")
            report(
                location.appending("default"),
                "is \(standard.stringValue.map { "'\($0)'" } ?? standard.kind); the contexts are \(names)")
            return nil
        }
        return modifier
    }
}

// MARK: - References

extension ResolverDocument {
    /// §4.2.1: modifiers are for the order alone, and the order is for nobody.
    private mutating func mayBeReferred(_ segments: [String], _ location: Location) -> Bool {
        guard let first = segments.first, first == "modifiers" || first == "resolutionOrder" else { return true }
        report(
            location.appending("$ref"),
            first == "modifiers" ? "names a modifier, and only resolutionOrder may" : "names a part of resolutionOrder")
        return false
    }

    private mutating func target(
        _ members: JSONObject, _ location: Location
    ) -> (Location, segments: [String])? {
        guard let text = members["$ref"]?.stringValue else {
            report(location.appending("$ref"), "should be a text: a file, '#' and a JSON Pointer, or both")
            return nil
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: parts[0], as: UTF8.self)
        var fragment = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
        // The examples of §4.2 write the pointer without its first '/' as well.
        if !fragment.isEmpty, fragment.utf8.first != UInt8(ascii: "/") { fragment = "/" + fragment }
        guard let segments = JSONPointer.segments(ofFragment: "#" + fragment) else {
            report(location.appending("$ref"), "'\(text)' has no JSON Pointer behind '#'")
            return nil
        }
        let file = name.isEmpty ? location.file : Self.file(name, besides: location.file)
        return (
            Location(file: file, pointer: segments.map { "/" + JSONPointer.escaped($0) }.joined()), segments
        )
    }

    /// The name of a file that another names, which is relative to that one.
    private static func file(_ name: String, besides other: String) -> String {
        guard name.utf8.first != UInt8(ascii: "/"), !name.utf8.contains(UInt8(ascii: ":")),
            let slash = other.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return name }
        return other[...slash] + name
    }

    /// What a reference names.
    private mutating func value(_ target: Location, _ segments: [String], from location: Location) -> JSONValue? {
        guard var value = file(target.file, from: location) else { return nil }
        for segment in segments {
            guard let next = JSONPointer.step(segment, in: value) else {
                report(location.appending("$ref"), "leads nowhere; there is no '\(target.prefix)'")
                return nil
            }
            value = next
        }
        return value
    }

    private mutating func file(_ name: String, from location: Location) -> JSONValue? {
        if let known = files[ByteComparedText(name)] { return known }
        var value: JSONValue?
        do {
            value = try JSONValue(parsing: read(name))
        } catch let error as JSONError {
            report(Location(file: name, pointer: ""), error.description)
        } catch {
            report(location.appending("$ref"), "the file '\(name)' cannot be read: \(error)")
        }
        files[ByteComparedText(name)] = .some(value)
        return value
    }

    /// An object with what stands beside a reference to it (§4.2.2).
    private func overridden(_ value: JSONValue, by members: JSONObject) -> JSONValue {
        guard members.count > 1, case .object(var result) = value else { return value }
        for member in members where member.name != "$ref" { result[member.name] = member.value }
        return .object(result)
    }
}
