import Portico
import Testing

@testable import PorticoShell

@Suite("Resolver documents")
struct ResolverTests {
    /// The tokens of a context, or what is wrong.
    static func resolve(
        _ text: String, _ inputs: [String: String] = [:], files: [String: String] = [:]
    ) throws -> (tokens: DesignTokens?, issues: [String], warnings: [String]) {
        let document = ResolverDocument(try JSONValue(parsing: Array(text.utf8))) { name in
            guard let file = files[name] else { throw DesignSystem.NoFile() }
            return Array(file.utf8)
        }
        var contexts = TokenContexts(document.arena)
        let tokens = contexts.tokens(document.roots(inputs))
        let issues = (document.errors + contexts.errors).map(\.description)
        return (issues.isEmpty ? tokens : nil, issues, document.warnings.map(\.description))
    }

    static func number(_ name: String, _ value: String) -> String {
        ##"{"\##(name)": {"$type": "number", "$value": \##(value)}}"##
    }

    @Test(
        "Sets and modifiers are laid over one another in the order, the last decides; aliases are followed after that")
    func order() throws {
        let text = ##"""
            {"$schema": "x", "version": "2025.10", "name": "n", "description": "d", "$defs": {"a": 1},
             "sets": {"base": {"description": "b", "sources": [\##(Self.number("a", "1")), \##(Self.number("b", ##""{a}""##))]}},
             "modifiers": {"theme": {"contexts": {"light": [], "dark": [\##(Self.number("a", "2"))]}, "default": "light"}},
             "resolutionOrder": [{"$ref": "#/sets/base"}, {"$ref": "#/modifiers/theme"},
               {"type": "set", "name": "last", "sources": [\##(Self.number("c", ##""{b}""##))]},
               {"type": "modifier", "name": "size", "contexts": {"s": [], "l": [\##(Self.number("c", "9"))]}, "default": "s"}]}
            """##
        func values(_ inputs: [String: String]) throws -> [TokenValue?] {
            let (tokens, issues, warnings) = try Self.resolve(text, inputs)
            #expect(issues.isEmpty && warnings.isEmpty, "\(issues) \(warnings)")
            return ["a", "b", "c"].map { tokens?[$0]?.value }
        }
        #expect(try values([:]) == [.number(1), .number(1), .number(1)])
        #expect(try values(["theme": "dark"]) == [.number(2), .number(2), .number(2)])
        // §5.1: the case of inputs does not matter.
        #expect(try values(["THEME": "Dark", "size": "L"]) == [.number(2), .number(2), .number(9)])
    }

    @Test("A token of a later source replaces that of an earlier one whole; groups are merged")
    func merge() throws {
        let (tokens, issues, _) = try Self.resolve(
            ##"""
            {"version": "2025.10", "resolutionOrder": [{"type": "set", "name": "s", "sources": [
              {"g": {"$type": "number", "a": {"$value": 1, "$description": "one"}, "b": {"$value": 2}}},
              {"g": {"$type": "fontWeight", "a": {"$value": 3}, "c": {"$value": 4}}}]}]}
            """##)
        #expect(issues.isEmpty)
        #expect(tokens?["g.a"]?.value == .fontWeight(3))
        #expect(tokens?["g.a"]?.description == nil)
        #expect(tokens?.tokens.map(\.name) == ["g.a", "g.b", "g.c"])
    }

    @Test("Of a group in several sources the last $extends counts, as if they were one file")
    func extends() throws {
        let (tokens, issues, _) = try Self.resolve(
            ##"""
            {"version": "2025.10", "resolutionOrder": [{"type": "set", "name": "s", "sources": [
              {"$type": "number", "m": {"x": {"$value": 1}}, "n": {"y": {"$value": 2}}, "g": {"$extends": "{m}", "a": {"$value": 3}}},
              {"g": {"$extends": "{n}", "b": {"$value": 4}}}]}]}
            """##)
        #expect(issues.isEmpty)
        #expect(Set(tokens?.tokens.map(\.name) ?? []) == ["m.x", "n.y", "g.a", "g.b", "g.y"])
    }

    @Test("References name sets of the document, files, parts of files and sets of other documents, relative to each")
    func references() throws {
        let (tokens, issues, _) = try Self.resolve(
            ##"""
            {"version": "2025.10", "sets": {"one": {"sources": [{"$ref": "a.json"}, {"$ref": "a.json#/deep"}]},
               "two": {"$ref": "#/sets/one", "description": "again"}, "three": {"sources": [{"$ref": "#/sets/two"}, {"$ref": "lib/r.json#/sets/lib"}]}},
             "modifiers": {"theme": {"contexts": {"x": [{"$ref": "#/sets/three"}], "y": [{"$ref": "a.json#/deep", "e": {"$type": "number", "$value": 8}}]}}},
             "resolutionOrder": [{"$ref": "#/modifiers/theme"}]}
            """##, ["theme": "x"],
            files: [
                "a.json":
                    ##"{"a": {"$type": "number", "$value": 1}, "deep": {"b": {"$type": "number", "$value": 2}}}"##,
                "lib/r.json":
                    ##"{"version": "2025.10", "sets": {"lib": {"sources": [{"$ref": "c.json"}, {"$ref": "#/sets/other"}]}, "other": {"sources": [{"d": {"$type": "number", "$value": 4}}]}}, "resolutionOrder": []}"##,
                "lib/c.json": ##"{"c": {"$type": "number", "$value": 3}}"##,
            ])
        #expect(issues.isEmpty, "\(issues)")
        #expect(tokens?.tokens.map(\.name).sorted() == ["a", "b", "c", "d", "deep.b"])
    }

    @Test("What is wrong in a token is told where it is written, with the file where it is another")
    func places() throws {
        let (_, issues, _) = try Self.resolve(
            ##"""
            {"version": "2025.10", "sets": {"s": {"sources": [{"a": {"$value": 1}}, {"$ref": "f.json#/x"}]}},
             "resolutionOrder": [{"$ref": "#/sets/s"}]}
            """##, files: ["f.json": ##"{"x": {"b": {"$type": "color", "$value": 1}}}"##])
        #expect(issues.map { String($0.prefix { $0 != ":" }) } == ["/sets/s/sources/0/a/$value", "f.json#/x/b/$value"])
    }

    static let wrong: [(String, [String])] = [
        (##"{"resolutionOrder": []}"##, ["/version"]),
        (##"{"version": "2025.11", "resolutionOrder": []}"##, ["/version"]),
        (##"{"version": "2025.10"}"##, ["/"]),
        (##"{"version": "2025.10", "resolutionOrder": {}}"##, ["/resolutionOrder"]),
        (
            ##"{"version": "2025.10", "sets": {"a": {"sources": [{"$ref": "#/sets/b"}]}, "b": {"sources": [{"$ref": "#/sets/a"}]}}, "resolutionOrder": []}"##,
            ["/sets/a"]
        ),
        (
            ##"{"version": "2025.10", "sets": {"a": {"$ref": "#/sets/a"}}, "resolutionOrder": []}"##,
            ["/sets/a"]
        ),
        (
            ##"{"version": "2025.10", "sets": {"a": {"sources": [{"$ref": "#/modifiers/m"}, {"$ref": "#/resolutionOrder/0"}, {"$ref": "#/sets/no"}, {"$ref": "no.json"}, {"$ref": 1}]}}, "resolutionOrder": []}"##,
            [
                "/sets/a/sources/0/$ref", "/sets/a/sources/1/$ref", "/sets/a/sources/2/$ref", "/sets/a/sources/3/$ref",
                "/sets/a/sources/4/$ref",
            ]
        ),
        (
            ##"{"version": "2025.10", "modifiers": {"m": {"contexts": {}}, "n": {"contexts": {"x": []}}, "o": {}, "p": {"contexts": {"x": [], "y": []}, "default": "z"}}, "resolutionOrder": []}"##,
            ["/modifiers/m/contexts", "/modifiers/n/contexts", "/modifiers/o", "/modifiers/p/default"]
        ),
        (
            ##"{"version": "2025.10", "sets": {"s": {}, "t": 1, "u": {"sources": {}}}, "resolutionOrder": [1, {"type": "set"}, {"name": "x", "type": "y"}, {"name": "x", "type": "set", "sources": []}, {"$ref": "#/name"}, {"$ref": "#/sets/none"}]}"##,
            [
                "/sets/s", "/sets/t", "/sets/u/sources", "/resolutionOrder/0", "/resolutionOrder/1",
                "/resolutionOrder/2/type", "/resolutionOrder/3/name", "/resolutionOrder/4/$ref",
                "/resolutionOrder/5/$ref",
            ]
        ),
    ]

    @Test("Contexts, references and circles that cannot be are told with their place", arguments: wrong.indices)
    func told(index: Int) throws {
        let (text, pointers) = Self.wrong[index]
        let found = try Self.resolve(text).issues
        #expect(found.map { String($0.prefix { $0 != ":" }) } == pointers, "\(found)")
    }

    @Test("A circle of sets is told whole; a bomb of sets is read once each")
    func circles() throws {
        let found = try Self.resolve(Self.wrong[4].0).issues
        #expect(found == ["/sets/a: refers to itself: /sets/a → /sets/b → /sets/a"])
        var sets = [##""s0": {"sources": [{"a": {"$type": "number", "$value": 1}}]}"##]
        for number in 1...60 {
            sets.append(
                ##""s\##(number)": {"sources": [{"$ref": "#/sets/s\##(number - 1)"}, {"$ref": "#/sets/s\##(number - 1)"}]}"##
            )
        }
        let bomb =
            ##"{"version": "2025.10", "sets": {\##(sets.joined(separator: ","))}, "resolutionOrder": [{"$ref": "#/sets/s60"}]}"##
        #expect(try Self.resolve(bomb).tokens?.tokens.count == 1)
    }

    @Test("A design has the contexts light, dark, normal and increased, and a default for whatever else it has")
    func design() {
        func issues(_ modifiers: String, _ order: String) -> [String] {
            let text = ##"{"version": "2025.10", "modifiers": {\##(modifiers)}, "resolutionOrder": [\##(order)]}"##
            do {
                _ = try DesignSystem(parsing: Array(text.utf8))
                return []
            } catch {
                return error.issues.map(\.description)
            }
        }
        #expect(
            issues(##""theme": {"contexts": {"light": [], "night": []}}"##, ##"{"$ref": "#/modifiers/theme"}"##)
                == ["/modifiers/theme/contexts: lacks the context 'dark'"])
        #expect(
            issues(##""size": {"contexts": {"s": [], "l": []}}"##, ##"{"$ref": "#/modifiers/size"}"##)
                == ["/modifiers/size: lacks a default; an app chooses a context only of 'theme' and 'contrast'"])
        let file =
            ##"{"version": "2025.10", "resolutionOrder": [{"type": "set", "name": "a", "sources": [{"$ref": "x.json"}]}]}"##
        let error = #expect(throws: TokenError.self) { try DesignSystem(parsing: Array(file.utf8)) }
        #expect(
            error?.description
                == "/resolutionOrder/0/sources/0/$ref: the file 'x.json' cannot be read: no other files were given")
    }
}
