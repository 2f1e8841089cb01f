import Portico
import PorticoContracts
import Subjects
import Testing

/// What the tests that speak TLS share.
enum TestTLS {
    /// Made once for the process.
    static let made: Result<LoopbackTLS?, any Error> = Result { try LoopbackTLS() }

    /// Nil where a tool is missing or fails; a test of its own tells the two apart.
    static let shared: LoopbackTLS? = {
        guard case .success(let tls) = made else { return nil }
        return tls
    }()
}

@Suite("HTTP transports keep their guarantees")
struct HTTPTransportContractTests {
    static let clauses = HTTPTransportContract.clauses(server: LoopbackServer(tls: TestTLS.shared))
    static let subjects = Subjects.httpTransports(tls: TestTLS.shared)

    @Test("a transport keeps each guarantee", arguments: subjects.map(\.name), clauses.map(\.id))
    func keeps(_ name: String, _ id: String) async throws {
        let subject = try #require(Self.subjects.first { $0.name == name })
        let clause = try #require(Self.clauses.first { $0.id == id })
        if case .broken(let what) = await clause.check(subject) { Issue.record("\(what)") }
    }

    @Test("the certificates are made, or it is said which packages that takes")
    func certificates() throws {
        if try TestTLS.made.get() == nil {
            print("skipped: https; missing packages: \(LoopbackTLS.missingPackages().joined(separator: ", "))")
        }
    }

    @Test("a flaw breaks the clause that names it", arguments: Flaw.allCases)
    func finds(_ flaw: Flaw) async throws {
        let clause = try #require(Self.clauses.first { $0.id == flaw.clause })
        guard let sound = Self.subjects.first(where: { $0.capabilities.isSuperset(of: [.plainHTTP]) }) else { return }
        var capabilities = sound.capabilities
        if flaw == .laxness { capabilities = [.httpsOnly] }
        if !clause.needs.isSubset(of: capabilities) { return }
        let subject = Subject<any HTTPTransport>(name: "\(flaw)", capabilities: capabilities) {
            let open = try await sound.fresh()
            return { FlawedHTTPTransport(sound: try await open(), flaw: flaw) }
        }
        guard case .broken(let what) = await clause.check(subject) else {
            Issue.record("\(clause.id) does not find \(flaw)")
            return
        }
        #expect(what.contains(flaw.clause) && what.contains("\(flaw)"))
    }
}

/// One mistake that a transport can make.
enum Flaw: CaseIterable {
    case joinedFields
    case statusAsError
    case sendingAgain
    case noIdleLimit
    case noTotalLimit
    case deafToCancellation
    case countingTooLate
    case oneRedirectMore
    case chattiness
    case tidyingFields
    case laxness
    case verdictMadeMild

    /// The clause that must find it.
    var clause: String {
        switch self {
        case .joinedFields: "HT-1"
        case .statusAsError: "HT-2"
        case .sendingAgain: "HT-3"
        case .noIdleLimit, .noTotalLimit: "HT-4"
        case .deafToCancellation: "HT-5"
        case .countingTooLate: "HT-6"
        case .oneRedirectMore, .chattiness: "HT-7"
        case .tidyingFields: "HT-8"
        case .laxness: "HT-9"
        case .verdictMadeMild: "HT-10"
        }
    }
}

/// A transport with one mistake around a sound one.
struct FlawedHTTPTransport: HTTPTransport {
    let sound: any HTTPTransport
    let flaw: Flaw

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        var request = request
        switch flaw {
        case .joinedFields:
            var response = try await sound.send(request)
            let cookies = response.fields.filter { $0.name == "Set-Cookie" }.map(\.value)
            response.fields.removeAll { $0.name == "Set-Cookie" }
            if !cookies.isEmpty {
                response.fields.append(HTTPField(name: "Set-Cookie", value: cookies.joined(separator: ", ")))
            }
            return response
        case .statusAsError:
            let response = try await sound.send(request)
            if response.status == 418 { throw .protocolViolation("status 418") }
            return response
        case .sendingAgain:
            do {
                return try await sound.send(request)
            } catch .closed {
                return try await sound.send(request)
            }
        case .noIdleLimit:
            request.idleTimeout = 60_000
        case .noTotalLimit:
            request.timeout = nil
        case .deafToCancellation:
            let copy = request
            let call = Task { () -> Result<HTTPResponse, NetworkError> in
                do throws(NetworkError) { return .success(try await sound.send(copy)) } catch { return .failure(error) }
            }
            return try await call.value.get()
        case .countingTooLate:
            let limit = request.maximumBody
            request.maximumBody = .max
            let response = try await sound.send(request)
            if response.body.count > limit { throw .tooLarge(limit: limit) }
            return response
        case .oneRedirectMore:
            request.maximumRedirects += 1
        case .chattiness:
            let limit = request.maximumRedirects
            request.maximumRedirects = 0
            let response = try await sound.send(request)
            guard limit > 0, let location = response.field("Location") else { return response }
            request.maximumRedirects = limit - 1
            let origin = request.url.split(separator: "/").prefix(2).joined(separator: "//")
            request.url =
                location.hasPrefix("http") ? location : origin + (location.hasPrefix("/") ? "" : "/dir/") + location
            return try await send(request)
        case .tidyingFields:
            request.fields.removeAll { $0.name.isEmpty }
        case .laxness:
            break
        case .verdictMadeMild:
            do {
                return try await sound.send(request)
            } catch .untrusted(let cause) {
                throw .unreachable(cause)
            }
        }
        return try await sound.send(request)
    }
}
