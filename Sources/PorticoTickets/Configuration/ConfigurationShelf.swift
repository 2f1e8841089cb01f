import Portico

/// Where the applied configuration lies: one document, replaced by compare-and-set.
///
/// "Check, save, swap" lets two applies at once both succeed and the lower one stay; so a writer names the revision that
/// it saw, and who comes second reads again and is judged anew.
struct ConfigurationShelf: Sendable {
    static let documentName = "portico.gate.configuration"
    /// The longest document that is written: what a store must take and a parser reads.
    private static let maximumBytes = 64 << 20

    let documents: any DocumentStore

    /// The applied configuration, and the revision of its document; both nil where none was applied.
    struct Content: Sendable {
        var applied: AppliedConfiguration?
        var revision: UInt64?
    }

    /// Off the caller's actor: a configuration may take a second to read, and scans go on meanwhile.
    @concurrent
    func load() async throws(ConfigurationError) -> Content {
        let document: Document?
        do throws(DocumentStoreError) {
            document = try await documents.read(Self.documentName)
        } catch {
            throw .store(error)
        }
        guard let document else { return Content() }
        do throws(ConfigurationError) {
            return Content(applied: try AppliedConfiguration(decoding: document.bytes), revision: document.revision)
        } catch {
            guard case .invalid(let path, let why) = error else { throw error }
            throw .unreadable(document: Self.documentName, path.isEmpty ? why : "\(path): \(why)")
        }
    }

    func revision() async throws(ConfigurationError) -> UInt64? {
        do throws(DocumentStoreError) {
            return try await documents.revision(Self.documentName)
        } catch {
            throw .store(error)
        }
    }

    /// Applies a file, after `check` has agreed to what it would become.
    @concurrent
    func apply(
        _ bytes: [UInt8], at now: Instant, check: @Sendable (AppliedConfiguration) throws(ConfigurationError) -> Void
    ) async throws(ConfigurationError) -> Content {
        let file = try ConfigurationReader.read(bytes)
        while true {
            let current = try await load()
            let successor = try AppliedConfiguration.successor(of: current.applied, file: file, appliedAt: now)
            guard let successor else { return current }
            try check(successor)
            let encoded = successor.encoded()
            guard encoded.count <= Self.maximumBytes else {
                throw .invalid(path: "", "with what it carries over it takes \(encoded.count) bytes; 64 MiB are stored")
            }
            do throws(DocumentStoreError) {
                let revision = try await documents.replace(Self.documentName, with: encoded, if: current.revision)
                return Content(applied: successor, revision: revision)
            } catch {
                // Somebody applied one meanwhile: whether this one is still newer is for the next round to say.
                if case .changed = error { continue }
                throw .store(error)
            }
        }
    }
}

extension GateConfiguration {
    /// What applying a file would carry over, given the file before it; for an issuer's checks before anything ships.
    ///
    /// - Throws: `ConfigurationError` where the file, or the one before it, would be refused.
    public static func carried(
        applying bytes: [UInt8], after previous: [UInt8]
    ) throws(ConfigurationError) -> [CarriedItem] {
        let epoch = Instant(milliseconds: 0)
        let before = try AppliedConfiguration.successor(
            of: nil, file: ConfigurationReader.read(previous), appliedAt: epoch)
        let after = try AppliedConfiguration.successor(
            of: before, file: ConfigurationReader.read(bytes), appliedAt: epoch)
        return after?.carried ?? []
    }

    /// Applies a file to documents without a gate: for a tool that sets a device up before it serves.
    ///
    /// A gate that runs on the same documents takes it up within a second, if it has the gate's events and zone.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - documents: Where it is kept.
    ///   - now: The wall clock.
    ///   - gate: The events and the zone of the gate that will serve there, where they are known: a file that lacks them
    ///     is refused, as the gate itself would.
    /// - Returns: The stamp that is applied now.
    /// - Throws: `ConfigurationError` where the file is refused; the one before stays.
    public static func apply(
        _ bytes: [UInt8], to documents: any DocumentStore, at now: Instant,
        for gate: (served: [Identifier], zone: Identifier)? = nil
    ) async throws(ConfigurationError) -> ConfigurationStamp {
        let content = try await ConfigurationShelf(documents: documents).apply(bytes, at: now) {
            applied throws(ConfigurationError) in
            if let gate { try GateRules.check(applied, serving: gate.served, zone: gate.zone) }
        }
        guard let applied = content.applied else { throw .invalid(path: "", "nothing was applied") }
        return applied.stamp
    }
}
