extension HTTPResponse {
    /// How long the server asks to wait, in milliseconds: seconds, or a date, which counts from the response's own
    /// `Date` because the device's clock may be wrong (RFC 9110 §10.2.3); nil where it cannot be told.
    package var retryAfter: Int64? {
        guard let text = field("Retry-After") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // More digits than any number holds stand for a very long time.
            return min(Int64(text) ?? .max, 1_000_000_000) * 1_000
        }
        guard let moment = HTTPDate.seconds(text), let now = field("Date").flatMap({ HTTPDate.seconds($0) }) else {
            return nil
        }
        return max(0, moment - now) * 1_000
    }

    /// The problem document (RFC 9457 §3.1) that says what is wrong; nil where there is none, as from a proxy.
    package var problem: JSONValue? {
        do {
            return try JSONValue(parsing: body)
        } catch {
            // The status alone has to do.
            return nil
        }
    }

    /// What the server says is wrong: `detail` or `title` of its problem document, on one line; nil where there is none.
    package var explanation: String? {
        let problem = problem
        return (problem?["detail"]?.stringValue ?? problem?["title"]?.stringValue).map(oneLine)
    }
}

/// A text from elsewhere as a part of a message: on one line, at most 300 bytes.
package func oneLine(_ text: String) -> String {
    String(decoding: text.utf8.prefix(300).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
}
