#if Curl && os(Linux)
import CCurl
import Glibc
import Portico

/// One call of `send` or `stream`, redirects included.
///
/// `@unchecked Sendable`: what is mutable is touched on the loop's thread alone, except `stage`, which the loop's lock
/// guards.
final class CurlCall: @unchecked Sendable {
    /// How far the call got, for a cancellation that races its start.
    enum Stage {
        case new
        case started
        case cancelled
    }

    /// Guarded by the loop's lock.
    fileprivate var stage = Stage.new

    fileprivate let configuration: CurlHTTPTransport.Configuration
    fileprivate var request: HTTPRequest
    fileprivate var address: WebAddress
    fileprivate var redirectsLeft: Int
    fileprivate var deadline: Int64
    fileprivate var transfer: CurlTransfer?
    fileprivate var continuation: CheckedContinuation<Result<HTTPResponse, NetworkError>, Never>?
    /// Where the body goes while it comes; nil where it is collected.
    fileprivate let body: CurlBody?

    /// A call that has not started; `address` is the request's own URL.
    init(
        request: HTTPRequest, address: WebAddress, configuration: CurlHTTPTransport.Configuration, body: CurlBody? = nil
    ) {
        self.body = body
        self.request = request
        self.address = address
        self.configuration = configuration
        redirectsLeft = request.maximumRedirects
        deadline = request.timeout.map { CurlClock.milliseconds(after: $0) } ?? .max
    }

    /// When the call times out unless something moves before.
    fileprivate var nextDeadline: Int64 {
        guard let transfer, body?.isWaitingForReader != true else { return deadline }
        return min(deadline, CurlClock.saturating(transfer.lastProgress, plus: request.idleTimeout))
    }
}

/// The thread on which all transfers of one transport run, over one multi handle.
///
/// `@unchecked Sendable`: `shared` is reached under the lock alone; the multi handle and the calls under way belong to
/// the thread, but for `curl_multi_wakeup`, which libcurl allows from any thread and which is called under the lock,
/// before the thread has marked the handle as gone.
final class CurlLoop: @unchecked Sendable {
    private enum Command {
        case start(CurlCall)
        case cancel(CurlCall)
        case goOn(CurlCall)
    }

    private struct Shared {
        var commands: [Command] = []
        var isClosing = false
        var hasEnded = false
        var whenEnded: [@Sendable () -> Void] = []
    }

    private let lock = CurlLock()
    private var shared = Shared()
    private let multi: UnsafeMutableRawPointer
    private var calls: [UnsafeMutableRawPointer: CurlCall] = [:]

    /// At most that many idle connections are kept.
    private static let idleConnections = 8

    /// Starts the thread.
    ///
    /// - Throws: `unreachable` when libcurl or the thread does not start.
    init() throws(NetworkError) {
        guard CurlLibrary.state == CURLE_OK else {
            throw .unreachable("libcurl does not start: \(String(cString: curl_easy_strerror(CurlLibrary.state)))")
        }
        guard let multi = curl_multi_init() else { throw .unreachable("libcurl has no memory to start") }
        self.multi = multi
        guard ccurl_set_multi_long(multi, CURLMOPT_MAXCONNECTS, Self.idleConnections) == CURLM_OK,
            CurlThread.start({ [self] in run() })
        else {
            curl_multi_cleanup(multi)
            throw .unreachable("the network thread does not start")
        }
    }

    /// Starts a call; its continuation is resumed once, whatever happens.
    func start(_ call: CurlCall, _ continuation: CheckedContinuation<Result<HTTPResponse, NetworkError>, Never>) {
        let refusal: NetworkError? = lock.withLock {
            if call.stage == .cancelled { return .cancelled }
            if shared.isClosing { return .closed }
            call.stage = .started
            call.continuation = continuation
            enqueue(.start(call))
            return nil
        }
        if let refusal { continuation.resume(returning: .failure(refusal)) }
    }

    /// Ends a call with `cancelled`, before or after its start; one that has ended is left alone.
    func cancel(_ call: CurlCall) {
        lock.withLock {
            if call.stage == .started { enqueue(.cancel(call)) }
            call.stage = .cancelled
        }
    }

    /// The reader of a body that was held back has room again.
    func goOn(_ call: CurlCall) {
        lock.withLock { enqueue(.goOn(call)) }
    }

    /// Ends every call with `closed` and then the thread; `whenEnded` is called when it has ended.
    func close(_ whenEnded: @escaping @Sendable () -> Void = {}) {
        let hasEnded = lock.withLock {
            guard !shared.hasEnded else { return true }
            shared.isClosing = true
            shared.whenEnded.append(whenEnded)
            wakeUp()
            return false
        }
        if hasEnded { whenEnded() }
    }

    /// Under the lock.
    private func enqueue(_ command: Command) {
        guard !shared.isClosing else { return }
        shared.commands.append(command)
        wakeUp()
    }

    /// Under the lock, before the thread has marked the handle as gone.
    private func wakeUp() {
        // It fails only for a handle that is none.
        _ = curl_multi_wakeup(multi)
    }
}

// MARK: - On the thread

extension CurlLoop {
    private func run() {
        while takeCommands() {
            perform()
            collect()
            expire()
            rest()
        }
        failAll(.closed)
        let whenEnded = lock.withLock {
            shared.hasEnded = true
            return shared.whenEnded
        }
        curl_multi_cleanup(multi)
        for notify in whenEnded { notify() }
    }

    /// False once the loop is to end.
    private func takeCommands() -> Bool {
        let (commands, isClosing) = lock.withLock {
            defer { shared.commands = [] }
            return (shared.commands, shared.isClosing)
        }
        for command in commands {
            switch command {
            case .start(let call): begin(call)
            case .cancel(let call): end(call, .failure(.cancelled))
            case .goOn(let call):
                if let error = call.transfer?.goOn() { end(call, .failure(error)) }
            }
        }
        return !isClosing
    }

    private func perform() {
        var running: Int32 = 0
        let code = curl_multi_perform(multi, &running)
        if code != CURLM_OK {
            failAll(.unreachable("libcurl fails: \(String(cString: curl_multi_strerror(code)))"))
        }
    }

    private func collect() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let call = calls[easy], let transfer = call.transfer
            else { continue }
            // The message is gone once its handle is taken out.
            let outcome = transfer.outcome(ccurl_message_result(message))
            finish(call, outcome)
        }
    }

    private func finish(_ call: CurlCall, _ outcome: Result<HTTPResponse, NetworkError>) {
        guard case .success(let response) = outcome, call.redirectsLeft > 0,
            let redirect = Redirect(response, to: call.request, from: call.address)
        else { return end(call, outcome) }
        detach(call)
        call.redirectsLeft -= 1
        call.request = redirect.request
        call.address = redirect.address
        begin(call)
    }

    private func begin(_ call: CurlCall) {
        do throws(NetworkError) {
            let transfer = try CurlTransfer(
                call.request, to: call.address, configuration: call.configuration, sink: sink(of: call))
            call.transfer = transfer
            calls[transfer.easy] = call
            let code = curl_multi_add_handle(multi, transfer.easy)
            guard code == CURLM_OK else {
                throw .unreachable("libcurl takes no request: \(String(cString: curl_multi_strerror(code)))")
            }
        } catch {
            end(call, .failure(error))
        }
    }

    /// Hands over the head and then the body of a streamed response; not those of a redirect that is followed.
    private func sink(of call: CurlCall) -> CurlTransfer.Sink? {
        guard let body = call.body else { return nil }
        return CurlTransfer.Sink(
            head: { [unowned call] head in
                if call.redirectsLeft > 0, Redirect(head, to: call.request, from: call.address) != nil { return false }
                call.continuation?.resume(returning: .success(head))
                call.continuation = nil
                return true
            },
            body: body)
    }

    private func expire() {
        let now = CurlClock.milliseconds()
        for call in calls.values where call.nextDeadline <= now { end(call, .failure(.timedOut)) }
    }

    /// Waits until a socket is ready, a deadline is reached or there is a command.
    private func rest() {
        let deadline = calls.values.map(\.nextDeadline).min() ?? .max
        let span = deadline == .max ? 60_000 : min(max(deadline - CurlClock.milliseconds(), 0), 60_000)
        let code = curl_multi_poll(multi, nil, 0, Int32(span), nil)
        if code != CURLM_OK {
            failAll(.unreachable("libcurl cannot wait: \(String(cString: curl_multi_strerror(code)))"))
        }
    }

    private func failAll(_ error: NetworkError) {
        for call in calls.values { end(call, .failure(error)) }
    }

    /// Takes the call's handle out, which closes a connection in mid-transfer, and answers the caller.
    private func end(_ call: CurlCall, _ outcome: Result<HTTPResponse, NetworkError>) {
        detach(call)
        if case .failure(let error) = outcome { call.body?.end(error) } else { call.body?.end(nil) }
        guard let continuation = call.continuation else { return }
        call.continuation = nil
        continuation.resume(returning: outcome)
    }

    private func detach(_ call: CurlCall) {
        guard let transfer = call.transfer else { return }
        // A handle that was never added is refused, which is what is wanted then.
        _ = curl_multi_remove_handle(multi, transfer.easy)
        calls[transfer.easy] = nil
        call.transfer = nil
    }
}
#endif
