import Portico

/// The decisions of a gate on what a scanner sees, one after the other.
///
/// It holds no buffer: the scanner is asked for the next code when somebody asks for the next decision. It ends when the
/// scanner ends, throws what the scanner throws, and throws `CancellationError` when its task is cancelled.
///
/// ```swift
/// for try await decision in gate.decisions(from: scanner) {
///     if case .repeated = decision.outcome { continue }  // the same presentation, seen again
///     show(decision)
/// }
/// ```
public struct ScanDecisions: AsyncSequence, Sendable {
    /// One decision a sighting.
    public typealias Element = ScanDecision

    let gate: TicketGate
    let scanner: any CodeScanner
    let lane: Identifier?

    /// Begins to read; a scanner has one reader.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(gate: gate, scanner: scanner, lane: lane)
    }

    /// Reads the scanner and tells new presentations from the same one seen again.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let gate: TicketGate
        let scanner: any CodeScanner
        let lane: Identifier?
        private var presentation: Presentation?

        init(gate: TicketGate, scanner: any CodeScanner, lane: Identifier?) {
            self.gate = gate
            self.scanner = scanner
            self.lane = lane
        }

        /// The decision on the next sighting; nil when the scanner ended.
        public mutating func next() async throws -> ScanDecision? {
            let code: ScannedCode?
            do throws(CodeScannerError) {
                code = try await scanner.next()
            } catch {
                await endPresentation()
                if case .cancelled = error { throw CancellationError() }
                throw error
            }
            guard let code else {
                await endPresentation()
                return nil
            }
            return await decision(on: code)
        }

        private mutating func decision(on code: ScannedCode) async -> ScanDecision {
            let uptime = gate.time.uptime
            if let current = presentation, current.goesOn(with: code, at: uptime),
                await gate.sightedAgain(current.eventID, at: uptime)
            {
                presentation?.lastSeen = uptime
                var decision = current.decision
                decision.outcome = .repeated(of: current.eventID)
                decision.scannedAt = gate.time.now
                decision.origin = code.origin
                return decision
            }
            let ending = presentation?.eventID
            presentation = nil
            let decided = await gate.decide(code.bytes, count: 1, lane: lane, isOpen: true, ending: ending)
            var decision = decided.decision
            decision.origin = code.origin
            // What could not be recorded is tried again at the next sighting: the fault may be gone.
            if decided.hasOwnEvent, let eventID = decision.eventID, decision.isRecorded {
                await gate.presentationOpened(eventID, at: uptime)
                presentation = Presentation(
                    text: CodeText.cleaned(code.bytes) ?? code.bytes, eventID: eventID, decision: decision,
                    lastSeen: uptime)
            }
            return decision
        }

        private mutating func endPresentation() async {
            guard let eventID = presentation?.eventID else { return }
            presentation = nil
            await gate.presentationEnded(eventID)
        }
    }

    /// One code held in front of one scanner.
    private struct Presentation: Sendable {
        let text: [UInt8]
        let eventID: EventID
        let decision: ScanDecision
        var lastSeen: Int64

        func goesOn(with code: ScannedCode, at uptime: Int64) -> Bool {
            uptime - lastSeen <= TicketGate.presentationGap && code.emptyMilliseconds < TicketGate.emptyGap
                && (CodeText.cleaned(code.bytes) ?? code.bytes) == text
        }
    }
}
