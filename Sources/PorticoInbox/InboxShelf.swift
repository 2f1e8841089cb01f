import Portico

/// Where an inbox keeps what outlives it: the installation's id, and for a recipient the snapshot and the ids of the
/// devices here.
///
/// The names of a recipient's documents hold a hash of the account: two recipients of one device never see each other's.
actor InboxShelf {
    private static let installationName = "portico.inbox.installation"

    private let documents: (any DocumentStore)?
    private let snapshotName: String?
    private let devicesName: String?
    /// What is known of in this run, whatever became of storing it.
    private(set) var knownDevices: [Identifier] = []
    private var knownInstallation: Identifier?

    /// Whether anything of the recipient outlives the client.
    nonisolated let isPersistent: Bool

    init(documents: (any DocumentStore)?, account: String?) {
        self.documents = documents
        let hash = account.map { Hexadecimal.encode(SHA256.hash(Array($0.utf8))) }
        snapshotName = hash.map { "portico.inbox.snapshot.\($0)" }
        devicesName = hash.map { "portico.inbox.devices.\($0)" }
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

    /// Replaces the snapshot; one caller at a time.
    func save(_ bytes: [UInt8]) async {
        guard let documents, let snapshotName else { return }
        do throws(InboxError) {
            try await Self.write(bytes, snapshotName, documents)
        } catch {
            // It is a copy of what the service has, and is not missed until the next offline start; the next change
            // tries again.
        }
    }

    // MARK: Ids

    /// The stored id of this installation, or the proposed one from now on.
    func installationId(proposing proposal: Identifier) async throws(InboxError) -> Identifier {
        guard let documents else {
            let id = knownInstallation ?? proposal
            knownInstallation = id
            return id
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

    /// The recipient's devices here: one for each connection that was registered.
    func devices() async throws(InboxError) -> [Identifier] {
        guard let documents, let devicesName, let document = try await Self.read(devicesName, documents) else {
            return knownDevices
        }
        let stored: [Identifier]
        do throws(JSONError) {
            stored = (try JSONValue(parsing: document.bytes).arrayValue ?? []).compactMap {
                $0.stringValue.flatMap { Identifier($0) }
            }
        } catch {
            throw InboxError(
                code: .storage, message: "the document of this recipient's devices cannot be read: \(error)")
        }
        return stored + knownDevices.filter { !stored.contains($0) }
    }

    /// Keeps a device; where it cannot be stored it is known all the same until the end of this run.
    func keep(device: Identifier) async throws(InboxError) {
        if !knownDevices.contains(device) { knownDevices.append(device) }
        try await store(devices: try await devices())
    }

    func forget(device: Identifier) async throws(InboxError) {
        knownDevices.removeAll { $0 == device }
        try await store(devices: try await devices().filter { $0 != device })
    }

    private func store(devices: [Identifier]) async throws(InboxError) {
        guard let documents, let devicesName else { return }
        if devices.isEmpty { return try await Self.remove(devicesName, documents) }
        let json = JSONValue.array(devices.map { .string($0.text) })
        try await Self.write(json.serialized(), devicesName, documents)
    }

    /// Removes what is the recipient's, after everything else.
    func forgetRecipient() async throws(InboxError) {
        knownDevices = []
        guard let documents else { return }
        for name in [snapshotName, devicesName].compactMap({ $0 }) { try await Self.remove(name, documents) }
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
