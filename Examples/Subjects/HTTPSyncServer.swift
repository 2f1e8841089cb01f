import Foundation
import Portico
import PorticoContracts
import PorticoHTTPSync
import PorticoInMemory

/// A double of the reference service, for the contract of `SyncTransport`: it stands where the network would.
///
/// `@unchecked Sendable`: the answers are reached under the lock alone.
public final class HTTPSyncServer: SyncTransportContract.Server, @unchecked Sendable {
    private let lock = NSLock()
    private var answers: [SyncTransportContract.Answer] = []
    private let log = StubHTTPTransport(responses: [HTTPResponse(status: 200)])

    /// A server without answers; a request that finds none is answered with a failure.
    public init() {}

    /// `HTTPSyncTransport` with this double as its server, to be put to the contract.
    public static var subject: Subject<SyncTransportContract.Exchange> {
        Subject(name: "HTTPSyncTransport") {
            let server = HTTPSyncServer()
            let http = StubHTTPTransport { request throws(NetworkError) in try await server.answer(request) }
            return {
                .init(
                    transport: HTTPSyncTransport(
                        http: http, url: "https://gate.example/v1/scans", deviceID: "device-of-the-contract"),
                    server: server)
            }
        }
    }

    /// Answers the next request that way.
    public func play(_ answer: SyncTransportContract.Answer) async throws -> Bool {
        lock.withLock { answers.append(answer) }
        return true
    }

    /// The requests so far.
    public func requests() async -> [SyncTransportContract.Request] {
        log.requests.map { request in
            guard let body = Self.parsed(request.body ?? []) else { return .init(events: []) }
            let events = (body["events"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue.flatMap { EventID($0) } }
            return .init(events: events, cursor: body["after"]?.stringValue)
        }
    }

    /// Returns when that many requests have arrived.
    public func arrival(of count: Int) async {
        await log.requests(atLeast: count)
    }

    private func answer(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        _ = try await log.send(request)
        switch lock.withLock({ answers.isEmpty ? nil : answers.removeFirst() }) {
        case nil: return HTTPResponse(status: 500)
        case .receipt(let receipt): return HTTPResponse(status: 200, body: Self.json(receipt).serialized())
        case .tooLarge: return HTTPResponse(status: 413)
        case .rejected: return HTTPResponse(status: 422, body: Array("{\"detail\":\"no\"}".utf8))
        case .unauthorized: return HTTPResponse(status: 401)
        case .later(let seconds):
            let fields = seconds.map { [HTTPField(name: "Retry-After", value: "\($0)")] } ?? []
            return HTTPResponse(status: 503, fields: fields)
        case .dropped: throw .closed
        case .nonsense: return HTTPResponse(status: 200, body: Array("<html>Welcome to our network</html>".utf8))
        case .silence:
            do {
                try await Task.sleep(nanoseconds: 10_000_000_000)
            } catch {
                throw .cancelled
            }
            throw .timedOut
        }
    }

    private static func parsed(_ bytes: [UInt8]) -> JSONValue? {
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            return nil
        }
    }

    private static func json(_ receipt: SyncReceipt) -> JSONValue {
        var object = JSONObject()
        object["serverTime"] = receipt.serverTime.map { .string(RFC3339.string(milliseconds: $0.milliseconds)) }
        object["highestSequence"] = receipt.highestSequence.map { .integer($0) }
        object["results"] = .array(receipt.items.map(json))
        object["redemptions"] = .array(receipt.redemptions.map(json))
        object["cursor"] = receipt.cursor.map { .string($0) }
        object["more"] = .bool(receipt.hasMore)
        return .object(object)
    }

    private static func json(_ item: SyncReceipt.Item) -> JSONValue {
        switch item.result {
        case .accepted: ["id": .string(item.id.text), "result": "accepted"]
        case .duplicate: ["id": .string(item.id.text), "result": "duplicate"]
        case .refused(let code, let message):
            ["id": .string(item.id.text), "result": "refused", "code": .string(code), "message": .string(message)]
        }
    }

    private static func json(_ redemption: Redemption) -> JSONValue {
        var object: JSONObject = [
            "id": .string(redemption.id.text), "eventId": .string(redemption.ticket.event.text),
            "ticketId": .string(redemption.ticket.ticket.text), "deviceId": .string(redemption.deviceID.text),
            "count": .integer(Int64(redemption.count)),
            "at": .string(RFC3339.string(milliseconds: redemption.at.milliseconds)),
        ]
        object["gateId"] = redemption.gateID.map { .string($0.text) }
        object["zoneId"] = redemption.zoneID.map { .string($0.text) }
        object["contentHash"] = redemption.contentHash.map { .string(Hexadecimal.encode($0)) }
        return .object(object)
    }
}
