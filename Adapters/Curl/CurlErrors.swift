#if Curl && os(Linux)
import CCurl
import Portico

extension NetworkError {
    /// What a result of a transfer means, nil for success.
    ///
    /// - Parameters:
    ///   - code: The result.
    ///   - detail: libcurl's text about this transfer; used only for results whose texts name hosts and certificates,
    ///     since others repeat addresses with their passwords.
    init?(_ code: CURLcode, detail: String = "") {
        let text = String(cString: curl_easy_strerror(code))
        let cause = detail.isEmpty ? text : Self.oneLine(detail)
        switch code {
        case CURLE_OK:
            return nil
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
            self = .untrusted(cause)
        case CURLE_COULDNT_CONNECT:
            // It also stands for a proxy's address that cannot be used, and that text repeats the address.
            self = .unreachable(detail.hasPrefix("Failed to connect to ") ? cause : text)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER:
            self = .unreachable(cause)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_READ_ERROR,
            CURLE_WRITE_ERROR, CURLE_UPLOAD_FAILED, CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_UNRECOVERABLE_POLL:
            self = .closed
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
            CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_TOO_MANY_REDIRECTS, CURLE_HTTP_RETURNED_ERROR:
            self = .protocolViolation(text)
        default:
            self = .unreachable("\(text) (libcurl \(code.rawValue))")
        }
    }

    /// At most 200 bytes of printable text.
    private static func oneLine(_ text: String) -> String {
        String(decoding: text.utf8.prefix(200).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }
}
#endif
