import PorticoInMemory
import Testing

@testable import PorticoShell

@Suite("Links")
struct LinkTests {
    let links: LinkFormat<CookRoute>

    init() throws { links = try CookRoute.links() }

    /// A link and what it leads to; nil where the refusal beside it says why not.
    struct Rule: Sendable {
        let link: String
        let route: CookRoute?
        let refusal: LinkRefusal?

        init(_ link: String, _ route: CookRoute) { (self.link, self.route, refusal) = (link, route, nil) }
        init(_ link: String, _ refusal: LinkRefusal) { (self.link, route, self.refusal) = (link, nil, refusal) }
    }

    static let rules: [(String, [Rule])] = [
        (
            "the host of the own scheme is the first component",
            [
                Rule("cook://recipe/42", .recipe(text("42"))), Rule("cook://shopping", .shopping),
                Rule("cook://login/register", .register), Rule("cook:///recipe/42", .emptyComponent),
            ]
        ),
        (
            "the host of a web link is one of a list, and no component",
            [
                Rule("https://cook.example/recipe/42", .recipe(text("42"))),
                Rule("https://www.cook.example/shopping", .shopping),
                Rule("https://recipe/42", .foreignHost),
                Rule("https://cook.example.evil.example/recipe/42", .foreignHost),
                Rule("https://cook.example./recipe/42", .foreignHost), Rule("https:///recipe/42", .foreignHost),
                Rule("https://co%6Fk.example/recipe/42", .foreignHost),
            ]
        ),
        (
            "only the own scheme and https are taken",
            [
                Rule("http://cook.example/shopping", .foreignScheme), Rule("file://shopping", .foreignScheme),
                Rule("javascript://shopping", .foreignScheme), Rule("cooks://shopping", .foreignScheme),
                Rule("cook:shopping", .notALink), Rule("cook:/shopping", .notALink), Rule("shopping", .notALink),
                Rule("", .notALink), Rule("://shopping", .notALink), Rule("cook%3A//shopping", .notALink),
            ]
        ),
        (
            "scheme and host have no case, other components have",
            [
                Rule("COOK://RECIPE/Ab", .recipe(text("Ab"))),
                Rule("HTTPS://COOK.Example/recipe/Ab", .recipe(text("Ab"))),
                Rule("cook://%52ECIPE/1", .recipe(text("1"))), Rule("cook://recipe/1/STEP/2", .unknownRoute),
                Rule("https://cook.example/RECIPE/1", .unknownRoute),
            ]
        ),
        (
            "one slash at the end is left out",
            [
                Rule("cook://recipe/42/", .recipe(text("42"))), Rule("cook://shopping/", .shopping),
                Rule("https://cook.example/shopping/", .shopping), Rule("cook://recipe/", .unknownRoute),
                Rule("cook://shopping//", .emptyComponent),
            ]
        ),
        (
            "an empty path is a route where the table has one",
            [
                Rule("cook://", .recipes), Rule("cook:///", .recipes), Rule("https://cook.example", .recipes),
                Rule("https://cook.example/", .recipes), Rule("https://cook.example?from=mail", .recipes),
                Rule("https://cook.example//", .emptyComponent),
            ]
        ),
        (
            "an empty component is refused",
            [
                Rule("cook://recipe//step/1", .emptyComponent), Rule("https://cook.example//recipe/1", .emptyComponent),
                Rule("cook:////recipe/1", .emptyComponent),
            ]
        ),
        (
            "a component is decoded exactly once, after the path was split",
            [
                Rule("cook://recipe/a%2Fb", .recipe(text("a/b"))), Rule("cook://recipe/a%2fb", .recipe(text("a/b"))),
                Rule("cook://recipe/a%252Fb", .recipe(text("a%2Fb"))),
                Rule("cook://recipe/%25252F", .recipe(text("%252F"))), Rule("cook://recipe%2F42", .unknownRoute),
                Rule("cook://recipe/%E2%82%AC", .recipe(text("€"))), Rule("cook://recipe/€", .recipe(text("€"))),
                Rule("cook://recipe/a+b", .recipe(text("a+b"))),
                Rule("cook://recipe/a%3Fb%23c", .recipe(text("a?b#c"))),
                Rule("cook://r%65cipe/1", .recipe(text("1"))),
            ]
        ),
        (
            "an escape needs two hexadecimal digits",
            [
                Rule("cook://recipe/%", .invalidEscape), Rule("cook://recipe/%4", .invalidEscape),
                Rule("cook://recipe/%zz", .invalidEscape), Rule("cook://recipe/%4g", .invalidEscape),
                Rule("cook://recipe/%+1", .invalidEscape), Rule("cook://recipe/%４1", .invalidEscape),
                Rule("cook://recipe/%/1", .invalidEscape),
            ]
        ),
        (
            "bytes that are not UTF-8 are refused",
            [
                Rule("cook://recipe/%FF", .notUTF8), Rule("cook://recipe/%C3", .notUTF8),
                Rule("cook://recipe/%C0%AF", .notUTF8), Rule("cook://recipe/%ED%A0%80", .notUTF8),
                Rule("cook://recipe/%F4%90%80%80", .notUTF8), Rule("cook://%FF/1", .notUTF8),
            ]
        ),
        (
            "control characters are refused, escaped or not",
            [
                Rule("cook://recipe/a\nb", .illegalCharacter), Rule("cook://recipe/a\u{0}", .illegalCharacter),
                Rule("\tcook://recipe/a", .illegalCharacter), Rule("cook://recipe/a\u{7F}", .illegalCharacter),
                Rule("cook://recipe/1?a\r\nb", .illegalCharacter), Rule("cook://recipe/a%00", .controlCharacter),
                Rule("cook://recipe/a%0D%0Ab", .controlCharacter), Rule("cook://recipe/%7F", .controlCharacter),
                Rule("cook://recipe/%C2%85", .controlCharacter), Rule("cook://recipe/\u{85}", .controlCharacter),
            ]
        ),
        (
            "what no link may hold unescaped is refused",
            ["a b", "a\"b", "a<b", "a>b", "a\\b", "a^b", "a`b", "a{b", "a|b", "a}b"].map {
                Rule("cook://recipe/\($0)", .illegalCharacter)
            }
        ),
        (
            "dots that browsers resolve are refused, other dots taken",
            [
                Rule("cook://recipe/..", .dotComponent), Rule("cook://recipe/.", .dotComponent),
                Rule("cook://recipe/%2e%2E", .dotComponent), Rule("cook://../recipe/1", .dotComponent),
                Rule("https://cook.example/recipe/../shopping", .dotComponent),
                Rule("cook://recipe/...", .recipe(text("..."))), Rule("cook://recipe/.a", .recipe(text(".a"))),
                Rule("cook://recipe/%252E%252E", .recipe(text("%2E%2E"))),
            ]
        ),
        (
            "a user and a port are refused",
            [
                Rule("cook://user@recipe/1", .userInfo), Rule("https://cook.example@evil.example/recipe/1", .userInfo),
                Rule("https://u:p@cook.example/recipe/1", .userInfo), Rule("https://cook.example:443/recipe/1", .port),
                Rule("cook://recipe:80/1", .port), Rule("https://cook.example:/recipe/1", .port),
                Rule("cook://recipe/a:b@c", .recipe(text("a:b@c"))),
            ]
        ),
        (
            "query and fragment are left out",
            [
                Rule("cook://recipe/42?utm_source=mail", .recipe(text("42"))),
                Rule("cook://recipe/42#top", .recipe(text("42"))),
                Rule("cook://recipe/42/?a=/b#/c", .recipe(text("42"))), Rule("cook://shopping?/1", .shopping),
                Rule("cook://recipe/?id=1", .unknownRoute), Rule("cook://shopping?%zz", .shopping),
            ]
        ),
        (
            "a path that no pattern is leads nowhere",
            [
                Rule("cook://nothing", .unknownRoute), Rule("cook://recipe", .unknownRoute),
                Rule("cook://recipe/1/2", .unknownRoute), Rule("cook://shopping/1", .unknownRoute),
                Rule("cook://a/b/c/d/e/f/g/h/i/j", .unknownRoute),
                Rule("cook://shopp\u{131}ng", .unknownRoute), Rule("coo\u{212A}://shopping", .foreignScheme),
            ]
        ),
        (
            "a route says which parameters it takes",
            [
                Rule("cook://recipe/1/step/2", .step(recipe: text("1"), number: 2)),
                Rule("cook://recipe/1/step/two", .invalidParameter(route: "step")),
                Rule("cook://recipe/1/step/02", .invalidParameter(route: "step")),
                Rule("cook://recipe/1/step/0", .invalidParameter(route: "step")),
                Rule("cook://recipe/1/step/٢", .invalidParameter(route: "step")),
            ]
        ),
        (
            "a path of earlier still leads there",
            [Rule("cook://r/42", .recipe(text("42"))), Rule("https://cook.example/r/42", .recipe(text("42")))]
        ),
    ]

    @Test("The rules", arguments: rules.indices)
    func rule(index: Int) {
        let (name, rules) = Self.rules[index]
        for rule in rules {
            let expected = rule.route.map { LinkReading.route($0) } ?? rule.refusal.map { .refused($0) }
            #expect(links.read(rule.link) == expected, "\(name): \(rule.link)")
        }
    }

    @Test("A component has at most 256 bytes, a link 8,192")
    func lengths() {
        let longest = String(repeating: "x", count: 256)
        #expect(links.read("cook://recipe/\(longest)") == .route(.recipe(text(longest))))
        #expect(links.read("cook://recipe/\(longest)x") == .refused(.longComponent))
        let start = "cook://shopping?"
        #expect(links.read(start + String(repeating: "x", count: 8_192 - start.utf8.count)) == .route(.shopping))
        #expect(links.read(start + String(repeating: "x", count: 8_193 - start.utf8.count)) == .refused(.tooLong))
        #expect(links.read("cook://recipe/" + String(repeating: "x", count: 10_000)) == .refused(.tooLong))
    }

    @Test("A million characters are refused, whatever they are")
    func million() {
        for piece in ["x", "/", "%", "%2F", "../", "é", "👨‍👩‍👧", "\n"] {
            let link = "cook://recipe/" + String(repeating: piece, count: 1_000_000 / piece.utf8.count)
            #expect(links.read(link) == .refused(.tooLong))
        }
    }

    @Test("A link to any route is read as that route, in both forms, and is written in one way")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<5_000 {
            let route = CookRoute.random(using: &generator)
            let link = try #require(links.link(to: route))
            let webLink = try #require(links.webLink(to: route))
            #expect(links.read(link) == .route(route), "\(link)")
            #expect(links.read(webLink) == .route(route), "\(webLink)")
            let isPlain = (link + webLink).utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }
            #expect(isPlain, "\(link)")
        }
        #expect(links.link(to: .recipe(text("a/b %é"))) == "cook://recipe/a%2Fb%20%25%C3%A9")
        #expect(links.webLink(to: .recipes) == "https://cook.example/recipes")
    }

    @Test("Texts that only look alike are different routes, and stay so through a link")
    func bytes() throws {
        let composed = CookRoute.recipe(text("\u{E9}"))
        let decomposed = CookRoute.recipe(text("e\u{301}"))
        #expect(composed != decomposed)
        #expect(links.link(to: composed) != links.link(to: decomposed))
        let link = try #require(links.link(to: decomposed))
        #expect(links.read(link) == .route(decomposed))
    }

    @Test("The longest route that a table can have fits a link")
    func longest() throws {
        enum LongRoute: AppRoute {
            enum Tab: String, AppTab {
                case only
                var symbol: String { "circle" }
                var label: LocalizedText { ["en": "Only"] }
            }
            case root, deep([RouteText])
        }
        let host = String(repeating: "h", count: 253)
        let word = String(repeating: "w", count: 64)
        let table = try RouteTable<LongRoute>([
            RouteEntry("root", .root, at: "root", as: .root, in: .only),
            RouteEntry("deep", at: word + "/:a/:b/:c/:d/:e/:f/:g", as: .push, in: .only, make: { .deep($0) }) {
                if case .deep(let texts) = $0 { texts } else { nil }
            },
        ])
        let links = try LinkFormat(table, scheme: String(repeating: "s", count: 64), hosts: [host])
        let route = LongRoute.deep(Array(repeating: text(String(repeating: "/", count: 256)), count: 7))
        let webLink = try #require(links.webLink(to: route))
        #expect(links.read(webLink) == .route(route))
        let link = try #require(links.link(to: route))
        #expect(links.read(link) == .route(route))
    }

    @Test("What a changed link is read as is written so that it is read as the same again")
    func mutations() throws {
        var generator = SeededGenerator(seed: 2)
        let pieces = [
            "/", "%", "%2F", "%25", "%C3", "..", "?", "#", ":", "@", "\u{301}", " ", "x", "//", "cook", "\u{0}",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let route = CookRoute.random(using: &generator)
            let isWeb = Bool.random(using: &generator)
            var link = Array(try #require(isWeb ? links.webLink(to: route) : links.link(to: route)).unicodeScalars)
            for _ in 0..<Int.random(in: 1...2, using: &generator) where !link.isEmpty {
                let place = Int.random(in: 0..<link.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: link.remove(at: place)
                case 1:
                    link.insert(
                        contentsOf: try #require(pieces.randomElement(using: &generator)).unicodeScalars, at: place)
                case 2: link.swapAt(place, Int.random(in: 0..<link.count, using: &generator))
                default: link.removeSubrange(place...)
                }
            }
            var changed = String.UnicodeScalarView()
            changed.append(contentsOf: link)
            guard case .route(let route) = links.read(String(changed)) else { continue }
            read += 1
            let canonical = try #require(links.link(to: route))
            #expect(links.read(canonical) == .route(route), "\(canonical)")
        }
        #expect((500...19_500).contains(read))
    }

    @Test("A scheme or a host that no link has is a mistake that is told")
    func setup() throws {
        let table = try CookRoute.table()
        for scheme in ["", "https", "http", "Cook", "1cook", "co ok", "cook:", "köch"] {
            #expect(throws: NavigationSetupError.self) { try LinkFormat(table, scheme: scheme) }
        }
        let error = try #require(throws: NavigationSetupError.self) {
            try LinkFormat(
                table, scheme: "http", hosts: ["", "Cook.example", "cook.example:80", "https://cook.example"])
        }
        #expect(error.flaws.map(\.subject) == ["scheme", "host", "host", "host", "host"])
        let own = try LinkFormat(table, scheme: "x-cook+2.0")
        #expect(own.link(to: .shopping) == "x-cook+2.0://shopping")
        #expect(own.webLink(to: .shopping) == nil)
        #expect(own.read("https://cook.example/shopping") == .refused(.foreignHost))
    }
}
