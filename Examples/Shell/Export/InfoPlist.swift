import Terminal

/// What an app's Info.plist says so that links of its scheme reach it and its launch screen has the theme's background.
enum InfoPlist {
    /// - Parameters:
    ///   - scheme: The scheme of the app's links.
    ///   - identifier: What the scheme is registered as: the app's bundle identifier.
    ///   - color: The named colour behind the launch screen.
    ///   - image: The named image on it.
    /// - Throws: What is no scheme (RFC 3986 §3.1), and one that iOS keeps to itself.
    static func xml(scheme: String, identifier: String, color: String, image: String?) throws -> String {
        let bytes = Array(scheme.utf8)
        let rest = Array("+-.".utf8)
        guard let first = bytes.first, first.isLetterOrDigit, first > UInt8(ascii: "9"),
            bytes.allSatisfy({ $0.isLetterOrDigit || rest.contains($0) })
        else {
            throw Failure("\(scheme) is no scheme of URLs: a letter, then letters, digits, +, - or .")
        }
        guard !["http", "https", "file", "mailto", "tel", "sms"].contains(scheme.lowercased()) else {
            throw Failure("\(scheme) belongs to iOS: give the app a scheme of its own")
        }
        let screen = [("UIColorName", color)] + (image.map { [("UIImageName", $0)] } ?? [])
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>CFBundleURLTypes</key>
            \t<array>
            \t\t<dict>
            \t\t\t<key>CFBundleTypeRole</key>
            \t\t\t<string>Editor</string>
            \t\t\t<key>CFBundleURLName</key>
            \t\t\t<string>\(escaped(identifier))</string>
            \t\t\t<key>CFBundleURLSchemes</key>
            \t\t\t<array>
            \t\t\t\t<string>\(escaped(scheme))</string>
            \t\t\t</array>
            \t\t</dict>
            \t</array>
            \t<key>UILaunchScreen</key>
            \t<dict>
            \(screen.map { "\t\t<key>\($0)</key>\n\t\t<string>\(escaped($1))</string>" }.joined(separator: "\n"))
            \t</dict>
            </dict>
            </plist>

            """
    }

    private static func escaped(_ text: String) -> String { escapedMarkup(text) }
}

/// Text between tags, or within quotes: of XML 1.0 §2.4 and of HTML §13.1.2 alike.
func escapedMarkup(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result.append(contentsOf: "&amp;".unicodeScalars)
        case "<": result.append(contentsOf: "&lt;".unicodeScalars)
        case ">": result.append(contentsOf: "&gt;".unicodeScalars)
        case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
        case "'": result.append(contentsOf: "&#39;".unicodeScalars)
        default: result.append(scalar)
        }
    }
    return String(result)
}
