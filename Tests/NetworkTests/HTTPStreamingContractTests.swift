import Portico
import PorticoContracts
import Subjects
import Testing

@Suite("HTTP transports that stream keep their guarantees")
struct HTTPStreamingContractTests {
    static let clauses = HTTPStreamingTransportContract.clauses(server: LoopbackServer())
    static let subjects = Subjects.httpStreamingTransports()

    @Test("a transport keeps each guarantee", arguments: subjects.map(\.name), clauses.map(\.id))
    func keeps(_ name: String, _ id: String) async throws {
        let subject = try #require(Self.subjects.first { $0.name == name })
        let clause = try #require(Self.clauses.first { $0.id == id })
        if case .broken(let what) = await clause.check(subject) { Issue.record("\(what)") }
    }

    @Test("a flaw breaks the clause that names it", arguments: StreamFlaw.allCases)
    func finds(_ flaw: StreamFlaw) async throws {
        let clause = try #require(Self.clauses.first { $0.id == flaw.clause })
        guard let sound = Self.subjects.first else { return }
        let subject = Subject<any HTTPStreamingTransport>(name: "\(flaw)", capabilities: sound.capabilities) {
            let open = try await sound.fresh()
            return { FlawedStreamingTransport(sound: try await open(), flaw: flaw) }
        }
        guard case .broken(let what) = await clause.check(subject) else {
            Issue.record("\(clause.id) does not find \(flaw)")
            return
        }
        #expect(what.contains(flaw.clause) && what.contains("\(flaw)"))
    }
}

/// One mistake that a streaming transport can make.
enum StreamFlaw: CaseIterable {
    case collecting
    case breakAsEnd
    case noIdleLimit
    case hoarding
    case deafWhileOpening
    case deafToCancellation
    case keepingTheConnection

    /// The clause that must find it.
    var clause: String {
        switch self {
        case .collecting: "HS-1"
        case .breakAsEnd: "HS-2"
        case .noIdleLimit, .hoarding: "HS-3"
        case .deafWhileOpening, .deafToCancellation, .keepingTheConnection: "HS-4"
        }
    }
}

/// A transport with one mistake around a sound one.
struct FlawedStreamingTransport: HTTPStreamingTransport {
    let sound: any HTTPStreamingTransport
    let flaw: StreamFlaw

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse { try await sound.send(request) }

    func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStreamedResponse {
        var request = request
        switch flaw {
        case .collecting:
            request.maximumBody = .max
            let whole = try await sound.send(request)
            let pieces = Once(whole.body)
            return HTTPStreamedResponse(
                status: whole.status, fields: whole.fields,
                body: HTTPStreamedBody { () async throws(NetworkError) in
                    await pieces.take()
                } cancel: {
                })
        case .noIdleLimit:
            request.idleTimeout = 60_000
            return try await sound.stream(request)
        case .hoarding:
            let response = try await sound.stream(request)
            let (hoard, gathering) = AsyncStream.makeStream(
                of: Result<[UInt8]?, NetworkError>.self, bufferingPolicy: .unbounded)
            let body = response.body
            let reading = Task {
                do throws(NetworkError) {
                    while let piece = try await body.next() { gathering.yield(.success(piece)) }
                    gathering.yield(.success(nil))
                } catch {
                    gathering.yield(.failure(error))
                }
            }
            return HTTPStreamedResponse(
                status: response.status, fields: response.fields,
                body: HTTPStreamedBody { () async throws(NetworkError) in
                    var iterator = hoard.makeAsyncIterator()
                    return try await iterator.next()?.get() ?? nil
                } cancel: {
                    reading.cancel()
                })
        case .deafWhileOpening:
            let (sound, request) = (sound, request)
            let opening = Task { () -> Result<HTTPStreamedResponse, NetworkError> in
                do throws(NetworkError) { return .success(try await sound.stream(request)) } catch {
                    return .failure(error)
                }
            }
            return try await opening.value.get()
        case .breakAsEnd, .deafToCancellation, .keepingTheConnection:
            let response = try await sound.stream(request)
            let body = response.body
            let flaw = flaw
            return HTTPStreamedResponse(
                status: response.status, fields: response.fields,
                body: HTTPStreamedBody { () async throws(NetworkError) in
                    do throws(NetworkError) {
                        if flaw == .deafToCancellation { return try await Self.unheard(body) }
                        return try await body.next()
                    } catch {
                        if flaw == .breakAsEnd { return nil }
                        throw error
                    }
                } cancel: {
                    if flaw == .breakAsEnd { body.cancel() }
                    if flaw == .keepingTheConnection { Kept.shared.keep(body) }
                })
        }
    }

    /// Reads in a task of its own, which nobody cancels.
    private static func unheard(_ body: HTTPStreamedBody) async throws(NetworkError) -> [UInt8]? {
        let reading = Task { () -> Result<[UInt8]?, NetworkError> in
            do throws(NetworkError) { return .success(try await body.next()) } catch { return .failure(error) }
        }
        return try await reading.value.get()
    }
}

/// A body that is given once.
private actor Once {
    private var bytes: [UInt8]?

    init(_ bytes: [UInt8]) { self.bytes = bytes.isEmpty ? nil : bytes }

    func take() -> [UInt8]? {
        defer { bytes = nil }
        return bytes
    }
}

/// What a transport forgets to let go of.
///
/// `@unchecked Sendable`: only the last body is kept, and who reads it does not matter.
private final class Kept: @unchecked Sendable {
    static let shared = Kept()
    private let (stream, continuation) = AsyncStream.makeStream(
        of: HTTPStreamedBody.self, bufferingPolicy: .unbounded)

    func keep(_ body: HTTPStreamedBody) { continuation.yield(body) }
}
