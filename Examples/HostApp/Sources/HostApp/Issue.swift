import Foundation
import Portico

/// What the reference issuer wrote: a configuration for the gate, and the tickets of the guests.
struct Issue: Sendable {
    /// A guest's ticket.
    struct Ticket: Sendable {
        /// Its number.
        let id: Identifier
        /// The text of its code.
        let text: String
    }

    /// The gate configuration, as it was published.
    let configuration: [UInt8]
    /// The tickets, two or more.
    let tickets: [Ticket]

    /// Reads `configuration.json` and `tickets.jsonl` of a folder.
    init(folder: String) throws {
        let folder = URL(fileURLWithPath: folder)
        configuration = Array(try Data(contentsOf: folder.appendingPathComponent("configuration.json")))
        tickets = try Data(contentsOf: folder.appendingPathComponent("tickets.jsonl"))
            .split(separator: UInt8(ascii: "\n")).map { line in
                let json = try JSONValue(parsing: Array(line))
                guard let id = json["ticketId"]?.stringValue.flatMap({ Identifier($0) }),
                    let text = json["text"]?.stringValue
                else { throw Failed(step: "a line of tickets.jsonl that is a ticket") }
                return Ticket(id: id, text: text)
            }
        guard tickets.count >= 2 else { throw Failed(step: "two tickets or more in tickets.jsonl") }
    }

    /// The time of day, as the staff reads it.
    func clock(_ instant: Instant) -> String {
        let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
        return date.formatted(.iso8601.time(includingFractionalSeconds: false))
    }
}

/// A step that did not go as it must.
struct Failed: Error, CustomStringConvertible {
    let step: String

    var description: String { "failed: \(step)" }
}
