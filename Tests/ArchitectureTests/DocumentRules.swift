/// What is checked of the project's own Markdown.
enum DocumentRules {
    /// Links to files that are not there.
    ///
    /// - Parameters:
    ///   - documents: The texts, by path relative to the root.
    ///   - exists: Whether a path relative to the root is a file or a folder of the project.
    static func deadLinks(_ documents: [String: String], exists: (String) -> Bool) -> [Finding] {
        documents.sorted { $0.key < $1.key }.flatMap { path, text -> [Finding] in
            let anchors = documents.mapValues(anchors)
            return links(in: text).compactMap { line, target in
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let file = parts[0].isEmpty ? path : resolve(String(parts[0]), from: path)
                guard exists(file) else { return Finding(path, line, "the link to \(target) leads nowhere") }
                guard parts.count > 1, let known = anchors[file] else { return nil }
                return known.contains(String(parts[1]))
                    ? nil : Finding(path, line, "\(file) has no heading #\(parts[1])")
            }
        }
    }

    /// The relative links of a document, outside code, with their lines.
    static func links(in text: String) -> [(line: Int, target: String)] {
        prose(of: text).flatMap { line, text in
            text.split(separator: "](", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
                let target = rest.prefix { $0 != ")" && $0 != " " }
                let isElsewhere = ["http:", "https:", "mailto:", "doc:"].contains { target.hasPrefix($0) }
                return target.isEmpty || isElsewhere ? nil : (line, String(target))
            }
        }
    }

    /// The headings of a document as the ends of links: lower case, words joined by `-`, no punctuation.
    static func anchors(of text: String) -> Set<String> {
        Set(
            prose(of: text).filter { $0.text.hasPrefix("#") }.map { heading in
                heading.text.drop { $0 == "#" || $0 == " " }.lowercased().compactMap { character in
                    if character == " " { return "-" }
                    let isKept = character.isLetter || character.isNumber || character == "-" || character == "_"
                    return isKept ? String(character) : nil
                }
                .joined()
            })
    }

    /// The lines outside fenced blocks, without what stands in backticks.
    private static func prose(of text: String) -> [(line: Int, text: String)] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
                return nil
            }
            if isCode { return nil }
            if line.hasPrefix("#") { return (index + 1, String(line)) }
            let outside = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            return (index + 1, outside.joined())
        }
    }

    private static func resolve(_ target: String, from path: String) -> String {
        var parts = target.hasPrefix("/") ? [] : path.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") {
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}
