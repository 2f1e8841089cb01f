import Portico

/// A short text in several languages, by their primary subtag (BCP 47); the first is for everybody else.
///
/// ```swift
/// let label: LocalizedText = ["en": "Alerts", "de": "Meldungen"]
/// label.text(in: ["fr-CH", "de-CH"])  // Meldungen
/// ```
public struct LocalizedText: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private struct Translation: Sendable, Hashable {
        let language: String
        let text: String
    }

    private let translations: [Translation]

    /// A text by its languages.
    public init(dictionaryLiteral texts: (String, String)...) {
        translations = texts.map { Translation(language: $0, text: $1) }
    }

    /// The text in the first of these languages that it has, and otherwise in its own first.
    ///
    /// - Parameter languages: What somebody reads, best first, as tags: `de-CH`, `en`.
    public func text(in languages: [String]) -> String {
        for tag in languages {
            let language = tag.utf8.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map(\.lowercased)
            if let match = translations.first(where: { $0.language.utf8.elementsEqual(language) }) { return match.text }
        }
        return translations.first?.text ?? ""
    }

    /// The languages that it has, in order.
    public var languages: [String] { translations.map(\.language) }
}

extension UInt8 {
    /// The lower-case letter of an ASCII capital; any other byte as it is.
    var lowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}
