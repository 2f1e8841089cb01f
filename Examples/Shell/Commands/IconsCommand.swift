import Foundation
import PorticoShell
import Terminal

/// `shell icons`: every size of an app's icon from one vector.
enum IconsCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let logo = arguments.positional[0]
        // The renderer's own words for a file that is not there are about a URL.
        _ = try readBytes(logo, limit: 16 << 20)
        let folder = try OutputFolder(path: required("out", of: arguments))
        let brand = try brand(arguments)
        let role = arguments.value("background") ?? ColorRole.bgPrimary.rawValue
        let sheet = try readable(tokens(arguments)).sheet()
        guard let entry = sheet["color.\(role)"], let light = entry.color(in: Appearance()) else {
            throw Failure("there is no colour color.\(role) to draw the icon on")
        }
        let inset = try inset(arguments)
        let files = try files(
            from: VectorRenderer(logo: logo), brand: brand, background: light, inset: inset)
        if arguments.has("check") { return try report(folder.differences(to: files), terminal) }
        report(written: try folder.write(files), of: files, in: folder, terminal)
        return ExitCode.success
    }

    /// The file that is named, or else the example's where that is at hand.
    private static func tokens(_ arguments: Arguments) throws -> String {
        if let named = arguments.value("tokens") { return named }
        guard FileManager.default.fileExists(atPath: DesignFile.standard) else {
            throw UsageError("--tokens is missing: the file with the colour that the icon is drawn on")
        }
        return DesignFile.standard
    }

    /// The two icon sets and the logo for use within the app.
    static func files(
        from renderer: VectorRenderer, brand: String, background: DesignColor, inset: Double
    ) throws -> [OutputFile] {
        let opaque = background.hex.prefix(7)
        // On a tinted home screen the bright parts take the tint. A logo made for a bright ground has them where it is
        // dark, so it is turned round.
        let gray = "svg { filter: grayscale(1)\(isBright(background) ? " invert(1)" : ""); }"

        func draw(_ picture: AppIcon.Picture) throws -> [UInt8] {
            switch picture.variant {
            case .any: try renderer.png(pixels: picture.pixels, inset: inset, background: String(opaque))
            // The system lays its own dark ground behind it (Apple, Human Interface Guidelines, "App icons").
            case .dark: try renderer.png(pixels: picture.pixels, inset: inset, background: nil)
            case .tinted:
                try renderer.png(pixels: picture.pixels, inset: inset, background: "#000000", style: gray)
            }
        }

        func set(_ name: String, _ set: (contents: String, pictures: [AppIcon.Picture])) throws -> [OutputFile] {
            let folder = "\(brand).xcassets/\(name).appiconset"
            return try [OutputFile("\(folder)/Contents.json", set.contents)]
                + set.pictures.map { picture in
                    let bytes = try draw(picture)
                    let header = try PNGHeader(bytes)
                    guard header.width == picture.pixels, header.height == picture.pixels else {
                        throw Failure("\(picture.name) was drawn \(header.width) by \(header.height) pixels large")
                    }
                    guard picture.variant == .dark || !header.hasAlpha else {
                        throw Failure("\(picture.name) was drawn with alpha, which the store refuses")
                    }
                    return OutputFile("\(folder)/\(picture.name)", bytes)
                }
        }

        let logo = "\(brand).xcassets/Logo.imageset"
        return try [OutputFile("\(brand).xcassets/Contents.json", AssetCatalog.root)]
            + set("AppIcon", AppIcon.current) + set("AppIconClassic", AppIcon.classic)
            + [
                OutputFile("\(logo)/Contents.json", AppIcon.vector("Logo.pdf")),
                OutputFile("\(logo)/Logo.pdf", try renderer.pdf()),
            ]
    }

    private static func isBright(_ color: DesignColor) -> Bool {
        color.srgb.red * 0.2126 + color.srgb.green * 0.7152 + color.srgb.blue * 0.0722 > 0.5
    }

    private static func inset(_ arguments: Arguments) throws -> Double {
        guard let text = arguments.value("inset") else { return 0.12 }
        guard let percent = Int(text), 0...40 ~= percent else {
            throw Failure("--inset \(text) is no whole number of percent from 0 to 40")
        }
        return Double(percent) / 100
    }
}
