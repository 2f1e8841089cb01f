import Dispatch

/// What a blocking source came to.
package enum SourceError: Error, Sendable, Hashable {
    /// It cannot be opened.
    case unavailable(String)
    /// It broke while it was read.
    case failed(String)
    /// The task that waited was cancelled.
    case cancelled
}

/// What one pull of a blocking source gave.
package enum Pulled<Element: Sendable>: Sendable {
    /// The next element.
    case element(Element)
    /// The source has ended.
    case ended
    /// The signal to stop was raised first.
    case stopped
}

/// Pulls a blocking source from async code: one pull at a time, on a serial queue of its own.
///
/// Nothing is read ahead of demand, so a slow consumer holds the source back and nothing is dropped. The source is
/// opened by the first pull and let go of at its end, on an error, on cancellation and by `close`.
///
/// `@unchecked Sendable`: `state` is touched only by work on `queue`, which is serial; the rest is constant.
package final class SourceQueue<Element: Sendable>: @unchecked Sendable {
    /// Gives the next element, holding its thread until there is one. It waits with the signal, so that a raised one ends
    /// the wait.
    package typealias Pull = (StopSignal) throws(SourceError) -> Pulled<Element>

    private enum State {
        case unopened
        case open(Pull)
        case over(SourceError?)
    }

    private enum Outcome: Sendable {
        case value(Element?)
        case error(SourceError)
        case stopped
    }

    private let queue: DispatchQueue
    private let stop = StopSignal()
    private let open: @Sendable () throws(SourceError) -> Pull
    private var state = State.unopened

    /// A source that `open` opens at the first pull.
    package init(_ label: String, open: @escaping @Sendable () throws(SourceError) -> Pull) {
        queue = DispatchQueue(label: label)
        self.open = open
    }

    /// The next element; nil when the source ended and after `close`. An error that ended it is thrown at each later call.
    package func next() async throws(SourceError) -> Element? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                queue.async { continuation.resume(returning: self.pull()) }
            }
        } onCancel: {
            stop.raise()
        }
        switch outcome {
        case .value(let element): return element
        case .error(let error): throw error
        case .stopped:
            // The signal is one for both: it was the task's cancellation or a `close` beside it.
            if Task.isCancelled { throw .cancelled }
            return nil
        }
    }

    /// Ends a waiting `next`, and lets go of the source.
    package func close() async {
        stop.raise()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.state = .over(nil)
                continuation.resume()
            }
        }
    }

    private func pull() -> Outcome {
        if case .over(let error) = state { return error.map { .error($0) } ?? .value(nil) }
        do throws(SourceError) {
            guard try !stop.isRaised() else { return over(.stopped) }
            let pullNext = try opened()
            switch try pullNext(stop) {
            case .element(let element): return .value(element)
            case .ended: return over(.value(nil))
            case .stopped: return over(.stopped)
            }
        } catch {
            return over(.error(error))
        }
    }

    private func opened() throws(SourceError) -> Pull {
        if case .open(let pullNext) = state { return pullNext }
        let pullNext = try open()
        state = .open(pullNext)
        return pullNext
    }

    /// Drops the source, whose descriptors go with it.
    private func over(_ outcome: Outcome) -> Outcome {
        if case .error(let error) = outcome { state = .over(error) } else { state = .over(nil) }
        return outcome
    }
}
