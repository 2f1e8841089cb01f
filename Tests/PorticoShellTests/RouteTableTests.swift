import Testing

@testable import PorticoShell

@Suite("A table of routes")
struct RouteTableTests {
    enum Route: AppRoute {
        enum Tab: String, AppTab {
            case first, second
            var symbol: String { "circle" }
            var label: LocalizedText { ["en": "One"] }
        }
        case first, second, a(RouteText), b(RouteText), forgotten
    }

    private static let roots: [RouteEntry<Route>] = [
        RouteEntry("first", .first, at: "first", as: .root, in: .first),
        RouteEntry("second", .second, at: "second", as: .root, in: .second),
    ]

    private static func a(
        _ name: String = "a", at pattern: String, formerly: [String] = [], in tab: Route.Tab? = .first
    ) -> RouteEntry<Route> {
        RouteEntry(name, at: pattern, formerly: formerly, as: .push, in: tab, make: Route.a) {
            if case .a(let id) = $0 { id } else { nil }
        }
    }

    private static func b(at pattern: String) -> RouteEntry<Route> {
        RouteEntry("b", at: pattern, as: .push, in: .first, make: Route.b) {
            if case .b(let id) = $0 { id } else { nil }
        }
    }

    static let mistakes: [(entries: [RouteEntry<Route>], message: String)] = [
        (roots + [a(at: "a/:id"), b(at: "a/:id")], "route b: has the pattern 'a/:id' of a"),
        (
            roots + [a(at: "a/:id"), b(at: "a/new")],
            "route b: has the pattern 'a/new', and a link could fit 'a/:id' of a too"
        ),
        (
            roots + [a(at: "x/:id/new"), b(at: "x/old/:id")],
            "route b: has the pattern 'x/old/:id', and a link could fit 'x/:id/new' of a too"
        ),
        (roots + [a(at: "a/:id", formerly: ["b/:id"]), b(at: "b/:id")], "route b: has the pattern 'b/:id' of a"),
        (roots + [a(at: "a/:id", formerly: ["a/:id"])], "route a: has the pattern 'a/:id' of a"),
        (roots + [a(at: "a/:id"), a(at: "c/:id")], "route a: is there twice"),
        (roots + [a(at: ":id")], "begins with a parameter"),
        (roots + [a(at: "A/:id")], "has the component 'A'"),
        (roots + [a(at: "a//:id")], "has the component ''"),
        (roots + [a(at: "a/%2F/:id")], "has the component '%2F'"),
        (roots + [a(at: "a/:")], "has the parameter ''"),
        (roots + [a(at: "a/:id/:id")], "has two parameters of one name"),
        (roots + [a(at: "a/b/c/d/e/f/g/h/:id")], "has 9 components: 8 are the most"),
        (roots + [a(at: "a/:id", formerly: ["b/:name"])], "has other parameters than 'a/:id'"),
        (roots + [a("a b", at: "a/:id")], "its name is not"),
        (roots + [a("", at: "a/:id")], "its name is not"),
        (roots + [a(at: "a/:id", in: nil)], "is pushed in no tab"),
        ([roots[0]], "tab second: has no root"),
        (roots + [RouteEntry("third", .forgotten, at: "third", as: .root, in: .first)], "tab first: has several roots"),
        (roots + [RouteEntry("third", .forgotten, at: "third", as: .root)], "is a root of no tab"),
        (
            [roots[0], RouteEntry("second", .second, at: "second", as: .root, in: .second, for: .signedOut)],
            "is a root for signed out alone"
        ),
        (
            roots + [RouteEntry("front", .forgotten, at: "front", as: .front, in: .first)],
            "stands in place of the tabs and names one"
        ),
        (
            [roots[0], RouteEntry("second", at: "s/:id", as: .root, in: .second, make: Route.b) { _ in nil }],
            "is a root and has parameters"
        ),
        (
            [roots[0], RouteEntry("second", at: "s", as: .root, in: .second, make: { _ in nil }, match: { _ in nil })],
            "is a root and makes no route"
        ),
    ]

    @Test("A mistake in it is told, with the route and what is there", arguments: mistakes.indices)
    func mistake(index: Int) throws {
        let (entries, message) = Self.mistakes[index]
        let error = try #require(throws: NavigationSetupError.self) { try RouteTable(entries) }
        #expect(error.description.contains(message), "\(error)")
    }

    @Test("All its mistakes are told at once")
    func several() throws {
        let error = try #require(throws: NavigationSetupError.self) {
            try RouteTable<Route>([Self.roots[0], Self.a(at: ":id", in: nil)])
        }
        // It begins with a parameter, is in no tab, and would take the links of another.
        #expect(error.flaws.map(\.subject) == ["route a", "route a", "route a", "tab second"])
    }

    @Test("Patterns that no link fits together stand side by side")
    func distinct() throws {
        let table = try RouteTable(Self.roots + [Self.a(at: "a/:id", formerly: ["a/:id/old"]), Self.b(at: "a/:id/b")])
        #expect(table.entries.map(\.name) == ["first", "second", "a", "b"])
    }

    @Test("A route that it forgot, has twice or makes otherwise is found by one sample of each")
    func samples() throws {
        let table = try RouteTable(Self.roots + [Self.a(at: "a/:id"), Self.a("again", at: "again/:id")])
        #expect(table.flaws(of: [.first, .second]).isEmpty)
        #expect(table.flaws(of: [.forgotten]).map(\.message) == ["is in no entry of the table"])
        #expect(table.flaws(of: [.a(text("1"))]).map(\.message) == ["is in several entries: a, again"])
        let crossed = try RouteTable<Route>(
            Self.roots + [
                RouteEntry("a", at: "a/:id", as: .push, in: .first, make: Route.b) {
                    if case .a(let id) = $0 { id } else { nil }
                },
                RouteEntry(
                    "b", at: "b/:id", as: .push, in: .first, over: { _ in [.second] }, make: { $0.first.map(Route.b) },
                    match: { if case .b(let id) = $0 { [id] } else if case .forgotten = $0 { [] } else { nil } }),
            ])
        #expect(crossed.flaws(of: [.a(text("1"))]).map(\.message) == ["is another one when a makes it again"])
        #expect(crossed.flaws(of: [.b(text("1"))]).first?.message.hasPrefix("lies over ") == true)
        #expect(crossed.flaws(of: [.forgotten]).first?.message.contains("not as many texts") == true)
    }

    @Test("It tells what a mirror needs: names, patterns, tabs, presentation, access")
    func introspection() throws {
        let table = try CookRoute.table()
        let step = try #require(table.entries.first { $0.name == "step" })
        #expect(step.pattern.description == "recipe/:id/step/:number")
        #expect(
            step.pattern.components == [.literal("recipe"), .parameter("id"), .literal("step"), .parameter("number")])
        #expect(step.tab == .recipes && step.presentation == .push && step.access == .everyone)
        let form = try #require(table.form(of: .step(recipe: text("é/"), number: 7)))
        #expect(form.name == "step")
        #expect(form.parameters.map(\.name) == ["id", "number"])
        #expect(form.parameters.map(\.text.text) == ["é/", "7"])
        #expect(table.route(of: form) == .step(recipe: text("é/"), number: 7))
        #expect(table.entry(of: .about)?.presentation == .sheet)
        #expect(try RouteTable(Self.roots).form(of: .forgotten) == nil)
        // What is drawn for a tab comes with it.
        #expect(CookRoute.Tab.allCases.map(\.symbol) == ["book", "cart"])
    }

    @Test("A text of a route is 1 to 256 bytes of UTF-8 without control characters, and not dots alone")
    func texts() {
        for text in ["", ".", "..", "a\u{0}", "\n", "\u{7F}", "\u{85}", "\u{9F}", String(repeating: "x", count: 257)] {
            #expect(RouteText(text) == nil, "\(text.debugDescription)")
        }
        for text in [
            " ", "/", "%", "...", "\u{A0}", "\u{200D}", "\u{FEFF}", "\u{2028}", String(repeating: "é", count: 128),
        ] {
            #expect(RouteText(text)?.text.utf8.elementsEqual(text.utf8) == true, "\(text.debugDescription)")
        }
        #expect(RouteText(utf8: [0xC3]) == nil)
        #expect(RouteText(utf8: [0xC3, 0xA9]) == RouteText("é"))
        #expect(RouteText("e\u{301}") != RouteText("\u{E9}"))
    }

    @Test("A label is in the first language that somebody reads and it has, otherwise in its own first")
    func labels() {
        let label: LocalizedText = ["en": "Alerts", "de": "Warnungen"]
        for (languages, expected) in [
            (["de-CH", "en"], "Warnungen"), (["en-GB", "de"], "Alerts"), (["fr", "de"], "Warnungen"),
            (["DE"], "Warnungen"), (["de_AT"], "Warnungen"), (["fr"], "Alerts"), ([], "Alerts"), (["d", ""], "Alerts"),
            (["den"], "Alerts"),
        ] { #expect(label.text(in: languages) == expected, "\(languages)") }
        #expect(label.languages == ["en", "de"])
    }
}
