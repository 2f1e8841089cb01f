import Portico

/// Text from a ticket, a file or a server, made inert: nothing in it moves a cursor, changes a direction or hides.
package func inert(_ text: String) -> String {
    escaping(text) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
}

/// A value as one line of JSON, inert as well: JSON has an escape for every character, so that nothing is lost.
package func jsonLine(_ value: JSONValue) -> String {
    escaping(String(decoding: value.serialized(), as: UTF8.self)) { scalar in
        // RFC 8259 §7: beyond U+FFFF as the two halves of UTF-16.
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

private func escaping(_ text: String, as escape: (Unicode.Scalar) -> String) -> String {
    guard text.unicodeScalars.contains(where: \.isHidden) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if scalar.isHidden {
            result.append(contentsOf: escape(scalar).unicodeScalars)
        } else {
            result.append(scalar)
        }
    }
    return String(result)
}
