import Portico
import PorticoInMemory
import PorticoTickets

extension Issuer {
    /// The JSON of a signed ticket.
    func json(_ ticketID: String = "T-0001", _ change: (inout JSONObject) -> Void = { _ in }) -> [UInt8] {
        guard let bytes = Base64URL.decode(ticket(ticketID, change)) else {
            preconditionFailure("an issued text is base64url")
        }
        return bytes
    }

    /// A ticket whose JSON got one more member, written as it stands here, after it was signed.
    func adding(_ member: String) -> String {
        Base64URL.encode(json().dropLast() + Array(",\(member)}".utf8))
    }

    /// A ticket in which one member's value is written as it stands here, after it was signed.
    func writing(_ name: String, as value: String) -> String {
        var object = members()
        object["signature"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 64)))
        object[name] = nil
        let others = JSONValue.object(object).serialized().dropFirst()
        return Base64URL.encode(Array("{\"\(name)\":\(value),".utf8) + others)
    }

    /// A ticket of that many characters, by way of its note.
    func ticket(_ ticketID: String = "T-0001", bytes count: Int) -> String {
        let empty = json(ticketID) { $0["note"] = "" }.count
        return ticket(ticketID) { $0["note"] = .string(String(repeating: "n", count: count - empty)) }
    }
}

/// What an issuer's own gate, new and on the evening, decides of a text.
func outcome(
    of text: String, issuer: Issuer = Issuer(), at now: Instant = Issuer.evening, configuration: [UInt8]? = nil
) async throws -> ScanDecision.Outcome {
    let made = try await TestGate.configured(
        issuer, configuration: configuration, time: ManualTimeSource(now: now))
    return await made.outcome(text)
}

extension Instant {
    /// An instant by its text of RFC 3339.
    init(_ text: String) {
        guard let seconds = RFC3339.seconds(text) else { preconditionFailure("not a time: \(text)") }
        self.init(seconds: seconds)
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    var seconds: Int64 { milliseconds / 1_000 }
}

extension ScanDecision {
    /// Whether it is the presentation of another decision, seen again.
    func isRepeat(of first: ScanDecision) -> Bool {
        guard case .repeated(let id) = outcome else { return false }
        return id == first.eventID && !isAdmitted
    }
}

/// Holds up whoever waits until it is opened.
actor Latch {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
