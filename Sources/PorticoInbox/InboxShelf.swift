import Portico

/// Where an inbox keeps what outlives it: the installation's id, and for a recipient the snapshot and the device's id.
///
/// The names of a recipient's documents hold a hash of the account: two recipients of one device never see each other's.
actor InboxShelf {
    private static let installationName = "portico.inbox.installation"

    private let documents: (any DocumentStore)?
    private let snapshotName: String?
    private let deviceName: String?
    /// What is kept where there are no documents, or no account.
    private var unkeptDevice: Identifier?
    private var unkeptInstallation: Identifier?
    private var isForgotten = false

    /// Whether anything of the recipient outlives the client.
    nonisolated let isPersistent: Bool

    init(documents: (any DocumentStore)?, account: String?) {
        self.documents = documents
        let hash = account.map { Hexadecimal.encode(SHA256.hash(Array($0.utf8))) }
        snapshotName = hash.map { "portico.inbox.snapshot.\($0)" }
        deviceName = hash.map { "portico.inbox.device.\($0)" }
        isPersistent = documents != nil && hash != nil
    }

    // MARK: Snapshot

    /// The snapshot; nil where there is none, or none that can be read: then the service is asked.
    func snapshot() async -> [UInt8]? {
        guard let documents, let snapshotName else { return nil }
        do throws(DocumentStoreError) {
            return try await documents.read(snapshotName)?.bytes
        } catch {
            return nil
        }
    }

    /// Replaces the snapshot; the newest is written, whoever wrote before.
    func save(_ bytes: [UInt8]) async {
        guard let documents, let snapshotName, !isForgotten else { return }
        do throws(InboxError) {
            try await Self.write(bytes, snapshotName, documents)
        } catch {
            // It is a copy of what the service has; the next change tries again.
        }
    }

    // MARK: Ids

    /// The stored id of this installation, or the proposed one from now on.
    func installationID(proposing proposal: Identifier) async throws(InboxError) -> Identifier {
        guard let documents else {
            if unkeptInstallation == nil { unkeptInstallation = proposal }
            return unkeptInstallation ?? proposal
        }
        while true {
            let document = try await Self.read(Self.installationName, documents)
            if let document, let id = Identifier(utf8: document.bytes) { return id }
            do throws(DocumentStoreError) {
                _ = try await documents.replace(
                    Self.installationName, with: proposal.utf8, if: document?.revision)
                return proposal
            } catch {
                // Somebody proposed one meanwhile: theirs it is.
                if case .changed = error { continue }
                throw InboxError(error)
            }
        }
    }

    /// The recipient's device here.
    func device() async throws(InboxError) -> Identifier? {
        guard let documents, let deviceName else { return unkeptDevice }
        return try await Self.read(deviceName, documents).flatMap { Identifier(utf8: $0.bytes) }
    }

    func keep(device: Identifier) async throws(InboxError) {
        guard let documents, let deviceName else {
            unkeptDevice = device
            return
        }
        try await Self.write(device.utf8, deviceName, documents)
    }

    func forgetDevice() async throws(InboxError) {
        unkeptDevice = nil
        if let documents, let deviceName { try await Self.remove(deviceName, documents) }
    }

    /// Removes what is the recipient's; nothing of it is written afterwards.
    func forgetRecipient() async throws(InboxError) {
        isForgotten = true
        unkeptDevice = nil
        guard let documents else { return }
        for name in [snapshotName, deviceName].compactMap({ $0 }) { try await Self.remove(name, documents) }
    }

    // MARK: Documents

    private static func read(_ name: String, _ documents: any DocumentStore) async throws(InboxError) -> Document? {
        do throws(DocumentStoreError) {
            return try await documents.read(name)
        } catch {
            throw InboxError(error)
        }
    }

    private static func write(
        _ bytes: [UInt8], _ name: String, _ documents: any DocumentStore
    ) async throws(InboxError) {
        do throws(DocumentStoreError) {
            while true {
                let revision = try await documents.revision(name)
                do throws(DocumentStoreError) {
                    _ = try await documents.replace(name, with: bytes, if: revision)
                    return
                } catch {
                    if case .changed = error { continue }
                    throw error
                }
            }
        } catch {
            throw InboxError(error)
        }
    }

    private static func remove(_ name: String, _ documents: any DocumentStore) async throws(InboxError) {
        do throws(DocumentStoreError) {
            try await documents.remove(name)
        } catch {
            throw InboxError(error)
        }
    }
}
