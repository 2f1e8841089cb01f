import Portico
import PorticoContracts
import PorticoInMemory

extension Subjects {
    /// Every transport of this build with a double of its server, and the decorators, which must change nothing until
    /// they are told to.
    public static func syncTransports() -> [Subject<SyncTransportContract.Exchange>] {
        [
            Subject(name: "StubSyncTransport") {
                let stub = StubSyncTransport()
                return { .init(transport: stub, server: StubServer(stub: stub)) }
            },
            Subject(name: "RecordingSyncTransport") {
                let stub = StubSyncTransport()
                return { .init(transport: RecordingSyncTransport(stub), server: StubServer(stub: stub)) }
            },
            Subject(name: "FaultySyncTransport") {
                let stub = StubSyncTransport()
                return { .init(transport: FaultySyncTransport(stub), server: StubServer(stub: stub)) }
            },
            HTTPSyncServer.subject,
        ]
    }
}

/// The server that a stub stands for: its answers are the stub's own.
private struct StubServer: SyncTransportContract.Server {
    let stub: StubSyncTransport

    func play(_ answer: SyncTransportContract.Answer) async throws -> Bool {
        switch answer {
        case .receipt(let receipt): stub.enqueue(.receipt(receipt))
        case .tooLarge: stub.enqueue(.failure(.batchTooLarge))
        case .rejected: stub.enqueue(.failure(.batchRejected("no")))
        case .unauthorized: stub.enqueue(.failure(.stopped("no")))
        case .later(let seconds): stub.enqueue(.failure(.retry(afterMilliseconds: seconds.map { $0 * 1_000 })))
        case .dropped: stub.enqueue(.failure(.unavailable("connection closed")))
        case .nonsense: stub.enqueue(.failure(.unavailable("not a receipt")))
        case .silence: stub.enqueue(.silence)
        }
        return true
    }

    func requests() async -> [SyncTransportContract.Request] {
        stub.calls.map { .init(events: $0.batch.map(\.id), cursor: $0.cursor) }
    }

    func arrival(of count: Int) async {
        await stub.calls(atLeast: count)
    }
}
