import Portico
import PorticoPOSIX

extension EventStoreError {
    /// What a system's refusal means to who uses a store.
    init(_ error: SystemError) {
        switch error.cause {
        case .full: self = .full
        case .readOnly: self = .readOnly
        case .missing, .other: self = .failed("\(error)")
        }
    }
}

/// Runs file operations and tells their errors as a store's.
func storing<Value>(_ body: () throws(SystemError) -> Value) throws(EventStoreError) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw EventStoreError(error)
    }
}
