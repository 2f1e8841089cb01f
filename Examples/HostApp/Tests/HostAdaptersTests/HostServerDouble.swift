import Foundation
import Portico
import PorticoContracts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A double of the host's server on the loopback interface: one answer a connection, each connection on a thread of its
/// own. It stops with the value.
final class HostServerDouble: SyncTransportContract.Server {
    /// Where it listens.
    let address: String

    private let listener: Int32
    private let state = State()

    init() throws {
        #if canImport(Glibc)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        let listener = listener
        var local = sockaddr_in()
        local.sin_family = sa_family_t(AF_INET)
        local.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &local) { pointer in
            // The pointer is to a sockaddr_in of the length that is passed along.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw Breach("cannot listen on the loopback interface: error \(errno)") }
        address = "http://127.0.0.1:\(UInt16(bigEndian: local.sin_port))"
        Thread.detachNewThread { [state] in Self.accept(listener, state) }
    }

    deinit {
        state.stop()
    }

    // MARK: What the contract asks of it

    func play(_ answer: SyncTransportContract.Answer) async throws -> Bool {
        switch answer {
        case .receipt(let receipt): self.answer(Self.response("200 OK", body: receipt.json.serialized()))
        case .tooLarge: self.answer(Self.response("413 Content Too Large"))
        case .rejected: self.answer(Self.response("422 Unprocessable Content"))
        case .unauthorized: self.answer(Self.response("401 Unauthorized"))
        case .later(let seconds):
            self.answer(Self.response("503 Service Unavailable", seconds.map { "Retry-After: \($0)\r\n" } ?? ""))
        case .dropped: self.answer("")
        case .nonsense: self.answer(Self.response("200 OK", body: Array("<html>Welcome</html>".utf8)))
        case .silence: self.answer("", thenWaits: true)
        }
        return true
    }

    func requests() async -> [SyncTransportContract.Request] {
        state.received.map(\.request)
    }

    func arrival(of count: Int) async {
        for await arrived in state.arrivals() where arrived >= count { return }
    }

    // MARK: For tests of the network layer

    /// The heads of the requests so far.
    var heads: [String] { state.received.map(\.head) }

    /// Answers the next request with these bytes, and holds the connection where it is told to.
    func answer(_ text: String, thenWaits: Bool = false) {
        state.enqueue(Answer(bytes: Array(text.utf8), thenWaits: thenWaits))
    }

    private static func response(_ status: String, _ fields: String = "", body: [UInt8] = []) -> String {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.count)\r\n\r\n\(String(decoding: body, as: UTF8.self))"
    }
}

/// What is sent on a connection.
private struct Answer: Sendable {
    var bytes: [UInt8]
    var thenWaits: Bool
}

/// A request as it came.
private struct Received: Sendable {
    var head: String
    var request: SyncTransportContract.Request
}

/// What the threads share.
///
/// `@unchecked Sendable`: what is mutable is reached under the lock alone.
private final class State: @unchecked Sendable {
    private let lock = NSLock()
    private var answers: [Answer] = []
    private var log: [Received] = []
    private var watchers: [AsyncStream<Int>.Continuation] = []
    private var hasStopped = false

    var received: [Received] { lock.withLock { log } }
    var isStopped: Bool { lock.withLock { hasStopped } }

    func stop() {
        lock.withLock { hasStopped = true }
    }

    func enqueue(_ answer: Answer) {
        lock.withLock { answers.append(answer) }
    }

    /// How many requests there are, now and whenever one more arrives; a slow reader sees the newest number only.
    func arrivals() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        lock.withLock {
            continuation.yield(log.count)
            watchers.append(continuation)
        }
        return stream
    }

    /// Notes a request and gives the answer to it; nil where there is none.
    func note(_ received: Received) -> Answer? {
        lock.withLock {
            log.append(received)
            for watcher in watchers { watcher.yield(log.count) }
            return answers.isEmpty ? nil : answers.removeFirst()
        }
    }
}

// MARK: - Threads

extension HostServerDouble {
    private static func accept(_ listener: Int32, _ state: State) {
        while !state.isStopped {
            // Waits in slices: not every system ends an accept when the socket is closed.
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) > 0 else { continue }
            #if canImport(Glibc)
            let descriptor = Glibc.accept(listener, nil, nil)
            #else
            let descriptor = Darwin.accept(listener, nil, nil)
            #endif
            guard descriptor >= 0 else { continue }
            Thread.detachNewThread {
                serve(descriptor, state)
                close(descriptor)
            }
        }
        close(listener)
    }

    private static func serve(_ descriptor: Int32, _ state: State) {
        guard let (head, body) = readRequest(descriptor),
            let answer = state.note(Received(head: head, request: parsed(body)))
        else { return }
        var rest = answer.bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
            let count = send(descriptor, Array(rest), rest.count, Int32(MSG_NOSIGNAL))
            #else
            let count = send(descriptor, Array(rest), rest.count, 0)
            #endif
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
        while answer.thenWaits, !state.isStopped {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Nothing more is due from the client: what comes is its end.
            if poll(&waiting, 1, 100) > 0 { return }
        }
    }

    private static func readRequest(_ descriptor: Int32) -> (head: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let end = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) }) {
                let head = String(decoding: bytes[..<(end + 2)], as: UTF8.self)
                let body = Array(bytes[(end + 4)...])
                if body.count >= contentLength(head) { return (head, body) }
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    private static func contentLength(_ head: String) -> Int {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst(15).drop { $0 == " " }) ?? 0
        }
        return 0
    }

    /// A body that is no batch is a request without events, which no clause expects.
    private static func parsed(_ body: [UInt8]) -> SyncTransportContract.Request {
        do {
            let json = try JSONValue(parsing: body)
            let events = (json["events"]?.arrayValue ?? []).compactMap {
                $0["id"]?.stringValue.flatMap { EventID($0) }
            }
            return .init(events: events, cursor: json["after"]?.stringValue)
        } catch {
            return .init(events: [], cursor: "not JSON: \(error)")
        }
    }
}

// MARK: - What the server says

extension SyncReceipt {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "results": .array(items.map(\.json)), "redemptions": .array(redemptions.map(\.json)),
            "more": .bool(hasMore),
        ]
        object["serverTime"] = serverTime.map { .string($0.timestamp) }
        object["highestSequence"] = highestSequence.map { .integer($0) }
        object["cursor"] = cursor.map { .string($0) }
        return .object(object)
    }
}

extension SyncReceipt.Item {
    fileprivate var json: JSONValue {
        switch result {
        case .accepted: ["id": .string(id.text), "result": "accepted"]
        case .duplicate: ["id": .string(id.text), "result": "duplicate"]
        case .refused(let code, let message):
            ["id": .string(id.text), "result": "refused", "code": .string(code), "message": .string(message)]
        }
    }
}

extension Redemption {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id.text), "eventId": .string(ticket.event.text), "ticketId": .string(ticket.ticket.text),
            "deviceId": .string(deviceID.text), "count": .integer(Int64(count)), "at": .string(at.timestamp),
        ]
        object["gateId"] = gateID.map { .string($0.text) }
        object["zoneId"] = zoneID.map { .string($0.text) }
        object["contentHash"] = contentHash.map { .string($0.map { String(format: "%02x", $0) }.joined()) }
        return .object(object)
    }
}

extension Instant {
    /// RFC 3339 with milliseconds.
    fileprivate var timestamp: String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
