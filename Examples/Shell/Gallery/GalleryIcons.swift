import Portico

extension Gallery {
    /// Pictures of 24 by 24 in the colour of the text around them.
    static let icons: [(name: String, paths: String)] = [
        (
            "dashboard",
            #"<rect x="4" y="4" width="7" height="9" rx="2"/><rect x="13" y="4" width="7" height="5" rx="2"/>"#
                + #"<rect x="13" y="12" width="7" height="8" rx="2"/><rect x="4" y="16" width="7" height="4" rx="2"/>"#
        ),
        ("services", #"<path d="M12 3.5 20.5 8 12 12.5 3.5 8zM3.5 12 12 16.5 20.5 12M3.5 16 12 20.5 20.5 16"/>"#),
        ("alerts", #"<path d="M6 10a6 6 0 0 1 12 0c0 5 2 6.5 2 6.5H4S6 15 6 10zM10 20a2.2 2.2 0 0 0 4 0"/>"#),
        (
            "settings",
            #"<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>"#
        ),
        ("account", #"<circle cx="12" cy="8.5" r="4"/><path d="M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5"/>"#),
        ("forward", #"<path d="m9 5 7 7-7 7"/>"#),
        ("back", #"<path d="m15 5-7 7 7 7"/>"#),
    ]

    static func icon(_ name: String) -> String {
        let paths = icons.first { $0.name == name }?.paths ?? #"<circle cx="12" cy="12" r="7"/>"#
        return #"<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round""#
            + #" stroke-linejoin="round" aria-hidden="true">\#(paths)</svg>"#
    }

    /// The same for the script.
    static var iconTable: JSONValue {
        .object(JSONObject(icons.map { JSONObject.Member(name: $0.name, value: .string(icon($0.name))) }))
    }

    /// The mark before the name, in the colours of the theme.
    static let mark = """
        <svg viewBox="0 0 96 96" aria-hidden="true"><path fill="var(--color-brand-primary)"\
         d="M48 4 84 17v27c0 23-14 40-36 48C26 84 12 67 12 44V17Z"/><path fill="none" stroke="var(--color-bg-primary)"\
         stroke-width="8" stroke-linecap="round" stroke-linejoin="round" d="M31 48l12 12 22-25"/></svg>
        """
}
