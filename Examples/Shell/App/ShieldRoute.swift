import PorticoShell

/// Where ShieldAI can be.
enum ShieldRoute: AppRoute {
    typealias Tab = ShieldTab

    case dashboard
    case services
    case service(ServiceID)
    case alerts
    case alertDetail(AlertID)
    case settings
    case account
    case profile
    /// Nil: the search before anything was typed.
    case search(RouteText?)
    case login
}

/// ShieldAI's tabs.
enum ShieldTab: String, AppTab {
    case dashboard, services, alerts, settings, account

    var symbol: String {
        switch self {
        case .dashboard: "shield.lefthalf.filled"
        case .services: "square.grid.2x2"
        case .alerts: "bell"
        case .settings: "gearshape"
        case .account: "person.crop.circle"
        }
    }

    var label: LocalizedText {
        switch self {
        case .dashboard: ["en": "Dashboard", "de": "Übersicht"]
        case .services: ["en": "Services", "de": "Dienste"]
        case .alerts: ["en": "Alerts", "de": "Warnungen"]
        case .settings: ["en": "Settings", "de": "Einstellungen"]
        case .account: ["en": "Account", "de": "Konto"]
        }
    }
}

/// What tells one monitored service from another.
struct ServiceID: RouteParameter, Hashable {
    let routeText: RouteText

    init(_ text: RouteText) { routeText = text }
}

/// What tells one alert from another.
struct AlertID: RouteParameter, Hashable {
    let routeText: RouteText

    init(_ text: RouteText) { routeText = text }
}

extension ShieldRoute {
    /// All of them: everything but the login is for who is signed in.
    static func table() throws(NavigationSetupError) -> RouteTable<ShieldRoute> {
        try RouteTable([
            RouteEntry("dashboard", .dashboard, at: "dashboard", formerly: [""], as: .root, in: .dashboard),
            RouteEntry("services", .services, at: "services", as: .root, in: .services),
            RouteEntry("service", at: "service/:id", as: .push, in: .services, make: ShieldRoute.service) {
                if case .service(let id) = $0 { id } else { nil }
            },
            RouteEntry("alerts", .alerts, at: "alerts", as: .root, in: .alerts),
            RouteEntry("alertDetail", at: "alert/:id", as: .push, in: .alerts, make: ShieldRoute.alertDetail) {
                if case .alertDetail(let id) = $0 { id } else { nil }
            },
            RouteEntry("settings", .settings, at: "settings", as: .root, in: .settings),
            RouteEntry("account", .account, at: "account", as: .root, in: .account),
            RouteEntry("profile", .profile, at: "profile", as: .sheet, in: .account),
            RouteEntry("search", .search(nil), at: "search", as: .push, in: .dashboard),
            RouteEntry("searchResults", at: "search/:query", as: .push, in: .dashboard, make: ShieldRoute.search) {
                if case .search(let query?) = $0 { query } else { nil }
            },
            RouteEntry("login", .login, at: "auth/login", as: .front, for: .signedOut),
        ])
    }

    /// ShieldAI's links: `shieldai://alert/123`, `https://shieldai.example/alert/123`.
    static func links() throws(NavigationSetupError) -> LinkFormat<ShieldRoute> {
        try LinkFormat(try table(), scheme: "shieldai", hosts: ["shieldai.example", "www.shieldai.example"])
    }
}
