#if Curl && os(Linux)
import Portico

extension HTTPRequest {
    /// Fields that frame the message or belong to the connection: the transport writes them itself, and a second
    /// opinion on where a message ends is how requests are smuggled (RFC 9112 §11.2).
    private static let framingFields = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Refuses what would not be one HTTP message; nothing has been sent then.
    func checkFraming() throws(NetworkError) {
        guard method.isToken else { throw .protocolViolation("the method is no token") }
        guard method != "CONNECT" else { throw .protocolViolation("CONNECT makes a tunnel, not a request") }
        if method == "HEAD" && body != nil { throw .protocolViolation("a HEAD request with a body") }
        for (index, field) in fields.enumerated() {
            // Neither name nor value is repeated: they may be secrets put in the wrong place.
            guard field.name.isToken else { throw .protocolViolation("the name of field \(index + 1) is no token") }
            guard field.isWellFormed else {
                throw .protocolViolation("the value of \(field.name) has control characters")
            }
            if Self.framingFields.contains(field.name.asciiLowercased) {
                throw .protocolViolation("\(field.name) is the transport's own field")
            }
        }
    }

    /// Whether the request has a field of that name, given in lower case.
    func hasField(_ lowercasedName: String) -> Bool {
        fields.contains { $0.name.asciiLowercased == lowercasedName }
    }
}

extension HTTPField {
    /// Whether name and value are what RFC 9110 §5.1 and §5.5 allow; of the control characters only the tab.
    var isWellFormed: Bool {
        name.isToken && value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }
}

extension String {
    /// Whether it is a token (RFC 9110 §5.6.2).
    var isToken: Bool {
        !isEmpty && utf8.allSatisfy(\.isTokenCharacter)
    }

    /// The text with A to Z in lower case, every other byte as it is.
    var asciiLowercased: String {
        String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
#endif
