import Portico
import PorticoShell
import Terminal

/// `shell links check`: what links lead to in the app, by the table that the app itself reads them with.
enum LinksCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let links = try ShieldRoute.links()
        let readings = arguments.positional.map { Reading($0, by: links) }
        for reading in readings {
            terminal.say(
                arguments.has("json")
                    ? jsonLine(reading.json)
                    : terminal.coloured(reading.isRoute ? "✓" : "✗", reading.isRoute ? .green : .red)
                        + " \(reading.text)")
        }
        return readings.allSatisfy(\.isRoute) ? ExitCode.success : ExitCode.failure
    }

    /// What a link is.
    struct Reading {
        private let link: String
        private let place: Place?
        private let refusal: String?

        private struct Place {
            let form: RouteForm
            let presentation: RoutePresentation
            let tab: String?
            let access: RouteAccess
            let canonical: String?
        }

        var isRoute: Bool { place != nil }

        init<Route: AppRoute>(_ link: String, by links: LinkFormat<Route>) {
            self.link = link
            switch links.read(link) {
            case .refused(let refusal):
                place = nil
                self.refusal = refusal.description
            case .route(let route):
                guard let form = links.table.form(of: route), let entry = links.table.entry(of: route) else {
                    place = nil
                    refusal = "route refused: it is in no entry of the table"
                    return
                }
                refusal = nil
                place = Place(
                    form: form, presentation: entry.presentation, tab: entry.tab?.rawValue, access: entry.access,
                    canonical: links.link(to: route))
            }
        }

        var text: String {
            guard let place else { return "\(inert(link))\n    \(refusal ?? "")" }
            let parameters = place.form.parameters.map { "\($0.name) = \($0.text)" }
            let details = [
                place.form.name + (parameters.isEmpty ? "" : "(\(parameters.joined(separator: ", ")))"),
                place.tab.map { "tab \($0)" }, Self.words(place.presentation), Self.words(place.access),
                place.canonical == link ? nil : place.canonical.map { "written as \($0)" },
            ]
            return "\(inert(link))\n    \(inert(details.compactMap(\.self).joined(separator: ", ")))"
        }

        var json: JSONValue {
            guard let place else { return ["link": .string(link), "refused": .string(refusal ?? "")] }
            let parameters = place.form.parameters.map { parameter in
                JSONObject.Member(name: parameter.name, value: .string(parameter.text.text))
            }
            return [
                "link": .string(link), "route": .string(place.form.name), "parameters": .object(JSONObject(parameters)),
                "tab": place.tab.map { .string($0) } ?? .null, "presentation": .string(place.presentation.rawValue),
                "access": .string(place.access.rawValue),
                "canonical": place.canonical.map { .string($0) } ?? .null,
            ]
        }

        private static func words(_ presentation: RoutePresentation) -> String {
            switch presentation {
            case .root: "the root of its tab"
            case .push: "on the stack of its tab"
            case .sheet: "as a sheet"
            case .front: "in place of the tabs"
            }
        }

        private static func words(_ access: RouteAccess) -> String {
            switch access {
            case .everyone: "for everyone"
            case .signedIn: "for who is signed in"
            case .signedOut: "for who is signed out"
            }
        }
    }
}
