import Portico
import PorticoShell
import Terminal

/// A page that shows a design: each token in each appearance, and the app's tabs in two frames that follow a link. It is
/// one file that asks nothing of any network.
enum Gallery {
    static func file(of design: DesignFile, _ sheet: DesignSheet, brand: String) throws -> OutputFile {
        let page = try page(
            of: sheet, pairs: design.system.contrast(), links: LinkTable(try ShieldRoute.links()), brand: brand)
        return OutputFile("gallery.html", page)
    }

    static func page(of sheet: DesignSheet, pairs: [ContrastPair], links: LinkTable, brand: String) throws -> String {
        let sections = [
            Section("app", "App", "In the app", appLead, app(links)),
            Section("colour", "Colour", "Colour", colourLead, colours(sheet)),
            Section("contrast", "Contrast", "Contrast", contrastLead, contrast(pairs)),
            Section("type", "Type", "Type", typeLead, type(sheet)),
            Section("spacing", "Spacing", "Spacing", spacingLead, spacing(sheet)),
            Section("shape", "Shape and motion", "Shape and motion", shapeLead, shapes(sheet)),
        ].filter { !$0.body.isEmpty }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="description" content="The design tokens of \(brand), in every appearance.">
            <title>\(brand) design system</title>
            <link rel="icon" href="data:,">
            <script>
            \(earlyScript)
            </script>
            <style id="tokens">
            \(try StyleSheet.text(of: sheet))</style>
            <style>
            :root { --line: color-mix(in srgb, var(--color-border) 32%, transparent); }
            @media (prefers-contrast: more) { :root { --line: var(--color-border); } }
            :root[data-contrast="more"] { --line: var(--color-border); }
            \(style)
            </style>
            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            \(bar(sections, brand: brand))
            <main id="content" tabindex="-1">
            \(hero(sheet, pairs, brand: brand))
            \(sections.map(\.html).joined(separator: "\n"))
            </main>
            <footer><p>Generated from the design tokens by <code>shell export</code>. Nothing on this page is written by
            hand but its words, and it loads nothing.</p></footer>
            <script type="application/json" id="links">\(embedded(links.json))</script>
            <script type="application/json" id="icons">\(embedded(iconTable))</script>
            <script>
            \(script)
            </script>
            </body>
            </html>

            """
    }

    /// A part of the page.
    private struct Section {
        let id: String
        let name: String
        let title: String
        let lead: String
        let body: String

        init(_ id: String, _ name: String, _ title: String, _ lead: String, _ body: String) {
            self.id = id
            self.name = name
            self.title = title
            self.lead = lead
            self.body = body
        }

        var html: String {
            """
            <section id="\(id)" aria-labelledby="\(id)-title">
            <div class="section-head"><h2 id="\(id)-title">\(title)</h2><p>\(lead)</p></div>
            \(body)
            </section>
            """
        }
    }

    /// JSON within an element of HTML: nothing in it may look like the end of one.
    static func embedded(_ value: JSONValue) -> String {
        String(decoding: value.serialized(), as: UTF8.self).split(separator: "<", omittingEmptySubsequences: false)
            .joined(separator: "\\u003c")
    }

    // MARK: Head

    private static func bar(_ sections: [Section], brand: String) -> String {
        let items = sections.map { "<li><a href=\"#\($0.id)\">\($0.name)</a></li>" }.joined()
        let theme = choice("theme", "Theme", [("light", "Light"), ("dark", "Dark"), ("system", "System")])
        let contrast = choice("contrast", "Contrast", [("system", "System contrast"), ("more", "More")])
        return """
            <header class="bar"><div class="bar-inner">
            <div class="wordmark">\(mark)<span>\(brand)</span></div>
            <nav aria-label="Sections"><ul>\(items)</ul></nav>
            <div class="switches">\(theme)\(contrast)</div>
            </div></header>
            """
    }

    private static func choice(_ name: String, _ title: String, _ options: [(value: String, label: String)]) -> String {
        let inputs = options.map { value, label in
            "<label><input type=\"radio\" name=\"\(name)\" value=\"\(value)\"\(value == "system" ? " checked" : "")>"
                + "<span>\(label)</span></label>"
        }
        return
            "<fieldset class=\"switch\"><legend class=\"visually-hidden\">\(title)</legend>\(inputs.joined())</fieldset>"
    }

    private static func hero(_ sheet: DesignSheet, _ pairs: [ContrastPair], brand: String) -> String {
        let passing = pairs.count(where: \.passes)
        let facts = [
            ("tokens", "\(sheet.entries.count)"), ("appearances", "\(Appearance.allCases.count)"),
            ("pairs of colours that pass WCAG 2.2", "\(passing) of \(pairs.count)"),
        ]
        let mosaic = sheet.colors.prefix(16).map { entry in
            "<span style=\"background:var(\(StyleSheet.property(entry.path)))\"></span>"
        }
        return """
            <div class="hero">
            <div class="hero-text">
            <h1>\(brand) design system</h1>
            <p>One file of tokens says what the app looks like: in light and in dark, and with more contrast for whoever
            asks for it. This page, the app’s colours and its type are written from that file.</p>
            <dl class="facts">\(facts.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>" }.joined())</dl>
            </div>
            <div class="mosaic" aria-hidden="true">\(mosaic.joined())</div>
            </div>
            """
    }

    // MARK: App

    private static let appLead = """
        Five tabs, each with a path of its own. A link sets both, wherever the reader was before. Open one below, or write \
        it behind the # in the address of this page.
        """

    private static func app(_ links: LinkTable) -> String {
        let examples = links.examples.map { "<li><a href=\"#/\($0)\"><code>\($0)</code></a></li>" }.joined()
        return """
            <form class="linkbar" id="open">
            <div class="field"><label for="link">Link</label>
            <input id="link" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false"
            value="\(links.scheme)://\(links.examples.first ?? "")"></div>
            <button class="button" type="submit">Open</button>
            </form>
            <ul class="examples" aria-label="Links to try">\(examples)</ul>
            <p class="where" id="where" role="status"></p>
            <div class="devices">
            \(device("phone", "Phone", links))
            \(device("tablet", "Tablet", links))
            </div>
            """
    }

    private static func device(_ id: String, _ title: String, _ links: LinkTable) -> String {
        let tabs = links.tabs.enumerated().map { index, tab in
            """
            <button type="button" role="tab" id="\(id)-tab-\(tab.id)" data-tab="\(tab.id)" aria-controls="\(id)-screen" \
            aria-selected="\(index == 0)" tabindex="\(index == 0 ? 0 : -1)">\(icon(tab.id))<span>\(tab.title)</span></button>
            """
        }
        let orientation = id == "tablet" ? "vertical" : "horizontal"
        let list = """
            <div class="tabs" id="\(id)-tabs" role="tablist" aria-label="\(title)" aria-orientation="\(orientation)">
            \(tabs.joined(separator: "\n"))
            </div>
            """
        let screen = """
            <div class="screen" id="\(id)-screen" role="tabpanel" tabindex="0"
            aria-labelledby="\(id)-tab-\(links.tabs.first?.id ?? "")"></div>
            """
        let status = "<div class=\"status\" aria-hidden=\"true\"><span>9:41</span><span>5G</span></div>"
        let inside = id == "phone" ? [status, screen, list] : [list, screen]
        return """
            <div class="device \(id)">
            <h3>\(title)</h3>
            <div class="frame">
            \(inside.joined(separator: "\n"))
            </div>
            </div>
            """
    }
}
