/// What can happen to a navigation.
enum NavigationAction<Route: AppRoute>: Sendable {
    /// Go on from here.
    case navigate(Route)
    /// Go there, wherever this is.
    case open(Route)
    case select(Route.Tab)
    case pop
    case popToRoot
    case popTo(UInt64)
    /// The system changed a stack: what is left of it, in its order.
    case stackChanged([UInt64], Route.Tab)
    /// The same of what lies on the lowest in front.
    case frontChanged([UInt64])
    /// The topmost sheet, or this one and all above it.
    case dismissSheet(UInt64?)
    case authentication(Authentication)
}

/// What a change tells beside the new state.
enum NavigationEffect<Route: AppRoute>: Sendable, Hashable {
    case outcome(NavigationOutcome)
    /// The selected tab was tapped at its root.
    case scrollToTop(Route.Tab)
    case none
}

/// The rules of navigation: from a state and what happens to the next state, with nothing else read or changed.
///
/// Three surfaces, by what can be reached:
/// ```
///            the selected tab needs a login,            signed in, or
///            and whether there is one is unknown        a tab is for everyone
///   starting ──────────────────────────────► front ◄──────────────────────► tabs
///      │          signed out, no tab           ▲       asked for what needs
///      │          for everyone                 │       a login / given up
///      └───────────────────────────────────────┴────────────────────────────►
/// ```
/// What cannot be reached is dropped once it is known who uses the app, and kept unseen while it is not. A route that is
/// asked for and cannot be reached is the one that is pending; each change of the authentication looks at it again, and
/// it is gone when it was opened.
struct NavigationReducer<Route: AppRoute>: Sendable {
    typealias State = NavigationState<Route>
    typealias Position = NavigationPosition<Route>

    let table: RouteTable<Route>

    func reduce(_ state: inout State, _ action: NavigationAction<Route>) -> NavigationEffect<Route> {
        switch action {
        case .navigate(let route): return .outcome(go(to: route, in: &state, fromHere: true))
        case .open(let route): return .outcome(go(to: route, in: &state, fromHere: false))
        case .select(let tab): return select(tab, in: &state)
        case .pop: pop(in: &state)
        case .popToRoot: popToRoot(in: &state)
        case .popTo(let id): pop(to: id, in: &state)
        case .stackChanged(let ids, let tab): state.setStack(Self.left(of: state.stack(of: tab), ids), of: tab)
        case .frontChanged(let ids):
            state.front = state.front.prefix(1) + Self.left(of: Array(state.front.dropFirst()), ids)
        case .dismissSheet(let id): dismiss(id, in: &state)
        case .authentication(let authentication): authenticate(authentication, in: &state)
        }
        return .none
    }

    // MARK: Going somewhere

    private func go(to route: Route, in state: inout State, fromHere: Bool) -> NavigationOutcome {
        guard let entry = table.entry(of: route) else { return .refused(.notInTable) }
        guard table.isReachable(entry, state.authentication) else { return wait(for: route, entry, in: &state) }
        switch entry.presentation {
        case .root: showRoot(of: entry, in: &state)
        // Where the selected tab itself cannot be reached there is nothing to go on from.
        case .push where fromHere && table.isReachable(state.selectedTab, state.authentication):
            push(route, in: &state)
        case .push: open(route, entry, in: &state)
        case .sheet: present(route, entry, in: &state, fromHere: fromHere)
        case .front: face(route, in: &state, fromHere: fromHere)
        }
        settle(&state)
        return .shown
    }

    private func showRoot(of entry: RouteEntry<Route>, in state: inout State) {
        leaveFront(in: &state)
        state.sheets = []
        guard let tab = entry.tab else { return }
        state.selectedTab = tab
        state.setStack([], of: tab)
    }

    /// Onto the stack that is shown; under a sheet nobody would see it.
    private func push(_ route: Route, in state: inout State) {
        leaveFront(in: &state)
        state.sheets = []
        let position = state.place(route)
        state.setStack(state.stack(of: state.selectedTab) + [position], of: state.selectedTab)
    }

    /// The tab, and the whole path on it.
    private func open(_ route: Route, _ entry: RouteEntry<Route>, in state: inout State) {
        showRoot(of: entry, in: &state)
        guard let tab = entry.tab else { return }
        let parents = entry.parents(route).filter { parent in
            guard let other = table.entry(of: parent) else { return false }
            return other.presentation == .push && table.isReachable(other, state.authentication)
        }
        state.setStack((parents + [route]).map { state.place($0) }, of: tab)
    }

    private func present(_ route: Route, _ entry: RouteEntry<Route>, in state: inout State, fromHere: Bool) {
        if !fromHere {
            if entry.tab == nil { state.sheets = [] } else { showRoot(of: entry, in: &state) }
            state.pending = nil
        }
        state.sheets.append(state.place(route))
    }

    private func face(_ route: Route, in state: inout State, fromHere: Bool) {
        state.sheets = []
        guard fromHere else {
            // A link sets the path: the login beneath, unless it is what is asked for.
            state.front = []
            if state.authentication == .signedOut, let login = table.front, login != route {
                state.front = [state.place(login)]
            }
            state.front.append(state.place(route))
            return
        }
        state.front.append(state.place(route))
    }

    /// The tabs are shown again, and what a login was for is given up.
    private func leaveFront(in state: inout State) {
        state.front = []
        state.pending = nil
    }

    private func wait(for route: Route, _ entry: RouteEntry<Route>, in state: inout State) -> NavigationOutcome {
        if state.authentication == .signedIn { return .refused(.signedIn) }
        state.pending = route
        if state.authentication == .signedOut {
            // Under a sheet nobody would see the login.
            state.sheets = []
            showLogin(in: &state)
        }
        settle(&state)
        return .waiting
    }

    private func showLogin(in state: inout State) {
        if state.front.isEmpty, let login = table.front { state.front = [state.place(login)] }
    }

    private func select(_ tab: Route.Tab, in state: inout State) -> NavigationEffect<Route> {
        guard table.isReachable(tab, state.authentication) else {
            guard let root = table.root(of: tab) else { return .outcome(.refused(.notInTable)) }
            return .outcome(go(to: root, in: &state, fromHere: true))
        }
        // With something in front, the tab is not what is seen: selecting it is going there, and no second tap.
        guard tab == state.selectedTab, state.surface == .tabs else {
            leaveFront(in: &state)
            state.selectedTab = tab
            settle(&state)
            return .outcome(.shown)
        }
        guard state.stack(of: tab).isEmpty else {
            state.setStack([], of: tab)
            return .outcome(.shown)
        }
        return .scrollToTop(tab)
    }

    // MARK: Going back

    private func pop(in state: inout State) {
        switch state.surface {
        case .starting: break
        case .front:
            if state.front.count > 1 {
                state.front.removeLast()
            } else if Route.Tab.allCases.contains(where: { table.isReachable($0, state.authentication) }) {
                leaveFront(in: &state)
                settle(&state)
            }
        case .tabs: state.setStack(state.stack(of: state.selectedTab).dropLast(), of: state.selectedTab)
        }
    }

    private func popToRoot(in state: inout State) {
        switch state.surface {
        case .starting: break
        case .front: state.front = Array(state.front.prefix(1))
        case .tabs: state.setStack([], of: state.selectedTab)
        }
    }

    private func pop(to id: UInt64, in state: inout State) {
        if let index = state.front.firstIndex(where: { $0.id == id }) {
            state.front.removeSubrange((index + 1)...)
        }
        for tab in Route.Tab.allCases {
            let stack = state.stack(of: tab)
            guard let index = stack.firstIndex(where: { $0.id == id }) else { continue }
            state.setStack(Array(stack[...index]), of: tab)
        }
    }

    /// Only what lies there can be left: a list that comes late, after a logout, brings nothing back.
    private static func left(of stack: [Position], _ ids: [UInt64]) -> [Position] {
        var known = Dictionary(uniqueKeysWithValues: stack.map { ($0.id, $0) })
        return ids.compactMap { known.removeValue(forKey: $0) }
    }

    private func dismiss(_ id: UInt64?, in state: inout State) {
        guard let id else {
            state.sheets = state.sheets.dropLast()
            return
        }
        state.sheets = Array(state.sheets.prefix { $0.id != id })
    }

    // MARK: Who it is

    private func authenticate(_ authentication: Authentication, in state: inout State) {
        guard authentication != state.authentication else { return }
        state.authentication = authentication
        settle(&state)
        guard authentication != .unknown, let route = state.pending else { return }
        guard let entry = table.entry(of: route), table.isReachable(entry, authentication) else {
            // What nobody who is signed in can reach waits for nothing.
            if authentication == .signedIn { state.pending = nil } else { showLogin(in: &state) }
            return settle(&state)
        }
        state.pending = nil
        _ = go(to: route, in: &state, fromHere: false)
    }

    /// Drops what cannot be reached any more, and says what is shown.
    func settle(_ state: inout State) {
        let authentication = state.authentication
        if authentication != .unknown { dropUnreachable(in: &state) }
        let anyTab = Route.Tab.allCases.first { table.isReachable($0, authentication) }
        if authentication != .unknown, let anyTab, !table.isReachable(state.selectedTab, authentication) {
            state.selectedTab = anyTab
        }
        if authentication == .signedOut, anyTab == nil { showLogin(in: &state) }

        if authentication == .unknown, !table.isReachable(state.selectedTab, authentication) {
            state.surface = .starting
        } else if anyTab == nil || !state.front.isEmpty {
            state.surface = .front
        } else {
            state.surface = .tabs
        }
    }

    private func dropUnreachable(in state: inout State) {
        func reachable(_ positions: [Position]) -> [Position] {
            // What lies on something that is gone is gone with it.
            Array(
                positions.prefix { position in
                    guard let entry = table.entry(of: position.route) else { return false }
                    return table.isReachable(entry, state.authentication)
                })
        }
        state.sheets = reachable(state.sheets)
        state.front = reachable(state.front)
        for tab in Route.Tab.allCases {
            let isReachable = table.isReachable(tab, state.authentication)
            state.setStack(isReachable ? reachable(state.stack(of: tab)) : [], of: tab)
        }
    }
}
