import Portico

/// What a client knows of its registrations for push beside what is stored.
struct InboxPush: Sendable {
    /// Registrations that are under way.
    var registering: [UInt64: Task<Result<InboxDevice, InboxError>, Never>] = [:]
    /// Installations of which nobody knows whether they are registered: the answer never came.
    var uncertain: Set<String> = []
    /// Whether the recipient is leaving.
    var isLeaving = false
}

/// What became of a logout.
public struct InboxLogout: Sendable, Hashable {
    /// The devices that the service still pushes to, because it could not be told.
    public var devices: [Identifier]
    /// Installations that it may push to: a registration whose answer never came, and that could not be looked up.
    public var installations: [String]
    /// What failed first; nil: nothing.
    public var error: InboxError?

    /// Puts a report together; by default nothing failed.
    public init(devices: [Identifier] = [], installations: [String] = [], error: InboxError? = nil) {
        self.devices = devices
        self.installations = installations
        self.error = error
    }
}

// Devices: what the recipient's notifications are pushed to.
extension InboxClient {
    /// The devices that notifications are pushed to.
    public func devices() async throws(InboxError) -> [InboxDevice] {
        try await call { service throws(InboxError) in try await service.devices() }
    }

    /// The id of this installation of the app: the same for every recipient and every start, where there are documents.
    ///
    /// - Throws: `InboxError` with the code `storage` where it can be neither read nor kept.
    public func installationId() async throws(InboxError) -> Identifier {
        if isClosed { throw .closed }
        return try await shelf.installationId(proposing: Identifier(device: random.next(), random.next()))
    }

    /// Registers this device for push, or replaces what it was registered with.
    ///
    /// - Throws: `InboxError` with the code `invalid` where the registration lacks something; nothing was sent then.
    public func registerMobilePush(_ registration: MobileRegistration) async throws(InboxError) -> InboxDevice {
        if isClosed || push.isLeaving { throw .closed }
        if let flaw = registration.flaw { throw flaw }
        let number = number()
        let task = Task { await register(registration) }
        push.registering[number] = task
        defer { push.registering[number] = nil }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    private func register(_ registration: MobileRegistration) async -> Result<InboxDevice, InboxError> {
        // From here on the service may have it, whatever is heard of it.
        push.uncertain.insert(registration.installationId)
        do throws(InboxError) {
            let device = try await call { service throws(InboxError) in try await service.register(registration) }
            push.uncertain.remove(registration.installationId)
            try await shelf.keep(device: device.id)
            return .success(device)
        } catch {
            if error.saysThatNothingWasDone { push.uncertain.remove(registration.installationId) }
            return .failure(error)
        }
    }

    /// Ends push to this device.
    ///
    /// - Throws: `InboxError` with the code `invalid` where this recipient has no device here.
    public func unregisterMobilePush() async throws(InboxError) {
        if isClosed { throw .closed }
        let devices = try await shelf.devices()
        if devices.isEmpty { throw .invalid("this recipient has no device registered here") }
        for device in devices { try await unregister(device) }
    }

    private func unregister(_ device: Identifier) async throws(InboxError) {
        do throws(InboxError) {
            try await call { service throws(InboxError) in try await service.unregister(device, kind: "mobile") }
        } catch  where error.status == 404 {
            // It is gone already, which is what was wanted.
        }
        try await shelf.forget(device: device)
    }

    /// Ends push to a browser.
    public func unregisterWebPush(_ device: Identifier) async throws(InboxError) {
        try await call { service throws(InboxError) in try await service.unregister(device, kind: "web-push") }
    }

    /// Ends the recipient's use of this device: push to it, what is stored of the inbox, and this client.
    ///
    /// Everything is done that can be done, and registrations under way are waited for. Where the service could not be
    /// told, the report names what it still pushes to, so that the host's backend can deactivate it.
    ///
    /// ```swift
    /// let report = await inbox.logout()
    /// for device in report.devices { try await backend.deactivate(device) }
    /// ```
    public func logout() async -> InboxLogout {
        push.isLeaving = true
        for task in push.registering.values { _ = await task.value }
        var report = InboxLogout()
        var left: [Identifier] = []
        do throws(InboxError) {
            left = try await shelf.devices()
        } catch {
            report.error = error
            // What earlier starts registered is not known here: the service is asked for it.
            left = await shelf.knownDevices
            do throws(InboxError) {
                push.uncertain.insert(try await installationId().text)
            } catch {
                // The first error says what is wrong with the documents.
            }
        }
        if !push.uncertain.isEmpty {
            do throws(InboxError) {
                let found = try await devices().filter { $0.installationId.map(push.uncertain.contains) ?? false }
                left += found.map(\.id).filter { !left.contains($0) }
            } catch {
                report.installations = push.uncertain.sorted()
                report.error = report.error ?? error
            }
        }
        for device in left {
            do throws(InboxError) {
                try await unregister(device)
            } catch {
                report.devices.append(device)
                report.error = report.error ?? error
            }
        }
        await close()
        do throws(InboxError) {
            try await shelf.forgetRecipient()
        } catch {
            report.error = report.error ?? error
        }
        return report
    }
}
