import Portico

/// The icon of an app as its catalogue holds it: the single size that current Xcode asks for, and every size that was
/// asked for before.
enum AppIcon {
    /// A picture of the icon.
    struct Picture: Hashable, Sendable {
        /// Who it is for.
        enum Variant: String, Sendable {
            case any, dark, tinted
        }

        let name: String
        let pixels: Int
        let variant: Variant
    }

    /// The set of one size, with its looks for dark and for tinted home screens, which iOS 18 knows.
    static let current: (contents: String, pictures: [Picture]) = {
        let pictures = [
            Picture(name: "AppIcon.png", pixels: 1024, variant: .any),
            Picture(name: "AppIcon-Dark.png", pixels: 1024, variant: .dark),
            Picture(name: "AppIcon-Tinted.png", pixels: 1024, variant: .tinted),
        ]
        let images = pictures.map { picture -> JSONValue in
            var image: JSONObject = [
                "filename": .string(picture.name), "idiom": "universal", "platform": "ios", "size": "1024x1024",
            ]
            if picture.variant != .any {
                image.append(
                    "appearances", [["appearance": "luminosity", "value": .string(picture.variant.rawValue)]])
            }
            return .object(image)
        }
        return (contents(images), pictures)
    }()

    /// A slot of the set of every size (Asset Catalog Format Reference, "App Icon Type").
    private struct Slot {
        let idiom: String
        /// Twice the side in points: one of them is 83.5.
        let doubleSize: Int
        let scale: Int

        var pixels: Int { doubleSize * scale / 2 }
        var side: String { doubleSize % 2 == 0 ? "\(doubleSize / 2)" : "\(doubleSize / 2).5" }
    }

    private static let slots: [Slot] =
        [20, 29, 40, 60].flatMap { size in [2, 3].map { Slot(idiom: "iphone", doubleSize: size * 2, scale: $0) } }
        + [20, 29, 40, 76].flatMap { size in [1, 2].map { Slot(idiom: "ipad", doubleSize: size * 2, scale: $0) } }
        + [
            Slot(idiom: "ipad", doubleSize: 167, scale: 2), Slot(idiom: "ios-marketing", doubleSize: 2_048, scale: 1),
        ]

    /// The set of every size, for iPhone, iPad and the store; slots of as many pixels share a picture.
    static let classic: (contents: String, pictures: [Picture]) = {
        var pictures: [Picture] = []
        let images = slots.map { slot -> JSONValue in
            let picture = Picture(name: "AppIcon-\(slot.pixels).png", pixels: slot.pixels, variant: .any)
            if !pictures.contains(picture) { pictures.append(picture) }
            return [
                "filename": .string(picture.name), "idiom": .string(slot.idiom), "scale": .string("\(slot.scale)x"),
                "size": .string("\(slot.side)x\(slot.side)"),
            ]
        }
        return (contents(images), pictures)
    }()

    /// An image set of one vector, drawn sharply at every size (Asset Catalog Format Reference, "Image Set Type").
    static func vector(_ filename: String) -> String {
        let set: JSONValue = [
            "images": [["filename": .string(filename), "idiom": "universal"]], "info": .xcodeInfo,
            "properties": ["preserves-vector-representation": true],
        ]
        return set.xcodeJSON
    }

    private static func contents(_ images: [JSONValue]) -> String {
        JSONValue.object(["images": .array(images), "info": .xcodeInfo]).xcodeJSON
    }
}
