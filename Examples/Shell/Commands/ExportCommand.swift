import PorticoShell
import Terminal

/// `shell export`: the tokens as files of other formats, the same bytes for the same tokens.
enum ExportCommand {
    static func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
        let kinds = ["swift", "css", "xcassets", "html"].filter { arguments.has($0) }
        guard !kinds.isEmpty else {
            throw UsageError("as what? At least one of --swift, --css, --xcassets and --html")
        }
        let folder = try OutputFolder(path: required("out", of: arguments))
        let design = try readable(arguments.positional[0])
        let files = try files(kinds, of: design, brand: brand(arguments))
        if arguments.has("check") { return try report(folder.differences(to: files), terminal) }
        report(written: try folder.write(files), of: files, in: folder, terminal)
        return ExitCode.success
    }

    static func files(_ kinds: [String], of design: DesignFile, brand: String) throws -> [OutputFile] {
        let sheet = try design.sheet()
        return try kinds.flatMap { kind in
            switch kind {
            case "swift": [try SwiftTheme.file(of: sheet, brand: brand)]
            case "css": [try StyleSheet.file(of: sheet)]
            case "xcassets": try AssetCatalog.files(of: sheet, brand: brand)
            default: [try Gallery.file(of: design, sheet, brand: brand)]
            }
        }
    }
}

/// The value of an option that a command cannot do without.
func required(_ name: String, of arguments: Arguments) throws -> String {
    guard let value = arguments.value(name), !value.isEmpty else { throw UsageError("--\(name) is missing") }
    return value
}

/// What generated types, the catalogue and the page are named after.
func brand(_ arguments: Arguments) throws -> String {
    let name = arguments.value("brand") ?? "ShieldAI"
    guard name.utf8.allSatisfy(\.isLetterOrDigit), let first = name.utf8.first, first > UInt8(ascii: "9") else {
        throw UsageError("--brand \(name) is no name: a letter, then letters and digits")
    }
    return name
}

/// Says what differs, for whoever must generate anew; exit code 1 where something does.
func report(
    _ differences: [(path: String, difference: OutputFolder.Difference)], _ terminal: Terminal
) -> Int32 {
    guard !differences.isEmpty else {
        terminal.say("every file is as the tokens say")
        return ExitCode.success
    }
    for (path, difference) in differences { terminal.say("\(difference.rawValue): \(inert(path))") }
    terminal.complain("\(counted(differences.count, "file")) not as the tokens say: run it again without --check")
    return ExitCode.failure
}

/// Says what was written.
func report(written: [String], of files: [OutputFile], in folder: OutputFolder, _ terminal: Terminal) {
    for path in written { terminal.say("wrote \(inert("\(folder.path)/\(path)"))") }
    for path in folder.leftovers(of: files) { terminal.say("left over: \(inert("\(folder.path)/\(path)")), remove it") }
    terminal.say("\(counted(written.count, "file")) written, \(files.count - written.count) as before")
}
