import Portico

/// The links of an app as data: what a page that is no Swift needs to follow them as the app does.
struct LinkTable: Sendable {
    struct Tab: Sendable {
        let id: String
        let title: String
        /// The route at its root.
        let route: String
    }

    struct Link: Sendable {
        /// Components; one in braces takes any text.
        let pattern: [String]
        let tab: String
        /// The routes above the root of the tab.
        let path: [String]
    }

    let scheme: String
    let tabs: [Tab]
    let links: [Link]
    /// Some to try.
    let examples: [String]

    var json: JSONValue {
        [
            "scheme": .string(scheme),
            "tabs": .array(
                tabs.map { ["id": .string($0.id), "title": .string($0.title), "route": .string($0.route)] }),
            "links": .array(
                links.map { link in
                    [
                        "pattern": .array(link.pattern.map { .string($0) }), "tab": .string(link.tab),
                        "path": .array(link.path.map { .string($0) }),
                    ]
                }),
        ]
    }
}

extension LinkTable {
    static let shieldAI = LinkTable(
        scheme: "shieldai",
        tabs: ["dashboard", "services", "alerts", "settings", "account"].map {
            Tab(id: $0, title: $0.prefix(1).uppercased() + $0.dropFirst(), route: $0)
        },
        links: [
            Link(pattern: ["dashboard"], tab: "dashboard", path: []),
            Link(pattern: ["services"], tab: "services", path: []),
            Link(pattern: ["service", "{id}"], tab: "services", path: ["service"]),
            Link(pattern: ["alerts"], tab: "alerts", path: []),
            Link(pattern: ["alert", "{id}"], tab: "alerts", path: ["alertDetail"]),
            Link(pattern: ["settings"], tab: "settings", path: []),
            Link(pattern: ["profile"], tab: "account", path: ["profile"]),
            Link(pattern: ["account"], tab: "account", path: []),
        ], examples: ["alert/123", "service/network", "profile", "settings"])
}
