import Testing

@testable import PorticoShell

@MainActor @Suite("A navigator")
struct NavigatorTests {
    private func cook(_ authentication: Authentication = .signedIn) throws -> Navigator<CookRoute> {
        Navigator(try CookRoute.links(), authentication: authentication)
    }

    private func diary(_ authentication: Authentication = .signedIn) throws -> Navigator<DiaryRoute> {
        Navigator(try DiaryRoute.links(), authentication: authentication)
    }

    // MARK: Going somewhere

    @Test("A link sets tab and path, and never appends to where somebody is")
    func linkReplaces() throws {
        let navigator = try cook()
        navigator.navigate(to: .recipe(text("1")))
        navigator.navigate(to: .recipe(text("2")))
        navigator.navigate(to: .about)
        #expect(navigator.open(link: "cook://item/7") == .shown)
        #expect(navigator.state.selectedTab == .shopping)
        #expect(navigator.state.stack(of: .shopping).map(\.route) == [.item(text("7"))])
        #expect(navigator.state.sheets.isEmpty)
        // Other tabs are as they were left.
        #expect(navigator.state.stack(of: .recipes).map(\.route) == [.recipe(text("1")), .recipe(text("2"))])
        navigator.open(link: "cook://item/7")
        navigator.open(link: "https://cook.example/item/7")
        #expect(navigator.state.stack(of: .shopping).map(\.route) == [.item(text("7"))])
        navigator.open(link: "cook://recipes")
        #expect(navigator.state.selectedTab == .recipes)
        #expect(navigator.state.stack(of: .recipes).isEmpty)
    }

    @Test("A link to something deep has what leads there beneath it")
    func parents() throws {
        let navigator = try cook()
        navigator.open(link: "cook://recipe/9/step/2")
        #expect(
            navigator.state.stack(of: .recipes).map(\.route)
                == [.recipe(text("9")), .step(recipe: text("9"), number: 2)])
        // From here it is one step on.
        navigator.open(link: "cook://recipe/9")
        navigator.navigate(to: .step(recipe: text("9"), number: 3))
        #expect(navigator.state.stack(of: .recipes).count == 2)
    }

    @Test("A link that leads nowhere is told and changes nothing")
    func unknownLink() throws {
        let navigator = try cook()
        navigator.navigate(to: .recipe(text("1")))
        let before = navigator.state
        #expect(navigator.open(link: "cook://nowhere") == .refused(.link(.unknownRoute)))
        #expect(navigator.open(link: "") == .refused(.link(.notALink)))
        #expect(navigator.state == before)
    }

    @Test("A sheet's link has the root of the tab that it names beneath it, or stays where it is")
    func sheets() throws {
        let navigator = try cook()
        navigator.open(link: "cook://item/7")
        navigator.open(link: "cook://about")
        #expect(navigator.state.selectedTab == .shopping)
        #expect(navigator.state.stack(of: .shopping).count == 1)
        #expect(navigator.state.sheets.map(\.route) == [.about])
        navigator.open(link: "cook://rating/3")
        #expect(navigator.state.selectedTab == .recipes)
        #expect(navigator.state.sheets.map(\.route) == [.rating(text("3"))])
        navigator.navigate(to: .about)
        #expect(navigator.state.sheets.map(\.route) == [.rating(text("3")), .about])
        let lowest = navigator.state.sheets[0]
        navigator.dismissSheet()
        #expect(navigator.state.sheets == [lowest])
        navigator.navigate(to: .about)
        navigator.dismissSheet(lowest)
        #expect(navigator.state.sheets.isEmpty)
        navigator.navigate(to: .about)
        navigator.dismissSheet(lowest)
        #expect(navigator.state.sheets.count == 1)
        navigator.dismissSheet()
        navigator.dismissSheet()
        #expect(navigator.state.sheets.isEmpty)
    }

    @Test("A push under a sheet takes the sheet away, or nobody would see it")
    func pushUnderSheet() throws {
        let navigator = try cook()
        navigator.navigate(to: .about)
        navigator.navigate(to: .recipe(text("1")))
        #expect(navigator.state.sheets.isEmpty)
    }

    @Test("A route that is in no entry is refused")
    func notInTable() throws {
        enum Route: AppRoute {
            enum Tab: String, AppTab {
                case only
                var symbol: String { "circle" }
                var label: LocalizedText { ["en": "Only"] }
            }
            case root, forgotten
        }
        let table = try RouteTable<Route>([RouteEntry("root", .root, at: "root", as: .root, in: .only)])
        let navigator = Navigator(try LinkFormat(table, scheme: "x"), authentication: .signedIn)
        let before = navigator.state
        #expect(navigator.navigate(to: .forgotten) == .refused(.notInTable))
        #expect(navigator.open(.forgotten) == .refused(.notInTable))
        #expect(navigator.state == before)
    }

    // MARK: Tabs

    @Test("Each tab keeps its own stack")
    func tabs() throws {
        let navigator = try diary()
        navigator.navigate(to: .day(text("1")))
        navigator.select(.people)
        navigator.navigate(to: .person(text("2")))
        // A push goes on from here, in whichever tab this is.
        navigator.navigate(to: .day(text("3")))
        navigator.select(.days)
        #expect(navigator.state.stack(of: .days).map(\.route) == [.day(text("1"))])
        #expect(navigator.state.stack(of: .people).map(\.route) == [.person(text("2")), .day(text("3"))])
        #expect(navigator.state.sidebarSelection == .days)
    }

    @Test("A tap on the selected tab goes to its root, and at the root tells its view to scroll up")
    func reTap() async throws {
        let navigator = try diary()
        var scrolls = navigator.scrollsToTop.makeAsyncIterator()
        navigator.navigate(to: .day(text("1")))
        navigator.navigate(to: .day(text("2")))
        navigator.select(.days)
        #expect(navigator.state.stack(of: .days).isEmpty)
        navigator.select(.people)
        let before = navigator.state
        navigator.select(.people)
        #expect(navigator.state == before)
        #expect(await scrolls.next() == .people)
    }

    // MARK: Going back

    @Test("A pop at the root does nothing")
    func popAtRoot() throws {
        let navigator = try diary()
        let before = navigator.state
        navigator.pop()
        navigator.popToRoot()
        #expect(navigator.state == before)
        navigator.navigate(to: .day(text("1")))
        navigator.pop()
        navigator.pop()
        #expect(navigator.state.stack(of: .days).isEmpty)
    }

    @Test("The same route twice is two positions, and going back to one is not going back to the other")
    func sameRouteTwice() throws {
        let navigator = try diary()
        for _ in 0..<3 { navigator.navigate(to: .day(text("1"))) }
        let stack = navigator.state.stack(of: .days)
        #expect(Set(stack.map(\.id)).count == 3)
        #expect(Set(stack.map(\.route)).count == 1)
        navigator.popTo(stack[1])
        #expect(navigator.state.stack(of: .days) == Array(stack[...1]))
        navigator.popTo(stack[2])
        #expect(navigator.state.stack(of: .days) == Array(stack[...1]))
        navigator.navigate(to: .day(text("1")))
        #expect(!stack.map(\.id).contains(navigator.state.stack(of: .days)[2].id))
        navigator.popToRoot()
        #expect(navigator.state.stack(of: .days).isEmpty)
    }

    @Test("What the system makes of a stack is taken, and a late list brings nothing back")
    func systemChange() throws {
        let navigator = try diary()
        for day in ["1", "2", "3"] { navigator.navigate(to: .day(text(day))) }
        let stack = navigator.state.stack(of: .days)
        navigator.stackChanged(Array(stack[..<2]), of: .days)
        #expect(navigator.state.stack(of: .days) == Array(stack[..<2]))
        navigator.stackChanged(stack, of: .days)
        #expect(navigator.state.stack(of: .days) == Array(stack[..<2]))
        navigator.stackChanged([stack[1], stack[0], stack[1]], of: .days)
        #expect(navigator.state.stack(of: .days) == [stack[1], stack[0]])
        navigator.stackChanged(stack, of: .people)
        #expect(navigator.state.stack(of: .people).isEmpty)
        navigator.setAuthentication(.signedOut)
        navigator.stackChanged(stack, of: .days)
        navigator.setAuthentication(.signedIn)
        #expect(navigator.state.stack(of: .days).isEmpty)
    }

    @Test("What the system makes of what is in front is taken, and the login stays")
    func systemChangeInFront() throws {
        let navigator = try cook(.signedOut)
        navigator.navigate(to: .login)
        navigator.navigate(to: .register)
        navigator.navigate(to: .register)
        let front = navigator.state.front
        navigator.frontChanged([front[1]])
        #expect(navigator.state.front == Array(front[..<2]))
        navigator.frontChanged(front)
        #expect(navigator.state.front == Array(front[..<2]))
        navigator.frontChanged([])
        #expect(navigator.state.front == [front[0]])
    }

    // MARK: Who it is

    @Test("A cold-start link that comes before the login is known waits, and is followed once after it")
    func coldStart() throws {
        for way in [[Authentication.signedIn], [.signedOut, .signedIn], [.signedOut, .unknown, .signedIn]] {
            let navigator = try diary(.unknown)
            #expect(navigator.state.surface == .starting)
            #expect(navigator.open(link: "diary://person/7") == .waiting)
            for authentication in way {
                #expect(navigator.state.pending == .person(text("7")))
                #expect(navigator.state.stack(of: .people).isEmpty)
                navigator.setAuthentication(authentication)
            }
            #expect(navigator.state.surface == .tabs)
            #expect(navigator.state.selectedTab == .people)
            #expect(navigator.state.stack(of: .people).map(\.route) == [.person(text("7"))])
            #expect(navigator.state.pending == nil)
            // Once: neither another login nor the same news again follows it anew.
            navigator.select(.days)
            navigator.setAuthentication(.signedIn)
            navigator.setAuthentication(.unknown)
            navigator.setAuthentication(.signedIn)
            #expect(navigator.state.selectedTab == .days)
            navigator.setAuthentication(.signedOut)
            navigator.setAuthentication(.signedIn)
            #expect(navigator.state.selectedTab == .days)
            #expect(navigator.state.stack(of: .people).isEmpty)
        }
    }

    @Test("Of two links that wait the second is followed")
    func secondLink() throws {
        let navigator = try diary(.signedOut)
        navigator.open(link: "diary://person/7")
        navigator.open(link: "diary://day/8")
        // One that leads nowhere replaces nothing.
        navigator.open(link: "diary://nowhere")
        navigator.setAuthentication(.signedIn)
        #expect(navigator.state.selectedTab == .days)
        #expect(navigator.state.stack(of: .days).map(\.route) == [.day(text("8"))])
        #expect(navigator.state.stack(of: .people).isEmpty)
    }

    @Test("Signed out, only what is for everyone or for who is signed out is reachable")
    func signedOut() throws {
        let navigator = try diary(.signedOut)
        #expect(navigator.state.surface == .front)
        #expect(navigator.state.front.map(\.route) == [.login])
        #expect(navigator.state.sidebarSelection == nil)
        for route in [DiaryRoute.days, .day(text("1")), .export] {
            #expect(navigator.navigate(to: route) == .waiting)
            #expect(navigator.state.pending == route)
        }
        #expect(navigator.select(.people) == .waiting)
        navigator.pop()
        navigator.popToRoot()
        navigator.dismissSheet()
        #expect(navigator.state.surface == .front)
        #expect(navigator.state.front.map(\.route) == [.login])
        #expect(navigator.open(link: "diary://auth/login") == .shown)
        #expect(navigator.state.front.map(\.route) == [.login])
    }

    @Test("Who is signed in cannot be sent to the login")
    func loginWhenSignedIn() throws {
        let navigator = try diary()
        let before = navigator.state
        #expect(navigator.open(link: "diary://auth/login") == .refused(.signedIn))
        #expect(navigator.state == before)
        // While nobody knows who it is it waits, and is forgotten when it turns out to be for nothing.
        let starting = try diary(.unknown)
        #expect(starting.open(link: "diary://auth/login") == .waiting)
        starting.setAuthentication(.signedIn)
        #expect(starting.state.pending == nil)
        #expect(starting.state.surface == .tabs)
        let out = try diary(.unknown)
        out.open(link: "diary://auth/login")
        out.setAuthentication(.signedOut)
        #expect(out.state.pending == nil)
        #expect(out.state.front.map(\.route) == [.login])
    }

    @Test("A logout clears stacks and sheets that need a login, and what lies on them")
    func logout() throws {
        let diary = try diary()
        diary.navigate(to: .day(text("1")))
        diary.navigate(to: .export)
        diary.setAuthentication(.signedOut)
        #expect(diary.state.stack(of: .days).isEmpty && diary.state.sheets.isEmpty && diary.state.pending == nil)
        diary.setAuthentication(.signedIn)
        #expect(diary.state.stack(of: .days).isEmpty)

        let cook = try cook()
        cook.select(.shopping)
        cook.navigate(to: .item(text("1")))
        cook.select(.recipes)
        cook.navigate(to: .recipe(text("1")))
        cook.navigate(to: .item(text("2")))
        cook.navigate(to: .recipe(text("3")))
        cook.select(.shopping)
        cook.navigate(to: .about)
        cook.navigate(to: .rating(text("4")))
        cook.navigate(to: .about)
        cook.setAuthentication(.signedOut)
        // What is for everyone stays, up to the first that is not.
        #expect(cook.state.surface == .tabs)
        #expect(cook.state.selectedTab == .recipes)
        #expect(cook.state.stack(of: .recipes).map(\.route) == [.recipe(text("1"))])
        #expect(cook.state.stack(of: .shopping).isEmpty)
        #expect(cook.state.sheets.map(\.route) == [.about])
    }

    @Test("Where there are tabs for everyone, a login is asked for when it is needed, and can be given up")
    func loginOnDemand() throws {
        let navigator = try cook(.signedOut)
        #expect(navigator.state.surface == .tabs)
        navigator.navigate(to: .about)
        #expect(navigator.select(.shopping) == .waiting)
        #expect(navigator.state.surface == .front)
        #expect(navigator.state.sheets.isEmpty)
        navigator.navigate(to: .register)
        #expect(navigator.state.front.map(\.route) == [.login, .register])
        navigator.popToRoot()
        #expect(navigator.state.front.map(\.route) == [.login])
        #expect(navigator.state.pending == .shopping)
        navigator.pop()
        #expect(navigator.state.surface == .tabs)
        #expect(navigator.state.pending == nil)
        navigator.setAuthentication(.signedIn)
        #expect(navigator.state.selectedTab == .recipes)

        navigator.setAuthentication(.signedOut)
        navigator.open(link: "cook://item/1")
        navigator.open(link: "cook://login/register")
        #expect(navigator.state.front.map(\.route) == [.login, .register])
        navigator.setAuthentication(.signedIn)
        #expect(navigator.state.surface == .tabs)
        #expect(navigator.state.selectedTab == .shopping)
        #expect(navigator.state.stack(of: .shopping).map(\.route) == [.item(text("1"))])
    }

    @Test("A link to what is for everyone is followed before it is known who it is")
    func everyoneWhileUnknown() throws {
        let navigator = try cook(.unknown)
        #expect(navigator.state.surface == .tabs)
        #expect(navigator.open(link: "cook://recipe/1") == .shown)
        #expect(navigator.open(link: "cook://item/1") == .waiting)
        #expect(navigator.state.surface == .tabs)
        navigator.setAuthentication(.signedOut)
        #expect(navigator.state.surface == .front)
        #expect(navigator.state.pending == .item(text("1")))
    }

    @Test("While it is asked whether a session still holds nothing is lost, and nothing of it seen")
    func asking() throws {
        let navigator = try diary()
        navigator.navigate(to: .day(text("1")))
        navigator.navigate(to: .export)
        let before = navigator.state
        navigator.setAuthentication(.unknown)
        #expect(navigator.state.surface == .starting)
        navigator.pop()
        navigator.popToRoot()
        navigator.setAuthentication(.signedIn)
        #expect(navigator.state == before)
    }

    // MARK: Watching

    @Test("States begin with the present one, and a slow consumer has the last; two consumers have both")
    func states() async throws {
        let navigator = try diary()
        var first = navigator.states.makeAsyncIterator()
        #expect(await first.next() == navigator.state)
        var second = navigator.states.makeAsyncIterator()
        for day in 1...100 { navigator.navigate(to: .day(text(String(day)))) }
        #expect(await first.next()?.stack(of: .days).count == 100)
        #expect(await second.next() == navigator.state)
        // What changes nothing is no news.
        navigator.setAuthentication(.signedIn)
        navigator.select(.people)
        #expect(await first.next()?.selectedTab == .people)
    }

    @Test("The streams of a navigator end with it")
    func end() async throws {
        var navigator: Navigator<DiaryRoute>? = try diary()
        let states = try #require(navigator?.states)
        let scrolls = try #require(navigator?.scrollsToTop)
        navigator = nil
        var seen = 0
        for await _ in states { seen += 1 }
        for await _ in scrolls { seen += 1 }
        #expect(seen == 1)
    }

    @Test("Consumers that went are forgotten")
    func watchers() {
        var watchers = Watchers<Int>()
        for number in 0..<10 {
            let stream = watchers.add(beginningWith: nil)
            withExtendedLifetime(stream) { watchers.send(number) }
        }
        watchers.send(10)
        #expect(watchers.count == 0)
        watchers.end()
        _ = watchers.add(beginningWith: 1)
        #expect(watchers.count == 0)
    }
}
