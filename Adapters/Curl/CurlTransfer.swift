#if Curl && os(Linux)
import CCurl
import Glibc
import Portico

/// One request on the wire and what came back: owns an easy handle, its fields and its buffers.
///
/// Made, run and dropped on the loop's thread; libcurl calls back on the same thread, from within
/// `curl_multi_perform`, while the loop holds the transfer.
final class CurlTransfer {
    /// Where a response goes that is not collected.
    struct Sink {
        /// Takes the head; false where the body is of no interest.
        let head: (HTTPResponse) -> Bool
        /// Takes the body.
        let body: CurlBody
    }

    /// The easy handle.
    let easy: UnsafeMutableRawPointer
    /// When something last moved, in `CurlClock` milliseconds.
    private(set) var lastProgress: Int64

    private let request: HTTPRequest
    private var requestFields: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var sent = 0
    private var moved: (down: curl_off_t, up: curl_off_t) = (0, 0)
    private var head = ResponseHead()
    private var body: [UInt8] = []
    private let sink: Sink?
    /// Whether the head went to the sink, and the body follows it.
    private var isStreaming = false
    /// What a callback stopped the transfer for; libcurl itself only knows that one did.
    private var failure: NetworkError?

    /// Makes the handle and sets every option.
    ///
    /// - Throws: `unreachable` when libcurl refuses an option or has no memory.
    init(
        _ request: HTTPRequest, to address: WebAddress, configuration: CurlHTTPTransport.Configuration,
        sink: Sink? = nil
    ) throws(NetworkError) {
        self.sink = sink
        guard let easy = curl_easy_init() else { throw .unreachable("libcurl has no memory for a request") }
        self.easy = easy
        self.request = request
        lastProgress = CurlClock.milliseconds()
        // libcurl writes texts of at most CURL_ERROR_SIZE bytes, zero included.
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))

        var options = CurlOptions(easy)
        setRules(&options, address, configuration)
        setRequest(&options, address, configuration)
        setCallbacks(&options)
        try options.check()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(requestFields)
        errorText.deallocate()
    }

    /// The response, or why there is none, once libcurl is done with the handle.
    func outcome(_ code: CURLcode) -> Result<HTTPResponse, NetworkError> {
        if let failure { return .failure(failure) }
        if let error = NetworkError(code, detail: String(cString: errorText)) {
            return .failure(error == .closed ? proxyRefusal ?? error : error)
        }
        guard head.isWhole else { return .failure(.closed) }
        return .success(HTTPResponse(status: head.status, fields: head.fields, body: body))
    }

    /// libcurl reports a proxy that refuses a tunnel as a connection that broke.
    private var proxyRefusal: NetworkError? {
        var status = 0
        guard ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK, status >= 300 else { return nil }
        return .unreachable("the proxy refuses the connection with status \(status)")
    }
}

// MARK: - Flow

extension CurlTransfer {
    /// Lets a transfer go on that its sink held back; what was held back is delivered within this call.
    ///
    /// - Returns: Why it cannot go on.
    func goOn() -> NetworkError? {
        // In this order: a deadline that was not looked at while the reader kept the server waiting is over by now.
        noteProgress()
        sink?.body.goesOn()
        return NetworkError(curl_easy_pause(easy, CURLPAUSE_CONT), detail: String(cString: errorText))
    }
}

// MARK: - Options

extension CurlTransfer {
    /// What holds for every request: where it may go, whom it may believe.
    private func setRules(
        _ options: inout CurlOptions, _ address: WebAddress, _ configuration: CurlHTTPTransport.Configuration
    ) {
        options.set(CURLOPT_PROTOCOLS_STR, address.origin.scheme)
        // Redirects are followed by the transport: libcurl's own rules for what goes along differ by version.
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        switch configuration.authorities {
        case .system: break
        case .file(let path):
            options.set(CURLOPT_CAINFO, path)
            options.set(CURLOPT_CAPATH, nil)
        case .pem(let bytes):
            options.set(CURLOPT_CAINFO_BLOB, bytes)
            options.set(CURLOPT_CAPATH, nil)
        }
        switch configuration.proxy {
        case .environment: break
        case .none:
            options.set(CURLOPT_PROXY, "")
        case .url(let url):
            options.set(CURLOPT_PROXY, url)
            options.set(CURLOPT_NOPROXY, "")
        }
        // A proxy's answer to CONNECT is not the server's.
        options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        options.set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(configuration.connectTimeout, 1)))
        // The library must not use signals for its timeouts in a process that has other threads.
        options.set(CURLOPT_NOSIGNAL, 1)
        // Without it, taking a transfer out waits for its name lookup, and all others wait with it.
        options.set(CURLOPT_QUICK_EXIT, 1)
    }

    private func setRequest(
        _ options: inout CurlOptions, _ address: WebAddress, _ configuration: CurlHTTPTransport.Configuration
    ) {
        options.set(CURLOPT_URL, address.text)
        if request.method == "HEAD" {
            options.set(CURLOPT_NOBODY, 1)
        } else if let size = bodySize {
            options.set(CURLOPT_UPLOAD, 1)
            options.setOffset(CURLOPT_INFILESIZE_LARGE, curl_off_t(size))
            options.set(CURLOPT_CUSTOMREQUEST, request.method)
        } else {
            options.set(CURLOPT_HTTPGET, 1)
            options.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        if !request.isIdempotent {
            // A reused connection that turns out dead makes libcurl send again, whatever the method.
            options.set(CURLOPT_FRESH_CONNECT, 1)
        }
        if let userAgent = configuration.userAgent, !request.hasField("user-agent") {
            options.set(CURLOPT_USERAGENT, userAgent)
        }
        for field in request.fields {
            // "Name:" would take a field out; a field without a value is written "Name;".
            let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            append(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)", &options)
        }
        // Fields that libcurl would add of its own: Expect costs a second where a server does not answer it.
        for name in ["Accept", "Expect"] where !request.hasField(name.asciiLowercased) {
            append("\(name):", &options)
        }
        options.setList(CURLOPT_HTTPHEADER, requestFields)
    }

    /// The size of the body, nil for a request that has none; methods that expect one say 0 (RFC 9110 §8.6).
    private var bodySize: Int? {
        request.body?.count ?? (["POST", "PUT", "PATCH"].contains(request.method) ? 0 : nil)
    }

    private func append(_ line: String, _ options: inout CurlOptions) {
        if let longer = curl_slist_append(requestFields, line) {
            requestFields = longer
        } else {
            options.fail(CURLE_OUT_OF_MEMORY)
        }
    }

    private func setCallbacks(_ options: inout CurlOptions) {
        // The pointers are used only while the loop runs the handle, and the loop holds the transfer as long.
        let me = Unmanaged.passUnretained(self).toOpaque()
        options.setPointer(CURLOPT_ERRORBUFFER, errorText)
        for option in [
            CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_XFERINFODATA,
            CURLOPT_PREREQDATA,
        ] {
            options.setPointer(option, me)
        }
        options.set(CURLOPT_NOPROGRESS, 0)
        options.note(
            ccurl_set_header_callback(easy) { bytes, size, count, context in
                CurlTransfer.of(context).receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
            })
        options.note(
            ccurl_set_write_callback(easy) { bytes, size, count, context in
                CurlTransfer.of(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            })
        options.note(
            ccurl_set_read_callback(easy) { buffer, size, count, context in
                CurlTransfer.of(context).sendBody(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
            })
        options.note(
            ccurl_set_seek_callback(easy) { context, offset, origin in
                CurlTransfer.of(context).rewind(to: offset, from: origin)
            })
        options.note(
            ccurl_set_progress_callback(easy) { context, _, down, _, up in
                CurlTransfer.of(context).noteMoved(down: down, up: up)
                return 0
            })
        options.note(
            ccurl_set_connected_callback(easy) { context, _, _, _, _ in
                CurlTransfer.of(context).noteProgress()
                return CURL_PREREQFUNC_OK
            })
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context else { preconditionFailure("libcurl calls back without the transfer that it was given") }
        // It is the pointer that `setCallbacks` gave, and the loop holds the transfer while the handle runs.
        return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }
}

// MARK: - Callbacks

extension CurlTransfer {
    private func noteProgress() {
        lastProgress = CurlClock.milliseconds()
    }

    private func noteMoved(down: curl_off_t, up: curl_off_t) {
        guard moved != (down, up) else { return }
        moved = (down, up)
        noteProgress()
    }

    private func receiveLine(_ bytes: UnsafeRawBufferPointer) -> Int {
        noteProgress()
        do {
            let wasWhole = head.isWhole
            try head.receive([UInt8](bytes))
            if let sink, head.isWhole, !wasWhole {
                isStreaming = sink.head(HTTPResponse(status: head.status, fields: head.fields))
            }
            return bytes.count
        } catch {
            failure = error
            return ccurl_write_error()
        }
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        noteProgress()
        if let sink, isStreaming {
            return sink.body.receive(bytes) ? bytes.count : ccurl_write_pause()
        }
        guard bytes.count <= request.maximumBody - body.count else {
            failure = .tooLarge(limit: request.maximumBody)
            return ccurl_write_error()
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    private func sendBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        noteProgress()
        guard let body = request.body else { return 0 }
        let count = min(buffer.count, body.count - sent)
        body.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]))
        }
        sent += count
        return count
    }

    /// libcurl goes back to the start where it sends an idempotent request again.
    private func rewind(to offset: curl_off_t, from origin: Int32) -> Int32 {
        guard request.isIdempotent, origin == SEEK_SET, offset >= 0, offset <= (request.body?.count ?? 0) else {
            return CURL_SEEKFUNC_FAIL
        }
        sent = Int(offset)
        return CURL_SEEKFUNC_OK
    }
}

/// Sets options of one easy handle and keeps the first refusal.
struct CurlOptions {
    private let easy: UnsafeMutableRawPointer
    private var refusal = CURLE_OK

    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        note(ccurl_set_long(easy, option, value))
    }

    mutating func set(_ option: CURLoption, _ value: String?) {
        note(ccurl_set_string(easy, option, value))
    }

    mutating func set(_ option: CURLoption, _ bytes: [UInt8]) {
        note(ccurl_set_blob(easy, option, bytes, bytes.count))
    }

    mutating func setOffset(_ option: CURLoption, _ value: curl_off_t) {
        note(ccurl_set_offset(easy, option, value))
    }

    mutating func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        note(ccurl_set_pointer(easy, option, value))
    }

    mutating func setList(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>?) {
        note(ccurl_set_list(easy, option, value))
    }

    mutating func fail(_ code: CURLcode) {
        note(code)
    }

    mutating func note(_ code: CURLcode) {
        if refusal == CURLE_OK { refusal = code }
    }

    func check() throws(NetworkError) {
        guard refusal == CURLE_OK else {
            throw .unreachable("libcurl refuses an option: \(String(cString: curl_easy_strerror(refusal)))")
        }
    }
}
#endif
