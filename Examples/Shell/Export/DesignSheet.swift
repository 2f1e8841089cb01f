import PorticoShell
import Terminal

/// A design as it is written out: each token once, with its value in every appearance.
struct DesignSheet: Sendable {
    /// One token.
    struct Entry: Sendable {
        let path: [String]
        /// What it is for.
        let description: String?
        /// The token that it is another name of in light and normal contrast.
        let alias: String?
        fileprivate let values: [Appearance: TokenValue]

        /// Its groups and its name, joined by dots.
        var name: String { path.joined(separator: ".") }

        /// Its own name, without its groups.
        var leaf: String { path.last ?? "" }

        subscript(appearance: Appearance) -> TokenValue? { values[appearance] }

        /// Its value where nothing is asked for.
        var value: TokenValue? { values[Appearance()] }

        /// Whether it is another value in some appearance.
        var varies: Bool { Set(values.values).count > 1 }

        /// Its colour in an appearance; nil where it is none.
        func color(in appearance: Appearance) -> DesignColor? {
            if case .color(let color)? = values[appearance] { color } else { nil }
        }
    }

    /// All of them, in the order of the file.
    let entries: [Entry]

    /// - Throws: The names of tokens that an appearance lacks: what is written out would be half a theme.
    init(_ tokens: (Appearance) -> [DesignToken]) throws {
        let columns = Appearance.allCases.map { appearance in
            let column = tokens(appearance)
            return (appearance, column, Dictionary(column.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
        }
        var seen: Set<String> = []
        entries = try columns.flatMap(\.1).filter { seen.insert($0.name).inserted }.map { token in
            let values = columns.compactMap { appearance, _, values in values[token.name].map { (appearance, $0) } }
            let missing = Appearance.allCases.filter { appearance in !values.contains { $0.0 == appearance } }
            guard missing.isEmpty else {
                throw Failure(
                    "\(token.name) is missing in \(missing.map(\.title).joined(separator: ", ")): give it a value there"
                )
            }
            return Entry(
                path: token.path, description: token.description, alias: token.alias,
                values: Dictionary(values, uniquingKeysWith: { $1 }))
        }
    }

    /// The colours that an app names: those of the group `color`, not the primitives that they are made of.
    var colors: [Entry] {
        entries.filter { $0.path.first == "color" && $0.color(in: Appearance()) != nil }
    }

    /// The entry of that name.
    subscript(name: String) -> Entry? { entries.first { $0.name == name } }
}

extension Appearance {
    /// What it is called where people read it.
    var title: String {
        (isDark ? "dark" : "light") + (hasIncreasedContrast ? ", increased contrast" : "")
    }

    /// What it is called in data and in names of classes.
    var key: String { (isDark ? "dark" : "light") + (hasIncreasedContrast ? "-more" : "") }
}

/// A number as short as it can be written: no fraction where there is none, and never an exponent.
func decimal(_ number: Double, places: Int = 4) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (number * scale).rounded()
    guard scaled.isFinite, abs(scaled) < 1e15 else { return "0" }
    let whole = Int64(scaled)
    var digits = String(abs(whole))
    while digits.count <= places { digits = "0" + digits }
    var fraction = digits.suffix(places)
    while fraction.last == "0" { fraction = fraction.dropLast() }
    let sign = whole < 0 ? "-" : ""
    return sign + digits.dropLast(places) + (fraction.isEmpty ? "" : ".\(fraction)")
}
