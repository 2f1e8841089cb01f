import Portico
import PorticoTickets

/// Any bytes as a configuration: one that is in order, or the cause by name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(ConfigurationError) {
        let configuration = try GateConfiguration(parsing: bytes)
        precondition(!configuration.events.isEmpty, "a configuration without an event")
    } catch {
        precondition(!error.description.isEmpty, "a refusal without a cause")
    }
    return 0
}
