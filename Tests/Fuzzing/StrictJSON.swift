import Portico

/// JSON under the three sets of limits that the project reads with.
enum StrictJSON: FuzzTarget {
    static let name = "json"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let standard = try value(bytes, .standard)
        let configuration = try value(bytes, .configuration)
        let ticket = try value(bytes, .ticket)
        // Each set of limits is a part of the one before: what it takes means the same there.
        try hold(ticket == nil || ticket == configuration, "a ticket's JSON is not a configuration's")
        try hold(configuration == nil || configuration == standard, "a configuration's JSON is not a service's")
        return standard != nil
    }

    private static func value(_ bytes: [UInt8], _ limits: JSONLimits) throws -> JSONValue? {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: limits)
        } catch {
            try hold(0...bytes.count ~= error.offset, "the error is outside the text")
            return nil
        }
        try hold(try JSONValue(parsing: value.serialized(), limits: limits) == value, "written, it reads otherwise")
        let canonical = value.canonical()
        let again = try JSONValue(parsing: canonical, limits: limits)
        try hold(again.canonical() == canonical, "the canonical form has another canonical form")
        return value
    }
}
