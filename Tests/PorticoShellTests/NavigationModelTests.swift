import PorticoInMemory
import Testing

@testable import PorticoShell

/// A navigation told anew, slowly: one list of everything that is open, searched from end to end for each question.
///
/// It knows no table: what a route is, the test tells it by a switch of its own.
private struct ModelNavigation<Route: AppRoute> {
    enum Place: Equatable {
        case tab(Route.Tab)
        case sheet
        case front
    }

    struct Open: Equatable {
        var id: UInt64
        var route: Route
        var place: Place
    }

    struct Facts {
        var presentation: RoutePresentation
        var tab: Route.Tab?
        var access: RouteAccess
        var parents: [Route] = []
    }

    let facts: (Route) -> Facts
    let rootAccess: (Route.Tab) -> RouteAccess
    let root: (Route.Tab) -> Route
    let login: Route

    var open: [Open] = []
    var tab: Route.Tab
    var who = Authentication.unknown
    var waiting: Route?
    var count: UInt64 = 0

    func can(_ access: RouteAccess) -> Bool {
        access == .everyone || (access == .signedIn && who == .signedIn) || (access == .signedOut && who == .signedOut)
    }

    func can(_ route: Route) -> Bool {
        let facts = facts(route)
        return can(facts.access) && (facts.tab.map { can(rootAccess($0)) } ?? true)
    }

    var openTabs: [Route.Tab] { Route.Tab.allCases.filter { can(rootAccess($0)) } }

    func at(_ place: Place) -> [Open] { open.filter { $0.place == place } }

    var surface: NavigationSurface {
        if who == .unknown && !openTabs.contains(tab) { return .starting }
        return openTabs.isEmpty || !at(.front).isEmpty ? .front : .tabs
    }

    mutating func add(_ route: Route, _ place: Place) {
        count += 1
        open.append(Open(id: count, route: route, place: place))
    }

    mutating func clear(_ place: Place) { open.removeAll { $0.place == place } }

    mutating func needLogin() { if at(.front).isEmpty { add(login, .front) } }

    mutating func tidy() {
        guard who != .unknown else { return }
        for place in [.sheet, .front] + Route.Tab.allCases.map(Place.tab) {
            var isGone = if case .tab(let tab) = place { !openTabs.contains(tab) } else { false }
            for item in at(place) {
                isGone = isGone || !can(item.route)
                if isGone { open.removeAll { $0 == item } }
            }
        }
        if !openTabs.contains(tab), let first = openTabs.first { tab = first }
        if who == .signedOut && openTabs.isEmpty { needLogin() }
    }

    mutating func toTabs() {
        clear(.front)
        waiting = nil
    }

    mutating func go(_ route: Route, fromHere: Bool) -> NavigationOutcome {
        let facts = facts(route)
        guard can(route) else {
            if who == .signedIn { return .refused(.signedIn) }
            waiting = route
            if who == .signedOut {
                clear(.sheet)
                needLogin()
            }
            return .waiting
        }
        switch (facts.presentation, fromHere) {
        case (.front, true):
            clear(.sheet)
            add(route, .front)
        case (.front, false):
            clear(.sheet)
            clear(.front)
            if who == .signedOut && route != login { add(login, .front) }
            add(route, .front)
        case (.sheet, true): add(route, .sheet)
        case (.sheet, false):
            clear(.sheet)
            waiting = nil
            if let own = facts.tab {
                toTabs()
                tab = own
                clear(.tab(own))
            }
            add(route, .sheet)
        case (.push, true) where openTabs.contains(tab):
            toTabs()
            clear(.sheet)
            add(route, .tab(tab))
        default:
            toTabs()
            clear(.sheet)
            if let own = facts.tab {
                tab = own
                clear(.tab(own))
                if facts.presentation == .push { for route in facts.parents + [route] { add(route, .tab(own)) } }
            }
        }
        tidy()
        return .shown
    }

    /// - Returns: Whether its view scrolls up.
    mutating func select(_ wanted: Route.Tab) -> Bool {
        guard openTabs.contains(wanted) else {
            _ = go(root(wanted), fromHere: true)
            return false
        }
        if wanted == tab && surface == .tabs {
            let isAtRoot = at(.tab(wanted)).isEmpty
            clear(.tab(wanted))
            return isAtRoot
        }
        toTabs()
        tab = wanted
        tidy()
        return false
    }

    var shown: Place? {
        switch surface {
        case .starting: nil
        case .front: .front
        case .tabs: .tab(tab)
        }
    }

    mutating func pop() {
        guard let shown, let top = at(shown).last else { return }
        if shown == .front && at(.front).count == 1 {
            if !openTabs.isEmpty { toTabs() }
        } else {
            open.removeAll { $0 == top }
        }
    }

    mutating func popToRoot() {
        guard let shown else { return }
        let kept = shown == .front ? at(.front).first : nil
        open.removeAll { $0.place == shown && $0 != kept }
    }

    mutating func popTo(_ id: UInt64) {
        guard let item = open.first(where: { $0.id == id }), item.place != .sheet else { return }
        let items = at(item.place)
        guard let index = items.firstIndex(of: item) else { return }
        for above in items[(index + 1)...] { open.removeAll { $0 == above } }
    }

    mutating func become(_ ids: [UInt64], _ tab: Route.Tab) {
        let known = at(.tab(tab))
        clear(.tab(tab))
        var taken: [UInt64] = []
        for id in ids where !taken.contains(id) {
            taken.append(id)
            if let item = known.first(where: { $0.id == id }) { open.append(item) }
        }
    }

    mutating func becomeFront(_ ids: [UInt64]) {
        let known = at(.front)
        clear(.front)
        open += known.prefix(1)
        var taken: [UInt64] = known.prefix(1).map(\.id)
        for id in ids where !taken.contains(id) {
            taken.append(id)
            if let item = known.first(where: { $0.id == id }) { open.append(item) }
        }
    }

    mutating func dismiss(_ id: UInt64?) {
        let sheets = at(.sheet)
        guard let index = id.map({ id in sheets.firstIndex { $0.id == id } }) ?? sheets.indices.last else { return }
        for sheet in sheets[index...] { open.removeAll { $0 == sheet } }
    }

    mutating func know(_ who: Authentication) {
        guard who != self.who else { return }
        self.who = who
        tidy()
        guard who != .unknown, let route = waiting else { return }
        if can(route) {
            waiting = nil
            _ = go(route, fromHere: false)
        } else if who == .signedIn {
            waiting = nil
        } else {
            needLogin()
        }
    }
}

@MainActor @Suite("A navigator and a slow model of it")
struct NavigationModelTests {
    private func compare<Route: AppRoute>(
        _ links: LinkFormat<Route>, _ first: ModelNavigation<Route>, seed: UInt64, steps: Int,
        random: (inout SeededGenerator) -> Route
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let navigator = Navigator(links)
        var model = first
        model.tidy()
        let tabs = Array(Route.Tab.allCases)
        var seen: [NavigationPosition<Route>] = []
        var trail: [String] = []
        for _ in 0..<steps {
            let tab = try #require(tabs.randomElement(using: &generator))
            let old = seen.randomElement(using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0...4:
                let route = random(&generator)
                trail.append("navigate \(route)")
                #expect(navigator.navigate(to: route) == model.go(route, fromHere: true))
            case 5...7:
                let route = random(&generator)
                trail.append("open \(route)")
                let link = try #require(links.link(to: route))
                #expect(navigator.open(link: link) == model.go(route, fromHere: false))
            case 8, 9:
                trail.append("select \(tab)")
                navigator.select(tab)
                _ = model.select(tab)
            case 10, 11:
                trail.append("pop")
                navigator.pop()
                model.pop()
            case 12 where Bool.random(using: &generator):
                trail.append("popToRoot")
                navigator.popToRoot()
                model.popToRoot()
            case 13:
                guard let old else { continue }
                trail.append("popTo \(old.id)")
                navigator.popTo(old)
                model.popTo(old.id)
            case 14:
                var positions = navigator.state.stack(of: tab)
                if let old { positions.append(old) }
                if Bool.random(using: &generator) { positions.shuffle(using: &generator) }
                positions.removeLast(min(positions.count, Int.random(in: 0...2, using: &generator)))
                trail.append("stackChanged \(positions.map(\.id)) \(tab)")
                navigator.stackChanged(positions, of: tab)
                model.become(positions.map(\.id), tab)
            case 19:
                var positions = Array(navigator.state.front.dropFirst())
                if let old { positions.append(old) }
                positions.removeLast(min(positions.count, Int.random(in: 0...2, using: &generator)))
                trail.append("frontChanged \(positions.map(\.id))")
                navigator.frontChanged(positions)
                model.becomeFront(positions.map(\.id))
            case 15:
                trail.append("dismissSheet")
                navigator.dismissSheet()
                model.dismiss(nil)
            case 16:
                guard let sheet = navigator.state.sheets.randomElement(using: &generator) ?? old else { continue }
                trail.append("dismissSheet \(sheet.id)")
                navigator.dismissSheet(sheet)
                model.dismiss(sheet.id)
            case 17...18:
                let who = try #require(Authentication.allCases.randomElement(using: &generator))
                trail.append("\(who)")
                navigator.setAuthentication(who)
                model.know(who)
            default:
                continue
            }
            let state = navigator.state
            for tab in tabs {
                seen += state.stack(of: tab).filter { !seen.contains($0) }
                #expect(state.stack(of: tab).map(\.id) == model.at(.tab(tab)).map(\.id))
                #expect(state.stack(of: tab).map(\.route) == model.at(.tab(tab)).map(\.route))
            }
            seen += (state.sheets + state.front).filter { !seen.contains($0) }
            seen.removeFirst(max(0, seen.count - 40))
            #expect(state.sheets.map(\.id) == model.at(.sheet).map(\.id))
            #expect(state.front.map(\.id) == model.at(.front).map(\.id))
            #expect(state.front.map(\.route) == model.at(.front).map(\.route))
            #expect(state.selectedTab == model.tab)
            #expect(state.surface == model.surface)
            #expect(state.pending == model.waiting)
            #expect(state.authentication == model.who)
            // What is shown can be reached, whatever happened.
            if state.surface == .tabs {
                #expect(model.openTabs.contains(state.selectedTab))
                if state.authentication != .unknown {
                    let shown = state.stack(of: state.selectedTab) + state.sheets
                    #expect(shown.allSatisfy { model.can($0.route) })
                }
            }
            if state.authentication == .signedIn { #expect(state.pending == nil) }
            if Self.isBroken(state, model) {
                Issue.record("seed \(seed), after: \(trail.suffix(8).joined(separator: "; "))")
                return
            }
        }
    }

    private static func isBroken<Route>(_ state: NavigationState<Route>, _ model: ModelNavigation<Route>) -> Bool {
        state.selectedTab != model.tab || state.surface != model.surface || state.pending != model.waiting
            || Route.Tab.allCases.contains { state.stack(of: $0).map(\.id) != model.at(.tab($0)).map(\.id) }
            || state.sheets.map(\.id) != model.at(.sheet).map(\.id)
            || state.front.map(\.id) != model.at(.front).map(\.id)
    }

    @Test("They agree after thousands of steps, where some tabs are for everyone", arguments: 1...10)
    func cook(seed: UInt64) throws {
        let model = ModelNavigation<CookRoute>(
            facts: { route in
                switch route {
                case .recipes: .init(presentation: .root, tab: .recipes, access: .everyone)
                case .recipe: .init(presentation: .push, tab: .recipes, access: .everyone)
                case .step(let recipe, _):
                    .init(presentation: .push, tab: .recipes, access: .everyone, parents: [.recipe(recipe)])
                case .shopping: .init(presentation: .root, tab: .shopping, access: .signedIn)
                case .item: .init(presentation: .push, tab: .shopping, access: .signedIn)
                case .about: .init(presentation: .sheet, access: .everyone)
                case .rating: .init(presentation: .sheet, tab: .recipes, access: .signedIn)
                case .login, .register: .init(presentation: .front, access: .signedOut)
                }
            }, rootAccess: { $0 == .recipes ? .everyone : .signedIn },
            root: { $0 == .recipes ? .recipes : .shopping }, login: .login, tab: .recipes)
        try compare(try CookRoute.links(), model, seed: seed, steps: 1_000) { CookRoute.random(using: &$0) }
    }

    @Test("They agree after thousands of steps, where everything needs a login", arguments: 11...20)
    func diary(seed: UInt64) throws {
        let model = ModelNavigation<DiaryRoute>(
            facts: { route in
                switch route {
                case .days: .init(presentation: .root, tab: .days, access: .signedIn)
                case .people: .init(presentation: .root, tab: .people, access: .signedIn)
                case .options: .init(presentation: .root, tab: .options, access: .signedIn)
                case .day: .init(presentation: .push, tab: .days, access: .signedIn)
                case .person: .init(presentation: .push, tab: .people, access: .signedIn)
                case .export: .init(presentation: .sheet, tab: .options, access: .signedIn)
                case .login: .init(presentation: .front, access: .signedOut)
                }
            }, rootAccess: { _ in .signedIn },
            root: { tab in
                switch tab {
                case .days: .days
                case .people: .people
                case .options: .options
                }
            }, login: .login, tab: .days)
        try compare(try DiaryRoute.links(), model, seed: seed, steps: 1_000) { DiaryRoute.random(using: &$0) }
    }
}
