#if Sodium && os(Linux)
import Foundation
import Subjects
import Testing

@Suite("gate says what to do", .serialized)
struct ComplaintTests {
    @Test("Settings that cannot be read are named, and how to have new ones")
    func damagedSettings() throws {
        let folder = try TemporaryFolder()
        let scan = try GateTool.run(["scan", "--lines", "--event", "E", "--zone", "Z"], in: folder)
        try #require(scan.status == 0)
        let documents = folder.path + "/data/documents"
        let settings = try #require(
            FileManager.default.contentsOfDirectory(atPath: documents).first { $0.contains("settings") })
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: documents + "/" + settings))
        let status = try GateTool.run(["status"], in: folder)
        #expect(status.status == 1)
        #expect(status.complained.contains("remove its document gate.settings"), "\(status.complained)")
    }

    @Test("Where nothing was scanned yet, that is what it says", arguments: [["status"], ["export", "--csv"]])
    func nothingScanned(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let configuration = folder.path + "/configuration.json"
        try Data(GateIssuer().configuration()).write(to: URL(fileURLWithPath: configuration))
        let apply = try GateTool.run(["config", "apply", configuration], in: folder)
        try #require(apply.status == 0)
        let run = try GateTool.run(arguments, in: folder)
        #expect(run.status == 1)
        #expect(run.complained.hasPrefix("gate: nothing was scanned"), "\(run.complained)")
    }

    @Test("A file that cannot be read is named with the system's reason")
    func unreadableFile() throws {
        let folder = try TemporaryFolder()
        let run = try GateTool.run(["config", "apply", folder.path], in: folder)
        #expect(run.complained == "gate: \(folder.path) cannot be read: Is a directory\n")
    }

    private static let scan = ["scan", "--lines", "--event", "E", "--zone", "Z"]

    @Test("A command that fails, or comes while another scans, changes nothing of what the gate serves")
    func settingsOfAnother() throws {
        let folder = try TemporaryFolder()
        let running = try GateTool(Self.scan, in: folder)
        try running.type("one\n")
        #expect(running.line()?.hasPrefix("REFUSE") == true)
        let other = try GateTool.run(["scan", "--lines", "--event", "OTHER", "--zone", "BACK"], in: folder)
        #expect(other.status == 69)
        try running.endInput()
        _ = try running.rest()
        #expect(try running.end() == (0, false))
        let failing = try GateTool.run(
            ["scan", "--lines", "--event", "OTHER", "--zone", "BACK", "--config", folder.path + "/none"], in: folder)
        #expect(failing.status == 1)
        let export = try GateTool.run(["scan", "--lines", "--json"], in: folder, typing: "two\n")
        #expect(export.status == 0)
        let all = try GateTool.run(["export", "--json"], in: folder).said
        #expect(!all.contains("OTHER") && all.contains(#""gateEvents":["E"]"#))
    }

    @Test("Lost settings do not begin a second store beside the events")
    func lostSettings() throws {
        let folder = try TemporaryFolder()
        let first = try GateTool.run(Self.scan + ["--store", "journal"], in: folder, typing: "one\n")
        try #require(first.status == 0)
        try FileManager.default.removeItem(atPath: folder.path + "/data/documents")
        let wrong = try GateTool.run(Self.scan + ["--store", "sqlite"], in: folder)
        #expect(wrong.status == 1)
        #expect(wrong.complained.contains("events in journal"))
        let again = try GateTool.run(Self.scan, in: folder, typing: "two\n")
        #expect(again.status == 0)
        let lines = try GateTool.run(["export", "--json"], in: folder).said.split(separator: "\n")
        #expect(lines.count == 2)
    }

    @Test("A folder that is no gate's is not made one by asking, and an address that is none is refused at once")
    func nothingThere() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/data", withIntermediateDirectories: false)
        for command in [["status"], ["sync", "--url", "https://gate.example/v1/scans"], ["export", "--csv"]] {
            let run = try GateTool.run(command, in: folder)
            #expect(run.status == 1)
            #expect(run.complained.contains("no gate data"), "\(run.complained)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data").isEmpty)
        try #require(try GateTool.run(Self.scan, in: folder).status == 0)
        for url in ["foo", "file:///etc/passwd", "https://u:p@host/x", "https://", "http://127.0.0.1:1/x"] {
            let run = try GateTool.run(["sync", "--url", url], in: folder)
            #expect(run.status == 64, "\(url)")
        }
    }

    @Test("A gate whose output was closed writes its decisions into none of its own files")
    func closedOutput() throws {
        let folder = try TemporaryFolder()
        let tool = try GateTool(Self.scan + ["--json"], in: folder, shell: "exec >&-")
        try tool.type("one\n")
        try tool.endInput()
        #expect(try tool.end() == (0, false))
        let lock = try String(contentsOfFile: folder.path + "/data/documents/documents.lock", encoding: .utf8)
        #expect(!lock.contains("REFUSE") && !lock.contains("decision"))
    }

    @Test("An export to a link or a device writes there, and leaves nothing half behind")
    func exportTargets() throws {
        let folder = try TemporaryFolder()
        try #require(try GateTool.run(Self.scan, in: folder, typing: "one\n").status == 0)
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
        #expect(try GateTool.run(["export", "--csv", "--out", link], in: folder).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        #expect(try GateTool.run(["export", "--csv", "--out", folder.path], in: folder).status == 1)
        let file = folder.path + "/events.csv"
        #expect(try GateTool.run(["export", "--csv", "--out", file], in: folder).status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 2)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".partial") })
    }
}
#endif
