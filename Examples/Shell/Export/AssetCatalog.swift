import Portico
import PorticoShell
import Terminal

/// The catalogue of named colours that Xcode and UIKit read (Apple, Asset Catalog Format Reference, "Named Color Type").
enum AssetCatalog {
    /// `NAME.xcassets`: its own Contents.json and a colour set for each colour of the group `color`.
    static func files(of sheet: DesignSheet, brand: String) throws -> [OutputFile] {
        let folder = "\(brand).xcassets"
        var names: [String: String] = [:]
        let sets = try sheet.colors.map { entry in
            let name = entry.path.dropFirst().joined(separator: "-")
            guard !name.isEmpty, name.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }) else {
                throw Failure("\(entry.name) cannot be the name of a colour set: use letters and digits alone")
            }
            // The file systems that Xcode runs on take these for one name.
            if let other = names.updateValue(entry.name, forKey: name.lowercased()) {
                throw Failure("\(entry.name) and \(other) would be one colour set: rename one of them")
            }
            return OutputFile("\(folder)/\(name).colorset/Contents.json", colorSet(entry).xcodeJSON)
        }
        return [OutputFile("\(folder)/Contents.json", root)] + sets
    }

    /// The catalogue's own Contents.json ("Catalog Type").
    static let root = JSONValue.object(["info": .xcodeInfo]).xcodeJSON

    private static func colorSet(_ entry: DesignSheet.Entry) -> JSONValue {
        let variants = Appearance.allCases.compactMap { appearance in
            entry.color(in: appearance).map { variant($0, in: appearance) }
        }
        return ["colors": .array(variants), "info": .xcodeInfo]
    }

    private static func variant(_ color: DesignColor, in appearance: Appearance) -> JSONValue {
        let digits = color.bytes.map { "0x" + Hexadecimal.encode([$0]).uppercased() }
        // The components in Xcode's form "8-bit Hexadecimal", which says exactly what a token says with its hex; alpha has
        // no such form and is always a decimal of three places.
        var object: JSONObject = [
            "color": [
                "color-space": "srgb",
                "components": [
                    "alpha": .string(thousandths(color.alpha)),
                    "blue": .string(digits[2]),
                    "green": .string(digits[1]),
                    "red": .string(digits[0]),
                ],
            ],
            "idiom": "universal",
        ]
        let appearances = self.appearances(appearance)
        if !appearances.isEmpty { object.append("appearances", .array(appearances)) }
        return .object(object)
    }

    /// The slot of an appearance; the first one is the slot for any.
    private static func appearances(_ appearance: Appearance) -> [JSONValue] {
        (appearance.isDark ? [["appearance": "luminosity", "value": "dark"]] : [])
            + (appearance.hasIncreasedContrast ? [["appearance": "contrast", "value": "high"]] : [])
    }

    private static func thousandths(_ alpha: Double) -> String {
        let value = Int((min(1, max(0, alpha)) * 1_000).rounded())
        let digits = String(value % 1_000)
        return "\(value / 1_000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

extension UInt8 {
    /// A letter or digit of ASCII.
    var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
