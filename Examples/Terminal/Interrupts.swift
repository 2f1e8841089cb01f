import Foundation

/// Ctrl-C, and the signal by which services are ended: the first ends what is under way as its own end would, a second
/// ends the process at once. What was acknowledged is durable either way.
package actor Interrupts {
    private static let numbers = [SIGINT, SIGTERM]

    private var sources: [any DispatchSourceSignal] = []
    private var cancelCurrent: (@Sendable () -> Void)?
    /// Whether it came between two things that it would have cancelled.
    private var isDue = false

    /// Listens from here on.
    package init() async {
        // A queue of its own: those of the tasks may be held by a write to a terminal that is paused.
        let queue = DispatchQueue(label: "terminal.interrupts")
        sources = Self.numbers.map { number in
            // A source only listens beside what a signal does otherwise, which here is to end the process.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in
                // First of all, so that a second one ends the process whatever becomes of the first.
                for number in Self.numbers { signal(number, SIG_DFL) }
                Task { await self?.cancel() }
            }
            source.resume()
            return source
        }
    }

    /// Does something that the first signal cancels; one that cancelled something before does not count here.
    package func cancelling<Value: Sendable>(_ body: @escaping @concurrent @Sendable () async -> Value) async -> Value {
        let task = Task { await body() }
        cancelCurrent = { task.cancel() }
        if isDue { cancel() }
        defer { cancelCurrent = nil }
        return await task.value
    }

    private func cancel() {
        isDue = cancelCurrent == nil
        cancelCurrent?()
    }
}
