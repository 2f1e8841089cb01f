#if canImport(SwiftUI)
import Foundation
import PorticoShell
import SwiftUI

/// Shows where a navigator is: tabs with a stack each, a sidebar where it is wide, sheets, and what stands in front.
///
/// The view that it modifies is shown while nothing else is: at the start, until it is known who it is, and for a login
/// that is no route. Views beneath find the model as an `EnvironmentObject`.
@available(iOS 16, macOS 13, *)
public struct RouterViewModifier<Route: AppRoute, Destination: View>: ViewModifier {
    @ObservedObject private var model: NavigationModel<Route>
    @Environment(\.horizontalSizeClass) private var sizeClass
    private let destination: (Route) -> Destination

    /// A modifier for that model.
    ///
    /// - Parameters:
    ///   - model: Where somebody is.
    ///   - destination: The view of a route, the same on a stack, in a sheet and in front.
    public init(_ model: NavigationModel<Route>, @ViewBuilder destination: @escaping (Route) -> Destination) {
        self.model = model
        self.destination = destination
    }

    /// The modified view, or what is shown in its place.
    public func body(content: Content) -> some View {
        // One container whatever is in it: on a Group the modifiers would begin anew with each surface.
        ZStack {
            switch model.state.surface {
            case .starting: content
            case .front:
                if let lowest = model.state.front.first {
                    Stack(path: model.frontPath, root: lowest.route, destination: destination).id(lowest.id)
                } else {
                    content
                }
            case .tabs:
                if sizeClass == .compact {
                    Tabs(model: model, destination: destination)
                } else {
                    Sidebar(model: model, destination: destination)
                }
            }
        }
        .modifier(Sheets(model: model, depth: 0, destination: destination))
        .environmentObject(model)
        .onOpenURL { model.open(link: $0.absoluteString) }
        .task { @MainActor in await model.follow() }
    }
}

@available(iOS 16, macOS 13, *)
extension View {
    /// Shows where a navigator is, and this view while there is nothing to show.
    ///
    /// - Parameters:
    ///   - model: Where somebody is.
    ///   - destination: The view of a route.
    public func router<Route: AppRoute, Destination: View>(
        _ model: NavigationModel<Route>, @ViewBuilder destination: @escaping (Route) -> Destination
    ) -> some View {
        modifier(RouterViewModifier(model, destination: destination))
    }

    /// Does something, which is best a scroll to the top, when a tab is tapped that is selected and at its root.
    ///
    /// ```swift
    /// #if canImport(SwiftUI)
    /// @available(iOS 16, macOS 13, *)
    /// struct RecipesView: View {
    ///     @EnvironmentObject private var navigation: NavigationModel<CookRoute>
    ///
    ///     var body: some View {
    ///         ScrollViewReader { proxy in
    ///             ScrollView { Text("Soups").id("top") }
    ///                 .onScrollToTop(of: .recipes, in: navigation) { withAnimation { proxy.scrollTo("top") } }
    ///         }
    ///     }
    /// }
    /// #endif
    /// ```
    public func onScrollToTop<Route: AppRoute>(
        of tab: Route.Tab, in model: NavigationModel<Route>, perform action: @escaping @MainActor () -> Void
    ) -> some View {
        task { @MainActor in
            for await tapped in model.scrollsToTop where tapped == tab { action() }
        }
    }
}

/// The tabs where it is narrow.
@available(iOS 16, macOS 13, *)
private struct Tabs<Route: AppRoute, Destination: View>: View {
    @ObservedObject var model: NavigationModel<Route>
    let destination: (Route) -> Destination

    var body: some View {
        TabView(selection: model.selection) {
            ForEach(Array(Route.Tab.allCases), id: \.self) { tab in
                Stack(path: model.path(of: tab), root: model.root(of: tab), destination: destination)
                    .tabItem { TabLabel(tab: tab) }
                    .tag(tab)
            }
        }
    }
}

/// The tabs where it is wide.
@available(iOS 16, macOS 13, *)
private struct Sidebar<Route: AppRoute, Destination: View>: View {
    @ObservedObject var model: NavigationModel<Route>
    let destination: (Route) -> Destination

    var body: some View {
        NavigationSplitView {
            List(selection: model.sidebarSelection) {
                ForEach(Array(Route.Tab.allCases), id: \.self) { tab in
                    TabLabel(tab: tab).tag(tab)
                }
            }
        } detail: {
            if let tab = model.state.sidebarSelection {
                // Without an identity of its own the stack of one tab would be animated into that of the next.
                Stack(path: model.path(of: tab), root: model.root(of: tab), destination: destination).id(tab)
            }
        }
    }
}

@available(iOS 16, macOS 13, *)
private struct TabLabel<Tab: AppTab>: View {
    let tab: Tab
    /// The language that the rest of the app is in.
    @Environment(\.locale) private var locale

    var body: some View {
        Label(tab.label.text(in: [locale.identifier]), systemImage: tab.symbol)
    }
}

@available(iOS 16, macOS 13, *)
private struct Stack<Route: AppRoute, Destination: View>: View {
    let path: Binding<[NavigationPosition<Route>]>
    let root: Route?
    let destination: (Route) -> Destination

    var body: some View {
        NavigationStack(path: path) {
            if let root {
                destination(root).navigationDestination(for: NavigationPosition<Route>.self) { position in
                    destination(position.route)
                }
            }
        }
    }
}

/// One sheet, and above it the next: SwiftUI presents a sheet on a sheet only from within the lower one.
@available(iOS 16, macOS 13, *)
private struct Sheets<Route: AppRoute, Destination: View>: ViewModifier {
    @ObservedObject var model: NavigationModel<Route>
    let depth: Int
    let destination: (Route) -> Destination

    func body(content: Content) -> some View {
        content.sheet(item: model.sheet(at: depth)) { position in
            destination(position.route)
                .modifier(Sheets(model: model, depth: depth + 1, destination: destination))
        }
    }
}
#endif
