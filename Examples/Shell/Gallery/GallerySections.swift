import PorticoShell

extension Gallery {
    // MARK: Colour

    static let colourLead = """
        Named for what they do, not for how they look. The left half of a card is light, the right half dark; the narrow \
        strip below is the same with increased contrast. Beside each value stands its contrast on bgPrimary.
        """

    static func colours(_ sheet: DesignSheet) -> String {
        let groups: [(title: String, prefixes: [String])] = [
            ("Brand", ["brand"]), ("Background", ["bg"]), ("Text", ["text"]), ("Lines and status", [""]),
        ]
        var left = sheet.colors
        let cards = groups.map { group -> String in
            let entries = left.filter { entry in group.prefixes.contains { entry.leaf.hasPrefix($0) } }
            left.removeAll { entry in entries.contains { $0.name == entry.name } }
            guard !entries.isEmpty else { return "" }
            return "<h3>\(group.title)</h3>\n<ul class=\"swatches\">\n"
                + entries.map { swatch($0, on: sheet["color.bgPrimary"]) }.joined(separator: "\n") + "\n</ul>"
        }
        return (cards + [primitives(sheet)]).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func swatch(_ entry: DesignSheet.Entry, on background: DesignSheet.Entry?) -> String {
        let values = Appearance.allCases.map { appearance in
            (appearance, entry.color(in: appearance)?.hex ?? "")
        }
        let chips = values.map { "<span style=\"background:\($1)\"></span>" }.joined()
        let rows = values.map { appearance, css in
            let front = entry.color(in: appearance)
            let back = background?.color(in: appearance)
            let ratio = front.flatMap { front in back.map { "\(front.contrast(on: $0))" } } ?? ""
            return "<div><dt>\(capitalized(appearance.title))</dt><dd><code>\(css)</code></dd>"
                + "<dd class=\"number\">\(ratio)</dd></div>"
        }
        let about = entry.description.map { "<p class=\"swatch-about\">\(escapedMarkup($0))</p>" } ?? ""
        return """
            <li class="swatch" data-token="\(escapedMarkup(entry.name))">
            <div class="chips" aria-hidden="true">\(chips)</div>
            <div class="swatch-body"><p class="swatch-name">\(escapedMarkup(entry.leaf))</p>\(about)
            <dl class="values">\(rows.joined())</dl>
            <code class="property">\(StyleSheet.property(entry.path))</code></div>
            </li>
            """
    }

    /// The colours that the named ones are made of: those that are the same everywhere by their families, and those that
    /// stand between the families and the roles.
    private static func primitives(_ sheet: DesignSheet) -> String {
        let entries = sheet.entries.filter { $0.path.first != "color" && $0.color(in: Appearance()) != nil }
        var families: [(name: String, entries: [DesignSheet.Entry])] = []
        for entry in entries {
            let name = entry.path.count > 1 ? entry.path[entry.path.count - 2] : entry.leaf
            if let index = families.firstIndex(where: { $0.name == name }) {
                families[index].entries.append(entry)
            } else {
                families.append((name, [entry]))
            }
        }
        guard !families.isEmpty else { return "" }
        let ramps = families.map { family in
            "<h4>\(escapedMarkup(family.name))</h4>\n<ul class=\"ramp\">\(family.entries.map(step).joined())</ul>"
        }
        return """
            <details class="primitives"><summary>What they are made of: \(entries.count) primitives</summary>
            <h3>Primitives</h3>
            \(ramps.joined(separator: "\n"))
            </details>
            """
    }

    private static func step(_ entry: DesignSheet.Entry) -> String {
        let light = entry.color(in: Appearance())?.hex ?? ""
        let dark = entry.color(in: Appearance(isDark: true))?.hex ?? ""
        let background = light == dark ? light : "linear-gradient(90deg, \(light) 50%, \(dark) 50%)"
        let values = light == dark ? light : "\(light) \(dark)"
        return "<li data-token=\"\(escapedMarkup(entry.name))\"><span style=\"background:\(background)\"></span>"
            + "\(escapedMarkup(entry.leaf)) <code>\(values)</code></li>"
    }

    // MARK: Contrast

    static let contrastLead = """
        Every pair that is seen together, by the ratio of WCAG 2.2: 4.5 for text and 7 where more contrast is asked for, \
        3 for lines and status. A ratio is cut off after two places and never rounded up.
        """

    static func contrast(_ pairs: [ContrastPair]) -> String {
        var order: [[ColorRole]] = []
        for pair in pairs where !order.contains([pair.foreground, pair.background]) {
            order.append([pair.foreground, pair.background])
        }
        guard !order.isEmpty else { return "" }
        let body = order.map { roles -> String in
            let group = pairs.filter { [$0.foreground, $0.background] == roles }
            let cells = Appearance.allCases.map { appearance in
                cell(group.first { $0.appearance == appearance })
            }
            let names = roles.map { StyleSheet.property(["color", $0.rawValue]) }
            // What is no text is shown as what it is: a ring, which three to one are enough for.
            let inside = roles[0].rawValue.hasPrefix("text") ? "Aa" : "<i></i>"
            let sample = """
                <span class="sample" aria-hidden="true" style="color:var(\(names[0]));background:var(\(names[1]))">\(inside)</span>
                """
            return
                "<tr><th scope=\"row\"><span class=\"pair\">\(sample)\(roles[0].rawValue) on \(roles[1].rawValue)</span></th>"
                + cells.joined() + "</tr>"
        }
        let heads = Appearance.allCases.map { "<th scope=\"col\">\(capitalized($0.title))</th>" }
        return """
            <div class="table-wrap" role="region" aria-label="Contrast of every pair" tabindex="0">
            <table><thead><tr><th scope="col">Pair</th>\(heads.joined())</tr></thead>
            <tbody>
            \(body.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    private static func cell(_ pair: ContrastPair?) -> String {
        guard let pair else { return "<td>not used</td>" }
        return pair.passes
            ? "<td>\(pair.contrast)</td>" : "<td class=\"fails\">\(pair.contrast), needs \(decimal(pair.need))</td>"
    }

    // MARK: Type

    static let typeLead = """
        Five steps. Each is tied to a text style of the system, so that it grows with the size that a reader has chosen.
        """

    static func type(_ sheet: DesignSheet) -> String {
        let styles = sheet.entries.compactMap { entry -> (DesignSheet.Entry, Typography)? in
            if case .typography(let type)? = entry.value { (entry, type) } else { nil }
        }.sorted { $0.1.size.points > $1.1.size.points }
        guard !styles.isEmpty else { return "" }
        let items = styles.map { entry, type -> String in
            let property = StyleSheet.property(entry.path)
            let size =
                type.size.unit == .rem
                ? "\(StyleSheet.text(type.size)), \(decimal(type.size.points)) points"
                : "\(decimal(type.size.points)) points"
            return """
                <li><p class="meta"><strong>\(escapedMarkup(entry.leaf))</strong>\(size)<br>weight \
                \(decimal(type.weight)), line \(decimal(type.lineHeight))<br><code>\(property)</code></p>
                <p class="text" data-token="\(escapedMarkup(entry.name))" \
                style="font:var(\(property));letter-spacing:var(\(property)-spacing)">Know at a glance what is protected</p></li>
                """
        }
        return "<ul class=\"specimens\">\n\(items.joined(separator: "\n"))\n</ul>" + fonts(sheet)
    }

    /// What the steps are put together from.
    private static func fonts(_ sheet: DesignSheet) -> String {
        let items = sheet.entries.compactMap { entry -> String? in
            let style: String
            switch entry.value {
            case .fontFamily: style = "font-family:var(\(StyleSheet.property(entry.path)))"
            case .fontWeight: style = "font-weight:var(\(StyleSheet.property(entry.path)))"
            default: return nil
            }
            let value = entry.value.map { escapedMarkup(StyleSheet.text($0)) } ?? ""
            return shape(entry, "<span class=\"glyphs\" aria-hidden=\"true\" style=\"\(style)\">Ag 123</span>", value)
        }
        return items.isEmpty ? "" : "\n<h3>Families and weights</h3>\n<ul class=\"shapes\">\(items.joined())</ul>"
    }

    // MARK: Spacing

    static let spacingLead = "The distances between things, and no others."

    static func spacing(_ sheet: DesignSheet) -> String {
        let steps = lengths(sheet).filter { $0.0.path.first == "spacing" }
        guard !steps.isEmpty else { return "" }
        let items = steps.map { entry, length -> String in
            let property = StyleSheet.property(entry.path)
            let block = "<span class=\"block\" style=\"width:var(\(property))\"></span>"
            return
                "<li data-token=\"\(escapedMarkup(entry.name))\">\(block)<strong>\(escapedMarkup(entry.leaf))</strong>"
                + "\(decimal(length.points)) pt<br><code>\(property)</code></li>"
        }
        return "<ul class=\"steps\">\n\(items.joined(separator: "\n"))\n</ul>"
    }

    private static func lengths(_ sheet: DesignSheet) -> [(DesignSheet.Entry, Dimension)] {
        sheet.entries.compactMap { entry in
            if case .dimension(let length)? = entry.value { (entry, length) } else { nil }
        }
    }

    // MARK: Shape and motion

    static let shapeLead = """
        Corners, elevation and time. Whoever has asked the system for less motion sees none of it move.
        """

    static func shapes(_ sheet: DesignSheet) -> String {
        let corners = lengths(sheet).filter { $0.0.path.first != "spacing" }.map { entry, length in
            shape(
                entry, "<span class=\"shape\" style=\"border-radius:var(\(StyleSheet.property(entry.path)))\"></span>",
                "\(decimal(length.points)) pt")
        }
        let shadows = sheet.entries.compactMap { entry -> String? in
            guard case .shadow? = entry.value else { return nil }
            let style = "box-shadow:var(\(StyleSheet.property(entry.path)))"
            return shape(entry, "<span class=\"shape lifted\" style=\"\(style)\"></span>", "")
        }
        let motion = sheet.entries.compactMap { entry -> String? in
            let property = StyleSheet.property(entry.path)
            switch entry.value {
            case .duration(let milliseconds):
                return runner(entry, "transition-duration:var(\(property))", "\(decimal(milliseconds)) ms")
            case .cubicBezier: return runner(entry, "transition-timing-function:var(\(property))", "curve")
            case .transition(let duration, _, _):
                return runner(entry, "transition:inset-inline-start var(\(property))", "\(decimal(duration)) ms")
            default: return nil
            }
        }
        let others = sheet.entries.compactMap { entry -> String? in
            switch entry.value {
            case .number, .strokeStyle, .border, .gradient:
                shape(entry, "", entry.value.map { escapedMarkup(StyleSheet.text($0)) } ?? "")
            default: nil
            }
        }
        return [
            ("Corners and lengths", corners), ("Elevation", shadows), ("Motion", motion), ("Lines and numbers", others),
        ].filter { !$0.1.isEmpty }
            .map { "<h3>\($0)</h3>\n<ul class=\"shapes\">\n\($1.joined(separator: "\n"))\n</ul>" }
            .joined(separator: "\n")
    }

    private static func runner(_ entry: DesignSheet.Entry, _ style: String, _ note: String) -> String {
        let track =
            "<span class=\"shape track\" tabindex=\"0\" role=\"img\" aria-label=\"\(escapedMarkup(entry.leaf)), shown\">"
        return shape(entry, "\(track)<span class=\"runner\" style=\"\(style)\"></span></span>", note)
    }

    private static func shape(_ entry: DesignSheet.Entry, _ picture: String, _ note: String) -> String {
        "<li data-token=\"\(escapedMarkup(entry.name))\">\(picture)<strong>\(escapedMarkup(entry.leaf))</strong>"
            + (note.isEmpty ? "" : "\(note)<br>") + "<code>\(StyleSheet.property(entry.path))</code></li>"
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
