import Foundation
import Portico
import PorticoContracts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server for the contract of `HTTPTransport`: plain sockets on 127.0.0.1, a thread a connection, and every byte as
/// the script has it.
///
/// TLS needs `LoopbackTLS`, and with it the tools `openssl` and `python3`.
///
/// ```swift
/// for clause in HTTPTransportContract.clauses(server: LoopbackServer(tls: nil)) { … }
/// ```
public struct LoopbackServer: ContractHTTPServer {
    private let tls: LoopbackTLS?

    /// A server that speaks TLS where it is given what that takes.
    public init(tls: LoopbackTLS? = nil) {
        self.tls = tls
    }

    /// Starts listening on a port that the system chooses.
    public func start(
        _ security: ServerSecurity, script: @escaping @Sendable (UInt16) -> [ServerConnection]
    ) async throws -> any RunningContractServer {
        let listener = try ListeningSocket()
        guard case .tls(let certificate) = security else {
            return RunningLoopbackServer(listener, port: listener.port, relay: nil, script: script(listener.port))
        }
        guard let tls else { throw LoopbackError("a TLS server needs LoopbackTLS") }
        let relay = try tls.relay(certificate, to: listener.port)
        return RunningLoopbackServer(listener, port: relay.port, relay: relay, script: script(relay.port))
    }
}

/// What keeps a server of this machine from starting.
public struct LoopbackError: Error, CustomStringConvertible {
    /// What failed.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A socket that listens on 127.0.0.1.
private struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = self.descriptor
        // The pointer is to a sockaddr_in of the length that is passed along.
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard descriptor >= 0, isListening else { throw LoopbackError("cannot listen on 127.0.0.1: error \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }
}

/// One server and its connections.
///
/// `@unchecked Sendable`: what is mutable is reached under the condition's lock alone.
private final class RunningLoopbackServer: RunningContractServer, @unchecked Sendable {
    let port: UInt16

    private let listener: ListeningSocket
    private let relay: LoopbackTLS.Relay?
    private let script: [ServerConnection]
    private let condition = NSCondition()
    private var isStopped = false
    private var read: [ServerRequest] = []
    /// Of the connections that are over, whether the client ended each.
    private var endings: [Int: Bool] = [:]
    private var descriptors: [Int: Int32] = [:]
    private var done: [Int: Int] = [:]

    init(_ listener: ListeningSocket, port: UInt16, relay: LoopbackTLS.Relay?, script: [ServerConnection]) {
        self.listener = listener
        self.port = port
        self.relay = relay
        self.script = script
        Thread.detachNewThread { self.accept() }
    }

    func requests() async -> [ServerRequest] {
        condition.withLock { read }
    }

    func hasRead(requests count: Int) async -> Bool {
        await wait { $0.read.count >= count }
    }

    func clientHasClosed(connection index: Int) async -> Bool {
        await wait { $0.endings[index] != nil } && condition.withLock { endings[index] == true }
    }

    func stepsDone(connection index: Int) async -> Int {
        condition.withLock { done[index, default: 0] }
    }

    func stop() async {
        condition.withLock {
            isStopped = true
            for descriptor in descriptors.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
            condition.broadcast()
        }
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        relay?.stop()
    }

    /// Waits on a thread of its own, so that no task's thread is held.
    private func wait(_ isSo: @escaping @Sendable (RunningLoopbackServer) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                let deadline = Date(timeIntervalSinceNow: 60)
                let result = condition.withLock {
                    while !isSo(self) && !isStopped {
                        if !condition.wait(until: deadline) { break }
                    }
                    return isSo(self)
                }
                continuation.resume(returning: result)
            }
        }
    }

    private func accept() {
        var index = 0
        while !condition.withLock({ isStopped }) {
            // Waits in slices: not every system ends an accept when the socket is shut down.
            var waiting = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) > 0 else { continue }
            #if canImport(Glibc)
            let descriptor = Glibc.accept(listener.descriptor, nil, nil)
            #else
            let descriptor = Darwin.accept(listener.descriptor, nil, nil)
            #endif
            guard descriptor >= 0 else { continue }
            let (number, steps) = (index, script[min(index, script.count - 1)])
            condition.withLock { descriptors[number] = descriptor }
            Thread.detachNewThread { self.serve(number, descriptor, steps) }
            index += 1
        }
        close(listener.descriptor)
    }

    private func serve(_ number: Int, _ descriptor: Int32, _ script: ServerConnection) {
        var connection = LoopbackConnection(descriptor)
        repeat {
            for step in script.steps where !connection.isOver {
                if let bytes = connection.perform(step, isStopped: { self.condition.withLock { self.isStopped } }) {
                    condition.withLock {
                        read.append(ServerRequest(connection: number, bytes: bytes))
                        condition.broadcast()
                    }
                }
                if !connection.isOver { condition.withLock { done[number, default: 0] += 1 } }
            }
        } while script.repeats && !connection.isOver
        condition.withLock {
            endings[number] = connection.isClosedByClient
            // Closed under the lock: `stop` must not shut down a descriptor that has been given away again.
            descriptors[number] = nil
            close(descriptor)
            condition.broadcast()
        }
    }
}

/// The bytes of one connection.
private struct LoopbackConnection {
    private(set) var isOver = false
    private(set) var isClosedByClient = false

    private let descriptor: Int32
    private var unread: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        #if !canImport(Glibc)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Does one step; returns the request that it read, if it read one.
    mutating func perform(_ step: ServerStep, isStopped: () -> Bool) -> [UInt8]? {
        switch step {
        case .read:
            return readRequest()
        case .send(let bytes):
            send(bytes)
        case .trickle(let bytes, let span):
            for byte in bytes where !isOver {
                send([byte])
                pause(span, isStopped)
            }
        case .pause(let span):
            pause(span, isStopped)
        case .reset:
            var abrupt = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
            isOver = true
        }
        return nil
    }

    private mutating func readRequest() -> [UInt8]? {
        while true {
            if let length = Self.lengthOfRequest(in: unread) {
                defer { unread.removeFirst(length) }
                return Array(unread[..<length])
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                endByClient()
                return nil
            }
            unread.append(contentsOf: buffer[..<count])
        }
    }

    /// The length of the request at the front, nil while it is not whole.
    private static func lengthOfRequest(in bytes: [UInt8]) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard let head = firstIndex(of: end, in: bytes, from: 0) else { return nil }
        let bodyStart = head + end.count
        let request = ServerRequest(connection: 0, bytes: Array(bytes[..<bodyStart]))
        if request.values("Transfer-Encoding").contains("chunked") {
            let last = Array("0\r\n\r\n".utf8)
            return firstIndex(of: last, in: bytes, from: bodyStart).map { $0 + last.count }
        }
        let length = bodyStart + (request.values("Content-Length").first.flatMap { Int($0) } ?? 0)
        return bytes.count >= length ? length : nil
    }

    private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= start + pattern.count else { return nil }
        return (start...(bytes.count - pattern.count)).first {
            bytes[$0] == pattern[0] && bytes[$0...].starts(with: pattern)
        }
    }

    private mutating func send(_ bytes: [UInt8]) {
        #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
        #else
        let flags: Int32 = 0
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                // `sent` is below the count of the buffer.
                SystemCalls.send(descriptor, UnsafeRawBufferPointer(rebasing: buffer[sent...]), flags)
            }
            guard count > 0 else { return endByClient() }
            sent += count
        }
    }

    /// Waits in slices, so that a stopped server and a client that left end it.
    private mutating func pause(_ span: Int, _ isStopped: () -> Bool) {
        var left = span
        while left > 0 && !isOver {
            let slice = min(left, 20)
            usleep(UInt32(slice * 1_000))
            left -= slice
            if isStopped() {
                isOver = true
            } else if clientHasLeft {
                endByClient()
            }
        }
    }

    private var clientHasLeft: Bool {
        var byte: UInt8 = 0
        #if canImport(Glibc)
        let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        #else
        let flags = MSG_PEEK | MSG_DONTWAIT
        #endif
        let count = recv(descriptor, &byte, 1, flags)
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    private mutating func endByClient() {
        isOver = true
        isClosedByClient = true
    }
}

/// System calls whose names methods here have too.
private enum SystemCalls {
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
        #if canImport(Glibc)
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #else
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #endif
    }
}
