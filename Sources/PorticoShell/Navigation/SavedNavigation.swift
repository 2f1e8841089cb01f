import Portico

/// What became of a saved state.
public enum NavigationRestoration: Sendable, Hashable {
    /// There was none.
    case nothing
    /// It was taken whole.
    case whole
    /// It was taken, but for what this version does not know: so many positions or tabs.
    case partly(dropped: Int)
    /// Nothing of it was taken; the text says why, without its content.
    case refused(String)
}

/// Writes a navigation as a versioned list of stable names, and reads what any version wrote.
///
/// ```
/// {"version":1,"selected":"alerts",
///  "tabs":[{"tab":"alerts","stack":[{"route":"alertDetail","parameters":{"id":"123"}}]}],
///  "sheets":[{"route":"profile","parameters":{}}]}
/// ```
/// A later version may add members; one that changes the meaning of these takes another number.
struct SavedNavigation<Route: AppRoute>: Sendable {
    static var version: Int64 { 1 }
    static var maximumBytes: Int { 1 << 20 }
    /// How many positions of a stack are kept, from the root on, and how many sheets.
    static var maximumDepth: Int { 32 }
    static var maximumSheets: Int { 8 }

    private let table: RouteTable<Route>
    private let limits = JSONLimits(
        maximumDepth: 8, maximumMembers: 20_000, maximumBytes: Self.maximumBytes, numbers: .any, names: .any,
        allowsNoncharacters: true)

    init(_ table: RouteTable<Route>) {
        self.table = table
    }

    // MARK: Writing

    func bytes(of state: NavigationState<Route>) -> [UInt8] {
        let tabs = Route.Tab.allCases.compactMap { tab -> JSONValue? in
            let stack = state.stack(of: tab).prefix(Self.maximumDepth).compactMap { json($0.route) }
            return stack.isEmpty ? nil : ["tab": .string(tab.rawValue), "stack": .array(stack)]
        }
        let sheets = state.sheets.prefix(Self.maximumSheets).compactMap { json($0.route) }
        let selection: JSONObject = [
            "version": .integer(Self.version), "selected": .string(state.selectedTab.rawValue),
        ]
        var whole = selection
        whole["tabs"] = .array(tabs)
        whole["sheets"] = .array(sheets)
        let bytes = JSONValue.object(whole).serialized()
        // Many tabs full of long texts: the selection alone is worth more than what could not be read again.
        return bytes.count <= Self.maximumBytes ? bytes : JSONValue.object(selection).serialized()
    }

    private func json(_ route: Route) -> JSONValue? {
        table.form(of: route).map { form in
            let parameters = form.parameters.map { JSONObject.Member(name: $0.name, value: .string($0.text.text)) }
            return ["route": .string(form.name), "parameters": .object(JSONObject(parameters))]
        }
    }

    // MARK: Reading

    /// Puts what was saved into a state at its beginning.
    func restore(_ bytes: [UInt8], into state: inout NavigationState<Route>) -> NavigationRestoration {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes, limits: limits)
        } catch {
            return .refused("saved navigation refused: \(error)")
        }
        guard let version = json["version"]?.integerValue else {
            return .refused("saved navigation refused: it has no version")
        }
        guard version == Self.version else {
            return .refused("saved navigation refused: version \(version), and this app reads \(Self.version)")
        }
        var dropped = 0
        if let selected = json["selected"] {
            if let tab = selected.stringValue.flatMap(Route.Tab.named) { state.selectedTab = tab } else { dropped += 1 }
        }
        var seen: Set<Route.Tab> = []
        for element in json["tabs"]?.arrayValue ?? [] {
            guard let tab = element["tab"]?.stringValue.flatMap(Route.Tab.named), seen.insert(tab).inserted else {
                dropped += 1
                continue
            }
            let stack = routes(element["stack"], as: .push, most: Self.maximumDepth, &dropped)
            state.setStack(stack.map { state.place($0) }, of: tab)
        }
        state.sheets = routes(json["sheets"], as: .sheet, most: Self.maximumSheets, &dropped).map { state.place($0) }
        return dropped == 0 ? .whole : .partly(dropped: dropped)
    }

    private func routes(
        _ json: JSONValue?, as presentation: RoutePresentation, most: Int, _ dropped: inout Int
    ) -> [Route] {
        let elements = json?.arrayValue ?? []
        let routes = elements.prefix(most).compactMap { route($0, as: presentation) }
        dropped += elements.count - routes.count
        return routes
    }

    private func route(_ json: JSONValue, as presentation: RoutePresentation) -> Route? {
        guard let name = json["route"]?.stringValue, let parameters = json["parameters"]?.objectValue else {
            return nil
        }
        let texts = parameters.members.compactMap { member in
            member.value.stringValue.flatMap { RouteText($0) }.map {
                RouteForm.Parameter(name: member.name, text: $0)
            }
        }
        guard texts.count == parameters.count,
            let route = table.route(of: RouteForm(name: name, parameters: texts)),
            table.entry(of: route)?.presentation == presentation
        else { return nil }
        return route
    }
}
