import Portico

/// Where an app can be: a host's own enum, one case a screen.
///
/// ```swift
/// enum CookRoute: AppRoute {
///     enum Tab: String, AppTab {
///         case recipes, shopping
///         var symbol: String { self == .recipes ? "book" : "cart" }
///         var label: LocalizedText {
///             self == .recipes ? ["en": "Recipes", "de": "Rezepte"] : ["en": "Shopping", "de": "Einkauf"]
///         }
///     }
///
///     case recipes, recipe(RouteText), shopping
///
///     static func table() throws(NavigationSetupError) -> RouteTable<CookRoute> {
///         try RouteTable([
///             RouteEntry("recipes", .recipes, at: "recipes", as: .root, in: .recipes, for: .everyone),
///             RouteEntry("shopping", .shopping, at: "shopping", as: .root, in: .shopping, for: .everyone),
///             RouteEntry("recipe", at: "recipe/:id", as: .push, in: .recipes, for: .everyone, make: CookRoute.recipe) {
///                 if case .recipe(let id) = $0 { id } else { nil }
///             },
///         ])
///     }
/// }
/// ```
///
/// Identifiers in it are best compared as bytes, as `RouteText` is: equality of `String` takes texts for one that only
/// look alike.
public protocol AppRoute: Sendable, Hashable {
    /// The app's tabs.
    associatedtype Tab: AppTab
}

/// One of the tabs of an app, in the order of `allCases`; the first is selected at first.
///
/// The raw value is its stable name: saved states have it.
public protocol AppTab: RawRepresentable, CaseIterable, Sendable, Hashable where RawValue == String {
    /// The name of its picture among the SF Symbols.
    var symbol: String { get }
    /// What it is called.
    var label: LocalizedText { get }
}

extension AppTab {
    /// The tab of that stable name, compared as bytes: for `String` a kelvin sign is a K.
    static func named(_ name: String) -> Self? {
        allCases.first { $0.rawValue.hasSameBytes(as: name) }
    }
}

/// How a route is shown.
public enum RoutePresentation: String, Sendable, Hashable, CaseIterable {
    /// It is what a tab shows at the bottom of its stack.
    case root
    /// It lies on a tab's stack.
    case push
    /// It is a sheet above everything.
    case sheet
    /// It is shown in place of the tabs: a login, and what belongs to it.
    case front
}

/// Who can reach a route.
public enum RouteAccess: String, Sendable, Hashable, CaseIterable {
    /// Everyone, also while nobody knows who it is.
    case everyone
    /// Who is signed in.
    case signedIn
    /// Who is signed out: a login.
    case signedOut

    func allows(_ authentication: Authentication) -> Bool {
        switch self {
        case .everyone: true
        case .signedIn: authentication == .signedIn
        case .signedOut: authentication == .signedOut
        }
    }
}

/// What is known about who uses the app.
public enum Authentication: String, Sendable, Hashable, CaseIterable {
    /// Nothing yet: the app is starting, or asks whether a session still holds.
    case unknown
    /// Nobody is signed in.
    case signedOut
    /// Somebody is signed in.
    case signedIn
}
