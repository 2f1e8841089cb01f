import Portico
import Testing

@testable import PorticoShell

/// What is wrong in a file of tokens, as lines of pointer and message; empty where nothing is.
func issues(_ text: String) -> [String] {
    do {
        _ = try DesignTokens(parsing: Array(text.utf8))
        return []
    } catch {
        return error.issues.map(\.description)
    }
}

func tokens(_ text: String) throws -> DesignTokens { try DesignTokens(parsing: Array(text.utf8)) }

@Suite("Files of tokens")
struct TokensTests {
    @Test("Tokens have the path of their groups, in the order of the file, and what is told of them")
    func paths() throws {
        let found = try tokens(
            ##"""
            {"a": {"$type": "number", "$description": "group", "b": {"c": {"$value": 1, "$description": "one"}},
             "$root": {"$value": 2, "$extensions": {"org.example": {"x": [null, 1.5]}}}}, "z y": {"$type": "number", "$value": 3}}
            """##)
        #expect(found.tokens.map(\.path) == [["a", "b", "c"], ["a", "$root"], ["z y"]])
        #expect(found["a.b.c"]?.description == "one")
        #expect(found["a.$root"]?.extensions == ["org.example": ["x": [nil, 1.5]]])
        #expect(found["a.b"] == nil)
        #expect(found["a"] == nil)
        #expect(found["z y"]?.value == .number(3))
        #expect(try tokens("{}").tokens.isEmpty)
        #expect(try tokens(##"{"empty": {"$description": "later"}}"##).tokens.isEmpty)
    }

    @Test("A type is the token's own, that of what it refers to, or that of the nearest group; never a guess (§5.2.2)")
    func types() throws {
        let found = try tokens(
            ##"""
            {"g": {"$type": "number", "a": {"$value": 400}, "b": {"$type": "fontWeight", "$value": 400},
             "h": {"$type": "fontWeight", "c": {"$value": 400}}, "d": {"$value": "{g.b}"}}, "e": {"$value": "{g.d}"}}
            """##)
        #expect(found.tokens.map(\.value.type) == ["number", "fontWeight", "fontWeight", "fontWeight", "fontWeight"])
        #expect(found.tokens.map(\.alias) == [nil, nil, nil, "g.b", "g.d"])
        #expect(
            issues(##"{"a": {"$value": 1}}"##).first?.hasPrefix("/a/$value: has no $type, neither its own nor") == true)
        #expect(
            issues(##"{"a": {"$type": "Number", "$value": 1}}"##).first?.hasPrefix("/a/$type: is 'Number'; the") == true
        )
        #expect(
            issues(##"{"a": {"$type": "number", "$value": 1}, "b": {"$type": "color", "$value": "{a}"}}"##)
                == ["/b/$value: has the $type color and refers to 'a', a number"])
    }

    static let values: [(String, String, TokenValue)] = [
        ("dimension", ##"{"value": 0.5, "unit": "rem"}"##, .dimension(Dimension(0.5, .rem))),
        ("fontFamily", ##""Inter""##, .fontFamily(["Inter"])),
        ("fontFamily", ##"["Inter", "sans-serif"]"##, .fontFamily(["Inter", "sans-serif"])),
        ("fontWeight", "350", .fontWeight(350)), ("fontWeight", ##""extra-black""##, .fontWeight(950)),
        ("fontWeight", ##""hairline""##, .fontWeight(100)), ("fontWeight", ##""book""##, .fontWeight(400)),
        ("duration", ##"{"value": 1.5, "unit": "s"}"##, .duration(milliseconds: 1_500)),
        ("duration", ##"{"value": 100, "unit": "ms"}"##, .duration(milliseconds: 100)),
        ("cubicBezier", "[0.5, -2, 1, 3]", .cubicBezier(x1: 0.5, y1: -2, x2: 1, y2: 3)),
        ("number", "-1e-3", .number(-0.001)), ("strokeStyle", ##""groove""##, .strokeStyle(.named("groove"))),
        (
            "strokeStyle", ##"{"dashArray": [{"value": 1, "unit": "px"}], "lineCap": "butt"}"##,
            .strokeStyle(.dashes([Dimension(1)], cap: "butt"))
        ),
        (
            "transition",
            ##"{"duration": {"value": 1, "unit": "s"}, "delay": {"value": 0, "unit": "ms"}, "timingFunction": [0, 0, 1, 1]}"##,
            .transition(duration: 1_000, delay: 0, timing: [0, 0, 1, 1])
        ),
    ]

    @Test("Each simple type is read as §8 and §9 say", arguments: values.indices)
    func simpleValues(index: Int) throws {
        let (type, json, value) = Self.values[index]
        #expect(try tokens(##"{"t": {"$type": "\##(type)", "$value": \##(json)}}"##)["t"]?.value == value)
    }

    static let wrongValues: [(String, String)] = [
        ("dimension", ##""16px""##), ("dimension", ##"{"value": 1, "unit": "em"}"##), ("dimension", ##"{"value": 0}"##),
        ("dimension", ##"{"value": "1", "unit": "px"}"##), ("dimension", ##"{"value": 1, "unit": "px", "x": 1}"##),
        ("dimension", ##"{"value": 1e300, "unit": "px"}"##), ("dimension", "null"), ("fontFamily", "[]"),
        ("fontFamily", "7"), ("fontFamily", ##"["A", 1]"##), ("fontFamily", ##""""##), ("fontWeight", "0"),
        ("fontWeight", "1001"), ("fontWeight", ##""Bold""##), ("fontWeight", ##""700""##), ("fontWeight", "true"),
        ("duration", ##""100ms""##), ("duration", ##"{"value": 1, "unit": "h"}"##), ("cubicBezier", "[0, 0, 1]"),
        ("cubicBezier", "[1.1, 0, 1, 1]"), ("cubicBezier", "[0, 0, -0.1, 1]"), ("cubicBezier", ##"["0", 0, 1, 1]"##),
        ("number", ##""1""##), ("strokeStyle", ##""wavy""##),
        ("strokeStyle", ##"{"dashArray": [], "lineCap": "butt"}"##),
        ("strokeStyle", ##"{"dashArray": [{"value": 1, "unit": "px"}], "lineCap": "flat"}"##), ("border", "{}"),
        ("shadow", "[]"), ("shadow", "{}"), ("gradient", "[]"), ("gradient", "{}"), ("typography", "{}"),
        ("transition", ##"{"duration": {"value": 1, "unit": "s"}}"##),
    ]

    @Test("A value that is not of its type is refused where it stands", arguments: wrongValues.indices)
    func refusedValues(index: Int) {
        let (type, json) = Self.wrongValues[index]
        let found = issues(##"{"t": {"$type": "\##(type)", "$value": \##(json)}}"##)
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("/t/$value") }, "\(found)")
    }

    @Test("Composite values refer to tokens of the types of their parts (§9)")
    func composites() throws {
        let text = ##"""
            {"ink": {"$type": "color", "$value": {"colorSpace": "srgb", "components": [0, 0, 0], "alpha": 0.5}},
             "one": {"$type": "dimension", "$value": {"value": 1, "unit": "px"}},
             "line": {"$type": "strokeStyle", "$value": {"dashArray": ["{one}", {"value": 2, "unit": "px"}], "lineCap": "round"}},
             "edge": {"$type": "border", "$value": {"color": "{ink}", "width": "{one}", "style": "{line}"}},
             "ease": {"$type": "cubicBezier", "$value": [0, 0, 1, 1]}, "fast": {"$type": "duration", "$value": {"value": 90, "unit": "ms"}},
             "move": {"$type": "transition", "$value": {"duration": "{fast}", "delay": "{fast}", "timingFunction": "{ease}"}},
             "drop": {"$type": "shadow", "$value": {"color": "{ink}", "offsetX": "{one}", "offsetY": "{one}", "blur": "{one}", "spread": "{one}", "inset": true}},
             "drops": {"$type": "shadow", "$value": ["{drop}", {"color": "{ink}", "offsetX": "{one}", "offsetY": "{one}", "blur": "{one}", "spread": "{one}"}]},
             "half": {"$type": "number", "$value": 0.5},
             "fade": {"$type": "gradient", "$value": [{"color": "{ink}", "position": -9}, {"color": "{ink}", "position": "{half}"}, {"color": "{ink}", "position": 42}]},
             "font": {"$type": "fontFamily", "$value": ["A"]}, "bold": {"$type": "fontWeight", "$value": "bold"},
             "head": {"$type": "typography", "$value": {"fontFamily": "{font}", "fontSize": "{one}", "fontWeight": "{bold}", "letterSpacing": "{one}", "lineHeight": "{half}"}}}
            """##
        let found = try tokens(text)
        #expect(found.warnings.isEmpty)
        guard case .border(_, let width, .dashes(let dashes, cap: "round"))? = found["edge"]?.value else {
            Issue.record("no border")
            return
        }
        #expect(width == Dimension(1) && dashes == [Dimension(1), Dimension(2)])
        guard case .shadow(let shadows)? = found["drops"]?.value else {
            Issue.record("no shadows")
            return
        }
        #expect(shadows.map(\.isInset) == [true, false])
        guard case .gradient(let stops)? = found["fade"]?.value else {
            Issue.record("no gradient")
            return
        }
        #expect(stops.map(\.position) == [0, 0.5, 1])
        #expect(found["move"]?.value == .transition(duration: 90, delay: 90, timing: [0, 0, 1, 1]))
        guard case .typography(let type)? = found["head"]?.value else {
            Issue.record("no typography")
            return
        }
        #expect(
            type
                == Typography(
                    families: ["A"], size: Dimension(1), weight: 700, letterSpacing: Dimension(1), lineHeight: 0.5))
        #expect(
            issues(text.replacing(##""fontSize": "{one}""##, with: ##""fontSize": "{half}""##))
                == ["/head/$value/fontSize: refers to 'half', a number, and should be a dimension"])
        #expect(
            issues(text.replacing(##""$value": ["{drop}""##, with: ##""$value": ["{drops2}""##)).first
                == "/drops/$value/0: there is no token 'drops2'")
    }

    @Test("$ref follows a JSON Pointer to tokens, values and their parts, with the escapes of RFC 6901 (§7.3, §7.4)")
    func pointers() throws {
        let found = try tokens(
            ##"""
            {"base": {"$type": "color", "blue/~": {"$value": {"colorSpace": "srgb", "components": [0.2, 0.4, 0.6]}},
              "red": {"$value": {"colorSpace": "srgb", "components": [{"$ref": "#/base/blue~1~0/$value/components/2"},
                {"$ref": "#/n/$value"}, {"$ref": "#/base/red/$value/alpha"}], "alpha": 0.1}}},
             "n": {"$type": "number", "$value": 0}, "t": {"$ref": "#/base/blue~1%7E0"}, "u": {"$value": {"$ref": "#/base/blue~1~0/$value"}},
             "hue": {"$type": "number", "$ref": "#/t/$value/components/1"}, "brand colors": {"x": {"$ref": "#/u"}}}
            """##)
        guard case .color(let red)? = found["base.red"]?.value else {
            Issue.record("no colour")
            return
        }
        #expect(red.components == [0.6, 0, 0.1])
        #expect(found["t"]?.alias == "base.blue/~" && found["u"]?.alias == "base.blue/~")
        #expect(found["t"]?.value == found["base.blue/~"]?.value)
        #expect(found["brand colors.x"]?.alias == "u")
        #expect(found["hue"]?.value == .number(0.4))
    }

    static let lost: [(String, String)] = [
        ("{nowhere}", "there is no token 'nowhere'"), ("{g}", "'g' is a group, and braces name a token"),
        ("{g.a", "'{g.a' is no reference; one is '{group.token}'"), ("{}", "'{}' is no reference"),
        ("{g.a.0}", "there is no token 'g.a.0'"), ("{{g.a}}", "'{{g.a}}' is no reference"),
        ("{g..a}", "there is no token"), ("{G.a}", "there is no token"),
    ]

    @Test("A reference that leads nowhere is told", arguments: lost.indices)
    func lostReferences(index: Int) {
        let (text, message) = Self.lost[index]
        let found = issues(
            ##"{"g": {"a": {"$type": "number", "$value": 1}}, "t": {"$type": "number", "$value": "\##(text)"}}"##)
        #expect(found.count == 1 && found.first?.hasPrefix("/t/$value: \(message)") == true, "\(found)")
    }

    static let lostPointers = [
        "#/g/b", "#/g/a/$value/0", "g/a", "#g/a", "/g/a", "#/g/a/~2", "#/g/a/%zz", "other.json#/g/a", "#/g.a", "",
        "#/g/$description/x", "#/l/$value/00", "#/l/$value/-1", "#/l/$value/9", "#/l/$value/99999999999999999999",
    ]

    @Test("A pointer that leads nowhere is told", arguments: lostPointers)
    func lostPointer(text: String) {
        let found = issues(
            ##"{"g": {"a": {"$type": "number", "$value": 1}}, "l": {"$type": "cubicBezier", "$value": [0, 0, 1, 1]}, "t": {"$type": "number", "$ref": "\##(text)"}}"##
        )
        #expect(found.count == 1 && found.first?.hasPrefix("/t: ") == true, "\(found)")
    }

    @Test("Circles of references are told once, whole; tokens that only lead into one are not blamed")
    func circles() {
        #expect(
            issues(
                ##"{"$type": "number", "x": {"$value": "{a}"}, "a": {"$value": "{b}"}, "b": {"$value": "{c}"}, "c": {"$value": "{a}"}}"##
            )
                == ["/a/$value: tokens refer to one another in a circle: a → b → c → a"])
        #expect(
            issues(##"{"a": {"$type": "number", "$value": "{a}"}}"##)
                == ["/a/$value: tokens refer to one another in a circle: a → a"])
        #expect(
            issues(##"{"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}}"##)
                == ["/a: tokens refer to one another in a circle: a → b → a"])
        // Through the parts of composite values too.
        let shadow =
            ##"{"$type": "color", "a": {"$value": {"colorSpace": "srgb", "components": [{"$ref": "#/b/$value/components/0"}, 0, 0]}}, "b": {"$value": {"colorSpace": "srgb", "components": [{"$ref": "#/a/$value/components/0"}, 0, 0]}}}"##
        #expect(issues(shadow) == ["/a/$value: tokens refer to one another in a circle: a → b → a"])
    }

    @Test("Properties of groups are inherited and overridden: type and deprecation (§6.3)")
    func deprecation() throws {
        let found = try tokens(
            ##"""
            {"old": {"$deprecated": "use new", "$type": "number", "a": {"$value": 1}, "b": {"$value": 1, "$deprecated": false},
              "c": {"$value": 1, "$deprecated": true}, "g": {"$deprecated": false, "d": {"$value": 1}}}, "e": {"$value": "{old.a}"}}
            """##)
        #expect(found.tokens.map(\.deprecation) == ["use new", nil, "", nil, nil])
        #expect(
            found.warnings.map(\.description) == ["/e/$value: refers to 'old.a', which is deprecated: use new"])
    }

    @Test("Names and properties that the format does not have are told, unknown properties only as warnings")
    func names() throws {
        let found = try tokens(
            ##"{"$schema": "x", "$theme": 1, "a": {"$type": "number", "$value": 1, "$mode": {"x": 1}}}"##)
        #expect(found.warnings.map(\.pointer) == ["/$theme", "/a/$mode"])
        for name in ["a.b", "a{", "}a", "", "$a"] {
            let found = issues(##"{"g": {"\##(name)": {"$type": "number", "$value": 1}}}"##)
            #expect(found.count == 1 && found.first?.hasPrefix("/g/\(name): is no name") == true, "\(found)")
        }
        #expect(issues(##"{"a": 1}"##) == ["/a: is a number, and a group or a token is an object"])
        #expect(issues(##"{"a": {"value": "x"}}"##).first?.hasSuffix("the value of a token is its $value") == true)
        #expect(issues("[]") == ["/: is a list, and tokens are an object"])
        #expect(
            issues(##"{"a": {"$type": 1, "$description": 2, "$deprecated": 3, "$extensions": 4, "$extends": 5}}"##)
                .map { $0.prefix { $0 != ":" } }
                == ["/a/$type", "/a/$description", "/a/$deprecated", "/a/$extensions", "/a/$extends"])
        #expect(
            issues(##"{"a": {"$type": "number", "$value": 1, "b": {"$value": 2}}}"##)
                == ["/a: has a $value and tokens or groups inside; it can be a token or a group"])
        #expect(issues(##"{"a": {"$type": "number", "$value": 1, "$ref": "#/b"}}"##).count == 1)
        #expect(issues(##"{"a": {"$type": "number", "$value": 1, "$extends": "{b}"}}"##).count == 1)
        #expect(issues(##"{"a": {"$root": {"b": {}}}}"##).count == 1)
        #expect(issues(##"{"a": {"$type": "number", "$value": {"$ref": "#/b", "x": 1}}}"##).count == 1)
    }

    @Test("Names are compared as bytes: what is canonically equivalent is another token")
    func bytes() throws {
        let found = try tokens(
            ##"{"$type": "number", "\u00E9": {"$value": 1}, "e\u0301": {"$value": 2}, "a": {"$value": "{e\u0301}"}}"##)
        #expect(found["\u{E9}"]?.value == .number(1))
        #expect(found["e\u{301}"]?.value == .number(2))
        #expect(found["a"]?.value == .number(2))
    }

    @Test("All that is wrong is told at once, in the order of the file")
    func order() {
        let found = issues(
            ##"""
            {"z": {"$type": "color", "$value": {"hex": "#12", "alpha": 2, "components": [2, 0, "x"], "colorSpace": "srgb"}},
             "a.b": {"$type": "size", "$value": 1}, "y": {"$extends": "{none}"}, "b": {"$value": "{c}"}, "d": {"$value": 1}}
            """##)
        #expect(
            found.map { String($0.prefix { $0 != ":" }) } == [
                "/z/$value/hex", "/z/$value/alpha", "/z/$value/components/0", "/z/$value/components/2", "/a.b",
                "/a.b/$type", "/y/$extends", "/b/$value", "/d/$value",
            ])
    }

    @Test("Strict JSON: a name that comes twice, a mark at the beginning or text behind the end is refused")
    func strict() {
        #expect(issues(##"{"a": {}, "a": {}}"##) == ["/: JSON refused: duplicateMember at byte 10"])
        #expect(issues("\u{FEFF}{}").count == 1)
        #expect(issues("{} {}").count == 1)
        #expect(issues("").count == 1)
    }
}

@Suite("Groups that take after others")
struct TokensExtendsTests {
    @Test("Tokens are inherited, replaced whole and added, at every depth (§6.4.3)")
    func merge() throws {
        let found = try tokens(
            ##"""
            {"input": {"$type": "number", "field": {"$deprecated": "old", "width": {"$value": 12, "$description": "w"}, "height": {"$value": 1}},
              "$root": {"$value": 7}},
             "amount": {"$extends": "{input}", "field": {"width": {"$value": 100}, "depth": {"$value": 3}}, "extra": {"$value": 4}}}
            """##)
        #expect(
            found.tokens.dropFirst(3).map(\.name)
                == ["amount.field.width", "amount.field.height", "amount.field.depth", "amount.$root", "amount.extra"])
        #expect(found["amount.field.width"]?.value == .number(100))
        #expect(found["amount.field.width"]?.description == nil)
        #expect(found["amount.field.depth"]?.deprecation == "old")
        #expect(found["amount.$root"]?.value == .number(7))
        #expect(found["amount.extra"]?.value.type == "number")
    }

    @Test("Chains are followed, from whatever order, in either syntax, and through what is inherited itself")
    func chains() throws {
        let found = try tokens(
            ##"""
            {"c": {"$extends": "#/b", "z": {"$value": 3}}, "b": {"$ref": "#/a", "y": {"$value": "{b.x}"}},
             "a": {"$type": "number", "x": {"$value": 1}, "g": {"$type": "number", "i": {"$value": 9}}}, "d": {"$extends": "{c.g}"}, "e": {"$ref": "#/c"}}
            """##)
        #expect(
            found.tokens.map(\.name)
                == [
                    "c.x", "c.g.i", "c.y", "c.z", "b.x", "b.g.i", "b.y", "a.x", "a.g.i", "d.i", "e.x", "e.g.i", "e.y",
                    "e.z",
                ])
        #expect(found["c.y"]?.value == .number(1))
        #expect(found["d.i"]?.value == .number(9))
    }

    @Test("A group inside another may have a model of its own, beside the one that its parent brings")
    func nested() throws {
        let found = try tokens(
            ##"""
            {"$type": "number", "base": {"b": {"$value": 1}}, "text": {"$extends": "{base}", "t": {"$value": 2}},
             "surface": {"header": {"title": {"$extends": "{text}"}}},
             "card": {"$extends": "{surface}", "header": {"$extends": "{text}"}}}
            """##)
        #expect(
            Set(found.tokens.map(\.name).filter { $0.hasPrefix("card") })
                == ["card.header.title.b", "card.header.title.t", "card.header.b", "card.header.t"])
        // A group may take after one that lies inside it.
        #expect(
            try tokens(##"{"g": {"$type": "number", "$extends": "{g.base}", "base": {"a": {"$value": 1}}}}"##)["g.a"]
                != nil)
    }

    static let wrong: [(String, [String])] = [
        (
            ##"{"a": {"$extends": "{b}"}, "b": {"$extends": "{c}"}, "c": {"$extends": "{a}"}}"##,
            ["/a/$extends: groups take after one another in a circle: a → b → c → a"]
        ), (##"{"a": {"$extends": "{a}"}}"##, ["/a/$extends: groups take after one another in a circle: a → a"]),
        (
            ##"{"button": {"$type": "number", "c": {"$value": 1}, "secondary": {"$extends": "{button}"}}}"##,
            [
                "/button/secondary/$extends: groups take after one another in a circle: button.secondary → button.secondary"
            ]
        ), (##"{"a": {"$extends": "{none.at.all}"}}"##, ["/a/$extends: there is no group 'none.at.all'"]),
        (
            ##"{"a": {"$extends": "{t}"}, "t": {"$type": "number", "$value": 1}}"##,
            ["/a/$extends: 't' is a token; a group takes after a group"]
        ), (##"{"a": {"$extends": "b"}}"##, ["/a/$extends: is no reference to a group: '{group}' or '#/group'"]),
        (
            // What is wrong where it is written is not told where it is inherited; what only the heir makes wrong is.
            ##"{"base": {"$type": "number", "x": {"$value": "no"}}, "heir": {"$extends": "{base}"}}"##,
            ["/base/x/$value: is a text, and should be a number"]
        ),
        (
            ##"{"base": {"$type": "number", "x": {"$value": 1}}, "heir": {"$extends": "{base}", "$type": "fontFamily"}}"##,
            ["/base/x/$value: is a number, and should be the name of a font, or a list (inherited as 'heir.x')"]
        ),
    ]

    @Test("Circles, tokens and what is not there are told", arguments: wrong.indices)
    func told(index: Int) {
        #expect(issues(Self.wrong[index].0) == Self.wrong[index].1)
    }
}
