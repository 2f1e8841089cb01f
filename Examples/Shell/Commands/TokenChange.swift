import Portico
import PorticoShell
import Terminal

/// What is different about one token between two designs.
enum TokenChange {
    case added(DesignSheet.Entry)
    case removed(DesignSheet.Entry)
    /// It is gone, and another has come that has its value in every appearance.
    case renamed(from: String, to: String)
    /// Its value in one appearance, or in several that changed alike.
    case changed(name: String, appearances: [Appearance], from: TokenValue, to: TokenValue)
    /// It has its value from elsewhere, and the value is the same.
    case pointed(name: String, from: String?, to: String?)

    /// In the order of the older design, and then of the newer one.
    static func between(_ old: DesignSheet, _ new: DesignSheet) -> [TokenChange] {
        var added = new.entries.filter { old[$0.name] == nil }
        var changes: [TokenChange] = []
        for entry in old.entries {
            if let other = new[entry.name] {
                changes += between(entry, other)
                continue
            }
            // Two candidates would be a guess.
            let candidates = added.filter { hasSameValues($0, entry) }
            if candidates.count == 1 {
                changes.append(.renamed(from: entry.name, to: candidates[0].name))
                added.removeAll { $0.name == candidates[0].name }
            } else {
                changes.append(.removed(entry))
            }
        }
        return changes + added.map { .added($0) }
    }

    private static func between(_ old: DesignSheet.Entry, _ new: DesignSheet.Entry) -> [TokenChange] {
        var changes: [(appearances: [Appearance], from: TokenValue, to: TokenValue)] = []
        for appearance in Appearance.allCases {
            guard let from = old[appearance], let to = new[appearance], from != to else { continue }
            if let index = changes.firstIndex(where: { $0.from == from && $0.to == to }) {
                changes[index].appearances.append(appearance)
            } else {
                changes.append(([appearance], from, to))
            }
        }
        guard changes.isEmpty else {
            return changes.map { .changed(name: old.name, appearances: $0.appearances, from: $0.from, to: $0.to) }
        }
        return old.alias == new.alias ? [] : [.pointed(name: old.name, from: old.alias, to: new.alias)]
    }

    private static func hasSameValues(_ one: DesignSheet.Entry, _ other: DesignSheet.Entry) -> Bool {
        Appearance.allCases.allSatisfy { one[$0] == other[$0] }
    }

    var text: String {
        switch self {
        case .added(let entry): "+ \(entry.name): \(Self.values(entry))"
        case .removed(let entry): "- \(entry.name): \(Self.values(entry))"
        case .renamed(let old, let new): "> \(old) is now \(new)"
        case .changed(let name, let appearances, let from, let to):
            "~ \(name), \(Self.names(appearances)): \(StyleSheet.text(from)) → \(StyleSheet.text(to))"
        case .pointed(let name, let from, let to):
            "= \(name), by another way: \(from ?? "a value of its own") → \(to ?? "a value of its own")"
        }
    }

    var json: JSONValue {
        switch self {
        case .added(let entry): ["kind": "added", "name": .string(entry.name), "value": .string(Self.values(entry))]
        case .removed(let entry):
            ["kind": "removed", "name": .string(entry.name), "value": .string(Self.values(entry))]
        case .renamed(let old, let new): ["kind": "renamed", "name": .string(old), "to": .string(new)]
        case .changed(let name, let appearances, let from, let to):
            [
                "kind": "changed", "name": .string(name),
                "appearances": .array(appearances.map { .string($0.key) }), "from": .string(StyleSheet.text(from)),
                "to": .string(StyleSheet.text(to)),
            ]
        case .pointed(let name, let from, let to):
            [
                "kind": "pointed", "name": .string(name), "from": from.map { .string($0) } ?? .null,
                "to": to.map { .string($0) } ?? .null,
            ]
        }
    }

    private static func names(_ appearances: [Appearance]) -> String {
        appearances.count == Appearance.allCases.count
            ? "everywhere" : appearances.map(\.title).joined(separator: " and ")
    }

    private static func values(_ entry: DesignSheet.Entry) -> String {
        guard let first = entry.value else { return "" }
        guard entry.varies else { return StyleSheet.text(first) }
        return Appearance.allCases.compactMap { appearance in
            entry[appearance].map { "\(StyleSheet.text($0)) (\(appearance.title))" }
        }.joined(separator: ", ")
    }
}
