import Foundation
import PorticoContracts

/// Certificates made for one run, and relays that speak TLS in front of a plain server.
///
/// The tool `openssl` makes the certificates and `python3` ends TLS: neither is a library of this project, so that a
/// transport is not checked by the code that it uses itself.
public final class LoopbackTLS: Sendable {
    /// The authority that signed every certificate but that of `unknownAuthority`, PEM.
    public let authority: [UInt8]

    /// Certificate and key of each kind, PEM.
    private let identities: [ServerCertificate: Data]
    private let python: String

    /// Makes the certificates; nil where a tool is missing.
    ///
    /// - Throws: `ToolFailure` when a tool fails.
    public init?() throws {
        guard Tool.openssl.path != nil, let python = Tool.python3.path else { return nil }
        self.python = python
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("portico-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let workshop = CertificateWorkshop(folder: folder)
        let made = Result { try workshop.makeAll() }
        // Nothing of it stays on the disk, whether it was made or not.
        try FileManager.default.removeItem(at: folder)
        (authority, identities) = try made.get()
    }

    /// The tools that are missing, by their Debian packages.
    public static func missingPackages() -> [String] {
        [Tool.openssl, .python3].filter { $0.path == nil }.map(\.rawValue)
    }
}

// MARK: - Relays

extension LoopbackTLS {
    /// A process that ends TLS and passes the bytes on.
    struct Relay: Sendable {
        /// Where it listens on 127.0.0.1.
        let port: UInt16
        /// The process ends when its input does, and so also when this process ends.
        private let input: FileHandle

        fileprivate init(_ input: FileHandle, port: UInt16) {
            self.input = input
            self.port = port
        }

        /// Ends the process.
        func stop() {
            input.closeFile()
        }
    }

    /// Starts a relay that shows a certificate, and returns once it listens.
    func relay(_ certificate: ServerCertificate, to port: UInt16) throws -> Relay {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["-c", Self.relayProgram, "\(port)"]
        process.standardOutput = output
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        try process.run()
        let identity = identities[certificate] ?? Data()
        try input.fileHandleForWriting.write(contentsOf: Data("\(identity.count)\n".utf8) + identity)
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            input.fileHandleForWriting.closeFile()
            throw LoopbackError("the TLS relay does not start")
        }
        return Relay(input.fileHandleForWriting, port: port)
    }

    /// Ends by itself after two minutes, should nobody end it. Signals are let through first: a process that is started
    /// from a task's thread inherits a mask that blocks them all.
    private static let relayProgram = """
        import os, select, signal, socket, ssl, sys, tempfile, threading

        upstream = int(sys.argv[1])
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.alarm(120)

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile() as identity:
            identity.write(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())))
            identity.flush()
            context.load_cert_chain(identity.name)

        def end_with_input():
            sys.stdin.buffer.read()
            os._exit(0)

        threading.Thread(target=end_with_input, daemon=True).start()
        def relay(raw):
            raw.settimeout(10)
            try:
                secure = context.wrap_socket(raw, server_side=True)
            except OSError:
                raw.close()
                return
            try:
                plain = socket.create_connection(("127.0.0.1", upstream))
            except OSError:
                secure.close()
                return
            other = {secure: plain, plain: secure}
            try:
                while True:
                    ready = [secure] if secure.pending() else select.select(list(other), [], [])[0]
                    for end in ready:
                        data = end.recv(65536)
                        if not data:
                            return
                        other[end].sendall(data)
            except OSError:
                pass
            finally:
                secure.close()
                plain.close()

        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()
        """
}

// MARK: - Certificates

/// Runs the tool `openssl` in one folder.
private struct CertificateWorkshop {
    let folder: URL

    func makeAll() throws -> (authority: [UInt8], identities: [ServerCertificate: Data]) {
        try makeAuthority("authority")
        try makeAuthority("stranger")
        var identities: [ServerCertificate: Data] = [:]
        for certificate in ServerCertificate.allCases {
            try make(certificate)
            identities[certificate] = try read("\(certificate.rawValue).pem") + read("\(certificate.rawValue).key")
        }
        return ([UInt8](try read("authority.pem")), identities)
    }

    private func read(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    private func makeAuthority(_ name: String) throws {
        try run(
            ["req", "-x509", "-days", "2", "-addext", "basicConstraints=critical,CA:TRUE"] + newKey(name)
                + ["-out", "\(name).pem"])
    }

    private func make(_ certificate: ServerCertificate) throws {
        let name = certificate.rawValue
        let subject = certificate == .wrongName ? "DNS:elsewhere.example" : "IP:127.0.0.1,DNS:localhost"
        let signer = certificate == .unknownAuthority ? "stranger" : "authority"
        // A certificate whose time ends before it begins is over whatever the clock says.
        let days = certificate == .expired ? "-1" : "2"
        try run(["req", "-new", "-addext", "subjectAltName=\(subject)"] + newKey(name) + ["-out", "\(name).csr"])
        try run([
            "x509", "-req", "-in", "\(name).csr", "-CA", "\(signer).pem", "-CAkey", "\(signer).key",
            "-CAcreateserial", "-days", days, "-copy_extensions", "copy", "-out", "\(name).pem",
        ])
    }

    private func newKey(_ name: String) -> [String] {
        [
            "-config", "openssl.cnf", "-subj", "/CN=Portico test \(name)", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name).key",
        ]
    }

    private func run(_ arguments: [String]) throws {
        // A configuration of our own: the system's may be absent, and may add extensions.
        try Data("[req]\ndistinguished_name=name\n[name]\n".utf8).write(
            to: folder.appendingPathComponent("openssl.cnf"))
        _ = try Tool.openssl.output(arguments, in: folder)
    }
}
