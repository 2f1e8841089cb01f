import Portico
import PorticoInMemory
import Testing

@testable import PorticoShell

@MainActor @Suite("A saved navigation")
struct SavedStateTests {
    private func restored(
        _ saved: String, _ authentication: Authentication = .signedIn
    ) throws -> Navigator<CookRoute> {
        Navigator(try CookRoute.links(), authentication: authentication, restoring: Array(saved.utf8))
    }

    /// What a state shows, without the numbers of its positions.
    private func places(_ navigator: Navigator<CookRoute>) -> [[CookRoute]] {
        CookRoute.Tab.allCases.map { navigator.state.stack(of: $0).map(\.route) }
            + [navigator.state.sheets.map(\.route)]
    }

    @Test("It has a version and stable names")
    func bytes() throws {
        let navigator = Navigator(try CookRoute.links(), authentication: .signedIn)
        #expect(navigator.restoration == .nothing)
        navigator.navigate(to: .recipe(text("é/\"")))
        navigator.navigate(to: .about)
        #expect(
            String(decoding: navigator.saved(), as: UTF8.self)
                == #"{"version":1,"selected":"recipes","#
                + #""tabs":[{"tab":"recipes","stack":[{"route":"recipe","parameters":{"id":"é/\""}}]}],"#
                + #""sheets":[{"route":"about","parameters":{}}]}"#)
    }

    @Test("What was saved is restored: selection, stacks, sheets, each position a new one")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            let navigator = Navigator(try CookRoute.links(), authentication: .signedIn)
            for _ in 0..<20 { navigator.navigate(to: .random(using: &generator)) }
            let again = Navigator(try CookRoute.links(), authentication: .signedIn, restoring: navigator.saved())
            #expect(again.restoration == .whole)
            #expect(places(again) == places(navigator))
            #expect(again.state.selectedTab == navigator.state.selectedTab)
            let ids = CookRoute.Tab.allCases.flatMap { again.state.stack(of: $0) }.map(\.id)
            #expect(Set(ids).count == ids.count)
            #expect(again.saved() == navigator.saved())
        }
    }

    @Test("What this version does not know is dropped, and the rest is restored")
    func unknown() throws {
        let navigator = try restored(
            #"""
            {"version":1,"selected":"planner","later":true,"tabs":[
              {"tab":"planner","stack":[]}, {"tab":"recipes","stack":[
                {"route":"recipe","parameters":{"id":"1"}}, {"route":"video","parameters":{"id":"1"}},
                {"route":"recipe","parameters":{}}, {"route":"recipe","parameters":{"id":1}},
                {"route":"recipe","parameters":{"id":""}}, {"route":"recipe","parameters":{"id":"1","more":"2"}},
                {"route":"recipe","parameters":{"id":"1","more":7}}, {"route":"recipe"}, {"route":"about","parameters":{}}, {"route":"step","parameters":{"id":"1","number":"x"}},
                {"route":"step","parameters":{"number":"2","id":"1"},"later":1}, 7, null]},
              {"tab":"recipes","stack":[]}, {"stack":[]}, 7],
             "sheets":[{"route":"recipe","parameters":{"id":"1"}},{"route":"about","parameters":{}}]}
            """#)
        #expect(places(navigator) == [[.recipe(text("1")), .step(recipe: text("1"), number: 2)], [], [.about]])
        #expect(navigator.state.selectedTab == .recipes)
        #expect(navigator.restoration == .partly(dropped: 17))
    }

    @Test("Names are compared as bytes: a kelvin sign is no K")
    func names() {
        enum Tab: String, AppTab {
            case first = "K"
            var symbol: String { "circle" }
            var label: LocalizedText { ["en": "K"] }
        }
        #expect("\u{212A}" == "K")
        #expect(Tab.named("K") == .first)
        #expect(Tab.named("\u{212A}") == nil)
    }

    @Test(
        "Another version, damage or something else restores nothing",
        arguments: [
            "", "{", "[]", "7", "null", "{}", #"{"version":"1"}"#, #"{"version":2,"selected":"shopping"}"#,
            #"{"version":0,"selected":"shopping"}"#, #"{"version":1.0,"selected":"shopping"}"#,
            #"{"version":1,"selected":"shopping","selected":"recipes"}"#, #"{"version":1,"selected":"shopping"}x"#,
            #"{"version":1,"tabs":"# + String(repeating: "[", count: 100_000),
        ])
    func refused(saved: String) throws {
        let navigator = try restored(saved)
        guard case .refused(let why) = navigator.restoration else {
            Issue.record("\(navigator.restoration)")
            return
        }
        #expect(why.hasPrefix("saved navigation refused: "))
        #expect(navigator.state == Navigator(try CookRoute.links(), authentication: .signedIn).state)
    }

    @Test("Members of another kind count as missing")
    func kinds() throws {
        let navigator = try restored(#"{"version":1,"selected":7,"tabs":{"tab":"recipes"},"sheets":"about"}"#)
        #expect(places(navigator) == [[], [], []])
        #expect(navigator.state.selectedTab == .recipes)
    }

    @Test("Bytes of any kind are no trap, and whatever is restored is in the table")
    func noise() throws {
        var generator = SeededGenerator(seed: 4)
        let links = try CookRoute.links()
        let whole = Navigator(links, authentication: .signedIn)
        for _ in 0..<8 { whole.navigate(to: .random(using: &generator)) }
        whole.navigate(to: .recipe(text("1")))
        let saved = whole.saved()
        for _ in 0..<3_000 {
            var bytes = saved
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            }
            let navigator = Navigator(links, authentication: .signedIn, restoring: bytes)
            let routes = places(navigator).flatMap { $0 }
            #expect(routes.allSatisfy { links.table.flaws(of: [$0]).isEmpty })
        }
    }

    @Test("A stack is kept 32 deep from the root, and 8 sheets; 1 MiB is the most that is read")
    func limits() throws {
        let links = try CookRoute.links()
        let navigator = Navigator(links, authentication: .signedIn)
        for number in 1...100 { navigator.navigate(to: .recipe(text(String(number)))) }
        for _ in 1...20 { navigator.navigate(to: .about) }
        let again = Navigator(links, authentication: .signedIn, restoring: navigator.saved())
        #expect(again.state.stack(of: .recipes).map(\.route) == (1...32).map { .recipe(text(String($0))) })
        #expect(again.state.sheets.count == 8)
        #expect(again.restoration == .whole)

        let element = #"{"route":"recipe","parameters":{"id":"1"}}"#
        let deep =
            #"{"version":1,"tabs":[{"tab":"recipes","stack":["#
            + Array(repeating: element, count: 1_000).joined(separator: ",") + "]}]}"
        #expect(try restored(deep).state.stack(of: .recipes).count == 32)
        #expect(try restored(deep).restoration == .partly(dropped: 968))
        let long = #"{"version":1}"# + String(repeating: " ", count: 1 << 20)
        #expect(
            try restored(long).restoration
                == .refused("saved navigation refused: JSON refused: tooManyBytes at byte 1048576"))
    }

    @Test("What needs a login is kept unseen until it is known, then shown or gone")
    func authentication() throws {
        let saved =
            #"{"version":1,"selected":"shopping","tabs":[{"tab":"shopping","stack":[{"route":"item","parameters":{"id":"1"}}]}],"sheets":[{"route":"rating","parameters":{"id":"1"}}]}"#
        let starting = try restored(saved, .unknown)
        #expect(starting.state.surface == .starting)
        starting.setAuthentication(.signedIn)
        #expect(starting.state.surface == .tabs)
        #expect(places(starting) == [[], [.item(text("1"))], [.rating(text("1"))]])
        for navigator in [try restored(saved, .signedOut), try restored(saved, .unknown)] {
            navigator.setAuthentication(.signedOut)
            navigator.setAuthentication(.signedIn)
            #expect(places(navigator) == [[], [], []])
            #expect(navigator.state.selectedTab == .recipes)
        }
        // A link that came meanwhile goes first.
        let linked = try restored(saved, .unknown)
        linked.open(link: "cook://recipe/5")
        linked.setAuthentication(.signedIn)
        #expect(places(linked) == [[.recipe(text("5"))], [.item(text("1"))], []])
        #expect(linked.state.selectedTab == .recipes)
    }

    @Test("After a logout nothing of what needed a login is in it, nor what waits for one")
    func afterLogout() throws {
        let navigator = Navigator(try CookRoute.links(), authentication: .signedIn)
        navigator.open(link: "cook://item/secret")
        navigator.setAuthentication(.signedOut)
        navigator.open(link: "cook://item/waiting")
        let saved = String(decoding: navigator.saved(), as: UTF8.self)
        #expect(saved == #"{"version":1,"selected":"recipes","tabs":[],"sheets":[]}"#)
    }
}
