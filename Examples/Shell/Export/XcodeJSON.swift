import Portico

extension JSONValue {
    /// As Xcode writes a Contents.json, byte for byte, so that opening a catalogue in Xcode changes no file: members
    /// sorted by name, two spaces a level, a space before the colon as well, a line feed at the end.
    var xcodeJSON: String { xcodeLines(indentation: "") + "\n" }

    private func xcodeLines(indentation: String) -> String {
        let inner = indentation + "  "
        switch self {
        case .object(let object) where !object.isEmpty:
            let members = object.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map { member in
                "\(inner)\(JSONValue.string(member.name).compact) : \(member.value.xcodeLines(indentation: inner))"
            }
            return "{\n" + members.joined(separator: ",\n") + "\n\(indentation)}"
        case .array(let elements) where !elements.isEmpty:
            return "[\n" + elements.map { inner + $0.xcodeLines(indentation: inner) }.joined(separator: ",\n")
                + "\n\(indentation)]"
        default: return compact
        }
    }

    private var compact: String { String(decoding: serialized(), as: UTF8.self) }

    /// What each Contents.json says of who wrote it. Apple's reference asks for a bundle ID; Xcode writes its own name,
    /// and would write it over ours at its first change.
    static let xcodeInfo: JSONValue = ["author": "xcode", "version": 1]
}
