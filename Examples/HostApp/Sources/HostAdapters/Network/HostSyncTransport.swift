import Portico

/// Carries batches to this host's server over its own network layer.
///
/// It says what an answer means and nothing more: how often, how much and when is the uploader's.
package struct HostSyncTransport: SyncTransport {
    private let network: HostNetwork
    private let deviceID: Identifier

    /// A transport for the events of one store.
    ///
    /// - Parameters:
    ///   - network: The host's network layer.
    ///   - deviceID: The store's own identity; an empty batch names it too.
    package init(network: HostNetwork, deviceID: Identifier) {
        self.network = network
        self.deviceID = deviceID
    }

    /// Posts one batch and reads the receipt.
    package func send(_ batch: [ScanEvent], after cursor: String?) async throws(SyncTransportError) -> SyncReceipt {
        var object: JSONObject = ["schema": "portico.scans/1", "deviceId": .string(deviceID.text)]
        if let cursor { object["after"] = .string(cursor) }
        object["events"] = .array(batch.map(\.json))
        let response: HostNetwork.Response
        do throws(HostNetwork.Failure) {
            response = try await network.post("/v1/scans", json: JSONValue.object(object).serialized())
        } catch {
            throw SyncTransportError(error)
        }
        return try receipt(response)
    }

    private func receipt(_ response: HostNetwork.Response) throws(SyncTransportError) -> SyncReceipt {
        switch response.status {
        case 200:
            guard let receipt = SyncReceipt(json: response.body) else {
                throw .unavailable("the answer is no receipt: a captive portal?")
            }
            return receipt
        case 413: throw .batchTooLarge
        case 400, 422: throw .batchRejected("status \(response.status)")
        case 408, 425, 429, 503: throw .retry(afterMilliseconds: response.retryAfter.flatMap(milliseconds))
        case 400..<500: throw .stopped("status \(response.status): check the address and the token")
        default: throw .unavailable("the server answered with status \(response.status)")
        }
    }

    /// This host's server gives whole seconds; a date (RFC 9110 §10.2.3) counts as no span.
    private func milliseconds(_ seconds: String) -> Int64? {
        Int64(seconds).flatMap { (0...1_000_000).contains($0) ? $0 * 1_000 : nil }
    }
}

extension SyncTransportError {
    /// What it means that there is no answer.
    fileprivate init(_ failure: HostNetwork.Failure) {
        switch failure {
        case .cancelled: self = .cancelled
        case .address(let cause): self = .stopped(cause)
        case .token: self = .unavailable("no token")
        case .tooLarge: self = .unavailable("the answer is too long")
        case .connection(let code): self = .unavailable("URLSession failed with code \(code)")
        }
    }
}
