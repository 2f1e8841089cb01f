import Portico

extension SyncTransportError {
    /// What it means that there is no response.
    init(_ error: NetworkError) {
        switch error {
        case .cancelled:
            self = .cancelled
        case .insecure:
            // Nothing was sent, and nothing will be until the address or the setting is changed.
            self = .stopped("\(error): use https, or allow plain http")
        case .timedOut, .unreachable, .untrusted, .tooLarge, .closed, .protocolViolation:
            self = .unavailable("\(error)")
        }
    }

    /// What a response means that is not to be read as a receipt; nil for 200.
    init?(_ response: HTTPResponse) {
        let status = response.status
        switch status {
        case 200:
            return nil
        case 300..<400:
            self = .unavailable("the server redirects (\(status)): a captive portal, or the address has moved")
        case 413:
            self = .batchTooLarge
        case 400, 422:
            self = .batchRejected(response.explanation ?? "status \(status)")
        case 408, 409, 423, 425, 429, 503:
            self = .retry(afterMilliseconds: response.retryAfter)
        case 401, 407:
            self = .stopped("the credentials are not accepted (\(status)): check the token")
        case 403:
            self = .stopped("the credentials may not upload (403): check what the token allows")
        case 404, 405, 410:
            self = .stopped("nothing takes uploads at this address (\(status)): check the URL")
        case 400..<500:
            self = .stopped(
                "the server does not take the upload (\(status)): \(response.explanation ?? "no reason given")")
        case 500..<600:
            if let span = response.retryAfter {
                self = .retry(afterMilliseconds: span)
            } else {
                self = .unavailable("the server failed (\(status))")
            }
        default:
            self = .unavailable("the server answered with status \(status), which says nothing of the batch")
        }
    }
}

extension HTTPResponse {
    /// How long the server asks to wait, in milliseconds: seconds, or a date, which counts from the response's own
    /// `Date` because the device's clock may be wrong (RFC 9110 §10.2.3); nil where it cannot be told.
    fileprivate var retryAfter: Int64? {
        guard let text = field("Retry-After") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // More digits than any number holds stand for a very long time.
            return min(Int64(text) ?? .max, 1_000_000_000) * 1_000
        }
        guard let moment = HTTPDate.seconds(text), let now = field("Date").flatMap({ HTTPDate.seconds($0) }) else {
            return nil
        }
        return max(0, moment - now) * 1_000
    }

    /// What the server says is wrong: `detail` or `title` of a problem document (RFC 9457 §3.1), on one line and at most
    /// 300 bytes; nil where there is none.
    fileprivate var explanation: String? {
        let problem: JSONValue
        do {
            problem = try JSONValue(parsing: body)
        } catch {
            // No problem document: the status alone has to do.
            return nil
        }
        guard let text = problem["detail"]?.stringValue ?? problem["title"]?.stringValue else { return nil }
        let line = text.utf8.prefix(300).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
        return String(decoding: line, as: UTF8.self)
    }
}
