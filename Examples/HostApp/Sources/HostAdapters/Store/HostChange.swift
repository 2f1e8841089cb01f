import Foundation
import Portico

/// One change of the store: what it adds and what it puts in place of what was there. A line of the file holds one.
struct HostChange {
    /// The head after the change.
    var head: StoreHead
    /// New events, ascending by sequence.
    var added: [StoredEvent] = []
    /// Where events stand after the change.
    var moves: [Move] = []
    /// New or changed entries of the ledger.
    var entries: [StoredEntry] = []

    /// Where an event stands, and its repeats.
    struct Move: Hashable {
        var sequence: Int64
        var state: EventState
        var repeats: Int
    }
}

// MARK: - Writing

extension HostChange {
    /// The change as a line of JSON, its line feed included.
    var line: [UInt8] {
        var object: JSONObject = ["head": head.json]
        if !added.isEmpty {
            object["added"] = .array(added.map { ["event": $0.event.json, "state": $0.state.json] })
        }
        if !moves.isEmpty {
            object["moves"] = .array(
                moves.map { move in
                    [
                        "sequence": .integer(move.sequence), "state": move.state.json,
                        "repeats": .integer(Int64(move.repeats)),
                    ]
                })
        }
        if !entries.isEmpty { object["entries"] = .array(entries.map(\.json)) }
        return JSONValue.object(object).serialized() + [UInt8(ascii: "\n")]
    }
}

extension StoreHead {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["deviceId": .string(deviceID.text), "nextSequence": .integer(nextSequence)]
        if let clock {
            object["clock"] = [
                "wall": .integer(clock.reading.wall.milliseconds), "uptime": .integer(clock.reading.uptime),
                "bootId": .string(clock.reading.bootID), "isConfirmed": .bool(clock.isConfirmed),
            ]
        }
        if let mark { object["mark"] = .integer(mark.milliseconds) }
        if let cursor { object["cursor"] = .string(cursor) }
        return .object(object)
    }
}

extension EventState {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue)]
        if case .parked(let code, let message) = self {
            object["code"] = .string(code)
            object["message"] = .string(message)
        }
        return .object(object)
    }
}

extension StoredEntry {
    fileprivate var json: JSONValue {
        [
            "event": .string(ticket.event.text), "ticket": .string(ticket.ticket.text),
            "body": .string(Data(entry.body).base64EncodedString()), "isInside": .bool(entry.isInside),
            "isConflict": .bool(entry.isConflict),
        ]
    }
}

// MARK: - Reading

extension HostChange {
    /// The changes of a file, and how many of its bytes they take up.
    ///
    /// Lines are synced one after the other, so only the last can be half written: what does not read at the end was
    /// never acknowledged.
    ///
    /// - Throws: `corrupt` where a line before the last does not read.
    static func readable(_ file: [UInt8]) throws(EventStoreError) -> (changes: [HostChange], length: Int) {
        var changes: [HostChange] = []
        var start = 0
        while let end = file[start...].firstIndex(of: UInt8(ascii: "\n")) {
            guard let change = HostChange(line: Array(file[start..<end])) else {
                if file[(end + 1)...].contains(UInt8(ascii: "\n")) {
                    throw .corrupt("line \(changes.count + 1) does not read")
                }
                break
            }
            changes.append(change)
            start = end + 1
        }
        return (changes, start)
    }

    /// The file is this host's own: a line is as long as it is.
    private static let limits = JSONLimits(
        maximumDepth: 16, maximumMembers: .max, maximumBytes: .max, numbers: .any, names: .any,
        allowsNoncharacters: true)

    /// Nil for anything that `line` did not write.
    init?(line: [UInt8]) {
        do {
            let json = try JSONValue(parsing: line, limits: Self.limits)
            head = try StoreHead(json["head"] ?? .null)
            added = try (json["added"]?.arrayValue ?? []).map { item in
                StoredEvent(
                    event: try ScanEvent(json: item["event"] ?? .null), state: try EventState(item["state"] ?? .null))
            }
            moves = try (json["moves"]?.arrayValue ?? []).map { item in
                Move(
                    sequence: try item.integer("sequence"), state: try EventState(item["state"] ?? .null),
                    repeats: Int(try item.integer("repeats")))
            }
            entries = try (json["entries"]?.arrayValue ?? []).map(StoredEntry.init)
        } catch {
            // Which part is wrong does not matter: a line is read whole or not at all.
            return nil
        }
    }
}

/// A member that is missing or is not what it should be.
private struct Unreadable: Error {}

extension JSONValue {
    fileprivate func integer(_ name: String) throws -> Int64 {
        guard let integer = self[name]?.integerValue else { throw Unreadable() }
        return integer
    }

    fileprivate func string(_ name: String) throws -> String {
        guard let text = self[name]?.stringValue else { throw Unreadable() }
        return text
    }

    fileprivate func bool(_ name: String) throws -> Bool {
        guard let bool = self[name]?.boolValue else { throw Unreadable() }
        return bool
    }

    fileprivate func identifier(_ name: String) throws -> Identifier {
        guard let identifier = Identifier(try string(name)) else { throw Unreadable() }
        return identifier
    }
}

extension StoreHead {
    fileprivate init(_ json: JSONValue) throws {
        self.init(
            deviceID: try json.identifier("deviceId"), nextSequence: try json.integer("nextSequence"),
            clock: try json["clock"].map { clock in
                ClockAnchor(
                    reading: ClockReading(
                        wall: Instant(milliseconds: try clock.integer("wall")), uptime: try clock.integer("uptime"),
                        bootID: try clock.string("bootId")),
                    isConfirmed: try clock.bool("isConfirmed"))
            },
            mark: try json["mark"].map { _ in Instant(milliseconds: try json.integer("mark")) },
            cursor: try json["cursor"].map { _ in try json.string("cursor") })
    }
}

extension EventState {
    fileprivate init(_ json: JSONValue) throws {
        switch Kind(rawValue: try json.string("kind")) {
        case .open: self = .open
        case .pending: self = .pending
        case .delivered: self = .delivered
        case .parked: self = .parked(code: try json.string("code"), message: try json.string("message"))
        case nil: throw Unreadable()
        }
    }
}

extension StoredEntry {
    fileprivate init(_ json: JSONValue) throws {
        guard let body = Data(base64Encoded: try json.string("body")) else { throw Unreadable() }
        self.init(
            ticket: TicketKey(event: try json.identifier("event"), ticket: try json.identifier("ticket")),
            entry: LedgerEntry(
                body: Array(body), isInside: try json.bool("isInside"), isConflict: try json.bool("isConflict")))
    }
}
