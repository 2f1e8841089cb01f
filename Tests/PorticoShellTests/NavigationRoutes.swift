import PorticoInMemory
import PorticoShell

/// A cook book: two tabs, most of it for everyone, the shopping list for who is signed in.
enum CookRoute: AppRoute {
    enum Tab: String, AppTab {
        case recipes, shopping

        var symbol: String { self == .recipes ? "book" : "cart" }
        var label: LocalizedText {
            self == .recipes ? ["en": "Recipes", "de": "Rezepte"] : ["en": "Shopping", "de": "Einkauf"]
        }
    }

    case recipes
    case recipe(RouteText)
    case step(recipe: RouteText, number: Int)
    case shopping
    case item(RouteText)
    case about
    case rating(RouteText)
    case login
    case register

    static func table() throws -> RouteTable<CookRoute> {
        try RouteTable([
            RouteEntry("recipes", .recipes, at: "recipes", formerly: [""], as: .root, in: .recipes, for: .everyone),
            RouteEntry(
                "recipe", at: "recipe/:id", formerly: ["r/:id"], as: .push, in: .recipes, for: .everyone,
                make: CookRoute.recipe
            ) { if case .recipe(let id) = $0 { id } else { nil } },
            RouteEntry(
                "step", at: "recipe/:id/step/:number", as: .push, in: .recipes, for: .everyone,
                over: { if case .step(let recipe, _) = $0 { [.recipe(recipe)] } else { [] } },
                make: { texts in
                    guard let number = Int(texts[1].text), String(number) == texts[1].text, number > 0 else {
                        return nil
                    }
                    return .step(recipe: texts[0], number: number)
                },
                match: { route in
                    guard case .step(let recipe, let number) = route else { return nil }
                    return RouteText(String(number)).map { [recipe, $0] }
                }),
            RouteEntry("shopping", .shopping, at: "shopping", as: .root, in: .shopping),
            RouteEntry("item", at: "item/:id", as: .push, in: .shopping, make: CookRoute.item) {
                if case .item(let id) = $0 { id } else { nil }
            },
            RouteEntry("about", .about, at: "about", as: .sheet, for: .everyone),
            RouteEntry("rating", at: "rating/:id", as: .sheet, in: .recipes, make: CookRoute.rating) {
                if case .rating(let id) = $0 { id } else { nil }
            },
            RouteEntry("login", .login, at: "login", as: .front, for: .signedOut),
            RouteEntry("register", .register, at: "login/register", as: .front, for: .signedOut),
        ])
    }

    static func links() throws -> LinkFormat<CookRoute> {
        try LinkFormat(try table(), scheme: "cook", hosts: ["cook.example", "www.cook.example"])
    }

    static func random(using generator: inout SeededGenerator) -> CookRoute {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: .recipes
        case 1: .recipe(.random(using: &generator))
        case 2: .step(recipe: .random(using: &generator), number: .random(in: 1...9, using: &generator))
        case 3: .shopping
        case 4: .item(.random(using: &generator))
        case 5: .about
        case 6: .rating(.random(using: &generator))
        case 7: .login
        default: .register
        }
    }
}

/// A diary, all of which is for who is signed in.
enum DiaryRoute: AppRoute {
    enum Tab: String, AppTab {
        case days, people, options

        var symbol: String { "circle" }
        var label: LocalizedText { ["en": "Days"] }
    }

    case days, people, options
    case day(RouteText)
    case person(RouteText)
    case export
    case login

    static func table() throws -> RouteTable<DiaryRoute> {
        try RouteTable([
            RouteEntry("days", .days, at: "days", as: .root, in: .days),
            RouteEntry("people", .people, at: "people", as: .root, in: .people),
            RouteEntry("options", .options, at: "options", as: .root, in: .options),
            RouteEntry("day", at: "day/:id", as: .push, in: .days, make: DiaryRoute.day) {
                if case .day(let id) = $0 { id } else { nil }
            },
            RouteEntry("person", at: "person/:id", as: .push, in: .people, make: DiaryRoute.person) {
                if case .person(let id) = $0 { id } else { nil }
            },
            RouteEntry("export", .export, at: "export", as: .sheet, in: .options),
            RouteEntry("login", .login, at: "auth/login", as: .front, for: .signedOut),
        ])
    }

    static func links() throws -> LinkFormat<DiaryRoute> { try LinkFormat(try table(), scheme: "diary") }

    static func random(using generator: inout SeededGenerator) -> DiaryRoute {
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: .days
        case 1: .people
        case 2: .options
        case 3: .day(.random(using: &generator))
        case 4: .person(.random(using: &generator))
        case 5: .export
        default: .login
        }
    }
}

func text(_ text: String) -> RouteText {
    guard let routeText = RouteText(text) else { preconditionFailure("no text of a route: \(text)") }
    return routeText
}

extension RouteText {
    /// What a link has to carry: slashes, percents, escapes, combining marks, emoji, any script.
    static func random(using generator: inout SeededGenerator) -> RouteText {
        while true {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let awkward = Array("/%?#:@.~ +&=\\\"<>^`{|}[]%2F%25e\u{301}\u{E9}\u{200D}\u{1F468}".unicodeScalars)
                let scalar =
                    Bool.random(using: &generator)
                    ? awkward.randomElement(using: &generator)
                    : Unicode.Scalar(UInt32.random(in: 0x20...0x10FFFF, using: &generator))
                if let scalar { scalars.append(scalar) }
            }
            if let text = RouteText(String(scalars)) { return text }
        }
    }
}
