import Foundation
import Portico
import PorticoContracts
import Subjects
import Testing

@Suite("The guarantees that ports promise are the clauses that check them")
struct GuaranteeListTests {
    /// A port's file and the numbers of its contract, in order.
    struct Row: Sendable, CustomTestStringConvertible {
        let port: String
        let contract: String
        let ids: [String]

        var testDescription: String { contract }
    }

    static let rows = [
        Row(port: "Tickets/EventStore", contract: "EventStoreContract", ids: EventStoreContract.clauses.map(\.id)),
        Row(
            port: "Storage/DocumentStore", contract: "DocumentStoreContract",
            ids: DocumentStoreContract.clauses.map(\.id)),
        Row(port: "Storage/ThemeStore", contract: "ThemeStoreContract", ids: ThemeStoreContract.clauses.map(\.id)),
        Row(
            port: "Tickets/TicketVerifier", contract: "TicketVerifierContract",
            ids: TicketVerifierContract.clauses.map(\.id)),
        Row(port: "Time/TimeSource", contract: "TimeSourceContract", ids: TimeSourceContract.clauses.map(\.id)),
        Row(
            port: "Tickets/SyncTransport", contract: "SyncTransportContract",
            ids: SyncTransportContract.clauses.map(\.id)),
        Row(
            port: "Tickets/CodeScanner", contract: "CodeScannerContract",
            // Some of its guarantees are several clauses, one after the other.
            ids: CodeScannerContract.clauses.map(\.id).reduce(into: []) { if $0.last != $1 { $0.append($1) } }),
        Row(
            port: "Network/HTTPTransport", contract: "HTTPTransportContract",
            ids: HTTPTransportContract.clauses(server: LoopbackServer(tls: nil)).map(\.id)),
        Row(
            port: "Network/HTTPStreamingTransport", contract: "HTTPStreamingTransportContract",
            ids: HTTPStreamingTransportContract.clauses(server: LoopbackServer()).map(\.id)),
        Row(
            port: "Network/TokenProvider", contract: "TokenProviderContract",
            ids: TokenProviderContract.clauses.map(\.id)),
    ]

    @Test("A port's numbers are its contract's numbers, in order", arguments: rows)
    func numbers(_ row: Row) throws {
        let promised = try Self.promises(in: "Portico/\(row.port).swift")
        #expect(!promised.isEmpty)
        #expect(promised == row.ids)
    }

    @Test("No number is used twice")
    func uniqueness() {
        let ids = Self.rows.flatMap(\.ids)
        #expect(Set(ids).count == ids.count)
    }

    @Test("Every contract of the module is in the list that is checked")
    func completeness() throws {
        let folder = Self.sources.appendingPathComponent("PorticoContracts")
        let contracts = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("Contract.swift") && $0 != "Contract.swift" }
            .map { String($0.dropLast(".swift".count)) }
        #expect(Set(contracts) == Set(Self.rows.map(\.contract)))
    }

    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources")

    /// The numbers of the lines `/// - XX-1: …` of a source file.
    private static func promises(in file: String) throws -> [String] {
        let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line.hasPrefix("/// - ") else { return nil }
            let id = line[..<colon].dropFirst("/// - ".count)
            let parts = id.split(separator: "-")
            guard parts.count == 2, parts[0].allSatisfy(\.isUppercase), Int(parts[1]) != nil else { return nil }
            return String(id)
        }
    }
}
