/// The invariants of ARCHITECTURE.md that a file's text can break.
///
/// Each rule is a pure function from files to findings, so that a made-up file shows that it can fail.
enum HouseRules {
    /// A rule and its name, for reports.
    struct Rule: Sendable {
        let name: String
        let check: @Sendable ([SwiftSource], Manifest) -> [Finding]
    }

    static let all: [Rule] = [
        Rule(name: "Portico imports nothing") { files, _ in files.flatMap(domainImports) },
        Rule(name: "Sources does no I/O and reads no clock") { files, _ in files.flatMap(impurities) },
        Rule(name: "A room imports Portico and no other room") { files, _ in files.flatMap(roomImports) },
        Rule(name: "A driven adapter imports Portico and one technology", check: adapterImports),
        Rule(name: "A driving adapter uses rooms and no adapter", check: drivingImports),
        Rule(name: "What adapters share knows the platform alone", check: layerImports),
        Rule(name: "What needs a system library is behind its trait", check: traitGuards),
        Rule(name: "Only a composition root names concrete adapters", check: concreteAdapters),
        Rule(name: "What the compiler cannot prove is explained") { files, _ in files.flatMap(unexplained) },
        Rule(name: "Nothing is left unfinished") { files, _ in files.flatMap(unfinished) },
        Rule(name: "Nothing is newer than iOS 15") { files, _ in
            files.filter { $0.isIn("Sources") || $0.isIn("Adapters") }.flatMap { $0.usesNewerThanIOS15() }
        },
    ]

    /// The files of the rooms that may import Foundation, each for values alone (time zones and their dates).
    static let foundationFiles: Set<String> = [
        "Sources/PorticoTickets/Rules/EventTimeZone.swift",
        "Sources/PorticoInbox/Preferences/QuietHours.swift",
        // Data, because a push token of APNs is nothing else.
        "Sources/PorticoInbox/Devices/APNSToken.swift",
        // pow, sin and cos: no colour space becomes sRGB without them, and the standard library has none.
        "Sources/PorticoShell/Tokens/ColorConversion.swift",
    ]

    /// The folders of the adapters that use rooms, as a view does. They are listed: a driven adapter that began to know a
    /// room would look the same.
    static let drivingAdapters: Set<String> = ["Adapters/Apple"]

    /// Modules of the platform that every adapter may use: they are where it runs, not what it adapts.
    static let platformModules: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Glibc", "Musl", "Darwin", "Android",
    ]

    static func domainImports(_ file: SwiftSource) -> [Finding] {
        guard file.isIn("Sources/Portico") else { return [] }
        return file.imports.map {
            Finding(file.path, $0.line, "Portico imports nothing, and here it imports \($0.text)")
        }
    }

    /// Input, output, clocks, identifiers and randomness, which come in through ports and injected generators.
    static let impure = [
        "FileManager", "FileHandle", "URLSession", "Process", "ProcessInfo", "UserDefaults", "NotificationCenter",
        "Bundle", "fopen", "print(", "readLine(", "getenv",
        "Thread", "DispatchQueue", "OperationQueue", "Timer", "RunLoop",
        "Date()", "Date.now", "Date(timeIntervalSinceNow:", "CFAbsoluteTimeGetCurrent", "ContinuousClock",
        "SuspendingClock", "Task.sleep", "clock_gettime", "gettimeofday", "mach_continuous_time", "mach_absolute_time",
        "TimeZone.current", "TimeZone.autoupdatingCurrent", "Locale.current", "Locale.autoupdatingCurrent",
        "Calendar.current", "Calendar.autoupdatingCurrent",
        "UUID()", "SystemRandomNumberGenerator", "shuffled()", "shuffle()", "randomElement()", "arc4random*",
        "getrandom",
    ]

    static func impurities(_ file: SwiftSource) -> [Finding] {
        guard file.isIn("Sources") else { return [] }
        let named = impure.flatMap { pattern in
            file.matches(of: pattern).map { Finding(file.path, $0, "Sources is pure, and here is '\(pattern)'") }
        }
        // `random(in:)` is pure with a generator that was handed in, and reads the system's without one.
        let generators = Set(file.matches(of: "using:"))
        let random = file.matches(of: ".random(").filter { !generators.contains($0) }.map {
            Finding(file.path, $0, "Sources is pure, and here is 'random' without 'using:' on its line")
        }
        return named + random
    }

    static func roomImports(_ file: SwiftSource) -> [Finding] {
        guard file.isIn("Sources"), !file.isIn("Sources/Portico") else { return [] }
        return file.imports.compactMap { module in
            switch module.text {
            case "Portico": nil
            case "Foundation" where foundationFiles.contains(file.path): nil
            case "Foundation":
                Finding(file.path, module.line, "a room imports Foundation only in the files that HouseRules lists")
            default: Finding(file.path, module.line, "a room imports Portico alone, and here \(module.text)")
            }
        }
    }

    static func layerImports(_ files: [SwiftSource], _ manifest: Manifest) -> [Finding] {
        manifest.platformLayers.flatMap { layer in
            files.filter { $0.isIn(layer.path) }.flatMap { file in
                file.imports.filter { !platformModules.contains($0.text) }.map {
                    Finding(
                        file.path, $0.line, "\(layer.name) knows the platform alone, and here it imports \($0.text)")
                }
            }
        }
    }

    static func adapterImports(_ files: [SwiftSource], _ manifest: Manifest) -> [Finding] {
        let layers = manifest.platformLayers.map(\.name)
        return manifest.drivenAdapters(files).flatMap { adapter in
            let own = Set(manifest.targets.filter { $0.path.hasPrefix(adapter.path + "/") }.map(\.name))
            let packaged = Set(manifest.targets.map(\.name)).subtracting(own)
            let known = platformModules.union(layers + ["Portico"])
            var technologies: Set<String> = []
            var findings: [Finding] = []
            for file in files where file.isIn(adapter.path) {
                for module in file.imports where !known.contains(module.text) {
                    if packaged.contains(module.text) {
                        findings.append(
                            Finding(file.path, module.line, "an adapter imports Portico alone, and here \(module.text)")
                        )
                    } else {
                        technologies.insert(module.text)
                    }
                }
            }
            // One library of the system on Linux and one of the SDK on Apple may be one technology under two names.
            if technologies.intersection(own).count > 1 || technologies.subtracting(own).count > 1 {
                findings.append(
                    Finding(adapter.path, 0, "an adapter knows one technology, and here are \(technologies.sorted())"))
            }
            return findings
        }
    }

    static func drivingImports(_ files: [SwiftSource], _ manifest: Manifest) -> [Finding] {
        let others = Set(manifest.targets.map(\.name)).subtracting(manifest.pureModules)
        return manifest.drivingAdapters.flatMap { adapter in
            files.filter { $0.isIn(adapter.path) }.flatMap { file -> [Finding] in
                let imports = file.imports.filter { others.contains($0.text) }.map {
                    Finding(file.path, $0.line, "a driving adapter uses rooms alone, and here \($0.text)")
                }
                // It is built everywhere, and its technology is not there everywhere.
                let opening = file.tokens.prefix { $0.line == file.tokens.first?.line }.map(\.text)
                let isGuarded = opening.starts(with: ["#", "if", "canImport"])
                return isGuarded ? imports : imports + [Finding(file.path, 1, "the whole file is '#if canImport(…)'")]
            }
        }
    }

    static func traitGuards(_ files: [SwiftSource], _ manifest: Manifest) -> [Finding] {
        let libraries = Set(manifest.targets.filter { $0.type == "system" }.map(\.name))
        return files.filter { $0.isIn("Adapters") }.flatMap { file -> [Finding] in
            let opening = file.tokens.prefix { $0.line == file.tokens.first?.line }.map(\.text)
            let isGuarded = opening.starts(with: ["#", "if"]) && opening.contains("Linux")
            return file.imports.filter { libraries.contains($0.text) && !isGuarded }.map {
                Finding(
                    file.path, $0.line,
                    "\($0.text) is there only with its trait, on Linux: the whole file is '#if Trait && os(Linux)'")
            }
        }
    }

    static func concreteAdapters(_ files: [SwiftSource], _ manifest: Manifest) -> [Finding] {
        let adapters = Set(manifest.targets.filter { $0.path.hasPrefix("Adapters/") }.map(\.name))
        return files.filter { !$0.mayNameAdapters && !$0.isIn("Adapters") }.flatMap { file in
            file.imports.filter { adapters.contains($0.text) }.map {
                Finding(file.path, $0.line, "only a CompositionRoot.swift names adapters, and here \($0.text)")
            }
        }
    }

    /// What switches a check of the compiler off, or an error.
    static let leaps = [
        "@unchecked", "unsafe", "unsafeBitCast", "unsafeDowncast", "unsafelyUnwrapped", "withoutActuallyEscaping",
        "@preconcurrency", "try?", "try!", "as!",
    ]

    static func unexplained(_ file: SwiftSource) -> [Finding] {
        leaps.flatMap { leap in
            file.matches(of: leap).filter { !file.isExplained(at: $0) }.map {
                Finding(
                    file.path, $0, "'\(leap)' without a sentence beside or directly above that says why it is right")
            }
        }
    }

    static func unfinished(_ file: SwiftSource) -> [Finding] {
        let marks = file.comments.filter { _, text in
            text.split { !$0.isLetter }.contains { ["TODO", "FIXME", "XXX", "HACK"].contains($0) }
        }
        .map { Finding(file.path, $0.key, "finish it, or leave it out: no marks for later") }
        let stubs = ["fatalError(", "preconditionFailure("].flatMap(file.matches).filter { line in
            let text = file.lines[line - 1].lowercased()
            return ["implement", "todo", "stub"].contains { text.contains($0) }
        }
        .map { Finding(file.path, $0, "no stubs") }
        let idle = ["#expect(true)", "#expect(Bool(true))", ".disabled("].flatMap { pattern in
            file.matches(of: pattern).map { Finding(file.path, $0, "'\(pattern)': a test that cannot fail") }
        }
        return marks + stubs + idle
    }
}

extension SwiftSource {
    func isIn(_ folder: String) -> Bool {
        path.hasPrefix(folder + "/")
    }

    var name: String {
        String(path.split(separator: "/").last ?? "")
    }

    /// Where a wiring is made, or a concrete adapter is what it is about.
    var mayNameAdapters: Bool {
        name == "CompositionRoot.swift" || isIn("Examples/Subjects") || isIn("Tests") || isIn("Benchmarks")
            || isIn(".ci")
            || path.contains("/Tests/")
    }
}
