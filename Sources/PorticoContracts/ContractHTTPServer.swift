import Portico

/// Starts HTTP servers on the loopback interface that do what a script says, down to the byte.
///
/// The contract of `HTTPTransport` is checked against such servers; it opens no sockets itself. `LoopbackServer` of the
/// examples is one.
public protocol ContractHTTPServer: Sendable {
    /// Starts a server and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - security: Plain, or TLS with a certificate of one kind.
    ///   - script: Given the port, what it does, a connection at a time, in the order in which they are accepted; the
    ///     last entry serves all further connections.
    func start(
        _ security: ServerSecurity, script: @escaping @Sendable (UInt16) -> [ServerConnection]
    ) async throws -> any RunningContractServer
}

/// A server that runs.
public protocol RunningContractServer: Sendable {
    /// Where it listens on 127.0.0.1.
    var port: UInt16 { get }
    /// Every request so far, in the order in which they were read.
    func requests() async -> [ServerRequest]
    /// Waits until so many requests were read, and returns whether that was so within ten seconds.
    func hasRead(requests count: Int) async -> Bool
    /// Waits until the client has ended that connection, and returns whether that was so within ten seconds.
    func clientHasClosed(connection index: Int) async -> Bool
    /// How many steps of its script that connection has done; a send is done once the system took its last byte.
    func stepsDone(connection index: Int) async -> Int
    /// Ends every connection and stops listening.
    func stop() async
}

/// How the connections of a server are secured.
public enum ServerSecurity: Sendable, Hashable {
    /// Not at all.
    case plain
    /// By TLS.
    case tls(ServerCertificate)
}

/// Certificates that a server can show; a subject with the capability `ownAuthority` trusts the one authority that
/// signed all of them but the last.
public enum ServerCertificate: String, Sendable, Hashable, CaseIterable {
    /// For 127.0.0.1, in time, by the authority that is trusted.
    case good
    /// The same, but its time is over.
    case expired
    /// The same, but for another name.
    case wrongName
    /// For 127.0.0.1, in time, by an authority that nobody knows.
    case unknownAuthority
}

/// What a server does on one connection.
public struct ServerConnection: Sendable, Hashable {
    /// The steps, in order; at their end the connection is closed.
    public var steps: [ServerStep]
    /// Whether the steps begin again at their end, until the client closes.
    public var repeats: Bool

    /// A script for one connection.
    public init(_ steps: [ServerStep], repeats: Bool = false) {
        self.steps = steps
        self.repeats = repeats
    }
}

/// One thing that a server does.
public enum ServerStep: Sendable, Hashable {
    /// Reads one whole request, head and body, and notes it.
    case read
    /// Sends bytes.
    case send([UInt8])
    /// Sends bytes one at a time, with that many milliseconds after each.
    case trickle([UInt8], every: Int)
    /// Waits that many milliseconds; ends early where the client closes.
    case pause(Int)
    /// Closes the connection abruptly (RST).
    case reset

    /// Sends text.
    public static func send(_ text: String) -> ServerStep { .send(Array(text.utf8)) }
}

/// A request as a server read it.
public struct ServerRequest: Sendable, Hashable {
    /// The connection that it came on, from 0.
    public var connection: Int
    /// Its bytes, head and body.
    public var bytes: [UInt8]

    /// Puts the two together.
    public init(connection: Int, bytes: [UInt8]) {
        self.connection = connection
        self.bytes = bytes
    }

    /// Where the head ends, its blank line included; nil where it has no end.
    private var headEnd: Int? {
        bytes.indices.dropLast(3).first { bytes[$0..<$0 + 4].elementsEqual([13, 10, 13, 10]) }.map { $0 + 4 }
    }

    /// The lines of the head, without their ends: the request line and the field lines.
    private var lines: [ArraySlice<UInt8>] {
        bytes[..<(headEnd ?? bytes.count)].split(separator: 10).map { $0.last == 13 ? $0.dropLast() : $0 }
    }

    /// The method.
    public var method: String { requestLine(0) }

    /// The request target.
    public var target: String { requestLine(1) }

    /// The fields, in order, without the white space around their values.
    public var fields: [HTTPField] {
        lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: 58) else { return nil }
            let value = line[(colon + 1)...].drop { $0 == 32 || $0 == 9 }
            let end = value.lastIndex { $0 != 32 && $0 != 9 }.map { $0 + 1 } ?? value.startIndex
            return HTTPField(
                name: String(decoding: line[..<colon], as: UTF8.self),
                value: String(decoding: value[..<end], as: UTF8.self))
        }
    }

    /// The values of every field of that name, whose case does not matter.
    public func values(_ name: String) -> [String] {
        fields.filter { HTTPResponse(status: 0, fields: [$0]).field(name) != nil }.map(\.value)
    }

    /// The body, as framed by `Content-Length`; a chunked one still has its frames.
    public var body: [UInt8] { headEnd.map { Array(bytes[$0...]) } ?? [] }

    private func requestLine(_ index: Int) -> String {
        let parts = (lines.first ?? []).split(separator: 32)
        return index < parts.count ? String(decoding: parts[index], as: UTF8.self) : ""
    }
}
