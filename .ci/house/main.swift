import Foundation

// The rules of Tests/ArchitectureTests over a working copy, without building the package: seconds, not minutes.

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: house ROOT\n".utf8))
    exit(2)
}
do {
    let repository = Repository(root: URL(fileURLWithPath: CommandLine.arguments[1]))
    let findings = try repository.findings(try repository.manifest())
    for finding in findings { print(finding) }
    exit(findings.isEmpty ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("house: \(error)\n".utf8))
    exit(2)
}
