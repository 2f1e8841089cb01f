#if Curl && os(Linux)
import CCurl
import Portico
import Testing

@testable import PorticoCurl

@Suite("What the curl transport reads and decides without a socket")
struct CurlGrammarTests {
    /// What a result must become, without the text.
    private func kind(_ error: NetworkError?) -> String {
        switch error {
        case nil: "none"
        case .cancelled: "cancelled"
        case .timedOut: "timedOut"
        case .unreachable: "unreachable"
        case .untrusted: "untrusted"
        case .insecure: "insecure"
        case .tooLarge: "tooLarge"
        case .closed: "closed"
        case .protocolViolation: "protocolViolation"
        }
    }

    @Test("every result of libcurl has one meaning")
    func results() {
        let table: [String: [CURLcode]] = [
            "none": [CURLE_OK],
            "timedOut": [CURLE_OPERATION_TIMEDOUT],
            "untrusted": [
                CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_CLIENTCERT,
            ],
            "closed": [
                CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_READ_ERROR,
                CURLE_WRITE_ERROR, CURLE_UPLOAD_FAILED, CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK,
                CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_UNRECOVERABLE_POLL,
            ],
            "protocolViolation": [
                CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
                CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_TOO_MANY_REDIRECTS, CURLE_HTTP_RETURNED_ERROR,
            ],
        ]
        for code in 0..<CURL_LAST.rawValue {
            let expected = table.first { $0.value.map(\.rawValue).contains(code) }?.key ?? "unreachable"
            let error = NetworkError(CURLcode(rawValue: code), detail: "")
            #expect(kind(error) == expected, "result \(code)")
            #expect(error.map { !"\($0)".isEmpty } ?? true)
        }
    }

    @Test("libcurl's own text is shown only where it names hosts and certificates")
    func details() {
        let detail = "Unsupported proxy scheme for 'http://user:secret@proxy'\r\n"
        for code in 0..<CURL_LAST.rawValue {
            let error = NetworkError(CURLcode(rawValue: code), detail: detail).map { "\($0)" } ?? ""
            let mayShow = [6, 35, 58, 59, 60, 77, 82, 83, 90, 91, 98].contains(code)
            #expect(error.contains("secret") == mayShow, "result \(code): \(error)")
            #expect(!error.contains("\n"))
        }
        let refused = NetworkError(CURLE_COULDNT_CONNECT, detail: "Failed to connect to h port 1 after 0 ms: refused")
        #expect(refused == .unreachable("Failed to connect to h port 1 after 0 ms: refused"))
    }

    private func head(_ lines: String...) throws -> ResponseHead {
        var head = ResponseHead()
        for line in lines { try head.receive(Array((line + "\r\n").utf8)) }
        return head
    }

    @Test("informational heads are forgotten, trailers dropped, folds unfolded")
    func heads() throws {
        let seen = try head(
            "HTTP/1.1 100 Continue", "X-Early: 1", "", "HTTP/1.1 103 Hints", "", "HTTP/1.0 200", "A: b:c ", "B:",
            " folded\tonce", "a:\t2", "", "X-Trailer: 1", "")
        #expect(seen.isWhole)
        #expect(seen.status == 200)
        #expect(
            seen.fields == [
                HTTPField(name: "A", value: "b:c"), HTTPField(name: "B", value: " folded\tonce"),
                HTTPField(name: "a", value: "2"),
            ])
        for unfinished in [try head("HTTP/1.1 100 Continue", ""), try head("HTTP/1.1 200 OK", "A: 1")] {
            #expect(!unfinished.isWhole)
        }
    }

    @Test(
        "what is no head is refused",
        arguments: [
            ["SSH-2.0-x"], ["HTTP/1.1 20 OK"], ["HTTP/1.1 099 Low"], ["HTTP/1.1 2x0 OK"], ["HTTP/1.1 200 OK", " fold"],
            ["HTTP/1.1 200 OK", ": 1"], ["HTTP/1.1 200 OK", "A : 1"], ["HTTP/1.1 200 OK", "A"],
            ["HTTP/1.1 101 Switching", ""], [""],
        ])
    func badHeads(_ lines: [String]) {
        #expect(throws: NetworkError.self) {
            var head = ResponseHead()
            for line in lines { try head.receive(Array((line + "\r\n").utf8)) }
        }
    }

    /// Status, method, body kept, other origin, then what is expected: the next method, nil where it is not followed.
    struct Row: Sendable {
        let status: Int
        let method: String
        let location: String
        let next: String?
        var isIdempotent: Bool?
    }

    static let home = "https://a.example/dir/x"

    @Test(
        "redirects change methods as browsers do, and carry what must happen once to nobody else",
        arguments: [
            Row(status: 301, method: "POST", location: "/y", next: "GET"),
            Row(status: 302, method: "POST", location: "https://b.example/", next: "GET"),
            Row(status: 303, method: "PUT", location: "y", next: "GET"),
            Row(status: 303, method: "HEAD", location: "y", next: "HEAD"),
            Row(status: 302, method: "PUT", location: "y", next: "PUT"),
            Row(status: 307, method: "POST", location: "y", next: "POST"),
            Row(status: 308, method: "POST", location: "HTTPS://A.EXAMPLE:443/y", next: "POST"),
            Row(status: 307, method: "POST", location: "https://b.example/", next: nil),
            Row(status: 308, method: "PATCH", location: "https://a.example:444/", next: nil),
            Row(status: 307, method: "PUT", location: "https://b.example/", next: "PUT"),
            Row(status: 301, method: "PATCH", location: "https://b.example/", next: nil),
            Row(status: 307, method: "POST", location: "https://b.example/", next: "POST", isIdempotent: true),
            Row(status: 302, method: "GET", location: "http://a.example/", next: nil),
            Row(status: 302, method: "GET", location: "//a.example:443/y", next: "GET"),
            Row(status: 302, method: "GET", location: "https://user:x@a.example/", next: nil),
            Row(status: 302, method: "GET", location: "ftp://a.example/", next: nil),
            Row(status: 302, method: "GET", location: "javascript:alert(1)", next: nil),
            Row(status: 300, method: "GET", location: "/y", next: nil),
            Row(status: 304, method: "GET", location: "/y", next: nil),
            Row(status: 305, method: "GET", location: "/y", next: nil),
            Row(status: 200, method: "GET", location: "/y", next: nil),
        ])
    func redirects(_ row: Row) throws {
        let guarded = [
            HTTPField(name: "AUTHORIZATION", value: "1"), HTTPField(name: "Cookie", value: "1"),
            HTTPField(name: "Proxy-Authorization", value: "1"), HTTPField(name: "Content-Type", value: "a/b"),
            HTTPField(name: "X-Kept", value: "1"),
        ]
        let request = HTTPRequest(
            method: row.method, url: Self.home, fields: guarded, body: row.method == "HEAD" ? nil : [1],
            isIdempotent: row.isIdempotent)
        let response = HTTPResponse(status: row.status, fields: [HTTPField(name: "location", value: row.location)])
        let address = try WebAddress(Self.home)
        let redirect = Redirect(response, to: request, from: address)
        #expect(redirect?.request.method == row.next)
        guard let redirect else { return }
        let names = redirect.request.fields.map(\.name)
        let staysHome = redirect.address.origin == address.origin
        #expect(staysHome == !row.location.contains("b.example"))
        #expect(names.contains("AUTHORIZATION") == staysHome)
        #expect(names.contains("Cookie") == staysHome)
        #expect(names.contains("Proxy-Authorization") == staysHome)
        #expect(names.contains("X-Kept"))
        let keepsBody = redirect.request.method == row.method
        #expect(names.contains("Content-Type") == keepsBody)
        #expect(redirect.request.body == (keepsBody ? request.body : nil))
        #expect(redirect.request.isIdempotent == (keepsBody ? request.isIdempotent : true))
        #expect(redirect.request.url == redirect.address.text)
    }

    @Test("a redirect without a place to go is a response")
    func noLocation() throws {
        let address = try WebAddress(Self.home)
        #expect(Redirect(HTTPResponse(status: 302), to: HTTPRequest(url: Self.home), from: address) == nil)
    }
}
#endif
