#if Sodium && os(Linux)
import Foundation
import Portico
import Subjects
import Testing

/// What the tool writes of texts that are not its own, to a terminal and into files.
@Suite("gate, and foreign text", .serialized)
struct ForeignTextTests {
    /// Terminal controls, of one byte and of two; direction, line and paragraph separators; formulas.
    private static let texts = [
        "\u{1B}[2J\u{1B}]0;title\u{7}", "\u{9B}31mred", "\u{202E}txt.exe", "line\u{85}line", "line\u{2028}line",
        "paragraph\u{2029}paragraph", "zero\u{200B}width\u{FEFF}", "tag\u{E0041}", "=1+1", "\t=1+1", "\r\n=1+1",
        "+1", "-1", "@SUM(A1)", "＝1+1", "\",=1+1", "é", "e\u{301}",
    ]

    /// The arguments of a scan, with the configuration written to the folder.
    private static func scan(_ issuer: GateIssuer, in folder: TemporaryFolder) throws -> [String] {
        let configuration = folder.path + "/configuration.json"
        try Data(issuer.configuration()).write(to: URL(fileURLWithPath: configuration))
        return [
            "scan", "--lines", "--event", GateIssuer.event.text, "--zone", GateIssuer.zone.text, "--config",
            configuration,
        ]
    }

    @Test("A ticket's number with a hidden character is malformed, one that is a formula is a number")
    func identifiers() throws {
        let folder = try TemporaryFolder()
        let issuer = try GateIssuer()
        let tickets = try Self.texts.map { try issuer.ticket($0) }
        let scan = try GateTool.run(
            try Self.scan(issuer, in: folder), in: folder, typing: tickets.joined(separator: "\n"))
        checkInert(scan.said)
        let lines = scan.said.split(separator: "\n").dropLast()
        try #require(lines.count == Self.texts.count)
        for (text, line) in zip(Self.texts, lines) {
            #expect(line.hasPrefix(Identifier(text) == nil ? "REFUSE  malformed" : "ADMIT   \(text)  "), "\(line)")
        }
        let csv = try export("--csv", in: folder)
        #expect(csv.contains(",'=1+1,BUSY,") && csv.contains(",'+1,BUSY,") && csv.contains(",'-1,BUSY,"))
        #expect(csv.contains(",'@SUM(A1),BUSY,") && csv.contains("\"\"\",=1+1\",BUSY,"))
    }

    @Test("A ticket's holder, seat and note are shown inert", arguments: ["holder", "seat", "note"])
    func display(member: String) throws {
        let folder = try TemporaryFolder()
        let issuer = try GateIssuer()
        let tickets = try Self.texts.enumerated().map { number, text in
            try issuer.ticket("T-\(number)", [member: .string(text)])
        }
        let scan = try GateTool.run(
            try Self.scan(issuer, in: folder), in: folder, typing: tickets.joined(separator: "\n"))
        checkInert(scan.said)
        let lines = scan.said.split(separator: "\n").dropLast()
        try #require(lines.count == Self.texts.count)
        #expect(lines.allSatisfy { $0.hasPrefix("ADMIT ") })
        #expect(lines[0].contains(#"\u{1B}[2J\u{1B}]0;title\u{7}"#), "\(lines[0])")
        try export("--csv", in: folder)
        try export("--json", in: folder)
    }

    @Test("A supervisor's name is exported inert, and whole as JSON")
    func operators() throws {
        let folder = try TemporaryFolder()
        let scan = try GateTool.run(try Self.scan(try GateIssuer(), in: folder), in: folder)
        #expect(scan.status == 0)
        for text in Self.texts {
            let confirm = try GateTool.run(["clock", "confirm", "--operator", text], in: folder)
            #expect(confirm.status == 0, "\(confirm.complained)")
            checkInert(confirm.said)
        }
        let json = try export("--json", in: folder).split(separator: "\n")
        let names = try json.map { try JSONValue(parsing: Array($0.utf8))["operator"]?.stringValue }
        try #require(names.count == Self.texts.count)
        for (name, text) in zip(names, Self.texts) { #expect(name.map { Array($0.utf8) } == Array(text.utf8)) }

        let rows = try export("--csv", in: folder).split(separator: "\n").dropFirst()
        try #require(rows.count == Self.texts.count)
        for (text, row) in zip(Self.texts, rows) where "=+-@＝\t\r\n".contains(text.first ?? "x") {
            #expect(row.contains(",'"), "\(row)")
        }
    }

    @Test("What it complains of is inert, be it a file's name or what is in the file")
    func complaints() throws {
        let folder = try TemporaryFolder()
        let issuer = try GateIssuer()
        for (number, text) in Self.texts.enumerated() {
            let file = folder.path + "/\(number).json"
            try Data(issuer.configuration(timeZone: text)).write(to: URL(fileURLWithPath: file))
            for arguments in [
                ["config", "apply", file], ["config", "apply", "/nonexistent/" + text], ["scan", "--" + text], [text],
                ["scan", "--lines", "--verifier", text], ["scan", "--lines", "--store", text],
            ] {
                let run = try GateTool.run(arguments, in: folder)
                #expect(run.status != 0, "\(arguments)")
                #expect(!run.complained.isEmpty)
                checkInert(run.complained)
            }
        }
    }

    @discardableResult
    private func export(_ form: String, in folder: TemporaryFolder) throws -> String {
        let export = try GateTool.run(["export", form], in: folder)
        #expect(export.status == 0, "\(export.complained)")
        checkInert(export.said)
        return export.said
    }

    /// Only line feeds end lines, and nothing moves a cursor, turns a direction or hides.
    private func checkInert(_ text: String) {
        let active = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
                0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
                true
            default: false
            }
        }
        #expect(active.isEmpty, "\(active.map { String($0.value, radix: 16) }) in \(text.debugDescription)")
    }
}
#endif
