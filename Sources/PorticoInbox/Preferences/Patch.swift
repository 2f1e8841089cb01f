import Portico

/// What a change does to one value: leave it, take it away, or give it another.
///
/// In a merge patch (RFC 7396) an absent member keeps and null clears. An optional holds only two of the three.
///
/// ```swift
/// var changes = PreferencesPatch()
/// changes.quietHours = .clear
/// changes.channels["push"] = false
/// ```
public enum Patch<Value: Sendable>: Sendable {
    /// The value stays as it is.
    case keep
    /// The value goes.
    case clear
    /// The value becomes this one.
    case set(Value)
}

extension Patch: Equatable where Value: Equatable {}
extension Patch: Hashable where Value: Hashable {}

extension JSONValue {
    /// This value after a merge patch (RFC 7396 §2).
    package func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        // Whatever is no object is taken for an empty one.
        var result = objectValue ?? JSONObject()
        for change in changes {
            if change.value.isNull {
                result[change.name] = nil
            } else {
                result[change.name] = (result[change.name] ?? .null).merging(change.value)
            }
        }
        return .object(result)
    }
}

extension JSONObject {
    /// Puts a change into a merge patch under a name.
    mutating func put<Value>(_ patch: Patch<Value>, as name: String, _ json: (Value) -> JSONValue) {
        switch patch {
        case .keep: break
        case .clear: self[name] = .null
        case .set(let value): self[name] = json(value)
        }
    }
}
