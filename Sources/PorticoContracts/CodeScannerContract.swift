import Portico

/// What a scanner is shown in a check.
public struct ScannerScene: Sendable, Hashable {
    /// One thing that is shown.
    public enum Item: Sendable, Hashable {
        /// A code with these bytes, one sighting.
        case code([UInt8])
        /// What cannot be read: a picture that does not decode. Shown only to subjects that are capable of `unreadable`.
        case unreadable
    }

    /// What is shown, in this order.
    public var items: [Item]
    /// Whether the source goes on with nothing to see after its items, as a camera does; false: it ends. True only for
    /// subjects that are capable of `idle`, false only for those capable of `ends`.
    public var goesOn: Bool

    /// A scene of these items.
    public init(_ items: [Item], goesOn: Bool = false) {
        self.items = items
        self.goesOn = goesOn
    }
}

/// The place in which a scene is shown to a scanner: what the clauses of `CodeScannerContract` open.
public struct ScannerStage: Sendable {
    /// Gives a scanner that will see this scene. It may be called again when the scanner before it was closed or
    /// cancelled: that is how letting go of the device is checked.
    public let show: @Sendable (_ scene: ScannerScene) async throws -> any CodeScanner

    /// A stage by how it shows a scene.
    public init(_ show: @escaping @Sendable (_ scene: ScannerScene) async throws -> any CodeScanner) {
        self.show = show
    }
}

extension Subject where Port == ScannerStage {
    /// A scanner to be checked.
    ///
    /// ```swift
    /// let subject = Subject(scanner: "ListScanner", capabilities: [.ends, .anyBytes, .lineBreaks]) { scene in
    ///     ListScanner(scene.items.compactMap { if case .code(let bytes) = $0 { ScannedCode(bytes: bytes) } else { nil } })
    /// }
    /// for clause in CodeScannerContract.clauses {
    ///     print(clause.id, await clause.check(subject))
    /// }
    /// ```
    public init(
        scanner name: String, capabilities: Set<Capability>,
        show: @escaping @Sendable (_ scene: ScannerScene) async throws -> any CodeScanner
    ) {
        self.init(name: name, capabilities: capabilities) {
            let stage = ScannerStage(show)
            return { stage }
        }
    }
}

extension Capability {
    /// A scanner whose source can end by itself: a file, a folder, a stream.
    public static let ends = Capability("ends")
    /// A scanner whose source can go on with nothing to see.
    public static let idle = Capability("idle")
    /// A scanner that can be shown what cannot be read.
    public static let unreadable = Capability("unreadable")
    /// A scanner whose codes may hold every byte, the zero too, but for CR and LF; without it printable ASCII is shown.
    public static let anyBytes = Capability("anyBytes")
    /// A scanner whose codes may hold CR and LF.
    public static let lineBreaks = Capability("lineBreaks")
}

/// The guarantees of `CodeScanner`, for any scanner that can be shown a scene.
///
/// The clauses read no clock: a scanner that breaks CS-4 or CS-5 by waiting for ever holds them up, so that a test gives
/// them a limit of time.
public enum CodeScannerContract {
    /// CS-1 to CS-6.
    public static let clauses: [Clause<ScannerStage>] = [
        order, slowConsumer, text, bytes, lineBreaks, end, cancelledBefore, cancelledWhileWaiting, closed,
        closedWhileWaiting, unreadable,
    ]

    private static let order = Clause<ScannerStage>(
        "CS-1", "sightings come in order, none dropped and none merged"
    ) { subject in
        let codes = ["A", "A", "B", "A", "C", "C", "C", "B"].map { Array("code-\($0)".utf8) }
        try requireEqual(try await seen(by: subject, codes), codes, "the sightings")
    }

    private static let slowConsumer = Clause<ScannerStage>(
        "CS-1", "sightings wait for a slow consumer, none dropped"
    ) { subject in
        let codes = (0..<40).map { Array("code-\($0)".utf8) }
        let sightings = try await seen(by: subject, codes) {
            for _ in 0..<50 { await Task.yield() }
        }
        try requireEqual(sightings, codes, "the sightings")
    }

    private static let text = Clause<ScannerStage>(
        "CS-2", "printable bytes are those of the code, nothing trimmed or decoded"
    ) { subject in
        let codes = ["  padded  ", "]Q1prefixed", "\\000026escaped", "eyJ2IjoxfQ-_", "a%20b+c&amp;"].map {
            Array($0.utf8)
        }
        try requireEqual(try await seen(by: subject, codes), codes, "the bytes")
    }

    private static let bytes = Clause<ScannerStage>(
        "CS-2", "any bytes are those of the code", needs: [.anyBytes]
    ) { subject in
        let every = (UInt8.min...UInt8.max).filter { $0 != 0x0a && $0 != 0x0d }
        let codes: [[UInt8]] = [
            every, every.reversed(),
            [0xef, 0xbb, 0xbf, 0x41], [0x41, 0x00, 0x42, 0x00], [0xc3, 0x28, 0xff], Array("e\u{301}\u{e9}".utf8),
        ]
        try requireEqual(try await seen(by: subject, codes), codes, "the bytes")
    }

    private static let lineBreaks = Clause<ScannerStage>(
        "CS-2", "CR and LF are bytes of the code like others", needs: [.lineBreaks]
    ) { subject in
        let codes = ["a\r\nb", "code\r", "code\n", "\n"].map { Array($0.utf8) }
        try requireEqual(try await seen(by: subject, codes), codes, "the bytes")
    }

    private static let end = Clause<ScannerStage>(
        "CS-3", "nil ends the source, and every later call gives nil too", needs: [.ends]
    ) { subject in
        let scanner = try await open(subject, ScannerScene([.code(code)]))
        try requireEqual(try await scanner.next()?.bytes, code, "the only sighting")
        for call in 1...3 {
            try requireEqual(try await scanner.next(), nil, "call \(call) after the last sighting")
        }
        await scanner.close()
        try requireEqual(try await scanner.next(), nil, "the call after close")
    }

    private static let cancelledBefore = Clause<ScannerStage>(
        "CS-4", "a task that was cancelled before it calls gets cancelled", needs: [.idle]
    ) { subject in
        try await cancelled(subject, beforeCalling: true) {}
    }

    private static let cancelledWhileWaiting = Clause<ScannerStage>(
        "CS-4", "cancelling the task that waits ends it, and lets go of the device", needs: [.idle]
    ) { subject in
        try await cancelled(subject, beforeCalling: false) {
            for _ in 0..<1_000 { await Task.yield() }
        }
    }

    private static let closed = Clause<ScannerStage>(
        "CS-5", "after close the device is free and next gives nil; closing twice is fine"
    ) { subject in
        let stage = try await subject.fresh()()
        for _ in 0..<3 {
            let scene = ScannerScene([.code(code), .code(code)], goesOn: !subject.capabilities.contains(.ends))
            let scanner = try await stage.show(scene)
            try requireEqual(try await scanner.next()?.bytes, code, "the first sighting")
            await scanner.close()
            try requireEqual(try await scanner.next(), nil, "the call after close")
            await scanner.close()
            try requireEqual(try await scanner.next(), nil, "the call after the second close")
        }
    }

    private static let closedWhileWaiting = Clause<ScannerStage>(
        "CS-5", "close ends a call that waits with nil", needs: [.idle]
    ) { subject in
        let scanner = try await open(subject, ScannerScene([.code(code)], goesOn: true))
        try requireEqual(try await scanner.next()?.bytes, code, "the first sighting")
        let waiting = Task { try await scanner.next() }
        for _ in 0..<1_000 { await Task.yield() }
        await scanner.close()
        try requireEqual(try await waiting.value, nil, "the call that waited")
    }

    private static let unreadable = Clause<ScannerStage>(
        "CS-6", "what cannot be read does not end the source", needs: [.unreadable]
    ) { subject in
        let items: [ScannerScene.Item] = [
            .unreadable, .code(code), .unreadable, .unreadable, .code(code + code), .unreadable,
        ]
        let scanner = try await open(
            subject, ScannerScene(items, goesOn: !subject.capabilities.contains(.ends)))
        var sightings: [[UInt8]] = []
        while sightings.count < 2, let sighting = try await scanner.next() {
            if !sighting.bytes.isEmpty { sightings.append(sighting.bytes) }
        }
        await scanner.close()
        try requireEqual(sightings, [code, code + code], "what could be read")
    }

    private static let code = Array("eyJ0aWNrZXRJZCI6IjEifQ".utf8)

    private static func open(_ subject: Subject<ScannerStage>, _ scene: ScannerScene) async throws -> any CodeScanner {
        try await subject.fresh()().show(scene)
    }

    /// What the scanner reports of these codes: where it can end, one more than it was shown at most, so that a source
    /// that never ends is seen and not waited for.
    private static func seen(
        by subject: Subject<ScannerStage>, _ codes: [[UInt8]], pause: @Sendable () async -> Void = {}
    ) async throws -> [[UInt8]] {
        let ends = subject.capabilities.contains(.ends)
        let scanner = try await open(subject, ScannerScene(codes.map { .code($0) }, goesOn: !ends))
        var sightings: [[UInt8]] = []
        let most = ends ? codes.count + 1 : codes.count
        while sightings.count < most, let sighting = try await scanner.next() {
            sightings.append(sighting.bytes)
            await pause()
        }
        await scanner.close()
        return sightings
    }

    private static func cancelled(
        _ subject: Subject<ScannerStage>, beforeCalling: Bool, after pause: @escaping @Sendable () async -> Void
    ) async throws {
        let stage = try await subject.fresh()()
        for _ in 0..<3 {
            let scanner = try await stage.show(ScannerScene([], goesOn: true))
            let waiting = Task {
                while beforeCalling && !Task.isCancelled { await Task.yield() }
                return try await scanner.next()
            }
            await pause()
            waiting.cancel()
            do {
                let sighting = try await waiting.value
                throw Breach("the cancelled call gave \(sighting.map { "\($0)" } ?? "nil")")
            } catch let error as CodeScannerError {
                try requireEqual(error, .cancelled, "the cancelled call threw")
            }
            // Without a close: cancelling alone lets go of the device, so that the stage can show the next scene.
        }
        let next = try await stage.show(ScannerScene([.code(code)], goesOn: true))
        try requireEqual(try await next.next()?.bytes, code, "the first sighting of the device's next scanner")
        await next.close()
    }
}
