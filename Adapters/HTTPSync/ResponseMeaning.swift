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
