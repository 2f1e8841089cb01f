/// The invariants that the manifest can break, and what must agree with it.
enum ManifestRules {
    static func all(_ manifest: Manifest, _ files: [SwiftSource]) -> [Finding] {
        dependencies(manifest) + adapters(manifest, files) + products(manifest) + traits(manifest)
    }

    private static func finding(_ rule: String) -> Finding {
        Finding("Package.swift", 0, rule)
    }

    /// Portico depends on nothing, a room on Portico, the package on no other.
    static func dependencies(_ manifest: Manifest) -> [Finding] {
        var findings: [Finding] = []
        if manifest.packageDependencies > 0 {
            findings.append(finding("the package depends on no other Swift package"))
        }
        if !manifest.toolsVersion.hasPrefix("6.2") {
            findings.append(
                finding("the tools version is 6.2 (ARCHITECTURE.md says why), not \(manifest.toolsVersion)"))
        }
        for target in manifest.targets where target.path.hasPrefix("Sources/") {
            let allowed: Set = target.name == "Portico" ? [] : ["Portico"]
            let others = Set(target.dependencies).subtracting(allowed)
            if !others.isEmpty {
                findings.append(
                    finding("\(target.name) may depend on \(allowed.sorted()) and depends on \(others.sorted())"))
            }
        }
        return findings
    }

    /// A driven adapter depends on Portico, on the C module beside it, and on what adapters share of the platform; a
    /// driving one on Portico and rooms.
    static func adapters(_ manifest: Manifest, _ files: [SwiftSource]) -> [Finding] {
        let layers = manifest.platformLayers.map(\.name)
        let driving = manifest.drivingAdapters.compactMap { adapter -> Finding? in
            let others = Set(adapter.dependencies).subtracting(manifest.pureModules)
            return others.isEmpty ? nil : finding("\(adapter.name) depends on \(others.sorted()) beside rooms")
        }
        return driving
            + manifest.drivenAdapters(files).compactMap { adapter in
                let own = manifest.targets.filter { $0.path.hasPrefix(adapter.path + "/") }.map(\.name)
                let others = Set(adapter.dependencies).subtracting(own + layers + ["Portico"])
                return others.isEmpty ? nil : finding("\(adapter.name) depends on \(others.sorted()) beside Portico")
            }
    }

    /// Every module that a host may want is a product of its own name.
    static func products(_ manifest: Manifest) -> [Finding] {
        let layers = manifest.platformLayers.map(\.name)
        return manifest.targets.filter { target in
            target.type == "regular" && (target.path.hasPrefix("Sources/") || target.path.hasPrefix("Adapters/"))
        }
        .filter { manifest.products[$0.name] != [$0.name] && !layers.contains($0.name) }
        .map { finding("\($0.name) is no product of its own") }
    }

    static func traits(_ manifest: Manifest) -> [Finding] {
        manifest.traits.filter { $0.value.isEmpty }.map { finding("the trait \($0.key) has no description") }
    }

    /// The packages of Debian are named at four places, which agree: the manifest's providers, the descriptions of the
    /// traits, the lists that `make setup` installs, and the README.
    ///
    /// - Parameters:
    ///   - lists: The packages by list: `default` holds those of the default traits, `optional` the others.
    ///   - readme: The text of README.md.
    static func packages(_ manifest: Manifest, lists: [String: [String]], readme: String) -> [Finding] {
        var findings: [Finding] = []
        var wanted: [String: Set<String>] = ["default": [], "optional": []]
        for target in manifest.targets where target.type == "system" {
            let trait = manifest.traits.first { $0.key.lowercased() == target.name.dropFirst().lowercased() }
            guard let trait else {
                findings.append(finding("no trait turns \(target.name) on"))
                continue
            }
            let list = manifest.defaultTraits.contains(trait.key) ? "default" : "optional"
            wanted[list, default: []].formUnion(target.packages)
            for package in target.packages where !trait.value.contains(package) {
                findings.append(finding("the trait \(trait.key) does not name \(package)"))
            }
            if target.packages.isEmpty {
                findings.append(finding("\(target.name) does not say which package brings it"))
            }
        }
        for (list, packages) in wanted.sorted(by: { $0.key < $1.key }) {
            let listed = Set(lists[list] ?? [])
            if listed != packages {
                let difference = listed.symmetricDifference(packages).sorted()
                findings.append(
                    Finding(".ci/packages/\(list)", 0, "it and the manifest's providers differ in \(difference)"))
            }
            for package in packages.sorted() where !readme.contains(package) {
                findings.append(Finding("README.md", 0, "it does not name \(package)"))
            }
        }
        return findings
    }
}
