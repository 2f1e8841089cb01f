/// An app's navigation: tabs with a stack each, sheets, and what stands in place of them until somebody has signed in.
///
/// ```swift
/// @MainActor func start(_ links: LinkFormat<CookRoute>, at link: String) {
///     let navigator = Navigator(links)
///     navigator.open(link: link)  // waits, since nobody knows yet who it is
///     navigator.setAuthentication(.signedIn)  // `cook://recipe/42`: the tab of recipes, recipe 42 on its root
///     navigator.navigate(to: .shopping)  // goes on from here
///     navigator.pop()
/// }
/// ```
///
/// ## What goes where
/// - `navigate(to:)` goes on from where somebody is: a push onto the selected tab's stack, a sheet above what is there; a
///   tab's root selects the tab and empties its stack.
/// - `open` goes to one place from everywhere: it sets tab, stack and sheets, and adds nothing to what was there. A sheet
///   whose entry names a tab has that tab's root beneath it.
/// - What needs a login and has none waits in `NavigationState.pending`, the last of several, and is opened once, as a
///   link, when somebody has signed in. Until it is known who it is, everything that needs it waits.
/// - Signing out takes away what needs a login from stacks and sheets, and what lay on it, and a later login brings none
///   of it back.
/// - Links are data from anybody: one that leads nowhere changes nothing, and the outcome says why.
///
/// ## Concurrency
/// It lives on the main actor, and each call is done when it returns.
@MainActor
public final class Navigator<Route: AppRoute> {
    /// Where somebody is.
    public private(set) var state: NavigationState<Route>
    /// What became of the saved state.
    public let restoration: NavigationRestoration
    /// How links are read and written.
    public nonisolated let links: LinkFormat<Route>

    private let reducer: NavigationReducer<Route>
    private var watchers = Watchers<NavigationState<Route>>()
    private var scrollWatchers = Watchers<Route.Tab>()

    /// A navigation at its beginning, or where an earlier one was.
    ///
    /// - Parameters:
    ///   - links: The routes, and their links.
    ///   - authentication: What is known about who uses the app.
    ///   - saved: What `saved()` gave in an earlier run, also of another version. It may be anything: what is not known
    ///     is left out.
    public init(
        _ links: LinkFormat<Route>, authentication: Authentication = .unknown, restoring saved: [UInt8]? = nil
    ) {
        self.links = links
        reducer = NavigationReducer(table: links.table)
        var state = NavigationState<Route>(selectedTab: links.table.firstTab, authentication: authentication)
        restoration = saved.map { SavedNavigation(links.table).restore($0, into: &state) } ?? .nothing
        // Only now it is asked what can be reached, of what was restored too.
        reducer.settle(&state)
        self.state = state
    }

    deinit {
        watchers.finish()
        scrollWatchers.finish()
    }

    // MARK: Going somewhere

    /// Goes on from here to a route.
    @discardableResult
    public func navigate(to route: Route) -> NavigationOutcome {
        outcome(of: .navigate(route))
    }

    /// Goes to a route from wherever this is, as a link does.
    @discardableResult
    public func open(_ route: Route) -> NavigationOutcome {
        outcome(of: .open(route))
    }

    /// Follows a link.
    @discardableResult
    public func open(link: String) -> NavigationOutcome {
        switch links.read(link) {
        case .route(let route): open(route)
        case .refused(let refusal): .refused(.link(refusal))
        }
    }

    /// Selects a tab, whose stack is as it was left.
    ///
    /// The one that is selected goes to its root; at the root it tells `scrollsToTop`.
    @discardableResult
    public func select(_ tab: Route.Tab) -> NavigationOutcome {
        outcome(of: .select(tab))
    }

    // MARK: Going back

    /// Takes the topmost position off the stack that is shown; at the root it does nothing.
    ///
    /// Sheets stay. A login that somebody was asked for is given up, where there are tabs without it.
    public func pop() {
        _ = apply(.pop)
    }

    /// Takes everything off the root of the stack that is shown; sheets stay.
    public func popToRoot() {
        _ = apply(.popToRoot)
    }

    /// Takes off everything that lies on a position, in whichever stack it is; one that is gone does nothing.
    public func popTo(_ position: NavigationPosition<Route>) {
        _ = apply(.popTo(position.id))
    }

    /// Takes what the system made of a tab's stack: somebody swiped back, or held the back button.
    ///
    /// Positions that are not on the stack any more are left out: a list that arrives late brings nothing back.
    public func stackChanged(_ positions: [NavigationPosition<Route>], of tab: Route.Tab) {
        _ = apply(.stackChanged(positions.map(\.id), tab))
    }

    /// Takes what the system made of what lies on the lowest position in front.
    public func frontChanged(_ positions: [NavigationPosition<Route>]) {
        _ = apply(.frontChanged(positions.map(\.id)))
    }

    /// Closes the topmost sheet.
    public func dismissSheet() {
        _ = apply(.dismissSheet(nil))
    }

    /// Closes a sheet and those above it; one that is gone does nothing.
    public func dismissSheet(_ position: NavigationPosition<Route>) {
        _ = apply(.dismissSheet(position.id))
    }

    // MARK: Who it is

    /// Takes what is known about who uses the app.
    ///
    /// From one person to another goes through `signedOut`, which forgets the first one's places.
    public func setAuthentication(_ authentication: Authentication) {
        _ = apply(.authentication(authentication))
    }

    // MARK: Watching and saving

    /// The states from now on, the present one first; a consumer of its own for each call.
    ///
    /// Buffered is the newest alone: a slow consumer misses states in between and never the last.
    public var states: AsyncStream<NavigationState<Route>> { watchers.add(beginningWith: state) }

    /// The tabs that were tapped while they were selected and at their root: their view scrolls to its top.
    ///
    /// A consumer of its own for each call, from now on. Buffered is the newest alone.
    public var scrollsToTop: AsyncStream<Route.Tab> { scrollWatchers.add(beginningWith: nil) }

    /// The selected tab, stacks and sheets, for `init(_:authentication:restoring:)` of a later run.
    ///
    /// It holds the texts of the routes, so it belongs where the person's other data is. What waits for a login and what
    /// stands in place of the tabs are not in it: a wish of then is not one of now.
    public func saved() -> [UInt8] {
        SavedNavigation(links.table).bytes(of: state)
    }

    private func outcome(of action: NavigationAction<Route>) -> NavigationOutcome {
        if case .outcome(let outcome) = apply(action) { outcome } else { .shown }
    }

    private func apply(_ action: NavigationAction<Route>) -> NavigationEffect<Route> {
        var next = state
        let effect = reducer.reduce(&next, action)
        if next != state {
            state = next
            watchers.send(next)
        }
        if case .scrollToTop(let tab) = effect { scrollWatchers.send(tab) }
        return effect
    }
}
