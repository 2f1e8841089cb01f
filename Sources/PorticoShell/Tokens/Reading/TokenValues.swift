import Portico

/// What is found while one token is read.
struct TokenFindings {
    /// An issue by its way from the `$value`.
    struct Found {
        let trail: [String]
        let message: String
    }

    private(set) var trail: [String] = []
    private(set) var errors: [Found] = []
    private(set) var warnings: [Found] = []
    /// How many references lie between the file and what is being read: behind one the place is that of the reference.
    var references = 0

    mutating func enter(_ name: String) {
        if references == 0 { trail.append(name) }
    }

    mutating func leave() {
        if references == 0 { trail.removeLast() }
    }

    mutating func report(_ message: String) { errors.append(Found(trail: trail, message: message)) }

    mutating func warn(_ message: String) { warnings.append(Found(trail: trail, message: message)) }

    /// Issues as they stand in the file, their pointers from the `$value` on.
    func inOrder(_ found: [Found], of value: JSONValue) -> [TokenIssue] {
        guard found.count > 1 else { return found.map(\.issue) }
        let ranked = found.enumerated().map { (rank: value.position($1.trail), number: $0, issue: $1.issue) }
        return ranked.sorted { left, right in
            if left.rank == right.rank { return left.number < right.number }
            return left.rank.lexicographicallyPrecedes(right.rank)
        }
        .map(\.issue)
    }
}

extension TokenFindings.Found {
    var issue: TokenIssue {
        TokenIssue(pointer: trail.map { "/" + JSONPointer.escaped($0) }.joined(), message: message)
    }
}

extension JSONValue {
    /// Where a way leads, as the numbers of the members and elements on it.
    fileprivate func position(_ trail: [String]) -> [Int] {
        var position: [Int] = []
        var value = self
        for name in trail {
            switch value {
            case .object(let members):
                position.append(members.members.firstIndex { $0.name.hasSameBytes(as: name) } ?? members.count)
            case .array: position.append(Int(name) ?? 0)
            default: return position
            }
            guard let next = JSONPointer.step(name, in: value) else { return position }
            value = next
        }
        return position
    }
}

// MARK: - Values

extension TokenEvaluation {
    /// The value of a token that is another name of one. Its type is that of the other; its groups have no say (§5.2.2).
    mutating func alias(of leaf: Int, _ explicit: TokenType?) -> TokenValue? {
        guard let found = value(leaf) else { return nil }
        guard explicit == nil || explicit?.rawValue == found.type else {
            current.report("has the $type \(explicit?.rawValue ?? "") and refers to '\(name(leaf))', a \(found.type)")
            return nil
        }
        return found
    }

    /// The value of a token that has one of its own, or a part of that of another.
    mutating func token(_ value: JSONValue, _ type: TokenType?) -> TokenValue? {
        plain(value) { $0.literal($1, type) }
    }

    private mutating func literal(_ value: JSONValue, _ type: TokenType?) -> TokenValue? {
        switch type {
        case nil:
            current.report("has no $type, neither its own nor one of its groups; the types are \(TokenType.list)")
            return nil
        case .color: return color(value).map { .color($0) }
        case .dimension: return dimension(value).map { .dimension($0) }
        case .fontFamily: return fontFamily(value).map { .fontFamily($0) }
        case .fontWeight: return fontWeight(value).map { .fontWeight($0) }
        case .duration: return duration(value).map { .duration(milliseconds: $0) }
        case .cubicBezier:
            return cubicBezier(value).map { .cubicBezier(x1: $0[0], y1: $0[1], x2: $0[2], y2: $0[3]) }
        case .number: return number(value).map { .number($0) }
        case .strokeStyle: return strokeStyle(value).map { .strokeStyle($0) }
        case .border: return border(value)
        case .transition: return transition(value)
        case .shadow: return shadows(value).map { .shadow($0) }
        case .gradient: return gradient(value).map { .gradient($0) }
        case .typography: return typography(value).map { .typography($0) }
        }
    }

    // MARK: Following

    private mutating func behindReference<Value>(_ read: (inout Self) -> Value?) -> Value? {
        current.references += 1
        defer { current.references -= 1 }
        return read(&self)
    }

    /// A value that may be a reference to a token of its type.
    private mutating func follow<Value>(
        _ value: JSONValue, _ type: TokenType, _ take: (TokenValue) -> Value?,
        _ read: (inout Self, JSONValue) -> Value?
    ) -> Value? {
        guard value.isReference else { return read(&self, value) }
        do {
            switch try target(of: value) {
            case .token(let leaf)?:
                guard let found = self.value(leaf) else { return nil }
                if let value = take(found) { return value }
                let isList = found.type == type.rawValue
                current.report(
                    isList
                        ? "refers to '\(name(leaf))', which is a list; here is room for one"
                        : "refers to '\(name(leaf))', a \(found.type), and should be a \(type.rawValue)")
                return nil
            case .part(let leaf, let segments)?:
                guard let part = try part(segments, of: leaf) else { return nil }
                return behindReference { read(&$0, part) }
            case .constant(let part)?: return behindReference { read(&$0, part) }
            case nil: return read(&self, value)
            }
        } catch {
            current.report(error.message)
            return nil
        }
    }

    /// A part of a value for which there is no type of its own; `$ref` alone can refer to one (§7.3).
    private mutating func plain<Value>(_ value: JSONValue, _ read: (inout Self, JSONValue) -> Value?) -> Value? {
        guard value.isReference else { return read(&self, value) }
        do {
            switch try target(of: value) {
            case .token(let leaf)?:
                guard value.stringValue == nil else {
                    current.report("refers to a token in braces; a part of a value is referred to with $ref")
                    return nil
                }
                guard let plain = plainValue(leaf) else { return nil }
                return behindReference { read(&$0, plain) }
            case .part(let leaf, let segments)?:
                guard let part = try part(segments, of: leaf) else { return nil }
                return behindReference { read(&$0, part) }
            case .constant(let part)?: return behindReference { read(&$0, part) }
            case nil: return read(&self, value)
            }
        } catch {
            current.report(error.message)
            return nil
        }
    }

    private mutating func wrong<Value>(_ value: JSONValue, _ expectation: String) -> Value? {
        current.report("is \(value.kind), and should be \(expectation)")
        return nil
    }

    private mutating func at<Value>(_ name: String, _ read: (inout Self) -> Value?) -> Value? {
        current.enter(name)
        defer { current.leave() }
        return read(&self)
    }

    /// A member that may be a reference as its own type allows; nil where it is missing, which is told already.
    private mutating func at<Value>(
        _ name: String, _ value: JSONValue?, _ read: (inout Self, JSONValue) -> Value?
    ) -> Value? {
        guard let value else { return nil }
        return at(name) { read(&$0, value) }
    }

    /// A member that only `$ref` can refer to; nil where it is missing, which is told already.
    private mutating func plain<Value>(
        _ name: String, _ value: JSONValue?, _ read: (inout Self, JSONValue) -> Value?
    ) -> Value? {
        at(name, value) { $0.plain($1, read) }
    }

    /// The members of an object, in the order of its shape; what is too much or missing is told.
    private mutating func members(_ value: JSONValue, of shape: Shape) -> [JSONValue?]? {
        guard case .object(let members) = value else {
            return wrong(value, "an object with \(shape.list)")
        }
        var found: [JSONValue?] = []
        found.reserveCapacity(shape.names.count)
        var count = 0
        var missing: [String] = []
        for (index, name) in shape.names.enumerated() {
            let member = members[name]
            found.append(member)
            if member != nil { count += 1 } else if index < shape.required { missing.append(name) }
        }
        if !missing.isEmpty { current.report("lacks \(missing.joined(separator: ", "))") }
        if count < members.count {
            let unknown = members.lazy.map(\.name).filter { !shape.names.contains($0) }.prefix(4)
            let list = unknown.map { "'\($0)'" }.joined(separator: ", ")
            current.report("has \(list); a \(shape.type) has \(shape.list) and nothing else")
        }
        return found
    }

    private mutating func elements<Value>(
        _ elements: [JSONValue], _ read: (inout Self, JSONValue) -> Value?
    ) -> [Value]? {
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            if let value = at(String(index), { read(&$0, element) }) { values.append(value) }
        }
        return values.count == elements.count ? values : nil
    }

    // MARK: Simple types (§8)

    private mutating func number(_ value: JSONValue) -> Double? {
        follow(value, .number, { if case .number(let number) = $0 { number } else { nil } }) { $0.plainNumber($1) }
    }

    private mutating func plainNumber(_ value: JSONValue) -> Double? {
        guard let number = value.numberValue else { return wrong(value, "a number") }
        guard abs(number) <= largestNumber else {
            current.report("is larger than anything that can be drawn")
            return nil
        }
        return number
    }

    private mutating func quantity(
        _ value: JSONValue, _ shape: Shape, _ units: [String]
    ) -> (value: Double, unit: String)? {
        guard let members = members(value, of: shape) else { return nil }
        let number = plain("value", members[0]) { $0.plainNumber($1) }
        let unit = plain("unit", members[1]) { $0.word($1, units) }
        guard let number, let unit else { return nil }
        return (number, unit)
    }

    private mutating func word(_ value: JSONValue, _ words: [String]) -> String? {
        guard let text = value.stringValue, let word = words.first(where: { $0.hasSameBytes(as: text) }) else {
            let found = value.stringValue.map { "'\($0)'" } ?? value.kind
            current.report("is \(found), and should be \(words.map { "'\($0)'" }.joined(separator: " or "))")
            return nil
        }
        return word
    }

    private mutating func dimension(_ value: JSONValue) -> Dimension? {
        follow(value, .dimension, { if case .dimension(let dimension) = $0 { dimension } else { nil } }) {
            $0.quantity($1, .dimension, lengthUnits).flatMap { quantity in
                Dimension.Unit(rawValue: quantity.unit).map { Dimension(quantity.value, $0) }
            }
        }
    }

    private mutating func duration(_ value: JSONValue) -> Double? {
        follow(value, .duration, { if case .duration(let time) = $0 { time } else { nil } }) {
            $0.quantity($1, .duration, timeUnits).map { $0.unit == "s" ? $0.value * 1_000 : $0.value }
        }
    }

    private mutating func fontFamily(_ value: JSONValue) -> [String]? {
        follow(value, .fontFamily, { if case .fontFamily(let families) = $0 { families } else { nil } }) {
            guard case .array(let names) = $1 else { return $0.familyName($1).map { [$0] } }
            guard !names.isEmpty else { return $0.wrong($1, "at least one name of a font") }
            return $0.elements(names) { $0.plain($1) { $0.familyName($1) } }
        }
    }

    private mutating func familyName(_ value: JSONValue) -> String? {
        guard let name = value.stringValue, !name.isEmpty else { return wrong(value, "the name of a font, or a list") }
        return name
    }

    private mutating func fontWeight(_ value: JSONValue) -> Double? {
        follow(value, .fontWeight, { if case .fontWeight(let weight) = $0 { weight } else { nil } }) {
            if let word = $1.stringValue {
                if let weight = fontWeights[word] { return weight }
                $0.current.report(
                    "is '\(word)', which is no weight; the words are \(fontWeights.keys.sorted().joined(separator: ", "))"
                )
                return nil
            }
            guard let weight = $1.numberValue, (1...1_000).contains(weight) else {
                return $0.wrong($1, "from 1 to 1000, or a word for it")
            }
            return weight
        }
    }

    private mutating func cubicBezier(_ value: JSONValue) -> [Double]? {
        follow(
            value, .cubicBezier,
            { if case .cubicBezier(let x1, let y1, let x2, let y2) = $0 { [x1, y1, x2, y2] } else { nil } }
        ) {
            guard case .array(let numbers) = $1, numbers.count == 4 else {
                return $0.wrong($1, "a list of four numbers")
            }
            guard let curve = $0.elements(numbers, { $0.number($1) }) else { return nil }
            // A curve that went back in time would have two values at once.
            for x in [0, 2] where !(0...1).contains(curve[x]) {
                return $0.at(String(x)) { $0.wrong(numbers[x], "from 0 to 1, because it is a time") }
            }
            return curve
        }
    }

    // MARK: Colours (Color Module §4)

    private mutating func color(_ value: JSONValue) -> DesignColor? {
        follow(value, .color, { if case .color(let color) = $0 { color } else { nil } }) { $0.plainColor($1) }
    }

    private mutating func plainColor(_ value: JSONValue) -> DesignColor? {
        if let text = value.stringValue {
            guard let color = DesignColor(hex: text) else {
                current.report("is no colour: '#' and 3, 4, 6 or 8 hexadecimal digits, alpha last (CSS Color 4 §5.2)")
                return nil
            }
            current.warn("is a bare hexadecimal colour; write it as an object with colorSpace and components")
            return color
        }
        guard let members = members(value, of: .color) else { return nil }
        let space = plain("colorSpace", members[0]) { $0.word($1, ColorSpace.names) }.flatMap(ColorSpace.init)
        let components = plain("components", members[1]) { $0.components($1, of: space) }
        let alpha = members[2] == nil ? 1 : plain("alpha", members[2]) { $0.alpha($1) }
        let hex = members[3] == nil ? [] : plain("hex", members[3]) { $0.hex($1) }
        guard let space, let components, let alpha, let hex else { return nil }
        let color = DesignColor(space, components, alpha: alpha)
        guard space != .srgb || hex.isEmpty || agrees(components, hex) else {
            return at("hex") {
                $0.current.report(
                    "does not agree with the components, which are \(color.opaqueHex); correct one of the two")
                return nil
            }
        }
        return color
    }

    private mutating func components(_ value: JSONValue, of space: ColorSpace?) -> [Double?]? {
        guard case .array(let elements) = value, elements.count == 3 else {
            return wrong(value, "a list of three components")
        }
        guard let space else { return nil }
        var components: [Double?] = []
        for (index, element) in elements.enumerated() {
            let component = at(String(index)) { $0.plain(element) { $0.component($1, space.ranges[index]) } }
            guard let component else { continue }
            components.append(component.isNaN ? nil : component)
        }
        return components.count == 3 ? components : nil
    }

    /// A component, not a number where it is `none`.
    private mutating func component(_ value: JSONValue, _ range: ColorSpace.Component) -> Double? {
        if value.stringValue == "none" { return .nan }
        guard let number = value.numberValue else { return wrong(value, "a number or 'none'") }
        guard range.contains(number), abs(number) <= largestNumber else {
            current.report("is \(number), and should be \(range.description)")
            return nil
        }
        return number
    }

    private mutating func alpha(_ value: JSONValue) -> Double? {
        guard let alpha = value.numberValue, (0...1).contains(alpha) else { return wrong(value, "from 0 to 1") }
        return alpha
    }

    private mutating func hex(_ value: JSONValue) -> [UInt8]? {
        guard let text = value.stringValue, text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#"),
            let bytes = Hexadecimal.decode(Array(text.utf8.dropFirst()))
        else { return wrong(value, "'#' and six hexadecimal digits") }
        return bytes
    }

    /// Whether components of sRGB are the bytes, as far as bytes can tell.
    private func agrees(_ components: [Double?], _ bytes: [UInt8]) -> Bool {
        zip(components, bytes).allSatisfy { abs(($0 ?? 0) * 255 - Double($1)) <= 0.5 + 1e-9 }
    }

    // MARK: Composite types (§9)

    private mutating func strokeStyle(_ value: JSONValue) -> LineStyle? {
        follow(value, .strokeStyle, { if case .strokeStyle(let style) = $0 { style } else { nil } }) {
            $0.plainStrokeStyle($1)
        }
    }

    private mutating func plainStrokeStyle(_ value: JSONValue) -> LineStyle? {
        if value.stringValue != nil { return word(value, strokeStyles).map { .named($0) } }
        guard let members = members(value, of: .strokeStyle) else { return nil }
        let dashes = plain("dashArray", members[0]) { $0.dashes($1) }
        let cap = plain("lineCap", members[1]) { $0.word($1, lineCaps) }
        guard let dashes, let cap else { return nil }
        return .dashes(dashes, cap: cap)
    }

    private mutating func dashes(_ value: JSONValue) -> [Dimension]? {
        guard case .array(let lengths) = value, !lengths.isEmpty else { return wrong(value, "a list of dimensions") }
        return elements(lengths) { $0.dimension($1) }
    }

    private mutating func border(_ value: JSONValue) -> TokenValue? {
        guard let members = members(value, of: .border) else { return nil }
        let color = at("color", members[0]) { $0.color($1) }
        let width = at("width", members[1]) { $0.dimension($1) }
        let style = at("style", members[2]) { $0.strokeStyle($1) }
        guard let color, let width, let style else { return nil }
        return .border(color: color, width: width, style: style)
    }

    private mutating func transition(_ value: JSONValue) -> TokenValue? {
        guard let members = members(value, of: .transition) else {
            return nil
        }
        let duration = at("duration", members[0]) { $0.duration($1) }
        let delay = at("delay", members[1]) { $0.duration($1) }
        let timing = at("timingFunction", members[2]) { $0.cubicBezier($1) }
        guard let duration, let delay, let timing else { return nil }
        return .transition(duration: duration, delay: delay, timing: timing)
    }

    private mutating func shadows(_ value: JSONValue) -> [Shadow]? {
        guard case .array(let shadows) = value else { return shadow(value).map { [$0] } }
        guard !shadows.isEmpty else { return wrong(value, "at least one shadow") }
        return elements(shadows) {
            // One that is a list itself has no room: lists of lists of lists would grow without measure.
            $0.follow(
                $1, .shadow,
                { if case .shadow(let shadows) = $0, shadows.count == 1 { shadows[0] } else { nil } },
                { $0.shadow($1) })
        }
    }

    private mutating func shadow(_ value: JSONValue) -> Shadow? {
        guard let members = members(value, of: .shadow) else { return nil }
        let color = at("color", members[0]) { $0.color($1) }
        let offsetX = at("offsetX", members[1]) { $0.dimension($1) }
        let offsetY = at("offsetY", members[2]) { $0.dimension($1) }
        let blur = at("blur", members[3]) { $0.dimension($1) }
        let spread = at("spread", members[4]) { $0.dimension($1) }
        let isInset =
            members[5] == nil ? false : plain("inset", members[5]) { $1.boolValue ?? $0.wrong($1, "true or false") }
        guard let color, let offsetX, let offsetY, let blur, let spread, let isInset else { return nil }
        return Shadow(
            color: color, offsetX: offsetX, offsetY: offsetY, blur: blur, spread: spread, isInset: isInset)
    }

    private mutating func gradient(_ value: JSONValue) -> [GradientStop]? {
        guard case .array(let stops) = value, !stops.isEmpty else { return wrong(value, "a list of stops") }
        return elements(stops) {
            $0.follow(
                $1, .gradient,
                { if case .gradient(let stops) = $0, stops.count == 1 { stops[0] } else { nil } },
                { $0.stop($1) })
        }
    }

    private mutating func stop(_ value: JSONValue) -> GradientStop? {
        guard let members = members(value, of: .stop) else { return nil }
        let color = at("color", members[0]) { $0.color($1) }
        let position = at("position", members[1]) { $0.number($1) }
        guard let color, let position else { return nil }
        // §9.6: a position beyond the ends is taken for the end.
        return GradientStop(color: color, position: min(max(position, 0), 1))
    }

    private mutating func typography(_ value: JSONValue) -> Typography? {
        guard let members = members(value, of: .typography) else { return nil }
        // The examples of §7.3.3 leave it out, against §9.7.
        if members[4] == nil { current.warn("lacks letterSpacing, which is taken for 0") }
        let families = at("fontFamily", members[0]) { $0.fontFamily($1) }
        let size = at("fontSize", members[1]) { $0.dimension($1) }
        let weight = at("fontWeight", members[2]) { $0.fontWeight($1) }
        let spacing = members[4] == nil ? Dimension(0) : at("letterSpacing", members[4]) { $0.dimension($1) }
        let height = at("lineHeight", members[3]) { $0.number($1) }
        guard let families, let size, let weight, let spacing, let height else { return nil }
        return Typography(
            families: families, size: size, weight: weight, letterSpacing: spacing, lineHeight: height)
    }
}

/// Beyond it nothing is drawn, and sums and cubes of it are still finite.
private let largestNumber = 1e12

/// The members of an object.
private struct Shape {
    let type: String
    let names: [String]
    /// How many of them, from the first on, have to be there.
    let required: Int

    var list: String { names.joined(separator: ", ") }

    static let dimension = Shape(type: "dimension", names: ["value", "unit"], required: 2)
    static let duration = Shape(type: "duration", names: ["value", "unit"], required: 2)
    static let color = Shape(type: "color", names: ["colorSpace", "components", "alpha", "hex"], required: 2)
    static let strokeStyle = Shape(type: "strokeStyle", names: ["dashArray", "lineCap"], required: 2)
    static let border = Shape(type: "border", names: ["color", "width", "style"], required: 3)
    static let transition = Shape(type: "transition", names: ["duration", "delay", "timingFunction"], required: 3)
    static let shadow = Shape(
        type: "shadow", names: ["color", "offsetX", "offsetY", "blur", "spread", "inset"], required: 5)
    static let stop = Shape(type: "stop", names: ["color", "position"], required: 2)
    static let typography = Shape(
        type: "typography", names: ["fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing"], required: 4)
}

private let lengthUnits = ["px", "rem"]
private let timeUnits = ["ms", "s"]
private let lineCaps = ["round", "butt", "square"]
private let strokeStyles = ["solid", "dashed", "dotted", "double", "groove", "ridge", "outset", "inset"]

/// §8.4
private let fontWeights: [String: Double] = [
    "thin": 100, "hairline": 100, "extra-light": 200, "ultra-light": 200, "light": 300, "normal": 400, "regular": 400,
    "book": 400, "medium": 500, "semi-bold": 600, "demi-bold": 600, "bold": 700, "extra-bold": 800, "ultra-bold": 800,
    "black": 900, "heavy": 900, "extra-black": 950, "ultra-black": 950,
]
