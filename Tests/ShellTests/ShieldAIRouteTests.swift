import PorticoShell
import Testing

@testable import Shell

@MainActor @Suite("ShieldAI's routes")
struct ShieldAIRouteTests {
    private static func text(_ text: String) throws -> RouteText { try #require(RouteText(text)) }

    private static func samples() throws -> [ShieldRoute] {
        let odd = try text("a/b %2F é👨‍👩‍👧")
        return [
            .dashboard, .services, .service(ServiceID(odd)), .alerts, .alertDetail(AlertID(odd)), .settings, .account,
            .profile, .search(nil), .search(odd), .login,
        ]
    }

    @Test("The table has them all, each once, and every link leads back")
    func table() throws {
        let links = try ShieldRoute.links()
        let samples = try Self.samples()
        #expect(links.table.flaws(of: samples).isEmpty)
        #expect(Set(samples.compactMap { links.table.form(of: $0)?.name }) == Set(links.table.entries.map(\.name)))
        for route in samples {
            let link = try #require(links.link(to: route))
            let webLink = try #require(links.webLink(to: route))
            #expect(links.read(link) == .route(route))
            #expect(links.read(webLink) == .route(route))
        }
    }

    @Test(
        "Stable names and paths stay: saved states and links in the world have them",
        arguments: [
            ("dashboard", "dashboard"), ("services", "services"), ("service", "service/:id"), ("alerts", "alerts"),
            ("alertDetail", "alert/:id"), ("settings", "settings"), ("account", "account"), ("profile", "profile"),
            ("search", "search"), ("searchResults", "search/:query"), ("login", "auth/login"),
        ])
    func stable(name: String, pattern: String) throws {
        let entry = try ShieldRoute.table().entries.first { $0.name == name }
        #expect(entry?.pattern.description == pattern)
    }

    @Test("Five tabs in their order, with a symbol and a label in both languages")
    func tabs() {
        #expect(
            ShieldTab.allCases.map { $0.label.text(in: ["en"]) } == [
                "Dashboard", "Services", "Alerts", "Settings", "Account",
            ])
        for tab in ShieldTab.allCases {
            #expect(tab.label.languages == ["en", "de"])
            #expect(!tab.symbol.isEmpty)
        }
        #expect(Set(ShieldTab.allCases.map(\.symbol)).count == 5)
        #expect(ShieldTab.alerts.label.text(in: ["de-CH"]) == "Warnungen")
    }

    @Test("alert/123 selects Alerts and shows alert 123 on its root, from wherever somebody is")
    func alert() throws {
        for link in ["shieldai://alert/123", "SHIELDAI://ALERT/123/", "https://shieldai.example/alert/123?from=mail"] {
            let navigator = Navigator(try ShieldRoute.links(), authentication: .signedIn)
            navigator.navigate(to: .service(ServiceID(try Self.text("web"))))
            navigator.select(.alerts)
            navigator.navigate(to: .alertDetail(AlertID(try Self.text("7"))))
            navigator.navigate(to: .profile)
            #expect(navigator.open(link: link) == .shown)
            #expect(navigator.state.selectedTab == .alerts)
            #expect(navigator.state.stack(of: .alerts).map(\.route) == [.alertDetail(AlertID(try Self.text("123")))])
            #expect(navigator.state.sheets.isEmpty)
            navigator.pop()
            #expect(navigator.state.stack(of: .alerts).isEmpty)
            #expect(navigator.state.selectedTab == .alerts)
        }
    }

    @Test("search/ is the search without a query")
    func search() throws {
        let links = try ShieldRoute.links()
        #expect(links.read("shieldai://search/") == .route(.search(nil)))
        #expect(links.read("shieldai://search") == .route(.search(nil)))
        #expect(links.read("shieldai://search/a%2Fb") == .route(.search(try Self.text("a/b"))))
        #expect(links.read("shieldai://search//") == .refused(.emptyComponent))
        #expect(links.read("https://shieldai.example") == .route(.dashboard))
    }

    @Test("Without a login only the login is reachable; a link waits and is followed once after it")
    func login() throws {
        let navigator = Navigator(try ShieldRoute.links(), authentication: .signedOut)
        #expect(navigator.state.front.map(\.route) == [.login])
        for route in try Self.samples() where route != .login {
            #expect(navigator.navigate(to: route) == .waiting)
            #expect(navigator.state.surface == .front)
        }
        #expect(navigator.open(link: "shieldai://alert/123") == .waiting)
        navigator.setAuthentication(.signedIn)
        #expect(navigator.state.surface == .tabs)
        #expect(navigator.state.stack(of: .alerts).map(\.route) == [.alertDetail(AlertID(try Self.text("123")))])
        #expect(navigator.state.pending == nil)
        navigator.setAuthentication(.signedOut)
        navigator.setAuthentication(.signedIn)
        #expect(navigator.state.stack(of: .alerts).isEmpty)
    }

    @Test("The profile is a sheet over Account when a link leads there, and over anything from within")
    func profile() throws {
        let navigator = Navigator(try ShieldRoute.links(), authentication: .signedIn)
        navigator.navigate(to: .profile)
        #expect(navigator.state.selectedTab == .dashboard)
        #expect(navigator.state.sheets.map(\.route) == [.profile])
        navigator.open(link: "shieldai://profile")
        #expect(navigator.state.selectedTab == .account)
        #expect(navigator.state.sheets.map(\.route) == [.profile])
    }
}
