#if canImport(SwiftUI)
import Combine
import PorticoShell
import SwiftUI

/// A `Navigator` for SwiftUI: it says beforehand that something may change, and has the bindings that views want.
///
/// ```swift
/// #if canImport(SwiftUI)
/// @available(iOS 16, macOS 13, *)
/// struct CookView: View {
///     @StateObject private var navigation: NavigationModel<CookRoute>
///
///     init(_ navigator: Navigator<CookRoute>) {
///         _navigation = StateObject(wrappedValue: NavigationModel(navigator))
///     }
///
///     var body: some View {
///         ProgressView().router(navigation) { route in
///             Text(String(describing: route))
///         }
///     }
/// }
/// #endif
/// ```
///
/// Every decision is the navigator's. What calls the navigator itself, past this model, is seen one turn later, and only
/// while a view follows.
@available(iOS 16, macOS 13, *)
@MainActor
public final class NavigationModel<Route: AppRoute>: ObservableObject {
    private let navigator: Navigator<Route>
    /// What views were told of last.
    private var announced: NavigationState<Route>

    /// A model of that navigator.
    public init(_ navigator: Navigator<Route>) {
        self.navigator = navigator
        announced = navigator.state
    }

    /// Where somebody is.
    public var state: NavigationState<Route> { navigator.state }

    /// The route at the bottom of a tab.
    public func root(of tab: Route.Tab) -> Route? { navigator.links.table.root(of: tab) }

    // MARK: Going somewhere

    /// Goes on from here to a route.
    @discardableResult
    public func navigate(to route: Route) -> NavigationOutcome { forward { $0.navigate(to: route) } }

    /// Goes to a route from wherever this is, as a link does.
    @discardableResult
    public func open(_ route: Route) -> NavigationOutcome { forward { $0.open(route) } }

    /// Follows a link.
    @discardableResult
    public func open(link: String) -> NavigationOutcome { forward { $0.open(link: link) } }

    /// Selects a tab; the one that is selected goes to its root, and at the root to its top.
    @discardableResult
    public func select(_ tab: Route.Tab) -> NavigationOutcome { forward { $0.select(tab) } }

    // MARK: Going back

    /// Takes the topmost position off the stack that is shown.
    public func pop() { forward { $0.pop() } }

    /// Takes everything off the root of the stack that is shown.
    public func popToRoot() { forward { $0.popToRoot() } }

    /// Takes off everything that lies on a position.
    public func popTo(_ position: NavigationPosition<Route>) { forward { $0.popTo(position) } }

    /// Closes the topmost sheet.
    public func dismissSheet() { forward { $0.dismissSheet() } }

    /// Closes a sheet and those above it.
    public func dismissSheet(_ position: NavigationPosition<Route>) { forward { $0.dismissSheet(position) } }

    // MARK: Who it is

    /// Takes what is known about who uses the app.
    public func setAuthentication(_ authentication: Authentication) {
        forward { $0.setAuthentication(authentication) }
    }

    /// The selected tab, stacks and sheets, for a later run.
    public func saved() -> [UInt8] { navigator.saved() }

    // MARK: Bindings

    /// The selected tab, for a tab bar; the same again is a second tap.
    public var selection: Binding<Route.Tab> {
        Binding(get: { @MainActor in self.state.selectedTab }, set: { @MainActor tab in self.select(tab) })
    }

    /// The selected tab, for a sidebar, which also selects nothing when it is folded away: that goes nowhere.
    public var sidebarSelection: Binding<Route.Tab?> {
        Binding(
            get: { @MainActor in self.state.sidebarSelection },
            set: { @MainActor tab in
                if let tab { self.select(tab) }
            })
    }

    /// What lies on the root of a tab.
    public func path(of tab: Route.Tab) -> Binding<[NavigationPosition<Route>]> {
        Binding(
            get: { @MainActor in self.state.stack(of: tab) },
            set: { @MainActor positions in
                // A stack also writes what it has just read, while it is drawn, when nothing may be published.
                guard positions != self.state.stack(of: tab) else { return }
                self.forward { $0.stackChanged(positions, of: tab) }
            })
    }

    /// What lies on the lowest position in front.
    public var frontPath: Binding<[NavigationPosition<Route>]> {
        Binding(
            get: { @MainActor in Array(self.state.front.dropFirst()) },
            set: { @MainActor positions in
                guard positions != Array(self.state.front.dropFirst()) else { return }
                self.forward { $0.frontChanged(positions) }
            })
    }

    /// The sheet of that depth, the lowest being 0; nil where there is none, and set to nil to close it.
    public func sheet(at depth: Int) -> Binding<NavigationPosition<Route>?> {
        // The one that is there now: a dismissal that comes late must not close what took its place.
        let shown = sheetPosition(at: depth)
        return Binding(
            get: { @MainActor in self.sheetPosition(at: depth) },
            set: { @MainActor position in
                if position == nil, let shown { self.dismissSheet(shown) }
            })
    }

    private func sheetPosition(at depth: Int) -> NavigationPosition<Route>? {
        state.sheets.indices.contains(depth) ? state.sheets[depth] : nil
    }

    // MARK: Watching

    /// The tabs that were tapped while they were at their root; a consumer of its own for each call, from now on.
    public var scrollsToTop: AsyncStream<Route.Tab> { navigator.scrollsToTop }

    /// Tells views of what others than this model changed, until the task is cancelled.
    ///
    /// `router` does it; only a host with a root view of its own calls it.
    public func follow() async {
        for await _ in navigator.states where navigator.state != announced {
            objectWillChange.send()
            announced = navigator.state
        }
    }

    private func forward<Result>(_ call: (Navigator<Route>) -> Result) -> Result {
        // Before, as views expect it: the navigator's own stream comes one turn after the change.
        objectWillChange.send()
        defer { announced = navigator.state }
        return call(navigator)
    }
}
#endif
