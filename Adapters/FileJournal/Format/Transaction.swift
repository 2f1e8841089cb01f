import Portico

/// One change of a store; a frame's payload is a list of them.
enum Operation: Equatable {
    /// An event was recorded.
    case event(EventRecord)
    /// A ticket's entry was written.
    case entry(TicketKey, LedgerEntry, replaced: Replaced)
    case clock(ClockAnchor)
    case mark(Instant)
    case cursor(String)
    /// A presentation ended.
    case closure(EventID, repeats: Int)
    case delivery(EventID, Delivery)
    case removal(RemovalScope)
    /// The store was opened: what was open is pending.
    case reopening

    /// What an entry was written over, so that entries and conflicts are counted without looking the old one up.
    enum Replaced: UInt8, Equatable {
        case nothing
        case entry
        case conflict

        init(_ entry: LedgerEntry?) {
            self = entry.map { $0.isConflict ? .conflict : .entry } ?? .nothing
        }
    }
}

/// An event in a transaction: what the index needs, and the event itself in its own coding.
struct EventRecord: Equatable {
    var sequence: Int64
    var id: EventID
    var scannedAt: Instant
    var isOpen: Bool
    /// Empty where a transaction was read for the index alone.
    var body: [UInt8]
}

/// Operations to bytes and back.
struct Transaction: Equatable {
    var operations: [Operation] = []

    var encoded: [UInt8] {
        var writer = ByteWriter()
        for operation in operations { Self.put(operation, to: &writer) }
        return writer.bytes
    }

    /// - Parameter withBodies: Whether the events themselves are wanted, or what an index needs of them.
    init(decoding bytes: UnsafeRawBufferPointer, withBodies: Bool) throws(Malformed) {
        var reader = ByteReader(bytes)
        while reader.remaining > 0 {
            operations.append(try Self.operation(from: &reader, withBodies: withBodies))
        }
    }

    init(_ operations: [Operation]) {
        self.operations = operations
    }
}

// The codes of the format. A code is never given a second meaning.
private enum Code {
    static let event: UInt8 = 1
    static let entry: UInt8 = 2
    static let clock: UInt8 = 3
    static let mark: UInt8 = 4
    static let cursor: UInt8 = 5
    static let closure: UInt8 = 6
    static let delivered: UInt8 = 7
    static let parked: UInt8 = 8
    static let removeDelivered: UInt8 = 9
    static let removeEverything: UInt8 = 10
    static let reopening: UInt8 = 11
}

extension Transaction {
    private static func put(_ operation: Operation, to writer: inout ByteWriter) {
        switch operation {
        case .event(let event):
            writer.put(Code.event)
            writer.put(event.sequence)
            writer.put(event.id)
            writer.put(event.scannedAt.milliseconds)
            writer.put(event.isOpen)
            writer.putCounted(event.body)
        case .entry(let key, let entry, let replaced):
            writer.put(Code.entry)
            writer.put(replaced.rawValue)
            writer.put(key)
            writer.put(entry)
        case .clock(let anchor):
            writer.put(Code.clock)
            writer.put(anchor)
        case .mark(let mark):
            writer.put(Code.mark)
            writer.put(mark.milliseconds)
        case .cursor(let cursor):
            writer.put(Code.cursor)
            writer.putCounted(cursor)
        case .closure(let id, let repeats):
            writer.put(Code.closure)
            writer.put(id)
            writer.put(Int64(repeats))
        case .delivery(let id, .delivered):
            writer.put(Code.delivered)
            writer.put(id)
        case .delivery(let id, .parked(let code, let message)):
            writer.put(Code.parked)
            writer.put(id)
            writer.putCounted(code)
            writer.putCounted(message)
        case .removal(.delivered): writer.put(Code.removeDelivered)
        case .removal(.everything): writer.put(Code.removeEverything)
        case .reopening: writer.put(Code.reopening)
        }
    }

    private static func operation(
        from reader: inout ByteReader, withBodies: Bool
    ) throws(Malformed) -> Operation {
        switch try reader.integer(UInt8.self) {
        case Code.event: return .event(try event(from: &reader, withBodies: withBodies))
        case Code.entry:
            guard let replaced = Operation.Replaced(rawValue: try reader.integer()) else { throw Malformed() }
            return .entry(try reader.ticketKey(), try reader.ledgerEntry(), replaced: replaced)
        case Code.clock: return .clock(try reader.clockAnchor())
        case Code.mark: return .mark(Instant(milliseconds: try reader.integer()))
        case Code.cursor: return .cursor(try reader.countedText())
        case Code.closure:
            return .closure(try reader.eventID(), repeats: Int(clamping: try reader.integer(Int64.self)))
        case Code.delivered: return .delivery(try reader.eventID(), .delivered)
        case Code.parked:
            let id = try reader.eventID()
            return .delivery(id, .parked(code: try reader.countedText(), message: try reader.countedText()))
        case Code.removeDelivered: return .removal(.delivered)
        case Code.removeEverything: return .removal(.everything)
        case Code.reopening: return .reopening
        default: throw Malformed()
        }
    }

    private static func event(from reader: inout ByteReader, withBodies: Bool) throws(Malformed) -> EventRecord {
        let sequence: Int64 = try reader.integer()
        // The next sequence is one more, and must have room.
        guard sequence > 0, sequence < .max else { throw Malformed() }
        let id = try reader.eventID()
        let scannedAt = Instant(milliseconds: try reader.integer())
        let isOpen = try reader.flag()
        let body = try reader.countedRange()
        return EventRecord(
            sequence: sequence, id: id, scannedAt: scannedAt, isOpen: isOpen,
            body: withBodies ? Array(reader.bytes[body]) : [])
    }
}

extension ByteWriter {
    mutating func put(_ entry: LedgerEntry) {
        put(UInt8(entry.isInside ? 1 : 0) | UInt8(entry.isConflict ? 2 : 0))
        putCounted(entry.body)
    }

    mutating func put(_ anchor: ClockAnchor) {
        put(anchor.reading.wall.milliseconds)
        put(anchor.reading.uptime)
        put(anchor.isConfirmed)
        putCounted(anchor.reading.bootID)
    }
}

extension ByteReader {
    mutating func ledgerEntry() throws(Malformed) -> LedgerEntry {
        let flags: UInt8 = try integer()
        guard flags < 4 else { throw Malformed() }
        return LedgerEntry(body: try counted(), isInside: flags & 1 != 0, isConflict: flags & 2 != 0)
    }

    mutating func clockAnchor() throws(Malformed) -> ClockAnchor {
        let wall = Instant(milliseconds: try integer())
        let uptime: Int64 = try integer()
        let isConfirmed = try flag()
        return ClockAnchor(
            reading: ClockReading(wall: wall, uptime: uptime, bootID: try countedText()), isConfirmed: isConfirmed)
    }
}
