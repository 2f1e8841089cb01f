import Portico

/// One kind of route: its stable name, its path, how and to whom it is shown, and the way between route and texts.
///
/// Saved states have the name and the names of the parameters: they stay when an enum's case is renamed. A path that
/// changes stays among `formerly`, so that links which are out in the world still lead there.
///
/// ```swift
/// let entry = RouteEntry("recipe", at: "recipe/:id", as: .push, in: .recipes, for: .everyone, make: CookRoute.recipe) {
///     if case .recipe(let id) = $0 { id } else { nil }
/// }
/// ```
public struct RouteEntry<Route: AppRoute>: Sendable {
    /// The stable name.
    public let name: String
    /// The path of its links.
    public let pattern: RoutePattern
    /// Other paths that lead there, and are not written any more; they have the same parameters in the same order.
    public let aliases: [RoutePattern]
    /// How it is shown.
    public let presentation: RoutePresentation
    /// The tab that a link to it selects; nil where it stays with the one that is selected.
    public let tab: Route.Tab?
    /// Who can reach it.
    public let access: RouteAccess

    let parents: @Sendable (Route) -> [Route]
    let make: @Sendable ([RouteText]) -> Route?
    let match: @Sendable (Route) -> [RouteText]?

    /// An entry for routes with any number of parameters.
    ///
    /// - Parameters:
    ///   - name: The stable name: 1 to 64 of `A-Z`, `a-z`, `0-9`, `-`, `_`.
    ///   - pattern: The path, `step/:recipe/:number`.
    ///   - aliases: Other paths that lead there.
    ///   - presentation: How it is shown.
    ///   - tab: The tab that it belongs to; each tab has one root.
    ///   - access: Who can reach it.
    ///   - parents: What lies beneath it, above the root of the tab, when a link leads there.
    ///   - make: The route of these texts, in the order of the pattern; nil where they are none of it.
    ///   - match: The texts of a route; nil where the route is of another entry.
    public init(
        _ name: String, at pattern: String, formerly aliases: [String] = [], as presentation: RoutePresentation,
        in tab: Route.Tab? = nil, for access: RouteAccess = .signedIn,
        over parents: @escaping @Sendable (Route) -> [Route] = { _ in [] },
        make: @escaping @Sendable ([RouteText]) -> Route?, match: @escaping @Sendable (Route) -> [RouteText]?
    ) {
        self.name = name
        self.pattern = RoutePattern(pattern)
        self.aliases = aliases.map { RoutePattern($0) }
        self.presentation = presentation
        self.tab = tab
        self.access = access
        self.parents = parents
        self.make = make
        self.match = match
    }

    /// An entry for one route without parameters.
    public init(
        _ name: String, _ route: Route, at pattern: String, formerly aliases: [String] = [],
        as presentation: RoutePresentation, in tab: Route.Tab? = nil, for access: RouteAccess = .signedIn
    ) {
        self.init(
            name, at: pattern, formerly: aliases, as: presentation, in: tab, for: access, make: { _ in route },
            match: { $0 == route ? [] : nil })
    }

    /// An entry for routes with one parameter.
    ///
    /// - Parameters:
    ///   - name: The stable name: 1 to 64 of `A-Z`, `a-z`, `0-9`, `-`, `_`.
    ///   - pattern: The path, `recipe/:id`.
    ///   - aliases: Other paths that lead there.
    ///   - presentation: How it is shown.
    ///   - tab: The tab that it belongs to; each tab has one root.
    ///   - access: Who can reach it.
    ///   - parents: What lies beneath it, above the root of the tab, when a link leads there.
    ///   - make: The route of a value.
    ///   - match: The value of a route; nil where the route is of another entry.
    public init<Value: RouteParameter>(
        _ name: String, at pattern: String, formerly aliases: [String] = [], as presentation: RoutePresentation,
        in tab: Route.Tab? = nil, for access: RouteAccess = .signedIn,
        over parents: @escaping @Sendable (Route) -> [Route] = { _ in [] },
        make: @escaping @Sendable (Value) -> Route, match: @escaping @Sendable (Route) -> Value?
    ) {
        self.init(
            name, at: pattern, formerly: aliases, as: presentation, in: tab, for: access, over: parents,
            make: { texts in texts.first.flatMap { Value($0) }.map(make) }, match: { match($0).map { [$0.routeText] } })
    }
}

/// A route as its stable name and its parameters: what a saved state or a mirror of the table has of it.
public struct RouteForm: Sendable, Hashable {
    /// One parameter.
    public struct Parameter: Sendable, Hashable {
        /// Its name in the pattern.
        public let name: String
        /// Its text.
        public let text: RouteText
    }

    /// The stable name of its entry.
    public let name: String
    /// Its parameters in the order of the pattern.
    public let parameters: [Parameter]
}

/// All routes of an app, each written once: how it becomes a link, and how a link becomes it.
///
/// ```swift
/// let table = try CookRoute.table()
/// for entry in table.entries { print(entry.name, entry.pattern, entry.presentation) }
/// ```
public struct RouteTable<Route: AppRoute>: Sendable {
    /// The entries in the host's order.
    public let entries: [RouteEntry<Route>]
    /// The tab that is selected at first.
    let firstTab: Route.Tab
    private let roots: [Route.Tab: RouteEntry<Route>]

    /// A table of these entries.
    ///
    /// - Throws: Everything that is wrong with them at once: two of one name, two patterns that one link fits, a tab
    ///   without a root.
    public init(_ entries: [RouteEntry<Route>]) throws(NavigationSetupError) {
        let flaws = Self.flaws(in: entries)
        guard flaws.isEmpty, let firstTab = Route.Tab.allCases.first else { throw NavigationSetupError(flaws) }
        self.entries = entries
        self.firstTab = firstTab
        var roots: [Route.Tab: RouteEntry<Route>] = [:]
        for entry in entries where entry.presentation == .root {
            if let tab = entry.tab { roots[tab] = entry }
        }
        self.roots = roots
    }

    /// The entry of a route; nil where it is in no entry.
    public func entry(of route: Route) -> RouteEntry<Route>? {
        entries.first { $0.match(route) != nil }
    }

    /// The stable name and the parameters of a route; nil where it is in no entry.
    public func form(of route: Route) -> RouteForm? {
        for entry in entries {
            guard let texts = entry.match(route) else { continue }
            let parameters = zip(entry.pattern.parameters, texts).map { RouteForm.Parameter(name: $0, text: $1) }
            return RouteForm(name: entry.name, parameters: parameters)
        }
        return nil
    }

    /// The route of a stable name and its parameters in any order; nil where there is none.
    func route(of form: RouteForm) -> Route? {
        guard let entry = entries.first(where: { $0.name.hasSameBytes(as: form.name) }) else { return nil }
        let names = entry.pattern.parameters
        guard names.count == form.parameters.count else { return nil }
        var texts: [RouteText] = []
        for name in names {
            guard let given = form.parameters.first(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
            texts.append(given.text)
        }
        return entry.make(texts)
    }

    /// What is wrong with routes that the host uses: not in the table, in two entries, or another one after a link.
    ///
    /// For a test with one route of each case: the compiler cannot tell that the table has them all.
    public func flaws(of routes: [Route]) -> [NavigationSetupError.Flaw] {
        routes.flatMap { route -> [NavigationSetupError.Flaw] in
            func flaw(_ message: String) -> [NavigationSetupError.Flaw] {
                [NavigationSetupError.Flaw(subject: "route \(route)", message: message)]
            }
            let matching = entries.filter { $0.match(route) != nil }
            guard let entry = matching.first else { return flaw("is in no entry of the table") }
            guard matching.count == 1 else {
                return flaw("is in several entries: \(matching.map(\.name).joined(separator: ", "))")
            }
            guard let texts = entry.match(route), texts.count == entry.pattern.parameters.count else {
                return flaw("gives \(entry.name) not as many texts as its pattern has parameters")
            }
            guard entry.make(texts) == route else { return flaw("is another one when \(entry.name) makes it again") }
            let misplaced = entry.parents(route).filter { parent in
                guard let other = self.entry(of: parent) else { return true }
                return other.presentation != .push || other.tab != entry.tab
            }
            return misplaced.isEmpty
                ? [] : flaw("lies over \(misplaced), which \(entry.name)'s tab cannot have on its stack")
        }
    }

    /// The route at the bottom of a tab, which a table that holds together has.
    public func root(of tab: Route.Tab) -> Route? { roots[tab]?.make([]) }

    /// Whether a tab can be shown.
    func isReachable(_ tab: Route.Tab, _ authentication: Authentication) -> Bool {
        roots[tab]?.access.allows(authentication) ?? false
    }

    /// Whether an entry can be shown, and beneath it the tab that it needs.
    func isReachable(_ entry: RouteEntry<Route>, _ authentication: Authentication) -> Bool {
        guard entry.access.allows(authentication) else { return false }
        guard let tab = entry.tab else { return true }
        return isReachable(tab, authentication)
    }

    /// What stands in place of the tabs where a login is needed.
    var front: Route? {
        entries.first { $0.presentation == .front && $0.access == .signedOut && $0.pattern.parameters.isEmpty }?
            .make([])
    }
}

// MARK: What can be wrong

extension RouteTable {
    private static func flaws(in entries: [RouteEntry<Route>]) -> [NavigationSetupError.Flaw] {
        entries.flatMap(flaws) + collisions(entries) + tabFlaws(entries)
    }

    private static func flaws(of entry: RouteEntry<Route>) -> [NavigationSetupError.Flaw] {
        var messages: [String] = []
        if !RoutePattern.isName(entry.name) { messages.append("its name is not 1 to 64 of A-Z, a-z, 0-9, '-', '_'") }
        for pattern in [entry.pattern] + entry.aliases {
            messages += pattern.flaws.map { "pattern '\(pattern)' \($0)" }
            if pattern.parameters != entry.pattern.parameters {
                messages.append("pattern '\(pattern)' has other parameters than '\(entry.pattern)'")
            }
        }
        switch entry.presentation {
        case .root where entry.tab == nil: messages.append("is a root of no tab")
        case .root where !entry.pattern.parameters.isEmpty: messages.append("is a root and has parameters")
        case .root where entry.make([]) == nil: messages.append("is a root and makes no route")
        case .root where entry.access == .signedOut: messages.append("is a root for signed out alone: make it a front")
        case .push where entry.tab == nil: messages.append("is pushed in no tab: say where a link to it leads")
        case .front where entry.tab != nil: messages.append("stands in place of the tabs and names one")
        default: break
        }
        return messages.map { NavigationSetupError.Flaw(subject: "route \(entry.name)", message: $0) }
    }

    private static func collisions(_ entries: [RouteEntry<Route>]) -> [NavigationSetupError.Flaw] {
        let patterns = entries.flatMap { entry in ([entry.pattern] + entry.aliases).map { (entry.name, $0) } }
        var flaws: [NavigationSetupError.Flaw] = []
        for (index, (name, pattern)) in patterns.enumerated() {
            for (other, earlier) in patterns[..<index] where earlier.overlaps(pattern) {
                let message =
                    earlier.description == pattern.description
                    ? "has the pattern '\(pattern)' of \(other)"
                    : "has the pattern '\(pattern)', and a link could fit '\(earlier)' of \(other) too"
                flaws.append(NavigationSetupError.Flaw(subject: "route \(name)", message: message))
            }
        }
        for (index, entry) in entries.enumerated() where entries[..<index].contains(where: { $0.name == entry.name }) {
            flaws.append(NavigationSetupError.Flaw(subject: "route \(entry.name)", message: "is there twice"))
        }
        return flaws
    }

    private static func tabFlaws(_ entries: [RouteEntry<Route>]) -> [NavigationSetupError.Flaw] {
        if Route.Tab.allCases.isEmpty {
            return [NavigationSetupError.Flaw(subject: "tabs", message: "there are none")]
        }
        return Route.Tab.allCases.flatMap { tab -> [NavigationSetupError.Flaw] in
            var messages: [String] = []
            if !RoutePattern.isName(tab.rawValue) {
                messages.append("its name is not 1 to 64 of A-Z, a-z, 0-9, '-', '_'")
            }
            let roots = entries.filter { $0.presentation == .root && $0.tab == tab }.map(\.name)
            if roots.isEmpty { messages.append("has no root") }
            if roots.count > 1 { messages.append("has several roots: \(roots.joined(separator: ", "))") }
            return messages.map { NavigationSetupError.Flaw(subject: "tab \(tab.rawValue)", message: $0) }
        }
    }
}

/// What is wrong with a table of routes or with the links over it, all of it: a mistake in a host's code.
public struct NavigationSetupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One mistake.
    public struct Flaw: Sendable, Hashable, CustomStringConvertible {
        /// What it is about: `route alert`, `tab alerts`, `scheme`.
        public let subject: String
        /// What is there, and what should be.
        public let message: String

        /// Both.
        public var description: String { "\(subject): \(message)" }
    }

    /// The mistakes, in the order of the table.
    public let flaws: [Flaw]

    init(_ flaws: [Flaw]) {
        self.flaws = flaws
    }

    /// One line for each mistake.
    public var description: String { flaws.map(\.description).joined(separator: "\n") }
}
