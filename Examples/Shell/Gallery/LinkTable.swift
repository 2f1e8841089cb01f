import Portico
import PorticoShell

/// The links of an app as data: what a page that is no Swift needs to follow them as the app does.
struct LinkTable: Sendable {
    struct Tab: Sendable {
        let id: String
        let title: String
    }

    struct Entry: Sendable {
        let name: String
        /// Its paths, the one that is written first; a component is a word, or a name in braces that any text fits.
        let patterns: [[String]]
        let presentation: RoutePresentation
        let tab: String?
    }

    let scheme: String
    let hosts: [String]
    let tabs: [Tab]
    let entries: [Entry]

    init<Route: AppRoute>(_ links: LinkFormat<Route>) {
        scheme = links.scheme
        hosts = links.hosts
        tabs = Route.Tab.allCases.map { Tab(id: $0.rawValue, title: $0.label.text(in: ["en"])) }
        entries = links.table.entries.map { entry in
            Entry(
                name: entry.name, patterns: ([entry.pattern] + entry.aliases).map(Self.components),
                presentation: entry.presentation, tab: entry.tab?.rawValue)
        }
    }

    var json: JSONValue {
        [
            "scheme": .string(scheme), "hosts": .array(hosts.map { .string($0) }),
            "tabs": .array(tabs.map { ["id": .string($0.id), "title": .string($0.title)] }),
            "entries": .array(
                entries.map { entry in
                    [
                        "name": .string(entry.name),
                        "patterns": .array(entry.patterns.map { .array($0.map { .string($0) }) }),
                        "presentation": .string(entry.presentation.rawValue),
                        "tab": entry.tab.map { .string($0) } ?? .null,
                    ]
                }),
        ]
    }

    /// A link of each kind, with made-up parameters.
    var examples: [String] {
        entries.compactMap { entry in
            entry.patterns.first.map { pattern in
                pattern.map { $0.hasPrefix("{") ? Self.samples[entry.name] ?? "1" : $0 }.joined(separator: "/")
            }
        }
    }

    private static let samples = ["alertDetail": "123", "service": "network", "searchResults": "sign-in"]

    private static func components(_ pattern: RoutePattern) -> [String] {
        pattern.components.map { component in
            switch component {
            case .literal(let word): word
            case .parameter(let name): "{\(name)}"
            }
        }
    }
}
