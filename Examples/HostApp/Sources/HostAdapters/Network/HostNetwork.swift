import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// This host's network layer, as it was before there was a gate: JSON posted by URLSession, a bearer token, one error
/// type. It knows nothing of Portico; `HostSyncTransport` is where the two meet.
///
/// Each request has a session of its own, and so a connection of its own: libcurl, on which URLSession rests on Linux,
/// sends a POST a second time where a connection that it kept turns out dead, and here a request goes out once.
package struct HostNetwork: Sendable {
    private let base: String
    private let token: (@Sendable () async throws -> String)?
    private let maximumBody: Int

    /// The longest time without any progress, and for a whole request, in seconds.
    private static let limits = (idle: 15.0, whole: 60.0)

    /// A network layer over one server.
    ///
    /// - Parameters:
    ///   - base: Scheme, host and port: `https://gate.example`. Plain http is for the loopback interface alone.
    ///   - token: The bearer token for each request; nil: none is sent.
    ///   - maximumBody: The longest answer that is taken, in bytes.
    package init(base: String, token: (@Sendable () async throws -> String)? = nil, maximumBody: Int = 4 << 20) {
        self.base = base
        self.token = token
        self.maximumBody = maximumBody
    }

    /// An answer of the server, whatever its status.
    package struct Response: Sendable {
        /// The status code.
        package var status: Int
        /// The field `Retry-After`, where it is there.
        package var retryAfter: String?
        /// The body.
        package var body: [UInt8]
    }

    /// Why there is no answer.
    package enum Failure: Error {
        /// The task was cancelled.
        case cancelled
        /// Nothing was sent: the address is none, or it is not https.
        case address(String)
        /// The token cannot be had; what its provider threw may hold secrets and is not shown.
        case token
        /// The answer is longer than the limit.
        case tooLarge
        /// Anything else that URLSession reports, by its code.
        case connection(code: Int)
    }

    /// Posts JSON and gives the server's answer; a redirect is an answer too.
    package func post(_ path: String, json: [UInt8]) async throws(Failure) -> Response {
        if Task.isCancelled { throw .cancelled }
        var request = URLRequest(url: try url(path))
        request.httpMethod = "POST"
        request.httpBody = Data(json)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let token = try await bearer() { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }

        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.limits.idle
        configuration.timeoutIntervalForResource = Self.limits.whole
        let exchange = Exchange(maximumBody: maximumBody)
        let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: nil)
        // A session holds its delegate until it is told that it is over.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { exchange.run(task, $0) }
        } onCancel: {
            task.cancel()
        }
        if Task.isCancelled { throw .cancelled }
        return try result.get()
    }

    private func url(_ path: String) throws(Failure) -> URL {
        guard let url = URL(string: base + path), let host = url.host, let scheme = url.scheme else {
            throw .address("the server's address is none")
        }
        guard scheme == "https" || scheme == "http" && ["127.0.0.1", "localhost"].contains(host) else {
            throw .address("plain http is for the loopback interface alone")
        }
        return url
    }

    private func bearer() async throws(Failure) -> String? {
        do {
            return try await token?()
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .token
        }
    }
}

/// One request under way.
///
/// `@unchecked Sendable`: the continuation is set before the task is started, and everything after happens on the
/// session's delegate queue, which runs one call at a time.
private final class Exchange: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    typealias Outcome = Result<HostNetwork.Response, HostNetwork.Failure>

    private let maximumBody: Int
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var continuation: CheckedContinuation<Outcome, Never>?

    init(maximumBody: Int) {
        self.maximumBody = maximumBody
    }

    func run(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<Outcome, Never>) {
        self.continuation = continuation
        task.resume()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Followed, a POST would become a GET, and a captive portal's page an answer.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard body.count + data.count <= maximumBody else {
            isTooLarge = true
            dataTask.cancel()
            return
        }
        body.append(contentsOf: data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation?.resume(returning: outcome(task, error))
        continuation = nil
    }

    private func outcome(_ task: URLSessionTask, _ error: (any Error)?) -> Outcome {
        if isTooLarge { return .failure(.tooLarge) }
        if let error { return .failure(.connection(code: (error as NSError).code)) }
        guard let response = task.response as? HTTPURLResponse else { return .failure(.connection(code: 0)) }
        return .success(
            HostNetwork.Response(
                status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After"), body: body))
    }
}
