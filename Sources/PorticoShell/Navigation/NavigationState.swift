/// Where somebody is in an app, as a value.
///
/// A `Navigator` holds it and changes it; views read it.
///
/// ```swift
/// func screens(_ state: NavigationState<CookRoute>) -> [CookRoute] {
///     state.surface == .tabs ? state.stack(of: state.selectedTab).map(\.route) : state.front.map(\.route)
/// }
/// ```
public struct NavigationState<Route: AppRoute>: Sendable, Hashable {
    /// What is known about who uses the app.
    public internal(set) var authentication: Authentication
    /// What is to be shown at all.
    public internal(set) var surface: NavigationSurface
    /// The tab that is selected.
    public internal(set) var selectedTab: Route.Tab
    /// The sheets, the lowest first.
    public internal(set) var sheets: [NavigationPosition<Route>] = []
    /// What stands in place of the tabs, the lowest first: a login, and what was opened from it.
    public internal(set) var front: [NavigationPosition<Route>] = []
    /// The one route that waits for a login.
    public internal(set) var pending: Route?

    /// Tabs without anything on their stack have no entry, so that equal states are equal.
    private var stacks: [Route.Tab: [NavigationPosition<Route>]] = [:]
    private var lastID: UInt64 = 0

    init(selectedTab: Route.Tab, authentication: Authentication) {
        self.selectedTab = selectedTab
        self.authentication = authentication
        surface = .starting
    }

    /// What lies on the root of a tab, the lowest first.
    public func stack(of tab: Route.Tab) -> [NavigationPosition<Route>] { stacks[tab] ?? [] }

    /// What a wide screen selects in its sidebar; nil where the tabs are not shown.
    public var sidebarSelection: Route.Tab? { surface == .tabs ? selectedTab : nil }

    mutating func setStack(_ positions: [NavigationPosition<Route>], of tab: Route.Tab) {
        stacks[tab] = positions.isEmpty ? nil : positions
    }

    /// A new position: its number is new too, and so the same route again is another place.
    mutating func place(_ route: Route) -> NavigationPosition<Route> {
        lastID += 1
        return NavigationPosition(id: lastID, route: route)
    }
}

/// One place on a stack or among the sheets: a route, and which time it is there.
///
/// The same route twice is two positions, so that going forward is never taken for going back.
public struct NavigationPosition<Route: AppRoute>: Sendable, Hashable, Identifiable {
    /// Its number, unique in a navigator; it stays as long as the position does.
    public let id: UInt64
    /// What is shown there.
    public let route: Route
}

/// What an app shows at all.
public enum NavigationSurface: String, Sendable, Hashable, CaseIterable {
    /// Nothing yet: what was selected needs a login, and nobody knows whether there is one.
    case starting
    /// What stands in place of the tabs, `NavigationState.front`; where that is empty, the host's own login.
    case front
    /// The tabs.
    case tabs
}

/// What became of a wish to go somewhere.
public enum NavigationOutcome: Sendable, Hashable {
    /// It is done.
    case shown
    /// It waits for a login.
    case waiting
    /// It is not done, and nothing changed.
    case refused(NavigationRefusal)
}

/// Why a wish to go somewhere was refused.
public enum NavigationRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The link leads nowhere.
    case link(LinkRefusal)
    /// The route is in no entry of the table.
    case notInTable
    /// The route is for who is signed out, and somebody is signed in.
    case signedIn

    /// One line.
    public var description: String {
        switch self {
        case .link(let refusal): refusal.description
        case .notInTable: "route refused: it is in no entry of the table"
        case .signedIn: "route refused: it is for who is signed out"
        }
    }
}
